#!/usr/bin/python3
"""Karat and GVM on the same faults: each fault marker's program runs once, to its end, and both rules judge the recording.

What GVM's rules are, and where they are favoured, is in dpi/peer/peer.h; `karat check --peer` applies them. A program in which
they find something without a fault says nothing, and is left out. 'instructions' is how many all warps had issued at the first
error. A core that hangs is found by nobody's comparison, but by Karat's account of what each warp waits for.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from test_faults import DEFAULT, HERE, core_of, markers, programs_of

LINE = re.compile(r"gvm: (FOUND|nothing found) compared=(\d+) errors=(\d+)(?: cycle=(\d+) instructions=(\d+); (.*))?")


def run(args, core, want, cycles, fault=None):
    """Both verdicts on a run: Karat's line as a dictionary, and what LINE finds."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "run.trace"
        summary = pathlib.Path(folder) / "verdict.json"
        done = subprocess.run([core, f"+kernel={programs_of(args.vectors, want['program'])}", f"+record={trace}", "+go-on",
                               f"+max-cycles={cycles}", "+quiet", *want.get("plusargs", DEFAULT), *([f"+fault={fault}"] if fault else [])],
                              capture_output=True, text=True)
        if not trace.exists():
            sys.exit(f"peer_table: {core}: {done.stderr.strip()}")
        check = subprocess.run([args.karat, "check", "--quiet", "--peer", f"--json={summary}", trace], capture_output=True, text=True)
        lines = check.stdout.splitlines()
        match = LINE.match(lines[-1]) if lines else None
        if not match:
            sys.exit(f"peer_table: karat check: {check.stdout}{check.stderr}")
        return json.loads(summary.read_text()), match


def row_of(args, marker, want, clean):
    core = core_of(args, want)
    data, match = run(args, core, want, 4 * clean["cycles"] + 150_000, marker.name)
    found = match[1] == "FOUND"
    return {"name": marker.name, "kind": marker.kind, "program": want["program"], "karat": data["verdict"],
            "karat_instructions": data["counts"]["instructions"], "gvm": found, "gvm_instructions": int(match[5]) if found else None,
            "gvm_first": match[6] if found else None}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", required=True, help="the core of the default size")
    parser.add_argument("--other", action="append", default=[], metavar="SIZE=CORE", help="one of another size, as 2sm8w4t=PATH")
    parser.add_argument("--karat", required=True, help="the karat command")
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path, help="write the table to this file")
    parser.add_argument("--jobs", type=int, default=2, help="runs at once (2)")
    parser.add_argument("markers", nargs="*", help="only these")
    args = parser.parse_args()
    expected = json.loads((HERE / "expected_faults.json").read_text())
    known = [m for m in markers(args.core) if m.name in expected and core_of(args, expected[m.name]) and (not args.markers or m.name in args.markers)]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        def key(want):
            return core_of(args, want), want["program"], *want.get("plusargs", DEFAULT)

        wants = {key(expected[m.name]): expected[m.name] for m in known}
        futures = {k: pool.submit(run, args, k[0], want, 2_000_000) for k, want in wants.items()}
        clean = {}
        for k, future in futures.items():
            data, match = future.result()
            if data["verdict"] != "PASS":
                sys.exit(f"peer_table: {k[1]} without a fault: {data['verdict']}")
            if match[1] == "FOUND":
                print(f"left out: {k[1]}: GVM's rules find something in it without a fault: {match[6]}")
            else:
                clean[k] = data
        rows = [f.result() for f in [pool.submit(row_of, args, m, expected[m.name], clean[key(expected[m.name])])
                                     for m in known if key(expected[m.name]) in clean]]
    print(f"{'marker':27} {'kind':14} {'program':16} {'Karat':9} {'instructions':>12}  {'GVM':7} {'instructions':>12}")
    for row in sorted(rows, key=lambda r: (r["gvm"], r["kind"], r["name"])):
        print(f"{row['name']:27} {row['kind']:14} {row['program']:16} {row['karat']:9} {row['karat_instructions']:12}  "
              f"{'found' if row['gvm'] else '-':7} {row['gvm_instructions'] or '':>12}")
    print(f"\n{'kind':26} faults   Karat     GVM")
    for kind in sorted({row["kind"] for row in rows}) + [None]:
        group = [row for row in rows if kind in (None, row["kind"])]
        print(f"{kind or 'all':26} {len(group):6} {sum(r['karat'] not in ('PASS', 'INCOMPLETE') for r in group):7} "
              f"{sum(r['gvm'] for r in group):7}")
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
