#!/usr/bin/python3
"""The verification modules of the Chisel Ventus: what they send of programs that the model has run passes, with every record that the
instructions require; one wrong value of a register write is found."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

# Divergence, registers with a prefix, slots with several owners one after the other, barriers, warps of fewer threads.
PROGRAMS = ["vecadd", "regext", "exit_pending", "multi_wg", "few_threads"]
UNCHECKED = {"read", "simt", "csr", "mem", "barrier", "exit", "launch-csr"}
GIVEN = ["launch", "issue", "write"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", required=True)
    parser.add_argument("--karat", required=True)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    args = parser.parse_args()
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        model, core, report = (pathlib.Path(folder) / name for name in ("model.ktr", "core.ktr", "report.json"))

        def judge(recording):
            done = subprocess.run([args.karat, "check", f"--json={report}", "--records", recording], capture_output=True, text=True)
            return json.loads(report.read_text()), {words[0]: words[1:] for line in done.stdout.splitlines() if (words := line.split())}

        for name in PROGRAMS:
            subprocess.run([args.karat, "run", "--threads=8", f"--record={model}", args.vectors / f"{name}.elf"], check=True,
                           stdout=subprocess.DEVNULL)
            _, of_model = judge(model)
            subprocess.run([args.bench, model, core], check=True)
            result, records = judge(core)
            if result["verdict"] != "PASS" or set(result["unchecked"]) - {"prefix"} != UNCHECKED:
                problems.append(f"{name}: {result['verdict']}, unchecked {result['unchecked']}")
            for kind in GIVEN:
                yes, came, required = records[kind][:3]
                if yes != "yes" or came != of_model[kind][1] or not 0 < int(required) <= int(came):
                    problems.append(f"{name}: {kind} {records[kind]}, the model's {of_model[kind]}")
            subprocess.run([args.bench, model, core, "9"], check=True)
            result, _ = judge(core)
            if (result.get("failure") or {}).get("kind") != "wrong value written":
                problems.append(f"{name}, ninth scalar write wrong: {result['verdict']}")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
