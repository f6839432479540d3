#!/usr/bin/python3
"""Every level of the processor that this machine has (golden/exec/level.h) computes the same bytes.

Random words: all that fuzz_model prints at a level, among it the hash of every commit, is what it prints at the portable one.  Then each
program after --run, which has an oracle of its own, at every level; {level} stands for v2, v3 and so on, or 'portable'.
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

LEVELS = ("portable", "x86-64-v2", "x86-64-v3", "x86-64-v4")


def run(command, level):
    environment = {name: value for name, value in os.environ.items() if name != "KARAT_LEVEL"}
    if level:
        environment["KARAT_LEVEL"] = level
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env=environment)
    return done.returncode, done.stdout, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--karat", required=True)
    parser.add_argument("--program", required=True, help="any program, for 'karat run'")
    parser.add_argument("--fuzz", required=True, help="fuzz_model")
    parser.add_argument("--words", type=int, required=True)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("KARAT_SEED") or 1))
    parser.add_argument("--run", action="append", default=[], metavar="COMMAND")
    args = parser.parse_args()
    bad = []

    version = run([args.karat, "--version"], None)[1]
    have = re.search(r"^levels (.*), in use ", version, re.M)[1].split()
    print(f"levels: {' '.join(have)}; not run, since this machine lacks them: {' '.join(set(LEVELS) - set(have)) or 'none'}; seed {args.seed}")

    def words(level, seed):
        status, out, errors = run([args.fuzz, "--profile", "all", "--words", args.words, "--min-count", "0", "--seed", seed], level)
        if status:
            bad.append(f"fuzz_model at {level}: status {status}\n{out}{errors}")
        return out.splitlines()[1:]  # Without the seed

    want = words(have[0], args.seed)
    if words(have[0], args.seed + 1) == want:
        bad.append("two seeds give one result: nothing is compared")
    for level in have:
        if f", in use {level}\n" not in run([args.karat, "--version"], level)[1]:
            bad.append(f"{level} is not the level in use")
        if level != have[0] and words(level, args.seed) != want:
            bad.append(f"random words: {level} differs from {have[0]}: "
                       f"fuzz_model --profile all --words {args.words} --min-count 0 --seed {args.seed}")
        for command in args.run:
            command = shlex.split(command.format(level=level.removeprefix("x86-64-")))
            status, out, errors = run(command, level)
            if status not in (0, 77):
                bad.append(f"{level}: {shlex.join(command)}: status {status}\n{out}{errors}")

    status, _, errors = run([args.karat, "run", args.program], "x86-64-v9")
    if status != 2 or not re.fullmatch(r"karat run: cannot make a model .*: KARAT_LEVEL names no level of this machine .*\n", errors):
        bad.append(f"KARAT_LEVEL=x86-64-v9 karat run: status {status}, {errors}")
    with tempfile.TemporaryDirectory() as folder:
        recording = pathlib.Path(folder) / "run.ktr"
        run([args.karat, "run", f"--record={recording}", args.program], None)
        status, out, _ = run([args.karat, "check", recording], "x86-64-v9")
    if status != 2 or "  what      KARAT_LEVEL names no level of this machine\n" not in out:
        bad.append(f"KARAT_LEVEL=x86-64-v9 karat check: status {status}, {out}")
    print("\n".join(bad) if bad else f"{len(have)} levels: the same")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
