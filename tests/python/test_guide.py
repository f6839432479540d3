#!/usr/bin/python3
"""The sessions in docs/python.md print what they say."""
import argparse
import doctest
import os
import pathlib
import shutil
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("source", "karat", "vectors"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    args = parser.parse_args()
    os.environ["PATH"] = f"{args.karat.resolve().parent}:{os.environ['PATH']}"
    before = pathlib.Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(args.vectors / "vecadd.elf", folder)
        os.chdir(folder)
        failed, tried = doctest.testfile(str(args.source / "docs" / "python.md"), module_relative=False)
        os.chdir(before)
    print(f"{tried} examples, {failed} failed")
    return failed > 0 or tried < 40


if __name__ == "__main__":
    sys.exit(main())
