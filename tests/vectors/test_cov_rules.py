#!/usr/bin/python3
"""The rules that exclude bins, against what runs: no program may reach a bin that a rule says nothing can reach.

The directed set and random programs run on the model with several numbers of threads; random programs also in other orders of
their warps and of the two paths of a divergence. A bin that was hit and is excluded fails, on its own device and merged with
the others'.
"""
import argparse
import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--threads", default="1,2,4,8,16,32", help="threads per warp of the devices (1,2,4,8,16,32)")
parser.add_argument("--random", type=int, default=20, help="random programs on each (20)")
parser.add_argument("--length", type=int, default=1000, help="instructions of each (1000)")
parser.add_argument("--seed", type=int, default=1, help="of the first one (1)")
parser.add_argument("--directed", help="of the directed set only programs whose name has this in it")
parser.add_argument("--jobs", type=int, default=2, help="runs at once (2)")
args = parser.parse_args()
TENSOR_THREADS = 4  # with fewer vftta is illegal


def karat(*arguments):
    done = subprocess.run([args.karat, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"test_cov_rules: {' '.join(map(str, arguments))}: status {done.returncode}: {done.stderr}{done.stdout[-400:]}")
    return done


def weights(folder):
    """Those that apply by themselves, without tensors."""
    kinds = json.loads(karat("gen", "--kinds").stdout)
    kinds["units"].pop("tensor", None)
    path = folder / "weights.json"
    path.write_text(json.dumps(kinds))
    return path


def run(threads, program):
    """The program's coverage, in an order drawn from its name."""
    path = program.parent / "coverage.json"
    rng = random.Random(f"{args.seed} {program.parent.name}")
    more = [] if "random" not in program.parent.name else [
        rng.choice(("--schedule=rr", "--schedule=warp", f"--schedule=seed={rng.randrange(1000)}")),
        rng.choice(("--simt-order=smaller-first", "--simt-order=if-first", "--simt-order=else-first"))]
    karat("run", f"--threads={threads}", "--warps=32", *more, f"--coverage={path}", program)
    return path


def main():
    print(f"random programs: seeds from {args.seed}")
    merged, programs = [], 0
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        folder = pathlib.Path(name)
        for threads in map(int, args.threads.split(",")):
            here = folder / str(threads)
            more = [f"--weights={weights(folder)}"] if threads < TENSOR_THREADS else []
            karat("gen", "random", f"--count={args.random}", f"--seed={args.seed}", f"--length={args.length}", f"--threads={threads}",
                  f"--output={here}", *more)
            karat("gen", "directed", f"--threads={threads}", f"--output={here}", *([f"--only={args.directed}"] if args.directed else []))
            files = list(pool.map(lambda p, t=threads: run(t, p), sorted(here.glob("*/program.elf"))))
            merged.append(folder / f"{threads}.json")
            karat("cov", "merge", f"--output={merged[-1]}", *files)
            line = karat("cov", "report", merged[-1]).stdout.split("\nall ")[1].splitlines()[0].split()
            print(f"{threads:2} threads: {len(files)} programs, {line[0]} bins, {line[1]} excluded, {line[2]} hit", flush=True)
            programs += len(files)
        karat("cov", "report", *merged)
    print(f"{programs} programs: no bin that a rule excludes was hit")
    return 0 if programs else 1


if __name__ == "__main__":
    sys.exit(main())
