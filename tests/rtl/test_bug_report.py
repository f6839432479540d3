#!/usr/bin/python3
"""scripts/bug_report: what is in a report's folder, that it shows the defect by itself, and what is said of bad input."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--script", required=True)
    parser.add_argument("--core", required=True)
    parser.add_argument("--karat", required=True)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    args = parser.parse_args()
    problems = []

    def report(*words):
        return subprocess.run([sys.executable, "-B", args.script, "--karat", args.karat, *words], capture_output=True, text=True, timeout=500)

    # Fault, program, shrink it, threads, the folder, a line of the page.
    cases = [("tie_if_first", "simt_nested", True, "01-vbne-wrong-simt-outcome", "| kind | wrong SIMT outcome |"),
             ("exp_minus_inf", "fp_exp", False, "01-vfexp-v-wrong-value-written", "| operands | inf |")]
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        for fault, program, shrunk, folder, line in cases:
            out = work / fault
            done = report("--threads", "8", "--out", str(out), *([] if shrunk else ["--no-shrink"]), "--", args.core,
                          f"+kernel={args.vectors / program}.elf", f"+fault={fault}")
            made = sorted(path.name for path in out.iterdir()) if out.exists() else []
            if done.returncode or made != [folder]:
                problems.append(f"{fault}: status {done.returncode}, folders {made}, expected {folder}: {done.stderr}")
                continue
            page = (out / folder / "README.md").read_text()
            verdict = json.loads((out / folder / "report.json").read_text())
            for text in (line, "## Expected and actual", "## What the ISA says", "  encoding ", "reproduce.sh", "karat: MISMATCH: ", "section .text"):
                if text not in page:
                    problems.append(f"{fault}: the page has no '{text}'")
            if "+json" in page:
                problems.append(f"{fault}: the page has a file of the script's own")
            if verdict["verdict"] != "MISMATCH" or verdict["program"] != "vector":
                problems.append(f"{fault}: the report is not of the vector: {verdict['line']}")
            if shrunk and not re.search(r"still shows it: \d{1,2} instructions", page):
                problems.append(f"{fault}: the program is not small")
            script = str(out / folder / "reproduce.sh")
            if subprocess.run([script, args.core], capture_output=True).returncode != 0:
                problems.append(f"{fault}: reproduce.sh does not see it")
            text = pathlib.Path(script).read_text().replace(f"+fault={fault}", "")
            pathlib.Path(script).write_text(text)
            if subprocess.run([script, args.core], capture_output=True).returncode != 1:
                problems.append(f"{fault}: reproduce.sh sees it in a core without the fault")
            again = subprocess.run([args.karat, "check", "--quiet", str(out / folder / "run.ktr")], capture_output=True, text=True)
            if again.returncode != 1 or again.stdout.strip() != verdict["line"]:
                problems.append(f"{fault}: run.ktr gives {again.stdout}")
        good = f"+kernel={args.vectors / 'vecadd.elf'}"
        for words, text in (((args.core, good), "the run shows no defect"), ((args.core,), "expected one +kernel=FILE"),
                            ((args.core, "+kernel=none.elf"), "none.elf"), ((args.core, good, "+kernel=x"), "expected one +kernel=FILE")):
            done = report("--out", str(work / "none"), "--", *words)
            if done.returncode != 2 or text not in done.stderr or len(done.stderr.splitlines()) != 1:
                problems.append(f"{words}: status {done.returncode}, expected 2 and '{text}': {done.stderr}")
        if (work / "none").exists():
            problems.append("bad input leaves a folder")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
