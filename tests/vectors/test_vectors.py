#!/usr/bin/python3
"""Runs the directed programs on the model: each ends, and leaves the same memory in any order of its warps and of the two sides of a
branch, with translation, and in single steps (which a trace wants) instead of slices. These programs are free of races; what their
instructions mean is in tests/golden and tests/fuzz.

    test_vectors.py --karat PATH --vectors DIR [--threads 4,8,16,32] [PROGRAM ...]
"""

import argparse
import os
import pathlib
import subprocess
import sys

from elftools.elf.elffile import ELFFile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from share import SHARE  # noqa: E402
WAYS = ("--schedule=seed=1", "--simt-order=if-first", "--simt-order=else-first", "--sv39=2", f"--trace={os.devnull}")
SHOW = 8  # Differing lines that are printed for each run


def run(karat, elf, threads, *options):
    """(exit status, what the program's objects hold, or why it failed)"""
    with open(elf, "rb") as f:
        symbols = ELFFile(f).get_section_by_name(".symtab").iter_symbols()
        dumps = [f"--dump={s.name}" for s in symbols if s["st_info"]["type"] == "STT_OBJECT" and s["st_size"]]
    done = subprocess.run([karat, "run", f"--threads={threads}", *options, *dumps, elf], capture_output=True, text=True)
    if done.returncode:
        return done.returncode, (done.stderr + done.stdout).splitlines()
    return 0, [line for line in done.stdout.splitlines() if line.startswith("0x")]


def check(karat, elf, threads, ways):
    """What is wrong with that program."""
    status, expected = run(karat, elf, threads)
    if status or not expected:
        return [f"status {status}, {len(expected)} lines", *expected[:SHOW]]
    wrong = []
    for way in ways:
        status, lines = run(karat, elf, threads, way)
        if status or lines != expected:
            wrong += [f"{way}: status {status}", *[line for line in lines if line not in expected][:SHOW]]
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--karat", required=True, help="the karat command")
    parser.add_argument("--vectors", required=True, type=pathlib.Path, help="folder of the assembled programs")
    parser.add_argument("--threads", default="4,8,16,32", help="threads per warp, several with commas")
    parser.add_argument("programs", nargs="*", help="programs (all)")
    args = parser.parse_args()
    programs = [args.vectors / f"{name}.elf" for name in args.programs] or sorted(args.vectors.glob("*.elf"))
    failed = 0
    for elf in programs:
        for threads in args.threads.split(","):
            wrong = check(args.karat, elf, threads, WAYS if SHARE == 100 else WAYS[-2:])
            failed += bool(wrong)
            for line in wrong and [f"{elf.stem} with {threads} threads: FAIL", *wrong]:
                print(line)
    print(f"{len(programs)} programs, {failed} failures")
    return 1 if failed or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
