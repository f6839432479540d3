#!/usr/bin/python3
"""The same parameters give the same vectors, byte for byte, whatever compiler has made karat gen: random programs of several
devices, with races and without, and the directed set. So a seed names a program."""
import argparse
import filecmp
import pathlib
import sys
import tempfile

from checks import check, end, run

SHAPES = (("--threads=8", "--length=600"), ("--threads=4", "--length=400", "--races"), ("--threads=32", "--length=1500", "--vgprs=1024"))


def cases(seed):
    for shape in SHAPES:
        yield "random", f"--seed={seed}", "--count=30", *shape
    yield "directed", "--threads=8"


def differing(one, other):
    """Files of either folder that the other one has not, or not so."""
    names = sorted({p.relative_to(folder) for folder in (one, other) for p in folder.rglob("*") if p.is_file()})
    check(names, f"{one.name}: nothing made")
    return [str(name) for name in names
            if not ((one / name).is_file() and (other / name).is_file() and filecmp.cmp(one / name, other / name, shallow=False))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--karat", required=True)
    parser.add_argument("--seed", type=int, default=1, help="of the first random program (1)")
    parser.add_argument("builds", nargs="+", help="executables that are karat gen")
    args = parser.parse_args()
    print("seed:", args.seed)
    for case in cases(args.seed):
        with tempfile.TemporaryDirectory() as name:
            made = []
            for i, command in enumerate([[args.karat, "gen"], *([build] for build in args.builds)]):
                made.append(pathlib.Path(name, f"build-{i}"))
                done = run(*command, *case, f"--output={made[-1]}")
                check(done.returncode == 0, *command, *case, done.stderr)
            for build, folder in zip(args.builds, made[1:]):
                wrong = differing(made[0], folder)
                check(not wrong, build, *case, f"{len(wrong)} files differ:", *wrong[:3])
    return end()


if __name__ == "__main__":
    sys.exit(main())
