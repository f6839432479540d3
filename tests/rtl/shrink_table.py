#!/usr/bin/python3
"""How small karat shrink makes the programs that found faults: of every fault in the table of vector_table.py, the random program
that found it, or the directed one; where only several kernels together find it, that is said. The time that each took is said, and not
judged."""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import time

from test_faults import ROOT
from vector_table import PATIENCE

sys.path.insert(0, str(ROOT / "scripts"))

from lockstep import executable, positive  # noqa: E402

LINE = re.compile(r": (\d+) instructions of (\d+), status (\d+), (\d+) tests$")


def threads_of(core):
    """Of a core that says them in its name; None for the default one."""
    wide = re.search(r"(\d+)t$", core)
    return int(wide[1]) if wide else None


def found_by(row):
    """The program that found the fault: a random one or else a directed one, and rather one alone than several kernels, rather on a narrow core."""
    return min((row[name] for name in ("random", "directed") if name in row and row[name]["found"]),
               key=lambda found: ("," in found["kernels"], (threads_of(found["core"]) or 0) > 8), default=None)


def first_alone(test, kernels):
    """Of several kernels the first that fails alone; None where it takes more than one."""
    return next((kernel for kernel in kernels if subprocess.run(shlex.split(test.format(kernel)), capture_output=True).returncode), None)


def shrink(args, row):
    found = found_by(row)
    out = args.work / f"{row['name']}.elf"
    plusargs = [p for p in found["plusargs"] if not p.startswith("+hang=")]
    threads = threads_of(found["core"]) or args.threads
    test = (f"{shlex.quote(found['core'])} +kernel={{}} +fault={row['name']} +quiet +hang={PATIENCE // 2 * max(threads, 8)} "
            f"+max-cycles=1000000 {shlex.join(plusargs)}")
    kernels = found["kernels"].split(",")
    program = kernels[0] if len(kernels) == 1 else first_alone(test, kernels)
    if not program:
        return {"name": row["name"], "program": found["program"], "seconds": 0, "error": f"none of {len(kernels)} kernels fails alone",
                "alone": False}
    begin = time.monotonic()
    done = subprocess.run([args.karat, "shrink", f"--threads={threads}", f"--output={out}", f"--test={test}", program], capture_output=True,
                          text=True)
    match = LINE.search(done.stdout.strip())
    return {"name": row["name"], "program": pathlib.Path(program).parent.name, "elf": str(out), "seconds": time.monotonic() - begin,
            "error": None if match else done.stderr.strip(), **({} if not match else {
                "instructions": int(match[1]), "of": int(match[2]), "tests": int(match[4])})}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--karat", required=True, type=executable)
    parser.add_argument("--threads", type=positive, default=8, help="of the default core (8)")
    parser.add_argument("--table", required=True, type=pathlib.Path, help="the output of vector_table.py")
    parser.add_argument("--work", required=True, type=pathlib.Path, help="folder for the programs, which stay there")
    parser.add_argument("--json", type=pathlib.Path, help="write the table to this file")
    parser.add_argument("--jobs", type=positive, default=2, help="at once (2)")
    parser.add_argument("faults", nargs="*", help="only these")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    known = [row for row in json.loads(args.table.read_text())["markers"] if found_by(row) and (not args.faults or row["name"] in args.faults)]
    rows = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:  # Each thread waits for a process of its own
        for future in concurrent.futures.as_completed([pool.submit(shrink, args, row) for row in known]):
            row = future.result()
            rows.append(row)
            print(f"{row['name']:27} " + (row["error"] or f"{row['instructions']:4} instructions of {row['of']:5}, {row['tests']:4} tests") +
                  f", {row['seconds']:.0f} s", flush=True)
    small = [row for row in rows if not row["error"]]
    if small:
        sizes = collections.Counter(min(row["instructions"], 30) // 5 * 5 for row in small)
        print(f"\n{len(small)} of {len(rows)} programs made small: "
              f"median {statistics.median(r['instructions'] for r in small):.0f} instructions, ENDPRG counted, "
              f"most {max(r['instructions'] for r in small)}; median {statistics.median(r['seconds'] for r in small):.0f} seconds, "
              f"most {max(r['seconds'] for r in small):.0f}")
        print("\n".join(f"{low:3} and more: {number:4}" for low, number in sorted(sizes.items())))
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 0 if rows and not any(row["error"] and row.get("alone", True) for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
