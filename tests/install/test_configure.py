#!/usr/bin/python3
"""A tree on a machine without the packages of the tests: it is configured, without tests, and one line names the packages; with them, the tests
come back. And scripts/demo shows the cause where CMake fails."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--cmake", required=True)
parser.add_argument("--source", required=True, type=pathlib.Path)
args = parser.parse_args()
failures = 0


def check(good, what, *more):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what, *(str(m)[-3000:] for m in more))


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    return done.returncode, done.stdout


def without(folder, *names):
    """An environment in which pkg-config knows all packages but these."""
    folder.mkdir()
    for path in run("pkg-config", "--variable", "pc_path", "pkg-config")[1].strip().split(":"):
        for file in pathlib.Path(path).glob("*.pc"):
            if file.stem not in names and not (folder / file.name).exists():
                (folder / file.name).symlink_to(file)
    return {**os.environ, "PKG_CONFIG_LIBDIR": str(folder)}


def configured(folder):
    build = folder / "build"
    command = [args.cmake, "-S", args.source, "--preset", "release", "-B", build, "-DKARAT_RTL=OFF"]
    for more in ([], ["-DKARAT_DUT_DEFINES="]):  # Again, the other way as users did
        status, out = run(*command, *more, cwd=args.source, env=without(folder / f"packages{len(more)}", "cmocka", "mpfr"))
        lines = [line for line in out.splitlines() if "The tests are left out" in line]
        check(status == 0 and len(lines) == 1 and "libcmocka-dev libmpfr-dev" in lines[0] and " llvm" not in lines[0],
              "without packages", status, out)
        check(not (build / "tests").exists(), "there are tests")
    status, out = run(*command, cwd=args.source)
    check(status == 0 and "left out" not in out and (build / "tests" / "CTestTestfile.cmake").exists(), "with the packages", status, out)


def cause_of_failure(folder):
    """Run setup.sh with a cmake whose build fails while it configures again."""
    (folder / "bin").mkdir()
    (folder / "scripts").mkdir()
    (folder / "build" / "release").mkdir(parents=True)
    (folder / "scripts" / "setup.sh").write_text((args.source / "scripts" / "setup.sh").read_text())
    fake = folder / "bin" / "cmake"
    fake.write_text("#!/bin/sh\necho '@0/1 Re-running CMake...'\necho 'CMake Error at x: a required package was not found'\n"
                    "echo 'FAILED: build.ninja'\necho cmake\nexit 1\n")
    fake.chmod(0o755)
    status, out = run("bash", "-c", f". {folder}/scripts/setup.sh; build release karat",
                      env={**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"})
    check(status != 0 and "a required package was not found" in out and "Re-running" not in out, "the cause of a failure", status, out)


def reconfigured(folder):
    """Check that setup.sh configures again a tree whose tests were left out, where they are wanted, and no other."""
    (folder / "bin" / "cmake").write_text("#!/bin/sh\necho called >> called\n")
    cache = folder / "build" / "release" / "CMakeCache.txt"
    (cache.parent / "build.ninja").write_text("")
    for lack, wanted, calls in (("libcmocka-dev", "ON", 1), ("libcmocka-dev", "OFF", 0), ("", "ON", 0)):
        cache.write_text(f"KARAT_TESTS:BOOL=ON\nKARAT_TESTS_LACK:INTERNAL={lack}\n")
        (folder / "called").unlink(missing_ok=True)
        status, out = run("bash", "-c", f". {folder}/scripts/setup.sh; configure release {wanted}",
                          env={**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"})
        check(status == 0 and (folder / "called").exists() == bool(calls), f"configure {wanted} with '{lack}'", status, out)


with tempfile.TemporaryDirectory() as name:
    configured(pathlib.Path(name))
with tempfile.TemporaryDirectory() as name:
    cause_of_failure(pathlib.Path(name))
    reconfigured(pathlib.Path(name))
sys.exit(failures != 0)
