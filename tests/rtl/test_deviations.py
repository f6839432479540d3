#!/usr/bin/python3
"""Named deviations in lockstep: a core that is built otherwise is a MISMATCH, and with the deviation in its description a PASS
that counts each use."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# A fault marker of ingot that is the deviation, and a program that shows it.
CASES = (("third_apart", "third-operand-apart", "regext"), ("third_apart", "third-operand-apart", "fp_groups"),
         ("compare_signed", "compare-immediate-signed", "regext"), ("vadd12_signed", "vadd12-signed", "vadd12"))

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--core", required=True)
parser.add_argument("--vectors", required=True, type=pathlib.Path)
args = parser.parse_args()
failures = 0


def expect(text, command, status, pattern):
    global failures
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != status or not re.search(pattern, done.stdout):
        print(f"FAILED: {text}: status {done.returncode}, expected {status} and '{pattern}':\n{done.stdout}{done.stderr}")
        failures += 1


with tempfile.TemporaryDirectory() as folder:
    for fault, deviation, program in CASES:
        description = pathlib.Path(folder) / "core.json"
        description.write_text(json.dumps({"core": "ingot", "ulp": {"vfexp.v": 1}, "deviations": {deviation: "a test"}}))
        run = [args.core, f"+kernel={args.vectors / program}.elf", "+quiet"]
        expect(f"{fault} on {program} without a description", [*run, f"+fault={fault}"], 1, "^karat: MISMATCH ")
        expect(f"{fault} on {program}, described", [*run, f"+fault={fault}", f"+core={description}"], 0,
               rf"^karat: PASS .* deviation:{deviation}=[1-9]")
        expect(f"a core that follows the ISA, described as {deviation}, on {program}", [*run, f"+core={description}"], 1,
               "^karat: MISMATCH ")
print(f"{len(CASES)} cases, failures: {failures}")
sys.exit(failures != 0)
