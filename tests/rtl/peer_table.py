#!/usr/bin/python3
"""Karat and GVM on the same faults: each fault's program runs once, to its end, and both rules judge the recording.

What GVM's rules are, and where they are favoured, is in docs/proving.md; tests/peer/peer_check applies them. A program in which
they find something without a fault says nothing, and is left out. 'instructions' is how many all warps had issued at the first
error. A core that hangs is found by nobody's comparison, but by Karat's account of what each warp waits for.

The faults are the markers with the programs of expected_faults.json and, with --score, the mutants that fault_score found,
each with the program that found it.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from test_faults import DEFAULT, HERE, core_of, markers, programs_of, status_of

LINE = re.compile(r"gvm: (FOUND|nothing found) compared=(\d+) errors=(\d+)"
                  r"(?: cycle=(\d+) instructions=(\d+); (.*?))?( \(the reference lost the core\))?$")

# A run: a core, what +kernel= takes, and further plusargs; fault: of whom (name, kind, program's name).
Run = collections.namedtuple("Run", "core kernels plusargs")
Fault = collections.namedtuple("Fault", "name kind program run")


def judge(args, run, cycles, fault=None):
    """Both verdicts on a run: Karat's report, and what LINE finds."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "run.trace"
        summary = pathlib.Path(folder) / "verdict.json"
        done = subprocess.run([run.core, f"+kernel={run.kernels}", f"+record={trace}", "+go-on", f"+max-cycles={cycles}", "+quiet",
                               *run.plusargs, *([f"+fault={fault}"] if fault else [])], capture_output=True, text=True)
        if not trace.exists():
            sys.exit(f"peer_table: {run.core}: {done.stderr.strip()}")
        check = subprocess.run([args.karat, "check", "--quiet", f"--json={summary}", trace], capture_output=True, text=True)
        if not summary.exists():
            sys.exit(f"peer_table: karat check: {check.stdout}{check.stderr}")
        peer = subprocess.run([args.peer, trace], capture_output=True, text=True)
        match = LINE.match(peer.stdout.strip())
        if not match:
            sys.exit(f"peer_table: peer_check: {peer.stdout}{peer.stderr}")
        return json.loads(summary.read_text()), match


def row_of(args, fault, clean):
    data, match = judge(args, fault.run, 4 * clean["cycles"] + 150_000, fault.name)
    found = match[1] == "FOUND"
    return {"name": fault.name, "kind": fault.kind, "program": fault.program, "karat": data["verdict"],
            "karat_kind": data.get("failure", {}).get("kind"), "karat_instructions": data["counts"]["instructions"], "gvm": found,
            "gvm_instructions": int(match[5]) if found else None, "gvm_first": match[6] if found else None}


def clean_runs(args, pool, faults):
    """Karat's report of every run without a fault, which has to pass; not of those in which GVM's rules find something."""
    futures = {}
    for fault in faults:
        key = (fault.run.core, fault.run.kernels, *fault.run.plusargs)
        futures.setdefault(key, (fault, pool.submit(judge, args, fault.run, 2_000_000)))
    clean, left_out = {}, []
    for key, (fault, future) in futures.items():
        data, match = future.result()
        if data["verdict"] != "PASS":
            sys.exit(f"peer_table: {fault.program} without a fault: {data['verdict']}")
        if match[1] == "FOUND":
            left_out.append(f"{fault.program}: GVM's rules find something in it without a fault: {match[6]}")
        else:
            clean[key] = data
    return clean, left_out


def compare(args, faults):
    """Rows of the table, and why programs were left out."""
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        clean, left_out = clean_runs(args, pool, faults)
        tries = [(f, clean.get((f.run.core, f.run.kernels, *f.run.plusargs))) for f in faults]
        return [f.result() for f in [pool.submit(row_of, args, fault, data) for fault, data in tries if data]], left_out


def found_by_karat(row):
    return row["karat"] not in ("PASS", "INCOMPLETE")


def print_table(rows):
    print(f"{'fault':27} {'kind':14} {'program':16} {'Karat':9} {'instructions':>12}  {'GVM':7} {'instructions':>12}")
    for row in sorted(rows, key=lambda r: (r["gvm"], r["kind"], r["name"])):
        print(f"{row['name']:27} {row['kind']:14} {row['program']:16} {row['karat']:9} {row['karat_instructions']:12}  "
              f"{'found' if row['gvm'] else '-':7} {row['gvm_instructions'] or '':>12}")
    print(f"\n{'kind':26} faults    both  Karat alone  GVM alone  neither")
    for kind in sorted({row["kind"] for row in rows}) + [None]:
        group = [(found_by_karat(row), row["gvm"]) for row in rows if kind in (None, row["kind"])]
        print(f"{kind or 'all':26} {len(group):6} {group.count((True, True)):7} {group.count((True, False)):12} "
              f"{group.count((False, True)):10} {group.count((False, False)):8}")


def marker_faults(args, names):
    expected = json.loads((HERE / "expected_faults.json").read_text())
    found = [m for m in markers(args.core) if m.name in expected and core_of(args, expected[m.name]) and (not names or m.name in names)]
    wants = [(m, expected[m.name]) for m in found]
    wants = [(m, want) for m, want in wants if not status_of(want["program"]) and ":" not in want["program"]]  # GVM has no translation
    return [Fault(m.name, m.kind, want["program"], Run(core_of(args, want), programs_of(args.vectors, want["program"]),
                                                       want.get("plusargs", DEFAULT))) for m, want in wants]


def mutant_faults(args, names):
    if not args.score.exists():
        sys.exit(f"peer_table: {args.score}: no such file: the target fault_score writes it")
    return [Fault(r["name"], r["kind"], r["program"].split()[0], Run(args.mutants, r["kernels"], r["plusargs"]))
            for r in json.loads(args.score.read_text()) if r["caught"] and (not names or r["name"] in names)]


def add_arguments(parser):
    parser.add_argument("--core", required=True, help="the core of the default size")
    parser.add_argument("--other", action="append", default=[], metavar="SIZE=CORE", help="one of another size, as 2sm8w4t=PATH")
    parser.add_argument("--karat", required=True, help="the karat command")
    parser.add_argument("--peer", required=True, help="the program peer_check")
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2, help="runs at once (2)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_arguments(parser)
    parser.add_argument("--mutants", help="karat-ingot-mutants")
    parser.add_argument("--score", type=pathlib.Path, help="the output of fault_score with --json: mutants, too")
    parser.add_argument("--json", type=pathlib.Path, help="write the table to this file")
    parser.add_argument("faults", nargs="*", help="only these")
    args = parser.parse_args()
    if args.score and not args.mutants:
        parser.error("--score wants --mutants")
    faults = marker_faults(args, args.faults) + (mutant_faults(args, args.faults) if args.score else [])
    rows, left_out = compare(args, faults)
    for line in left_out:
        print(f"left out: {line}")
    print_table(rows)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
