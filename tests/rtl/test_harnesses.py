#!/usr/bin/python3
"""The Verilator and the SystemC harness give the same output, JSON report and exit status, cycle counts included. So
does `karat check` of what they recorded. The checker's own thread changes nothing of that, nor the recording.

Every program with one seed, several kernels in one run, a run that ends early, and fault markers that show on this
size of the core, as expected_faults.json has them: every third, or with --all every one. A fault may show what no reset
has set, which the two harnesses do not draw alike: there it is 0.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from test_faults import programs_of
from lockstep import programs_in  # Scripts: test_faults has its path

HERE = pathlib.Path(__file__).resolve().parent
TIMING = ["+seed=2", "+latency=1:60", "+stall=40"]
# Verilator's own line for an assertion that fails has the simulator's time and the instance's place in it.
ASSERTION = re.compile(r"^\[\d+\] (%Error: \S+ Assertion failed in ).*?ingot\.(?!ingot\.)", re.M)
STATUS = {"MISMATCH": 1, "HANG": 3}


def record(core, plusargs, folder):
    """The process, its JSON, its trace; and exit status, report and JSON as judging the trace has to give them."""
    path, trace = pathlib.Path(folder) / "verdict.json", pathlib.Path(folder) / "run.ktr"
    done = subprocess.run([core, f"+json={path}", f"+record={trace}", *plusargs], capture_output=True, text=True)
    report = path.read_text() if path.exists() else ""
    printed = "".join(line for line in done.stdout.splitlines(keepends=True)
                      if not line.startswith("print ") and not ASSERTION.match(line))
    return done, path, trace, (done.returncode, printed, report)


def judge_again(check, path, trace, live):
    """The difference between a `karat check` and the run, or ''."""
    path.unlink(missing_ok=True)
    again = subprocess.run([*check, f"--json={path}", str(trace)], capture_output=True, text=True)
    judged = (again.returncode, again.stdout, path.read_text() if path.exists() else "")
    return "" if live == judged else f"live\n{live}\njudged again\n{judged}\n{again.stderr}"


def run(core, plusargs, karat):
    """Exit status, output and report, with the core's path taken out; what `karat check` says otherwise, or ''; the recording."""
    with tempfile.TemporaryDirectory() as folder:
        done, path, trace, live = record(core, plusargs, folder)
        report = live[2]
        differs = judge_again([karat, "check"], path, trace, live)
        texts = [text.replace(f"{core} ", "CORE ").replace(str(path), "JSON") for text in (done.stdout, done.stderr, report)]
        texts = [ASSERTION.sub(r"\1", text) for text in texts]
        return done.returncode, *texts, differs, trace.read_bytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--verilator", required=True, help="the core in the Verilator harness")
    parser.add_argument("--systemc", required=True, help="the same core in the SystemC harness")
    parser.add_argument("--karat", required=True)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    parser.add_argument("--all", action="store_true", help="every fault marker")
    args = parser.parse_args()

    programs = programs_in(args.vectors)
    cases = [(0, "PASS", [f"+kernel={program}", *TIMING]) for program in programs]
    cases.append((0, "PASS", ["+kernel=" + ",".join(str(args.vectors / f"{p}.elf") for p in ("vecadd", "printing", "vecadd"))]))
    cases.append((5, "INCOMPLETE", [f"+kernel={programs[0]}", "+max-cycles=200"]))
    cases.append((0, "PASS", [f"+kernel={args.vectors / 'vecadd.elf'}", "+no-read", "+no-audit", "+latency=1", "+stall=0"]))
    faults = [(name, want) for name, want in json.loads((HERE / "expected_faults.json").read_text()).items() if "core" not in want]
    for name, want in faults if args.all else faults[::3]:
        plusargs = [f"+kernel={programs_of(args.vectors, want['program'])}", f"+fault={name}", "+init=zero",
                    *want.get("plusargs", ["+seed=1", "+latency=2:20"])]
        cases.append((STATUS[want["verdict"]], want["verdict"], plusargs))
    failed = 0
    for status, verdict, plusargs in cases:
        first, second, alone, alone_too = (run(core, [*plusargs, f"+checker-thread={thread}"], args.karat)
                                           for thread in (1, 0) for core in (args.verilator, args.systemc))
        line = first[1].strip().splitlines()[-1] if first[1].strip() else ""
        print(line)
        wrong = []
        if first[0] != status or not line.startswith(f"karat: {verdict}"):
            wrong.append(f"status {first[0]}, expected {status} and {verdict}")
        if not first[3]:
            wrong.append("no JSON report")
        for what, one, other in zip(("exit status", "standard output", "standard error", "JSON report"), first, second):
            if one != other:
                wrong.append(f"{what}: Verilator harness\n{one}\nSystemC harness\n{other}")
        wrong += [f"karat check: {result[4]}" for result in (first, second) if result[4]]
        wrong += [f"with a thread\n{with_it[:5]}\nwithout\n{without[:5]}" for with_it, without in ((first, alone), (second, alone_too))
                  if with_it != without]
        failed += bool(wrong)
        for text in wrong:
            print(f"test_harnesses: {' '.join(plusargs)}: {text}", file=sys.stderr)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
