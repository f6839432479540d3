#!/usr/bin/python3
"""Every fault marker of ingot is found: MISMATCH that names the faulty instruction, or HANG that names what is waited for.

expected_faults.json says for each marker which program finds it (or programs, one after the other on one memory), with which
verdict, and what the report must name; a marker without an entry, or an entry without a marker, fails. The same program
without the fault must pass. "core" is a size of the core that shows the fault, where the default one does not: it is given
with --other, and the marker is left out where it is not.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
STATUS = {"MISMATCH": 1, "HANG": 3}


def markers():
    """Names of all fault markers, from the sources themselves."""
    sources = sorted(str(p) for p in (ROOT / "rtl-wrap" / "ingot").glob("*.sv"))
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "faults.py"), "--list", *sources], check=True,
                          capture_output=True, text=True)
    return [line.split()[0] for line in done.stdout.splitlines() if line.strip()]


def programs(folder, want):
    """What +kernel= takes to run an entry's program, or programs."""
    return ",".join(str(folder / f"{name}.elf") for name in want["program"].split(","))


def run(core, program, plusargs):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "verdict.json"
        done = subprocess.run([core, f"+kernel={program}", f"+json={path}", *plusargs], capture_output=True, text=True)
        return done, json.loads(path.read_text()) if path.exists() else {}


def judge(name, want, done, data):
    """What is wrong with this run, or None."""
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", required=True, help="the core of the default size")
    parser.add_argument("--other", action="append", default=[], metavar="SIZE=CORE", help="one of another size, as 2sm8w4t=PATH")
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    args = parser.parse_args()
    cores = dict(other.split("=", 1) for other in args.other)
    expected = json.loads((HERE / "expected_faults.json").read_text())
    names = markers()
    problems = [f"{n}: no entry in expected_faults.json" for n in names if n not in expected]
    problems += [f"{n}: in expected_faults.json, but no such marker" for n in expected if n not in names]
    clean = {}
    left_out = 0
    for name in names:
        want = expected.get(name)
        if not want:
            continue
        core = cores.get(want["core"]) if "core" in want else args.core
        if not core:
            print(f"{name:24} left out: no core of size {want['core']}")
            left_out += 1
            continue
        program = programs(args.vectors, want)
        plusargs = want.get("plusargs", ["+seed=1", "+latency=2:20"])
        key = (core, program, *plusargs)
        if key not in clean:
            clean[key] = run(core, program, plusargs)[0].returncode
            if clean[key] != 0:
                problems.append(f"{want['program']} on {core} without a fault: status {clean[key]}")
        done, data = run(core, program, [*plusargs, f"+fault={name}"])
        wrong = judge(name, want, done, data)
        if wrong:
            problems.append(f"{name} in {want['program']}: {wrong}")
        where = data.get("failure", {}).get("instruction", {})
        print(f"{name:24} {want['program']:16} {data.get('verdict', '?'):9} {data.get('failure', {}).get('kind', '?'):40} "
              f"{where.get('text', '')}")
    for line in problems:
        print(f"test_faults: {line}", file=sys.stderr)
    print(f"{len(names)} markers: {len(names) - left_out - len(problems)} passed, {len(problems)} failed, {left_out} left out")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
