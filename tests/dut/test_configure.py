#!/usr/bin/python3
"""KARAT_DUT from the command line: a core that is there has its target, and what is wrong with the options is said in one line
that names it."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--core", required=True, type=pathlib.Path, help="the output of foreign.py")
    args = parser.parse_args()
    problems = []
    with tempfile.TemporaryDirectory() as build:
        good = {"DUT": "mycore", "DUT_ADAPTER": "ingot", "DUT_FILELIST": args.core / "core.f", "DUT_INCDIRS": args.core / "include",
                "DUT_DEFINES": "FOREIGN_TOP=mytop", "DUT_TOP": "mytop", "DUT_PARAMETERS": "NUM_THREAD=4;NUM_WARP=4"}

        def configure(**changes):
            options = [f"-DKARAT_{name}={value}" for name, value in {**good, "INGOT": "OFF", **changes}.items()]
            done = subprocess.run([args.cmake, "-S", args.source, "-B", build, "-G", "Ninja", *options], capture_output=True, text=True)
            return done.returncode, done.stdout + done.stderr

        def expect(text, **changes):
            status, output = configure(**changes)
            # CMake breaks long lines.
            if status == 0 or text not in re.sub(r"\s+", " ", output):
                problems.append(f"{changes}: status {status}, expected '{text}':\n{output}")

        status, output = configure()
        if status:
            sys.exit(f"a core that is there is not configured:\n{output}")
        targets = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], capture_output=True, text=True, check=True).stdout
        if not re.search(r"^karat-mycore: phony$", targets, re.MULTILINE):
            problems.append("configured, and no target karat-mycore")
        if "karat-ingot" in targets:
            problems.append("KARAT_INGOT=OFF builds karat-ingot")
        expect("expected a name of letters", DUT="my core")
        expect("adapter: no " + str(args.source / "rtl-wrap" / "mycore" / "adapter.cmake"), DUT_ADAPTER="")
        expect("adapter: no /nowhere/adapter.cmake", DUT_ADAPTER="/nowhere")
        expect("no sources: KARAT_DUT_FILELIST", DUT_FILELIST="")
        expect("list of files: no /nowhere/core.f", DUT_FILELIST="/nowhere/core.f")
        expect("folder of include files: no /nowhere", DUT_INCDIRS="/nowhere")
        expect("parameter 'NUM_THREAD', expected NAME=VALUE", DUT_PARAMETERS="NUM_THREAD")
        expect("no ingot has 1 SMs of 8 warps of 5 threads", DUT_PARAMETERS="NUM_THREAD=5")
        expect("Cannot find include file: foreign.vh", DUT_INCDIRS="")
        expect("rtl/missing.sv", DUT_FILELIST=args.core / "missing.f")
        expect("top", DUT_TOP="nosuch")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
