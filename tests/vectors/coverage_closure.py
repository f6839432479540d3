#!/usr/bin/python3
"""Coverage by the directed set and random programs on the model alone, until there is enough of it or the time is over; the curve."""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--threads", default="8,32", help="threads per warp of the devices (8,32)")
parser.add_argument("--profile", default="v2.02", help="of the ISA (v2.02)")
parser.add_argument("--percent", type=float, default=99, help="of the bins that can be reached (99)")
parser.add_argument("--minutes", type=float, default=60, help="at most (60)")
parser.add_argument("--seed", type=int, default=1, help="of the first random program (1)")
parser.add_argument("--batch", type=int, default=20, help="random programs between two points of the curve (20)")
parser.add_argument("--jobs", type=int, default=2, help="runs at once (2)")
parser.add_argument("--output", required=True, type=pathlib.Path, help="folder for coverage.json, report.json and report.html")
args = parser.parse_args()


def karat(*arguments):
    done = subprocess.run([args.karat, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"coverage_closure: {' '.join(map(str, arguments))}: status {done.returncode}: {done.stderr}")
    return done.stdout


def cover(threads, program):
    path = program.parent / "coverage.json"
    karat("run", f"--profile={args.profile}", f"--threads={threads}", "--warps=32", f"--coverage={path}", program)
    return path


def main():
    begin = time.monotonic()
    args.output.mkdir(parents=True, exist_ok=True)
    merged, report = args.output / "coverage.json", args.output / "report.json"
    merged.unlink(missing_ok=True)
    print(f"random programs: seeds from {args.seed}")
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:

        def add(*arguments):
            """Make these vectors for each device, and merge what they cover; the percentage so far."""
            with tempfile.TemporaryDirectory() as name:
                files = []
                for threads in args.threads.split(","):
                    folder = pathlib.Path(name) / threads
                    karat("gen", *arguments, f"--profile={args.profile}", f"--threads={threads}", f"--output={folder}")
                    files += pool.map(lambda p, t=threads: cover(t, p), sorted(folder.glob("*/program.elf")))
                karat("cov", "merge", f"--output={merged}", *([merged] if merged.exists() else []), *files)
            karat("cov", "report", "--format=json", f"--output={report}", merged)
            data = json.loads(report.read_text())
            done = data["all"]
            print(f"{time.monotonic() - begin:6.0f} s: {arguments[0]:8} {data['runs']:6} runs, {data['steps']:10} instructions: "
                  f"{done['hit']} of {done['bins'] - done['excluded']} bins ({done['percent']:.2f} %)", flush=True)
            return done["percent"]

        percent, seed = add("directed"), args.seed
        while percent < args.percent and time.monotonic() - begin < 60 * args.minutes:
            percent = add("random", f"--count={args.batch}", f"--seed={seed}", "--length=10000")
            seed += args.batch
    karat("cov", "report", "--format=html", "--holes=1000", f"--output={args.output / 'report.html'}", merged)
    print(karat("cov", "report", merged))
    return 0 if percent >= args.percent else 1


if __name__ == "__main__":
    sys.exit(main())
