#!/usr/bin/python3
"""The finds of generated vectors: every fault marker of ingot with random programs alone, with the directed set alone, and with both.

Every fault gets the same runs, one after the other until one finds it: cores take turns, and so do memory timings. Random programs
are of several lengths, some of them two kernels one after the other, some with warps that race, until --instructions have been
issued; they run on the core of the default size and, in turn, on a wide one, of whose lanes each has other operands, where one is
given. Of the directed set, programs of one sort are kernels of one run: those about an instruction on the default core,
scenarios on the other sizes as well and in every timing. The table says how many instructions each fault took; both: the directed set first,
then random programs. A fault that expected_faults.json has on the core of profile v2.03 (--other 203=CORE) gets that profile's programs,
on that core alone; it is left out without one. The core's own assertions are on. Nothing of vectors/programs is used.
"""
import argparse
import concurrent.futures
import itertools
import json
import pathlib
import statistics
import subprocess
import sys

from fault_score import FOUND, TIMINGS, Bench, Program
from test_faults import HERE, V203, core_of, markers, summary

sys.path.insert(0, str(HERE.parent.parent / "scripts"))

from lockstep import executable, positive  # noqa: E402

PATIENCE = 2500  # Cycles without progress that are no hang, for each lane: some of these programs store element by element, in slow memory
SETS = ("random", "directed", "both")
SHAPES = (((600,), ()), ((10, 300), ("--races",)), ((1500,), ()), ((400,), ("--races",)))  # Random runs in turn: lengths of their programs, options
ROUNDS = 30  # Rounds of these for each core: more than --instructions take


def make(karat, folder, *arguments):
    """The programs that karat gen makes."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([karat, "gen", *arguments, f"--output={folder}"], check=True, stdout=subprocess.DEVNULL)
    return sorted(folder.glob("*/program.elf"), key=lambda p: [int(t) if t.isdigit() else t for t in p.parent.name.replace("-", " ").split()])


def program(files, number, threads):
    timing = [p if not p.startswith("+hang=") else f"+hang={PATIENCE * max(threads, 8)}" for p in TIMINGS[number % len(TIMINGS)]]
    name = "+".join(p.parent.name for p in files) if len(files) < 3 else f"{files[0].parent.name}..{files[-1].parent.name}"
    return Program(name, ",".join(map(str, files)), timing, asserts=True)


def random_runs(args, core, threads, options):
    folder = args.work / pathlib.Path(core).name
    lists, seed = [], args.seed
    for lengths, shape in SHAPES:
        columns = []
        for length in lengths:
            columns.append(make(args.karat, folder / f"random-from-{seed}", "random", f"--count={ROUNDS}", f"--seed={seed}", f"--length={length}",
                                f"--threads={threads}", "--vgprs=1024", *shape, *options))
            seed += ROUNDS
        lists.append(zip(*columns))
    return [program(files, i, threads) for i, files in enumerate(itertools.chain.from_iterable(zip(*lists)))]


def directed_runs(args, core, threads, options):
    listed = subprocess.run([args.karat, "gen", "--list", *options], check=True, capture_output=True, text=True).stdout.splitlines()
    names = {line.split()[0] for line in listed if len(line.split()) > 1}
    directed = make(args.karat, args.work / pathlib.Path(core).name / "directed", "directed", f"--threads={threads}", *options)
    return [program(files, number, threads) for files, number in batches(directed, names, threads == args.threads)]


def batches(directed, scenarios, parts):
    """Runs of the directed set, as kernels and the number of their timing; those that find most in least time come first."""
    short = [p for p in directed if p.parent.name in scenarios and "-" not in p.parent.name]
    families = [p for p in directed if p.parent.name in scenarios and p not in short]
    alone = [p for p in short if p.parent.name == "memory_end"]  # After its memory are other kernels' data
    runs = [(short, 0), (alone, 0), (families, 0), (short, 3), (short[::-1], 1), (families, 3), (short, 2), (families, 1), (families[::-1], 2)]
    for i, names in enumerate((("raised",), ("memory", "csr", "config", "control"), ("operands",), ("groups",), ("numbers",), ("rounding",),
                               ("widths",), ("pairs",), ("long",)) if parts else ()):
        files = [p for p in directed if p not in short + families and p.parent.name.split("-")[0] in names]
        if files:  # v2.02 has not all parts
            runs.insert(2 * i + 2, (files, 1))  # Timing is not what these are about
    return runs


def find(runs, fault, most):
    """The program that found the fault and the number of instructions, as the table has it."""
    issued = 0
    for bench, program in runs:
        if most and issued >= most:
            break
        data = bench.run(program, fault, limit=bench.limit(program))
        issued += data.get("counts", {}).get("instructions", 0)
        if data["verdict"] in FOUND and not (most and issued > most):
            return {"found": True, "instructions": issued, "core": bench.core, "program": program.name, "kernels": program.kernels,
                    "plusargs": program.plusargs, "verdict": data["line"]}
    return {"found": False, "instructions": issued}


def try_marker(args, sets, marker):
    row = {"name": marker.name, "file": marker.path.name, "line": marker.line, "marker_kind": marker.kind}
    if "random" in args.sets:
        row["random"] = find(sets["random"], marker.name, args.instructions)
    if "directed" in args.sets:
        row["directed"] = find(sets["directed"], marker.name, args.directed)
    if "directed" not in row or "random" not in row:
        return row
    random, directed = row["random"], row["directed"]
    row["both"] = directed if directed["found"] else {**random, "instructions": directed["instructions"] + random["instructions"]}
    return row


def text_of(row):
    return f"{row['name']:27} {row['file'] + ':' + str(row['line']):26} {row['marker_kind']:14}" + "".join(
        f" {name} {row[name]['instructions'] if row[name]['found'] else '-':>7} {row[name].get('program', ''):24}" for name in SETS[:2]
                                                                                                           if name in row)


def report(rows, name):
    """Lines that sum one of the sets up."""
    rows = [{**row, "instructions": row[name]["instructions"], "wrong": None if row[name]["found"] else "not found"} for row in rows]
    found = [row["instructions"] for row in rows if not row["wrong"]]
    missed = " ".join(row["name"] for row in rows if row["wrong"])
    return [f"\n{name}: {len(found)} of {len(rows)} found ({100 * len(found) / len(rows):.1f} %)" +
            (f", instructions: median {statistics.median(found):.0f}, most {max(found)}" if found else "") + (f"; not: {missed}" if missed else ""),
            *summary(rows, "file", "unit")]


def sets_of(args, sizes, *options):
    """The runs of each set, cores in turn: bench and program."""
    sets = {}
    for name in args.sets:
        runs_of = random_runs if name == "random" else directed_runs
        made = [[(bench, run) for run in runs_of(args, core, number, options)] for core,
                number in sizes[name].items() for bench in [Bench(core, args)]]
        sets[name] = [run for turn in itertools.zip_longest(*made) for run in turn if run]
    return sets


def size_of(option):
    """2sm8w4t=CORE: the core and its threads per warp."""
    size, core = option.split("=", 1)
    return core, int(size.rpartition("w")[2][:-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", required=True, type=executable, help="the core of the default size")
    parser.add_argument("--other", action="append", default=[], metavar="SIZE=CORE", help="one of another size, as 2sm8w4t=PATH")
    parser.add_argument("--wide", metavar="SIZE=CORE", help="one for random programs instead of those, as 2sm8w32t=PATH")
    parser.add_argument("--karat", required=True, type=executable)
    parser.add_argument("--threads", type=positive, default=8, help="of the default size (8)")
    parser.add_argument("--work", required=True, type=pathlib.Path, help="folder for the programs, which stay there")
    parser.add_argument("--json", type=pathlib.Path, help="write the table to this file")
    parser.add_argument("--instructions", type=positive, default=200_000, help="of random programs, for each fault (200000)")
    parser.add_argument("--directed", type=positive, metavar="INSTRUCTIONS", help="of the directed set, for each fault (all)")
    parser.add_argument("--seed", type=positive, default=1, help="of the first random program (1)")
    parser.add_argument("--set", action="append", dest="sets", choices=SETS[:2], help="this set alone (both)")
    parser.add_argument("--jobs", type=positive, default=2, help="runs at once (2)")
    parser.add_argument("faults", nargs="*", help="only these")
    args = parser.parse_args()
    args.sets = args.sets or list(SETS[:2])
    expected = json.loads((HERE / "expected_faults.json").read_text())
    known = [m for m in markers(args.core) if not args.faults or m.name in args.faults]
    newer = [m for m in known if expected[m.name].get("core") == V203]
    older = [m for m in known if m not in newer]
    sizes = {"directed": {args.core: args.threads, **dict(size_of(other) for other in args.other if not other.startswith(f"{V203}="))}}
    sizes["random"] = {args.core: args.threads, **dict([size_of(args.wide)])} if args.wide else sizes["directed"]
    print(f"random programs: seeds from {args.seed}")
    tries = [(older, sets_of(args, sizes))] if older else []
    if newer and (core := core_of(args, expected[newer[0].name])):
        tries.append((newer, sets_of(args, dict.fromkeys(SETS[:2], {core: args.threads}), "--profile=v2.03")))
    rows = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:  # Each thread waits for a process of its own
        for future in concurrent.futures.as_completed([pool.submit(try_marker, args, sets, m) for group, sets in tries for m in group]):
            rows.append(future.result())
            print(text_of(rows[-1]), flush=True)
    rows.sort(key=lambda r: r["name"])
    for name in [name for name in SETS if name in rows[0]]:
        print("\n".join(report(rows, name)))
    if args.json:
        args.json.write_text(json.dumps({"instructions": args.instructions, "seed": args.seed, "markers": rows}, indent=1) + "\n")
    return 0 if all(row["both" if "both" in row else args.sets[0]]["found"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
