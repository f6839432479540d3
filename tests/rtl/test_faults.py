#!/usr/bin/python3
"""Every fault marker of ingot is found: MISMATCH that names the faulty instruction, or HANG that names what is waited for.

expected_faults.json says for each marker which program finds it (or programs, one after the other on one memory), with which
verdict, and what the report must name; a marker without an entry, or an entry without a marker, fails. The same program
without the fault must pass, or end in its page fault. "pages:NAME" is a program of karat gen pages. "core" is a size of the core that shows
the fault, where the default one does not: it is given with --other, and the marker is left out where it is not.

--table prints all markers with what found them, by the number of instructions that all warps had issued by then, and
summaries by kind and by unit; --json=FILE writes the same for programs.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
STATUS = {"MISMATCH": 1, "HANG": 3}
DEFAULT = ["+seed=1", "+latency=2:20"]
V203 = "203"  # "core" of the markers of profile v2.03
sys.path.insert(0, str(ROOT / "scripts"))

import faults  # noqa: E402


def markers(core):
    """All fault markers of the core's sources; the core must have been built with just these."""
    done = subprocess.run([core, "+faults"], check=True, capture_output=True, text=True)
    built = {line.split()[0] for line in done.stdout.splitlines() if line.strip()}
    found = [m for path in sorted((ROOT / "rtl-wrap" / "ingot").rglob("*.sv")) for m in faults.find_markers(path)]
    strange = built ^ {m.name for m in found}
    if strange:
        sys.exit(f"test_faults: {core} and the sources differ in these markers: {', '.join(sorted(strange))}")
    return found


def core_of(args, want):
    """The core that an entry is for; None where it was not given."""
    return dict(other.split("=", 1) for other in args.other).get(want["core"]) if "core" in want else args.core


def programs_of(folder, program, pages=None):
    """The argument of +kernel= for an entry's program, or programs. pages: folder of those of karat gen pages."""
    return ",".join(str(pages / name.removeprefix("pages:") / "program.metadata" if name.startswith("pages:") else
                        folder / f"{name}.elf") for name in program.split(","))


def make_pages(args, programs):
    """Make the programs of karat gen pages among these, in args.pages."""
    for name in sorted({name for program in programs for name in program.split(",") if name.startswith("pages:")}):
        subprocess.run([args.karat, "gen", "pages", f"--threads={args.threads}", f"--only={name.removeprefix('pages:')}", f"--output={args.pages}"],
                       check=True, stdout=subprocess.DEVNULL)


def status_of(program):
    """The exit status of a program without a fault of the core."""
    return 4 if program.startswith(("pages:fault-", "faulting/")) else 0


def run(core, program, plusargs):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "verdict.json"
        done = subprocess.run([core, f"+kernel={program}", f"+json={path}", *plusargs], capture_output=True, text=True)
        return done, json.loads(path.read_text()) if path.exists() else {}


def judge(name, want, done, data):
    """The error of this run, or None."""
    if data.get("verdict") != want["verdict"] or done.returncode != STATUS[want["verdict"]]:
        return f"verdict {data.get('verdict')} status {done.returncode}, expected {want['verdict']}"
    failure = data["failure"]
    if not re.search(want["kind"], failure["kind"]):
        return f"kind '{failure['kind']}', expected '{want['kind']}'"
    named = failure.get("instruction", {}).get("text", "")
    if not re.search(want.get("instruction", ""), named):
        return f"names '{named}', expected '{want['instruction']}'"
    if not re.search(want.get("detail", ""), failure["detail"], re.S):
        return f"detail '{failure['detail']}', expected '{want['detail']}'"
    return None


def try_marker(args, marker, want):
    """Run a marker's program: a row of the table. 'wrong' says what is not as expected, or is None."""
    done, data = run(core_of(args, want), programs_of(args.vectors, want["program"], args.pages),
                     [*want.get("plusargs", DEFAULT), f"+fault={marker.name}"])
    failure = data.get("failure", {})
    return {"name": marker.name, "file": marker.path.name, "line": marker.line, "marker_kind": marker.kind,
            "program": want["program"], "verdict": data.get("verdict", "?"), "kind": failure.get("kind", "?"),
            "instruction": failure.get("instruction", {}).get("text", ""),
            "instructions": data.get("counts", {}).get("instructions", 0), "cycle": failure.get("cycle", 0),
            "wrong": judge(marker.name, want, done, data)}


def summary(rows, key, title):
    """Lines: markers and instructions to detection by one of the rows' values."""
    groups = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    lines = [f"{title:26} markers  caught  instructions to detection: median, most"]
    for name, group in sorted(groups.items()):
        counts = [row["instructions"] for row in group]
        caught = sum(row["wrong"] is None for row in group)
        lines.append(f"{name:26} {len(group):7} {caught:7} {statistics.median(counts):10.0f} {max(counts):8}")
    return lines


def print_table(rows):
    print(f"{'marker':27} {'where':26} {'kind':14} {'program':16} {'verdict':9} {'instructions':>12}  found as")
    for row in sorted(rows, key=lambda r: (r["instructions"], r["name"])):
        where = f"{row['file']}:{row['line']}"
        found = row["kind"] + (f": {row['instruction']}" if row["instruction"] else "")
        print(f"{row['name']:27} {where:26} {row['marker_kind']:14} {row['program']:16} {row['verdict']:9} "
              f"{row['instructions']:12}  {found}{' NOT AS EXPECTED' if row['wrong'] else ''}")
    for key, title in (("marker_kind", "kind"), ("file", "unit")):
        print()
        print("\n".join(summary(rows, key, title)))
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", required=True, help="the core of the default size")
    parser.add_argument("--other", action="append", default=[], metavar="SIZE=CORE", help="one of another size, as 2sm8w4t=PATH")
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    parser.add_argument("--karat", default="karat", help="the karat command, which makes programs")
    parser.add_argument("--threads", type=int, default=8, help="threads per warp of the core of the default size (8)")
    parser.add_argument("--table", action="store_true", help="print a table and summaries")
    parser.add_argument("--json", type=pathlib.Path, help="write the table to this file")
    parser.add_argument("--jobs", type=int, default=1, help="runs at once (1)")
    args = parser.parse_args()
    expected = json.loads((HERE / "expected_faults.json").read_text())
    found = markers(args.core)
    names = [m.name for m in found]
    problems = [f"{n}: no entry in expected_faults.json" for n in names if n not in expected]
    problems += [f"{n}: in expected_faults.json, but no such marker" for n in expected if n not in names]
    known = [m for m in found if m.name in expected and core_of(args, expected[m.name])]
    left_out = [m for m in found if m.name in expected and m not in known]
    for m in left_out:
        print(f"{m.name:24} left out: needs a core of size {expected[m.name]['core']}")
    if args.table:
        problems += [f"{m.name}: not tried" for m in left_out]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:  # Each thread waits for a process
        args.pages = pathlib.Path(folder)
        make_pages(args, (expected[m.name]["program"] for m in known))
        programs = {(core_of(args, want), want["program"], *want.get("plusargs", DEFAULT))
                    for want in (expected[m.name] for m in known)}
        clean = {key: pool.submit(run, key[0], programs_of(args.vectors, key[1], args.pages), key[2:]) for key in sorted(programs)}
        tries = [pool.submit(try_marker, args, m, expected[m.name]) for m in known]
        problems += [f"{key[1]} on {key[0]} without a fault: status {future.result()[0].returncode}"
                     for key, future in clean.items() if future.result()[0].returncode != status_of(key[1])]
        rows = [future.result() for future in tries]
    problems += [f"{row['name']} in {row['program']}: {row['wrong']}" for row in rows if row["wrong"]]
    if args.table:
        print_table(rows)
    else:
        for row in rows:
            print(f"{row['name']:24} {row['program']:16} {row['verdict']:9} {row['kind']:40} {row['instruction']}")
    caught = sum(row["wrong"] is None for row in rows)
    if args.json:
        args.json.write_text(json.dumps({"markers": rows, "total": len(names), "caught": caught}, indent=1) + "\n")
    for line in problems:
        print(f"test_faults: {line}", file=sys.stderr)
    print(f"{len(names)} markers: {caught} caught as expected, {len(names) - caught - len(left_out)} not, {len(left_out)} left out")
    return 1 if problems or not names else 0


if __name__ == "__main__":
    sys.exit(main())
