# Sourced by demo and test: installs the Debian packages that are missing, configures and builds, with one line of progress.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '\n== %s\n' "$*"; }

# Packages of Debian 12 with which Karat builds and its scripts run, and those that only its tests want.
build_packages=(
  g++ cmake ninja-build ccache pkg-config git
  verilator clang lld
  libjansson-dev libedit-dev libxxhash-dev libzstd-dev libdw-dev zlib1g-dev
  python3 python3-jinja2
)
test_packages=(
  build-essential file perl libsystemc-dev llvm libclang-rt-14-dev
  libcmocka-dev libmpfr-dev python3-pyelftools groff-base python3-jsonschema python3-clang-14 qemu-user gcovr gdb-multiarch
  python3-numpy python3-pip python3-setuptools python3-wheel cmark-gfm
)

# Quietly LOG COMMAND...: its output goes to LOG, and is shown where it fails.
quietly() {
  local log=$1 status=0
  shift
  "$@" >"$log" 2>&1 || status=$?
  [ "$status" -eq 0 ] || cat "$log" >&2
  return "$status"
}

# install_packages PACKAGE...
install_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  if [ ${#missing[@]} -eq 0 ]; then
    say "Debian packages: all $# are installed"
    return
  fi
  say "Installing ${#missing[@]} Debian packages: ${missing[*]}"
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "scripts: not root and no sudo; install these packages yourself: ${missing[*]}" >&2; exit 2; }
    root=(sudo)
  fi
  # Debconf and dpkg have things to say about every package; they matter when one cannot be installed.
  local log status=0
  log=$(mktemp)
  quietly "$log" "${root[@]}" apt-get update -qq &&
    quietly "$log" "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" || status=$?
  rm -f "$log"
  [ "$status" -eq 0 ] || exit 2
}

# Ninja's output: a line that counts on a terminal, else a line for each tenth. Anything that is no step is in the log.
progress() {
  local line done total last=-1
  while IFS= read -r line; do
    [[ $line =~ ^@([0-9]+)/([0-9]+) ]] || continue
    done=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
    if [ -t 1 ]; then
      printf '\r\033[K   step %d of %d: %.60s' "$done" "$total" "${line#*@ }"
    elif [ $((10 * done / total)) -ne "$last" ]; then
      last=$((10 * done / total))
      printf '   step %d of %d\n' "$done" "$total"
    fi
  done
  [ ! -t 1 ] || printf '\r\033[K'
}

# Build PRESET [TARGET...]: what changed; everything where no target is named.
build() {
  local preset=$1 log=build/$1/build.log status=0
  shift
  say "Building${*:+ $*} (preset $preset, log in $log)"
  NINJA_STATUS='@%f/%t@ ' cmake --build --preset "$preset" ${*:+--target "$@"} 2>&1 | tee "$log" | progress || status=$?
  # The step that failed and what it printed: the output of CMake is before its line.
  if [ "$status" -ne 0 ]; then
    if grep -q '^FAILED: build\.ninja' "$log"; then cat "$log"; else sed -n '/^FAILED: /,$p' "$log"; fi | grep -v '^@' >&2
  fi
  return "$status"
}

# Configure PRESET TESTS: where that was not done yet. TESTS is ON or OFF; a tree that has the tests keeps them.
configure() {
  local preset=$1
  # Where packages of the tests were absent, they have been installed since, or are not wanted.
  if grep -qs "^KARAT_TESTS:BOOL=\(ON\|$2\)" "build/$preset/CMakeCache.txt" && [ -f "build/$preset/build.ninja" ] &&
    { [ "$2" = OFF ] || ! grep -qs "^KARAT_TESTS_LACK:INTERNAL=." "build/$preset/CMakeCache.txt"; }; then
    return
  fi
  say "Configuring (preset $preset)"
  mkdir -p "build/$preset"
  quietly "build/$preset/configure.log" cmake --preset "$preset" "-DKARAT_TESTS=$2"
}
