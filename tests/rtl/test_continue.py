#!/usr/bin/python3
"""+continue lists many mismatches of one run: a core that is right has none; of one fault the list has what the fault is about,
though the warps go on; live and offline, asked for in the run or afterwards, it is the same. Known bugs are counted, and are no failures."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

# Fault, program, and what every defect of the list has to be: kind and instructions that the fault can make wrong. None: of
# values, so that all warps go on to their ends.
CASES = [
    ("cmp_zero_signs", "fp_misc", "wrong value written",
     ("vmfeq.vv", "vmfeq.vf", "vmflt.vv", "vmfle.vv", "vmfle.vf", "vmflt.vf", "vmfgt.vf", "vmfge.vf",
                                                         "vmfne.vv", "vmfne.vf", "feq.s", "flt.s", "fle.s")),
    ("sqrt_minus_zero", "fp_div", "wrong value written", ("vfsqrt.v", "fsqrt.s")),
    ("exp_minus_inf", "fp_exp", "wrong value written", ("vfexp.v",)),
    ("fma_zero_sign", "fp_fma", "wrong value written", None),
    ("rec7_entry", "fp_convert", "wrong value written", ("vfrec7.v",)),
]

OWN = pathlib.Path(__file__).resolve().parent.parent.parent / "rtl-wrap/ingot/core202.json"  # The core's own description


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", required=True)
    parser.add_argument("--karat", required=True)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    args = parser.parse_args()
    problems = []

    def run(*command):
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stdout

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trace, again, report, offline, description = (folder / file for file in ("run.ktr", "again.ktr", "run.json", "check.json", "core.json"))
        for program in sorted({case[1] for case in CASES} | {"simt_nested", "atomics"}):
            status, said = run(args.core, f"+kernel={args.vectors / program}.elf", "+continue", "+quiet")
            if status != 0 or " mismatches=0 defects=0 " not in said:
                problems.append(f"{program} without a fault: status {status}: {said}")
        for fault, program, kind, instructions in CASES:
            command = [args.core, f"+kernel={args.vectors / program}.elf", f"+fault={fault}"]
            status, said = run(*command, "+continue", f"+record={trace}", f"+json={report}")
            verdict = json.loads(report.read_text())
            defects = verdict.get("defects", [])
            where = f"{program} with {fault}"
            if status != 1 or not defects:
                problems.append(f"{where}: status {status}, {len(defects)} defects")
                continue
            for defect in defects:
                if defect["kind"] != kind or (instructions and defect["instruction"] not in instructions):
                    problems.append(f"{where}: {defect['signature']}")
                if not defect.get("differs") or defect["model"] == defect["core"]:
                    problems.append(f"{where}: {defect['signature']}: no values")
            if sum(defect["count"] for defect in defects) != verdict["mismatches"]:
                problems.append(f"{where}: the defects are not {verdict['mismatches']} mismatches")
            if verdict["counts"]["exits"] != verdict["counts"]["warps"]:
                problems.append(f"{where}: not all warps have gone on to their ends")
            if verdict["failure"]["instruction"]["pc"] != defects[0]["first"]["pc"]:
                problems.append(f"{where}: the first failure is not the first defect's")
            for more in ([], ["--continue"]):  # The run had +continue, so that the command of the report has it once
                if run(args.karat, "check", *more, f"--json={offline}", str(trace)) != (status, said) or offline.read_text() != report.read_text():
                    problems.append(f"{where}: judged again, the recording gives another report")
            # A recording of the whole run that was not asked to go on.
            run(*command, "+go-on", "+max-cycles=1000000", f"+record={again}")
            run(args.karat, "check", "--continue", f"--json={offline}", str(again))
            if json.loads(offline.read_text()).get("defects") != defects:
                problems.append(f"{where}: --continue of a recording gives another list")
            # All of them known bugs: a PASS that counts each; all but the first: a failure of that one alone. So in the recording.
            for left_out in (0, 1):
                known = {f"bug-{number}": defect["signature"] for number, defect in enumerate(defects[left_out:])}
                description.write_text(json.dumps({**json.loads(OWN.read_text()), "known": known}))
                status, said = run(*command, "+continue", f"+core={description}", f"+record={trace}", f"+json={report}")
                found = json.loads(report.read_text())
                counts = [defect["count"] for defect in defects]
                if (status, list(found.get("known", {}).values())) != (left_out, counts[left_out:]):
                    problems.append(f"{where}: status {status} with known bugs {found['known']}, not {counts[left_out:]}")
                if [(d["signature"], d["count"]) for d in found["defects"]] != [(d["signature"], d["count"]) for d in defects[:left_out]]:
                    problems.append(f"{where}: with known bugs the list has {found['defects']}")
                if run(args.karat, "check", str(trace)) != (status, said):
                    problems.append(f"{where}: with known bugs, judged again, the recording gives another report")
                status, said = run(args.core, f"+kernel={args.vectors / program}.elf", f"+core={description}")
                if status or sum(f" known:{name}=0 " in said for name in known) != len(known):
                    problems.append(f"{where}: known bugs of a core that is right: status {status}: {said}")
            print(f"{where}: {verdict['mismatches']} mismatches, {len(defects)} defects")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
