#!/usr/bin/python3
"""What generated vectors find: every fault marker of ingot with random programs alone, with the directed set alone, and with both.

Every fault gets the same runs, one after the other until one finds it: the cores given take turns, and so do memory timings. Random
programs are of several lengths, some of them two kernels one after the other, some with warps that race, until --instructions have
been issued. Of the directed set, each program runs on the default core and each scenario on all of them, those that are short in
every timing and as kernels of one run. Programs that have found most so far come first. The table says how many instructions each
fault took; both: the directed set first, then random programs. The core's own assertions are on. Nothing of vectors/programs is
used.
"""
import argparse
import collections
import concurrent.futures
import itertools
import json
import pathlib
import statistics
import subprocess
import sys
import threading

from fault_score import FOUND, TIMINGS, Bench, Program
from test_faults import HERE, markers, summary

sys.path.insert(0, str(HERE.parent.parent / "scripts"))

from lockstep import executable, positive  # noqa: E402

# Some of these programs keep a warp waiting for longer than those of vectors/.
PATIENT = [[p if not p.startswith("+hang=") else "+hang=5000" for p in timing] for timing in TIMINGS]
SETS = ("random", "directed", "both")
SHAPES = (((400,), ()), ((10, 200), ("--races",)), ((1000,), ()), ((300,), ("--races",)))  # of random runs in turn: lengths of its programs, options
ROUNDS = 30  # of these, for each core: more than --instructions take


def make(karat, folder, *arguments):
    """The programs that karat gen makes."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([karat, "gen", *arguments, f"--output={folder}"], check=True, stdout=subprocess.DEVNULL)
    return sorted(folder.glob("*/program.elf"), key=lambda p: [int(t) if t.isdigit() else t for t in p.parent.name.replace("-", " ").split()])


def program(files, number):
    name = "+".join(p.parent.name for p in files) if len(files) < 3 else f"{files[0].parent.name}..{files[-1].parent.name}"
    return Program(name, ",".join(map(str, files)), PATIENT[number % len(PATIENT)], asserts=True)


def vectors(args, core, threads):
    """The runs of each set on that core."""
    folder = args.work / pathlib.Path(core).name
    lists, seed = [], args.seed
    for lengths, options in SHAPES:
        columns = []
        for length in lengths:
            columns.append(make(args.karat, folder / f"random-from-{seed}", "random", f"--count={ROUNDS}", f"--seed={seed}", f"--length={length}",
                                f"--threads={threads}", "--vgprs=1024", *options))
            seed += ROUNDS
        lists.append(zip(*columns))
    random = itertools.chain.from_iterable(zip(*lists))
    listed = subprocess.run([args.karat, "gen", "--list"], check=True, capture_output=True, text=True).stdout.splitlines()
    names = {line.split()[0] for line in listed if len(line.split()) > 1}
    directed = make(args.karat, folder / "directed", "directed", f"--threads={threads}")
    scenarios = [p for p in directed if p.parent.name in names]
    short = [p for p in scenarios if "-" not in p.parent.name]
    once = [p for p in directed if core == args.core or p in scenarios]
    runs = [program(short, 0), program(short[::-1], 1)] + [program([p], i if p in scenarios else 1) for i, p in enumerate(once)]
    runs += [program([p], i + k) for k in range(1, len(PATIENT)) for i, p in enumerate(once) if p in short]
    return {"random": [program(files, i) for i, files in enumerate(random)], "directed": runs}


class Order:
    """The directed set, those first that have found most faults of the same file for their length, then of any; of the others the short ones."""

    def __init__(self, runs):
        self.runs, self.lock, self.finds = runs, threading.Lock(), collections.Counter()

    def first(self, file):
        length = {run: run[0].without_fault(run[1])["counts"]["instructions"] for run in self.runs}
        with self.lock:
            return sorted(self.runs, key=lambda run: (-self.finds[file, run] / length[run], -(1 + self.finds[None, run]) / length[run]))

    def note(self, file, run):
        with self.lock:
            self.finds[file, run] += 1
            self.finds[None, run] += 1


def find(runs, fault, most):
    """What found the fault and after how many instructions, as the table has it; and the run."""
    issued = 0
    for bench, program in runs:
        if most and issued >= most:
            break
        data = bench.run(program, fault, limit=bench.limit(program))
        issued += data.get("counts", {}).get("instructions", 0)
        if data["verdict"] in FOUND and not (most and issued > most):
            return {"found": True, "instructions": issued, "core": bench.core, "program": program.name, "kernels": program.kernels,
                    "plusargs": program.plusargs, "verdict": data["line"]}, (bench, program)
    return {"found": False, "instructions": issued}, None


def try_marker(args, sets, marker):
    row = {"name": marker.name, "file": marker.path.name, "line": marker.line, "marker_kind": marker.kind}
    if "random" in args.sets:
        row["random"], _ = find(sets["random"], marker.name, args.instructions)
    if "directed" in args.sets:
        order = sets["directed"]
        row["directed"], run = find(order.first(row["file"]), marker.name, args.directed)
        if run:
            order.note(row["file"], run)
    if "directed" not in row or "random" not in row:
        return row
    random, directed = row["random"], row["directed"]
    row["both"] = directed if directed["found"] else {**random, "instructions": directed["instructions"] + random["instructions"]}
    return row


def text_of(row):
    return f"{row['name']:27} {row['file'] + ':' + str(row['line']):26} {row['marker_kind']:14}" + "".join(
        f" {name} {row[name]['instructions'] if row[name]['found'] else '-':>7} {row[name].get('program', ''):24}" for name in SETS[:2] if name in row)


def report(rows, name):
    """Lines that sum one of the sets up."""
    rows = [{**row, "instructions": row[name]["instructions"], "wrong": None if row[name]["found"] else "not found"} for row in rows]
    found = [row["instructions"] for row in rows if not row["wrong"]]
    missed = " ".join(row["name"] for row in rows if row["wrong"])
    return [f"\n{name}: {len(found)} of {len(rows)} found ({100 * len(found) / len(rows):.1f} %)" +
            (f", instructions: median {statistics.median(found):.0f}, most {max(found)}" if found else "") + (f"; not: {missed}" if missed else ""),
            *summary(rows, "file", "unit")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", required=True, type=executable, help="the core of the default size")
    parser.add_argument("--other", action="append", default=[], metavar="SIZE=CORE", help="one of another size, as 2sm8w4t=PATH")
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
    known = [m for m in markers(args.core) if not args.faults or m.name in args.faults]
    threads = {args.core: args.threads, **{core: int(size.rpartition("w")[2][:-1]) for size, core in (o.split("=", 1) for o in args.other)}}
    print(f"random programs: seeds from {args.seed}")
    benches = {core: Bench(core, args) for core in threads}
    made = {core: vectors(args, core, number) for core, number in threads.items()}
    sets = {name: [(benches[core], program) for turn in itertools.zip_longest(*(made[core][name] for core in benches)) for core, program in zip(benches, turn)
                   if program]
            for name in args.sets}
    if "directed" in sets:
        sets["directed"] = Order(sets["directed"])
    rows = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:  # each waits for a process of its own
        for future in concurrent.futures.as_completed([pool.submit(try_marker, args, sets, m) for m in known]):
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
