#!/usr/bin/python3
"""The sessions in docs/python.md and docs/how-it-checks.md print what they say."""
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
        results = [doctest.testfile(str(args.source / "docs" / page), module_relative=False) for page in ("python.md", "how-it-checks.md")]
        os.chdir(before)
    for failed, tried in results:
        print(f"{tried} examples, {failed} failed")
    return any(failed for failed, _ in results) or results[0].attempted < 40 or results[1].attempted < 10


if __name__ == "__main__":
    sys.exit(main())
