#!/usr/bin/python3
"""Runs builds of fuzz_model on the same words and compares all that they print: counts, errors and the state hash.

Usage: campaign.py --words N [--profile P] [--seed S] [--jobs J] [--min-count N] [--counts] NAME=BUILD...

With --profile all the first build runs each profile alone as well, and all in turn must come to the same.

A build is a fuzz_model executable. Exits with 1 where one of them fails or where two differ."""
import argparse
import os
import subprocess
import sys
import time


def run(build, options, profile):
    command = [build, "--profile", profile, "--words", str(options.words), "--seed", str(options.seed), "--jobs", str(options.jobs), "--counts",
               *([] if options.min_count is None else ["--min-count", str(options.min_count)])]
    start = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    return done.returncode, done.stdout.splitlines(), time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=1000000)
    parser.add_argument("--profile", default="v2.02")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("KARAT_SEED") or 1))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--min-count", type=int)
    parser.add_argument("--counts", action="store_true", help="print the counts of each row")
    parser.add_argument("builds", nargs="+", metavar="NAME=BUILD")
    options = parser.parse_args()

    first, bad = None, 0
    runs = [(*build.partition("=")[::2], options.profile) for build in options.builds]
    for name, build, _ in runs:
        if not os.access(build, os.X_OK):
            parser.error(f"'{name}={build}' names no executable")
    alone = []
    while runs:
        name, build, profile = runs.pop(0)
        status, lines, seconds = run(build, options, profile)
        hashes = [line.split()[1] for line in lines if line.startswith("hash ")]
        print(f"{name:10} {' '.join(hashes) or 'no hash'}  exit {status}, {options.words} words in {seconds:.0f} s, "
              f"{options.words * len(hashes) / seconds / 1e6:.2f} M/s", flush=True)
        bad += status != 0 or not hashes
        if profile != options.profile:
            alone += lines if not alone else lines[1:]  # The seed is taken once
            lines = alone + first[len(alone):]
        if first is None:
            first = lines
            if options.profile == "all":
                runs[:0] = [(f"{name}, {line.split()[1]}", build, line.split()[1]) for line in lines if line.startswith("profile ")]
        differ = [(a, b) for a, b in zip(first, lines) if a != b]
        if differ or len(first) != len(lines):
            bad += 1
            print("campaign.py: differs from the first build:", file=sys.stderr)
            for a, b in differ[:10]:
                print(f"  {a}\n  {b}", file=sys.stderr)
    rows = [line for line in first if line[:1] == " "]
    print("\n".join(line for line in first if options.counts or line not in rows))
    if bad:
        print("campaign.py: FAILED", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
