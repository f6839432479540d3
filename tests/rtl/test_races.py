#!/usr/bin/python3
"""Programs in which warps race, on a core: whatever order its accesses take is legal, and the checker says so.

Each runs with several timings, and has to pass with at least as many values of another order than the model's as make the
test worth something; the locks with none, for what a lock protects is ordered.  The recording of each run has to pass as well
where the core is taken to report less: then an order is searched.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))

from lockstep import core_run, timing  # noqa: E402

# Per program: counts of which the sum over all timings may not be 0, and counts that have to be 0.
WANT = {
    "counters": (["reordered"], ["sc_failed"]),
    "lrsc": (["reordered", "sc_failed"], []),
    "locks": (["reordered"], ["unordered", "sc_failed"]),
    "flags": (["unordered"], ["reordered", "sc_failed"]),
    "one_word": (["unordered", "reordered"], ["sc_failed"]),
    "plain": (["unordered"], ["reordered", "sc_failed"]),
    "restored": (["reordered"], ["unordered", "sc_failed"]),
    "same_word": (["unordered"], ["lane_race", "reordered", "sc_failed"]),
    "sc_unwanted": (["sc_failed"], []),
    "ttas": (["reordered"], ["sc_failed"]),
    "unknown": (["reordered", "adopted"], ["unordered", "sc_failed"]),
}

# Where races are errors: the programs that have none. Where flags of plain accesses are: those that have one.
ORDERED = ("counters", "flags", "locks", "lrsc", "restored", "sc_unwanted", "ttas", "unknown")
FLAGS = ("flags",)

LESS = ("order", "order,amo-data", "mem", "mem,seq,read,audit")

# Without WRITE results of races are not reported: less is claimed, and nothing wrong.
UNREPORTED = ("write", "write,read", "write,mem", "write,read,mem", "write,order")

# Without MEM their accesses to one word may be more than are searched: not judged then, and never taken for wrong.
MANY = ("sc_unwanted",)


def judge_with_less(karat, trace, program, name):
    """Problems, and how many results came of another order than that of issue."""
    problems, reordered = [], 0
    for less in LESS:
        done = subprocess.run([karat, "check", f"--without={less}", str(trace)], capture_output=True, text=True)
        unjudged = done.returncode == 5 and "unjudged=" in done.stdout and "mem" in less and program in MANY
        if (done.returncode or "unjudged=" in done.stdout) and not unjudged:
            problems.append(f"{name} without {less}:\n{done.stdout}{done.stderr}")
        reordered += sum(int(count) for count in re.findall(r" reordered=(\d+)", done.stdout))
    for less in UNREPORTED:
        done = subprocess.run([karat, "check", f"--without={less}", str(trace)], capture_output=True, text=True)
        if done.returncode not in (0, 5):
            problems.append(f"{name} without {less}:\n{done.stdout}{done.stderr}")
    return problems, reordered


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vectors", required=True, type=pathlib.Path, help="folder of the programs")
    parser.add_argument("--karat", required=True)
    parser.add_argument("--seeds", type=int, default=4, help="timings for each (4)")
    parser.add_argument("cores", nargs="+", help="Verilated cores")
    args = parser.parse_args()
    programs = sorted(args.vectors.glob("*.elf"))
    problems = [f"no program {name}" for name in WANT if name not in {p.stem for p in programs}]
    folder = tempfile.TemporaryDirectory()
    trace = pathlib.Path(folder.name) / "run.ktr"
    for core in args.cores:
        for program in programs:
            searched = 0
            sums = {kind: 0 for kind in ("unordered", "reordered", "sc_failed", "adopted", "lane_race")}
            for seed in range(1, args.seeds + 1):
                done, data = core_run(core, [program], [*timing(seed), f"+record={trace}"])
                if done.returncode:
                    problems.append(f"{core} {program.stem} seed {seed}:\n{done.stdout}{done.stderr}")
                    continue
                for kind in sums:
                    sums[kind] += data["counts"][kind]
                if seed > 2:
                    continue
                for word, wrong in (("races", program.stem not in ORDERED), ("flags", program.stem in FLAGS)):
                    strict = subprocess.run([args.karat, "check", "--quiet", f"--strict={word}", str(trace)], capture_output=True, text=True)
                    if strict.returncode != (4 if wrong else 0):
                        problems.append(f"{core} {program.stem} seed {seed}: {word} as errors:\n{strict.stdout}{strict.stderr}")
                wrong, reordered = judge_with_less(args.karat, trace, program.stem, f"{core} {program.stem} seed {seed}")
                problems += wrong
                searched += reordered
            print(f"{pathlib.Path(core).name} {program.stem}: " + " ".join(f"{kind}={count}" for kind, count in sums.items()),
                  f"with less: reordered={searched}")
            if program.stem in ("counters", "lrsc") and not searched:
                problems.append(f"{core} {program.stem}: no order was searched")
            some, none = WANT.get(program.stem, ([], []))
            problems += [f"{core} {program.stem}: {kind} is 0" for kind in some if not sums[kind]]
            problems += [f"{core} {program.stem}: {kind} is {sums[kind]}" for kind in {*none, "adopted"} - {*some} if sums[kind]]
    for problem in problems:
        print(f"test_races: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
