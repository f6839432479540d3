#!/usr/bin/python3
"""Vectors of karat gen on a Verilated core: the directed set and some random programs pass, with as much compared as they call for."""
import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))

from lockstep import core_run, judge, model_run, taken, timing  # noqa: E402
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from share import some  # noqa: E402

CONTENDED = ("atomics",)  # Their SCs fail as the core's timing has it


def run_one(args, number, vector):
    elf = vector / "program.elf"
    wanted, problem = model_run(args.karat, [elf], args.threads, args.profile)
    if problem:
        return 0, f"{vector.name}: the generator's fault: {problem}"
    plusargs = timing(args.seed + number)
    done, data = core_run(args.core, [elf], plusargs)
    if vector.name in CONTENDED and not done.returncode:
        problem = None if all(data["counts"][kind] == 0 for kind in ("adopted", "undefined")) else "; ".join(taken(data, elf))
    else:
        problem = judge(wanted, done, data, uses_approximated=True)
    return data.get("counts", {}).get("instructions", 0), problem and f"{vector.name} {' '.join(plusargs)}: {problem}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--core", required=True)
    parser.add_argument("--karat", required=True)
    parser.add_argument("--threads", required=True, type=int, help="threads per warp of the core")
    parser.add_argument("--warps", required=True, type=int, help="warp slots of an SM of the core")
    parser.add_argument("--profile", default="v2.02", help="ISA profile of the core (v2.02)")
    parser.add_argument("--only", default="", metavar="TEXT", help="of the directed set the vectors with TEXT in their names")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=20, help="random programs (20)")
    parser.add_argument("--length", type=int, default=500, help="instructions of each (500)")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    print(f"test_gen_lockstep: seed {args.seed}")
    with tempfile.TemporaryDirectory(prefix="karat-gen-") as folder:
        common = [f"--profile={args.profile}", f"--threads={args.threads}", f"--output={folder}"]
        warps = min(args.warps, 4)
        subprocess.run([args.karat, "gen", "directed", f"--only={args.only}", *common, *[f"--warps={warps}"] * (warps < 4)], check=True)
        if args.programs:
            subprocess.run([args.karat, "gen", "random", f"--seed={args.seed}", f"--count={args.programs}", f"--length={args.length}",
                            f"--warps={warps}", *common], check=True)
        vectors = some(sorted(pathlib.Path(folder).iterdir()))
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            results = list(pool.map(run_one, [args] * len(vectors), range(len(vectors)), vectors))
    problems = [problem for _, problem in results if problem]
    for problem in problems:
        print(f"test_gen_lockstep: {problem}", file=sys.stderr)
    instructions = sum(count for count, _ in results)
    print(f"{len(results)} vectors, {instructions} instructions compared, {len(problems)} failed")
    return 1 if problems or not instructions else 0


if __name__ == "__main__":
    sys.exit(main())
