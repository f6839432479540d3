#!/usr/bin/python3
"""What generated vectors find: every fault marker of ingot with random programs alone, with the directed set alone, and with both.

Programs run one after the other until one finds the fault, random ones until --instructions have been issued. The table says how
many instructions each took; both: the directed set first, then random programs. Nothing of vectors/programs is used.
"""
import argparse
import concurrent.futures
import json
import pathlib
import statistics
import subprocess
import sys

from fault_score import FOUND, TIMINGS, Bench, Program
from test_faults import HERE, core_of, markers, summary

sys.path.insert(0, str(HERE.parent.parent / "scripts"))

from lockstep import executable, positive  # noqa: E402

# Some of these programs keep a warp waiting for longer than those of vectors/.
PATIENT = [[p if not p.startswith("+hang=") else "+hang=5000" for p in timing] for timing in TIMINGS]
SETS = ("random", "directed", "both")


def make(karat, folder, *arguments):
    """The programs that karat gen makes."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([karat, "gen", *arguments, f"--output={folder}"], check=True, stdout=subprocess.DEVNULL)
    return sorted(folder.glob("*/program.elf"), key=lambda p: [int(t) if t.isdigit() else t for t in p.parent.name.replace("-", " ").split()])


def vectors(args, core, threads):
    """The programs of each set for that core, with timings in turn."""
    folder = args.work / pathlib.Path(core).name
    random = make(args.karat, folder / "random", "random", f"--count={args.instructions // 2000}", f"--seed={args.seed}", "--length=500",
                  f"--threads={threads}", "--vgprs=1024")
    directed = make(args.karat, folder / "directed", "directed", f"--threads={threads}", "--warps=8", "--vgprs=1024")
    return {name: [Program(p.parent.name, str(p), PATIENT[i % len(PATIENT)], asserts=True) for i, p in enumerate(files)]
            for name, files in (("random", random), ("directed", directed))}


def find(bench, programs, fault, most):
    """(instructions until found, program) or (instructions, None)."""
    issued = 0
    for program in programs:
        if most and issued >= most:
            break
        data = bench.run(program, fault, limit=bench.limit(program))
        issued += data.get("counts", {}).get("instructions", 0)
        if data["verdict"] in FOUND:
            return issued, program
    return issued, None


def try_marker(args, bench, sets, marker):
    row = {"name": marker.name, "file": marker.path.name, "line": marker.line, "marker_kind": marker.kind, "core": bench.core}
    for name in SETS[:2]:
        issued, program = find(bench, sets[name], marker.name, args.instructions if name == "random" else None)
        row[name] = {"found": bool(program), "instructions": issued, "program": program and program.name, "kernels": program and program.kernels,
                     "plusargs": program and program.plusargs}
    random, directed = row["random"], row["directed"]
    row["both"] = directed if directed["found"] else {**random, "instructions": directed["instructions"] + random["instructions"]}
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", required=True, type=executable, help="the core of the default size")
    parser.add_argument("--other", action="append", default=[], metavar="SIZE=CORE", help="one of another size, as 2sm8w4t=PATH")
    parser.add_argument("--karat", required=True, type=executable)
    parser.add_argument("--threads", type=positive, default=8, help="of the default size (8)")
    parser.add_argument("--work", required=True, type=pathlib.Path, help="folder for the programs, which stay there")
    parser.add_argument("--json", type=pathlib.Path, help="write the table to this file")
    parser.add_argument("--instructions", type=positive, default=200_000, help="of random programs, for each fault (200000)")
    parser.add_argument("--seed", type=positive, default=1, help="of the first random program (1)")
    parser.add_argument("--jobs", type=positive, default=2, help="runs at once (2)")
    parser.add_argument("faults", nargs="*", help="only these")
    args = parser.parse_args()
    expected = json.loads((HERE / "expected_faults.json").read_text())
    known = [m for m in markers(args.core) if core_of(args, expected[m.name]) and (not args.faults or m.name in args.faults)]
    threads = {args.core: args.threads, **{core: int(size.rpartition("w")[2][:-1]) for size, core in (o.split("=", 1) for o in args.other)}}
    print(f"random programs: seeds from {args.seed}")
    cores = sorted({core_of(args, expected[m.name]) for m in known})
    benches = {core: Bench(core, args) for core in cores}
    sets = {core: vectors(args, core, threads[core]) for core in cores}
    rows = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:  # each waits for a process of its own
        futures = [pool.submit(try_marker, args, benches[core], sets[core], m) for m in known for core in [core_of(args, expected[m.name])]]
        for future in concurrent.futures.as_completed(futures):
            row = future.result()
            rows.append(row)
            print(f"{row['name']:27} {row['file'] + ':' + str(row['line']):26} {row['marker_kind']:14}" + "".join(
                f" {name} {row[name]['instructions'] if row[name]['found'] else '-':>7} {row[name]['program'] or '':24}" for name in SETS[:2]), flush=True)
    rows.sort(key=lambda r: r["name"])
    for name in SETS:
        one = [{**row, "instructions": row[name]["instructions"], "wrong": None if row[name]["found"] else "not found"} for row in rows]
        found = [row for row in one if not row["wrong"]]
        print(f"\n{name}: {len(found)} of {len(rows)} found ({100 * len(found) / len(rows):.1f} %)" +
              (f", instructions: median {statistics.median(r['instructions'] for r in found):.0f}, most {max(r['instructions'] for r in found)}" if found else "") +
              (f"; not: {' '.join(r['name'] for r in one if r['wrong'])}" if len(found) < len(rows) else ""))
        print("\n".join(summary(one, "file", "unit")))
    if args.json:
        args.json.write_text(json.dumps({"instructions": args.instructions, "seed": args.seed, "markers": rows}, indent=1) + "\n")
    return 0 if all(row["both"]["found"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
