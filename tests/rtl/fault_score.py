#!/usr/bin/python3
"""Mutants of ingot: which of them does the checker find? Prints those that live, for a person to read: no floor, no list of excuses.

A mutant is tried with every program of vectors/, those first that found most mutants of its file, then with other timings, random
programs and programs that race, until one finds it. The core's own assertions are off, so that the checker alone judges; what it
does not find is tried once more with them ("assertion"). Of one that lives the output has the runs in which the number of
instructions or results is another than without it; where there are none, perhaps no program can show it. (That every fault marker
is found, and which instruction the report names, is test_faults.py.)
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile
import threading

from test_faults import HERE, ROOT, programs_of

sys.path.insert(0, str(ROOT / "scripts"))

from lockstep import READS_UNDEFINED, executable, positive, programs_in  # noqa: E402

FOUND = ("MISMATCH", "HANG", "PROGRAM ERROR", "BAD INPUT")  # The last: a record that no core could mean
# Of a fault that makes a warp wait long, a low bound for hangs shows it; no program of vectors/ waits as long without one.
TIMINGS = [["+seed=1", "+latency=2:20", "+hang=5000"], ["+seed=1", "+latency=1", "+stall=0", "+hang=1024"],
           ["+seed=2", "+latency=1:4", "+stall=50", "+hang=5000"], ["+seed=3", "+latency=1:200", "+stall=0", "+hang=5000"]]
COUNTS = ("instructions", "x", "v", "simt", "csr", "adopted")
NUM_STREAMS = 16

# A run without a fault: kernels and plusargs.
Program = collections.namedtuple("Program", "name kernels plusargs")


def text_of(program):
    return " ".join([program.name, *(p for p in program.plusargs if p not in (*TIMINGS[0], "+no-assert"))])


class Bench:
    """The core with the mutants, and its runs without one."""

    def __init__(self, core):
        self.core, self.clean, self.lock = core, {}, threading.Lock()

    def run(self, program, *plusargs):
        """A finished run's verdict as JSON; {"verdict": "CRASH"} where the simulator gave up."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "verdict.json"
            done = subprocess.run([self.core, f"+kernel={program.kernels}", f"+json={path}", "+quiet", *program.plusargs, *plusargs],
                                  capture_output=True, text=True, errors="replace")
            if path.exists():
                return json.loads(path.read_text())
            return {"verdict": "CRASH", "line": (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[0]}

    def without_fault(self, program):
        """The verdict without a mutant, which has to be PASS."""
        with self.lock:
            data = self.clean.get(program.name + str(program.plusargs))
        if not data:
            data = self.run(program)
            if data["verdict"] != "PASS":
                raise SystemExit(f"fault_score: {text_of(program)} without a fault: {data['verdict']} {data.get('line', '')}")
            with self.lock:
                self.clean[program.name + str(program.plusargs)] = data
        return data

    def with_fault(self, program, fault):
        """Given up after a number of cycles in which a HANG shows."""
        hang = next(int(p.removeprefix("+hang=")) for p in program.plusargs if p.startswith("+hang="))
        return self.run(program, f"+fault={fault}", f"+max-cycles={4 * self.without_fault(program)['cycles'] + hang + 30_000}")


def streams(args):
    """Random programs."""
    args.streams.mkdir(parents=True, exist_ok=True)
    subprocess.run([args.karat, "gen", "random", f"--count={NUM_STREAMS}", "--threads=8", "--vgprs=1024", "--length=1000",
                    f"--output={args.streams}"], check=True)
    return [args.streams / f"random-{seed}" / "program.elf" for seed in range(1, NUM_STREAMS + 1)]


def stages_of(args):
    """Lists of programs, in the order in which a mutant meets them."""
    expected = json.loads((HERE / "expected_faults.json").read_text())
    names = [p.stem for p in programs_in(args.vectors) if p.stem != READS_UNDEFINED]
    several = {want["program"] for want in expected.values() if "," in want["program"]}  # Kernels one after the other
    names += sorted(name for name in several if ":" not in name and "/" not in name) + [",".join(["vecadd"] * 12)]
    races = [f"races/{p.stem}" for p in sorted((args.vectors / "races").glob("*.elf"))] + [READS_UNDEFINED]

    def programs(names, timing):
        return [Program(name, programs_of(args.vectors, name), [*timing, "+no-assert"]) for name in names]

    stages = [programs(names, timing) for timing in TIMINGS]
    if args.stages > len(TIMINGS):
        stages.append([Program(path.parent.name, str(path), [*TIMINGS[i % len(TIMINGS)], "+no-assert"])
                       for i, path in enumerate(streams(args))])
        stages.append([program for timing in TIMINGS for program in programs(races, timing)])
        stages.append([Program(p.name, p.kernels, p.plusargs[:-1]) for p in stages[0]])  # With assertions
    return stages[:args.stages]


def try_mutant(bench, stages, hits, mutant):
    """Run a mutant until something finds it: a row of the output."""
    row = {**mutant, "caught": False, "verdict": "PASS", "strange": [], "runs": 0, "other_cycles": 0}
    for stage in stages:
        for program in sorted(stage, key=lambda p: (-hits[mutant["file"], p.name], -hits[p.name])):
            data, clean = bench.with_fault(program, mutant["name"]), bench.without_fault(program)
            if data["verdict"] in FOUND:
                hits[mutant["file"], program.name] += 1
                hits[program.name] += 1
                failure = data.get("failure", {})
                return {**row, "caught": True, "verdict": data["verdict"], "found_as": failure.get("kind", ""), "program": text_of(program),
                        "kernels": program.kernels, "plusargs": program.plusargs,
                        "instruction": failure.get("instruction", {}).get("text", ""),
                        "by": "checker" if "+no-assert" in program.plusargs else "assertion"}
            row["runs"] += 1
            if data["verdict"] != "PASS" or any(data["counts"][k] != clean["counts"][k] for k in COUNTS):
                row["strange"].append(f"{text_of(program)}: {data['line']}")
            else:
                row["other_cycles"] += data["cycles"] != clean["cycles"]
    return row


def print_row(row):
    found = f"{row['verdict']:9} {row['found_as']:40} {row['program']}: {row['instruction']}" if row["caught"] else "lives"
    print(f"{row['name']:5} {row['file'] + ':' + str(row['line']):26} {row['kind']:10} {found}", flush=True)


def print_survivors(rows):
    for row in rows:
        if row["caught"]:
            continue
        print(f"\nlives: {row['name']} {row['file']}:{row['line']}, {row['runs']} runs, {row['other_cycles']} of them in other cycles\n"
              f"    - {row['before']}\n    + {row['after']}")
        for line in row["strange"]:
            print(f"    {line}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", required=True, type=executable, help="karat-ingot-mutants")
    parser.add_argument("--list", required=True, type=pathlib.Path, help="its mutants.json")
    parser.add_argument("--karat", required=True, type=executable)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    parser.add_argument("--streams", required=True, type=pathlib.Path, help="folder for random programs")
    parser.add_argument("--json", type=pathlib.Path, help="write all rows to this file")
    parser.add_argument("--stages", type=positive, default=7, help="how many lists of programs to try: two for a first look (7)")
    parser.add_argument("--jobs", type=positive, default=2, help="runs at once (2)")
    parser.add_argument("faults", nargs="*", help="only these")
    args = parser.parse_args()
    mutants = [m for m in json.loads(args.list.read_text())["mutants"] if not args.faults or m["name"] in args.faults]
    bench, stages, hits, rows = Bench(args.mutants), stages_of(args), collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:  # Each thread waits for a process of its own
        for future in concurrent.futures.as_completed([pool.submit(try_mutant, bench, stages, hits, m) for m in mutants]):
            rows.append(future.result())
            print_row(rows[-1])
    rows.sort(key=lambda r: r["name"])
    print_survivors(rows)
    caught = [r for r in rows if r["caught"]]
    print(f"\n{len(caught)} of {len(rows)} mutants found, {sum(r['by'] == 'assertion' for r in caught)} of them by an assertion alone")
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
