#!/usr/bin/python3
"""scripts/demo and scripts/test with stand-ins for dpkg, apt, cmake, ctest and cores: which steps they make, what they print of them, and
that one that fails does not hide the others."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
failures = 0

STANDINS = {
    "dpkg-query": 'case "$*" in *" $MISSING") exit 1;; esac; echo "install ok installed"',
    "apt-get": 'echo "apt-get $1" >>$CALLS; echo "debconf: delaying package configuration" >&2; [ "$1" != "$APT_FAILS" ]',
    "sudo": 'exec "$@"',
    "cmake": """case "$1" in
--preset) echo "configure $2 $3" >>$CALLS; mkdir -p build/$2; echo "CMake says much"
  echo "KARAT_TESTS:BOOL=${3#*=}" >build/$2/CMakeCache.txt; touch build/$2/build.ninja ;;
--build) echo "build $*" >>$CALLS; echo "@1/2@ Compiling a.c"; echo "a.c: a warning"
  if [ "$3" = "$BUILD_FAILS" ]; then echo "FAILED: b.o"; echo "b.c: an error"; exit 1; fi; echo "@2/2@ Compiling b.c" ;;
esac""",
    "ctest": """echo "ctest $2" >>$CALLS
if [ "$2" = "$TEST_FAILS" ]; then printf '50%% tests passed, 1 tests failed out of 2\n\nThe following tests FAILED:\n\t  2 - dpi.mem (Failed)\n'
  echo "Errors while running CTest"; exit 8; fi
echo "100% tests passed, 0 tests failed out of 2" """,
    "scripts/regress": 'echo "regress $*"',
    "build/release/testbench/karat-ingot": 'echo "karat: MISMATCH"; exit "$CORE_STATUS"',
}


def check(good, what, done):
    global failures
    if not good:
        failures += 1
        print(f"FAILED: {what}: status {done.returncode}\n{done.stdout}\n{done.stderr}")


def run(script, *arguments, folder, **environment):
    calls = folder / "calls"
    calls.write_text("")
    done = subprocess.run([folder / "scripts" / script, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env={"PATH": f"{folder}:{os.environ['PATH']}", "CALLS": str(calls), "CORE_STATUS": "1", **environment})
    return done, calls.read_text().splitlines()


def test(folder):
    for name in ("setup.sh", "demo", "test"):
        (folder / "scripts").mkdir(exist_ok=True)
        shutil.copy(ROOT / "scripts" / name, folder / "scripts" / name)
    for name, text in STANDINS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)

    demo = ["configure release -DKARAT_TESTS=OFF", "build --build --preset release --target karat karat-ingot programs"]
    done, calls = run("demo", folder=folder)
    check(done.returncode == 0 and calls == demo, f"demo: its steps are {calls}", done)
    check("regress --table" in done.stdout and "What to try next" in done.stdout and "CMake says" not in done.stdout, "demo: its words", done)
    check("minutes" in done.stdout.splitlines()[0], "demo: the first line has no time", done)
    done, calls = run("demo", "-v", folder=folder)
    check(done.returncode == 0 and calls == demo[1:] and "regress --table" not in done.stdout, f"demo -v: its steps are {calls}", done)
    done, calls = run("demo", "-x", folder=folder)
    check(done.returncode == 2 and not calls and done.stderr.startswith("usage:"), "demo -x", done)
    done, calls = run("demo", folder=folder, CORE_STATUS="0")
    check(done.returncode == 1 and "the fault was not found" in done.stderr, "demo: a fault that is not found", done)
    done, calls = run("demo", folder=folder, BUILD_FAILS="release")
    check(done.returncode == 1 and "b.c: an error" in done.stderr and "a warning" not in done.stderr and "regress" not in done.stdout,
          "demo: a build that fails", done)
    done, calls = run("demo", folder=folder, MISSING="ninja-build")
    check(done.returncode == 0 and calls[:2] == ["apt-get update", "apt-get install"] and "debconf" not in done.stdout + done.stderr,
          f"demo: a package is missing: {calls}", done)
    done, calls = run("demo", folder=folder, MISSING="ninja-build", APT_FAILS="install")
    check(done.returncode == 2 and "debconf" in done.stderr and calls == ["apt-get update", "apt-get install"],
          f"demo: a package cannot be installed: {calls}", done)

    done, calls = run("test", folder=folder)
    steps = ["configure release -DKARAT_TESTS=ON", "build --build --preset release", "ctest quick"]
    check(done.returncode == 0 and calls == steps and done.stdout.count("passed  ") == 1, f"test: its steps are {calls}", done)
    done, calls = run("test", "--any", folder=folder)
    check(done.returncode == 2 and not calls and done.stderr.startswith("usage:"), "test --any", done)
    presets = {"release": " --target all full", "asan": "", "tsan": "", "fuzz": ""}
    done, calls = run("test", "--all", folder=folder)
    steps = [step for p, what in presets.items() for step in (f"configure {p} -DKARAT_TESTS=ON", f"build --build --preset {p}{what}", f"ctest {p}")]
    check(done.returncode == 0 and calls == steps[1:] and done.stdout.count("passed  ") == len(presets), f"test --all: its steps are {calls}", done)
    done, calls = run("test", "--all", folder=folder, TEST_FAILS="release", BUILD_FAILS="asan")
    steps = [step for step in steps if not step.startswith("configure") and step != "ctest asan"]
    check(done.returncode == 1 and calls == steps, f"test: failures: its steps are {calls}", done)
    end = done.stdout.partition("== Summary\n")[2].splitlines()
    check(len(end) == 5 and end[0].startswith("FAILED  release: 50%") and end[1].split() == ["dpi.mem", "(Failed)"]
          and end[2].startswith("FAILED  address") and "not built" in end[2] and end[3].startswith("passed  thread")
          and end[4].startswith("passed  input"), "test: its summary", done)


with tempfile.TemporaryDirectory() as name:
    test(pathlib.Path(name))
sys.exit(1 if failures else 0)
