# Sourced by demo and test: says what it does, installs what Debian packages are missing, configures and builds once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '\n== %s\n' "$*"; }

# Everything Karat builds and tests with, from Debian 12.
packages=(
  build-essential g++ cmake ninja-build ccache pkg-config git perl
  verilator libsystemc-dev clang lld llvm libclang-rt-14-dev
  libjansson-dev libxxhash-dev libzstd-dev libdw-dev zlib1g-dev libcmocka-dev libmpfr-dev
  python3 python3-jinja2 python3-pyelftools python3-jsonschema python3-clang-14 qemu-user gcovr
)

install_packages() {
  local missing=() package
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  if [ ${#missing[@]} -eq 0 ]; then
    say "Debian packages: all ${#packages[@]} are installed"
    return
  fi
  say "Installing Debian packages: ${missing[*]}"
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "scripts: not root and no sudo; install these packages yourself: ${missing[*]}" >&2; exit 2; }
    root=(sudo)
  fi
  "${root[@]}" apt-get update -qq
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# build PRESET: configure where that was not done yet, then build what changed.
build() {
  say "Building (preset $1)"
  [ -f "build/$1/build.ninja" ] || cmake --preset "$1" >"build-$1.log" 2>&1 || { cat "build-$1.log" >&2; rm -f "build-$1.log"; exit 1; }
  rm -f "build-$1.log"
  cmake --build --preset "$1"
}
