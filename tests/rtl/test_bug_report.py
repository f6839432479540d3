#!/usr/bin/python3
"""scripts/bug_report: what is in a report's folder, that it shows the defect by itself and no other one, which files are taken
along, and what is said of bad input and of reports that cannot be made."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from kernelfile import CODE, DATA, ENDPRG, addi, lui, vadd_vi, write_elf, write_metadata  # noqa: E402


def compare(funct6, vd, vs2, vs1):
    return funct6 << 26 | 1 << 25 | vs2 << 20 | vs1 << 15 | 1 << 12 | vd << 7 | 0x57


VSETVLI, MINUS_ZERO, ZERO = 0x0D0EFED7, 0x5E02C0D7, 0x5E004157  # vsetvli x29, x29, e32; vmv.v.x v1, x5; vmv.v.x v2, x0
HEAD = [addi(29, 0, 32), VSETVLI, lui(5, 0x80000), MINUS_ZERO, ZERO]
FEQ, FLT = compare(0x18, 3, 2, 1), compare(0x1B, 4, 1, 2)
FAULT = "+fault=cmp_zero_signs"  # Wrong in both, of the same kind


def wrapper(path, text):
    """A core that is a script."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def reproduce(folder, core):
    return subprocess.run([str(folder / "reproduce.sh"), core], capture_output=True).returncode


def check_programs(args, work, report, problems):
    """Two defects of one kind in programs of any form: each has a report, which shows that defect, and not the other one."""
    programs = work / "programs"
    programs.mkdir()
    elf = write_elf(programs / "both.elf", [*HEAD, FEQ, FLT, ENDPRG])
    clean = write_elf(programs / "clean.elf", [addi(5, 0, 1), ENDPRG])
    pair = write_metadata(programs / "pair.metadata", wf_size=8,
                          buffers=[(CODE, [*HEAD, FEQ, FLT, ENDPRG], 64), (DATA, [1, 2], 64), (DATA + 0x1000, [3], 64)])
    beside = programs / "beside"  # Another of the same name
    beside.mkdir()
    other = write_elf(beside / "clean.elf", [addi(6, 0, 1), ENDPRG])
    both = ["01-vmfeq-vv-wrong-value-written", "02-vmflt-vv-wrong-value-written"]
    shrunk = "still shows it: "
    # Kernels, the files that the report has of them, what the command names, a line of the page.
    cases = [([elf], {"vector.elf"}, "vector.elf", shrunk),
             ([pair], {"pair.metadata", "pair.data"}, "pair.metadata",
              "The program is `pair.metadata`, not shrunk: karat shrink: pair: data at 0x90001000"),
             ([clean, pair, other], {"clean.elf", "pair.metadata", "pair.data", "3-clean.elf"}, "clean.elf,pair.metadata,3-clean.elf",
              "The program is `clean.elf`, `pair.metadata`, `3-clean.elf`, not shrunk: "
               "a list of 3 kernels, of which the first alone does not show it."),
             ([elf, clean, clean], {"vector.elf"}, "vector.elf", "The first of the 3 kernels shows it alone. `vector.elf` is the smallest"),
             ([pair, clean], {"pair.metadata", "pair.data"}, "pair.metadata",
              "The first of the 2 kernels shows it alone. The program is `pair.metadata`, not shrunk: "),
             ([elf, clean], {"both.elf", "clean.elf"}, "both.elf,clean.elf", "The program is `both.elf`, `clean.elf`, not shrunk: --no-shrink.")]
    own = {"README.md", "report.json", "report.txt", "reproduce.sh", "run.ktr"}
    for number, (kernels, files, named, line) in enumerate(cases):
        what, out = f"case {number}", work / f"programs-{number}"
        folders = both if number < 2 else both[1:]  # Both where no other case shows the same
        only = ([] if number < 2 else ["--only", "2"]) + (["--no-shrink"] if "--no-shrink" in line else [])
        core = ["--core", args.core, "--"] if number % 2 else ["--threads", "8", "--", args.core]  # The core says its size
        done = report("--out", str(out), *only, *core, "+kernel=" + ",".join(map(str, kernels)), FAULT)
        made = sorted(path.name for path in out.iterdir()) if out.exists() else []
        if done.returncode or made != folders or done.stderr or len(done.stdout.splitlines()) != len(folders):
            problems.append(f"{what}: status {done.returncode}, folders {made}: {done.stdout}{done.stderr}")
            continue
        for name in folders:
            folder = out / name
            instruction = name[3:8] + ".vv"
            page, script = (folder / "README.md").read_text(), (folder / "reproduce.sh").read_text()
            found = {path.name for path in folder.iterdir()}
            if found != own | files:
                problems.append(f"{what}, {name}: {sorted(found)}")
            for kernel in kernels:
                for copied in files & {kernel.name, kernel.with_suffix(".data").name}:
                    if (folder / copied).read_bytes() != kernel.with_name(copied).read_bytes() and kernel is not other:
                        problems.append(f"{what}, {name}: {copied} is another file")
            if "3-clean.elf" in files and (folder / "3-clean.elf").read_bytes() != other.read_bytes():
                problems.append(f"{what}, {name}: 3-clean.elf is another file")
            for text in (line, f"+kernel={named} ", f"in `{','.join(k.name for k in kernels)}`"):
                if text not in page:
                    problems.append(f"{what}, {name}: the page has no '{text}'")
            wrong = next(d for d in json.loads((folder / "report.json").read_text())["defects"] if d["instruction"] == instruction)
            if f"core {wrong['core']:08x}  model {wrong['model']:08x}" not in page or f"| value | {wrong['differs']} |" not in page:
                problems.append(f"{what}, {name}: the page has not the values of {wrong}")
            if str(work) in page or f" +kernel={named} +continue" not in script:
                problems.append(f"{what}, {name}: the command is not of the folder's own files")
            if not any(d["instruction"] == instruction for d in json.loads((folder / "report.json").read_text())["defects"]):
                problems.append(f"{what}, {name}: the report has not {instruction}")
            # The core, a core in which this defect alone is cured, and one that gives no verdict.
            cured = wrapper(work / "cured", f"'{args.core}' \"$@\" | sed '/ x wrong value written, {instruction} /d'")
            mute = wrapper(work / "mute", "exit 0")
            for core, expected in ((args.core, 0), (cured, 1), (mute, 2)):
                status = reproduce(folder, core)
                if status != expected:
                    problems.append(f"{what}, {name}: reproduce.sh {pathlib.Path(core).name} gives {status}, expected {expected}")
    # An existing file is not overwritten.
    done = report("--threads", "8", "--out", str(work / "programs-1"), "--", args.core, f"+kernel={pair}", FAULT)
    refused = done.returncode == 1 and len(done.stderr.splitlines()) == 2 and "File exists" in done.stderr
    if not refused or reproduce(work / "programs-1" / both[0], args.core):
        problems.append(f"reports that are there: status {done.returncode}: {done.stderr}")


def check_classes(args, work, report, problems):
    """Wrong values of two classes of one instruction may be two bugs: each has a report."""
    minus_one = addi(5, 0, -1)
    shifts = [0x29 << 26 | 1 << 25 | 1 << 20 | count << 15 | 3 << 12 | vd << 7 | 0x57 for vd, count in ((3, 1), (4, 4), (6, 5))]  # vsra.vi
    elf = write_elf(work / "shifts.elf", [addi(29, 0, 32), VSETVLI, minus_one, MINUS_ZERO, *shifts, ENDPRG])
    done = report("--threads", "8", "--out", str(work / "shifts"), "--no-shrink", "--", args.core, f"+kernel={elf}", "+fault=sra_logical")
    values = [next(line for line in path.read_text().splitlines() if line.startswith("| value |"))
              for path in sorted((work / "shifts").glob("0?-vsra-vi-wrong-value-written/README.md"))]
    if done.returncode or values != ["| value | largest for negative |", "| value | positive for negative |"]:
        problems.append(f"two classes of one instruction: status {done.returncode}, {values}: {done.stdout}{done.stderr}")


def check_failing(args, work, report, problems):
    """A failure that the list has not, and a report that cannot be made beside one that can."""
    beyond = write_elf(work / "beyond.elf", [addi(5, 0, 1), vadd_vi(20, 1, 1), ENDPRG], regs=(8, 8))
    instead = write_elf(work / "instead.elf", [addi(5, 0, 1), vadd_vi(20, 1, 1) ^ 0x7000, ENDPRG], regs=(8, 8))  # vadd.vx
    out = work / "beyond"
    done = report("--threads", "8", "--out", str(out), "--", args.core, f"+kernel={beyond}")
    folder = out / "01-vadd-vi-undefined-or-forbidden-by-the-isa"
    if done.returncode or not folder.is_dir() or "not shrunk: karat shrink: " not in done.stdout:
        problems.append(f"a program error: status {done.returncode}: {done.stdout}{done.stderr}")
    else:
        other = wrapper(work / "other",
                        f"for a do shift; [ \"$a\" = +kernel=beyond.elf ] && a='+kernel={instead}'; set -- \"$@\" \"$a\"; done; "
                        f"exec '{args.core}' \"$@\"")
        for core, expected in ((args.core, 0), (other, 1)):  # Fails in that kind, in another instruction
            status = reproduce(folder, core)
            if status != expected:
                problems.append(f"a program error: reproduce.sh {pathlib.Path(core).name} gives {status}, expected {expected}")
    # A core that does not show the first one when it is recorded.
    both = write_elf(work / "both.elf", [*HEAD, FEQ, FLT, ENDPRG])
    shy = wrapper(work / "shy", f"case \"$*\" in *+record=*/01-*) exec '{args.core}' \"$@\";; esac; exec '{args.core}' \"$@\" {FAULT}")
    out = work / "shy-reports"
    done = report("--threads", "8", "--out", str(out), "--", shy, f"+kernel={both}")
    made = sorted(path.name for path in out.iterdir()) if out.exists() else []
    if (done.returncode != 1 or made != ["02-vmflt-vv-wrong-value-written"] or len(done.stderr.splitlines()) != 1
            or "vmfeq.vv (zero, zero), every active lane, zero for subnormal: does not show any more" not in done.stderr):
        problems.append(f"a report that cannot be made: status {done.returncode}, folders {made}: {done.stderr}")
    # A core that never ends with a smaller program: the time for shrinking ends, and the report is made.
    endless = wrapper(work / "endless", f"case \"$*\" in *.try.elf*) exec sleep 3600;; esac; exec '{args.core}' \"$@\" {FAULT}")
    out = work / "endless-reports"
    done = report("--threads", "8", "--out", str(out), "--only", "1", "--seconds", "1", "--", endless, f"+kernel={both}")
    made = {path.name for path in out.glob("*/*")}
    if done.returncode or "not shrunk: karat shrink: interrupted" not in done.stdout or "both.elf" not in made or "vector.elf.journal" in made:
        problems.append(f"a report whose shrinking takes too long: status {done.returncode}, {sorted(made)}: {done.stdout}{done.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--script", required=True)
    parser.add_argument("--core", required=True)
    parser.add_argument("--karat", required=True)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    args = parser.parse_args()
    problems = []

    def report(*words, stdout=subprocess.PIPE):
        return subprocess.run([sys.executable, "-B", args.script, "--karat", args.karat, *words], stdout=stdout, stderr=subprocess.PIPE, text=True)

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
            head = page.partition("## Expected")[0].splitlines()
            if not all(row.startswith("| ") and row.endswith(" |") for row in head[4:-1]):
                problems.append(f"{fault}: not a row of the table: {head}")
            if f"\n{pathlib.Path(args.core).name} +fault={fault} " not in page:
                problems.append(f"{fault}: the page has no command of this core")
            if "+json" in page:
                problems.append(f"{fault}: the page has a file of the script's own")
            if verdict["verdict"] != "MISMATCH" or verdict["program"] != ("vector" if shrunk else program):
                problems.append(f"{fault}: the report is not of the vector: {verdict['line']}")
            if not shrunk and f"The program is `{program}.elf`, not shrunk: --no-shrink." not in page:
                problems.append(f"{fault}: the page does not say that the program is not shrunk")
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
        with open("/dev/full", "w", encoding="utf-8") as full:  # A report that is made stays, whoever reads of it
            done = report("--threads", "8", "--out", str(work / "full"), "--no-shrink", "--", args.core,
                          f"+kernel={args.vectors / 'fp_exp'}.elf", "+fault=exp_minus_inf", stdout=full)
        if done.returncode != 2 or done.stderr.count("\n") != 1 or not (work / "full" / cases[1][3] / "README.md").exists():
            problems.append(f"a full disk: status {done.returncode}: {done.stderr}")
        check_programs(args, work, report, problems)
        check_classes(args, work, report, problems)
        check_failing(args, work, report, problems)
        good = f"+kernel={args.vectors / 'vecadd.elf'}"
        for words, text in (((args.core, good), "the run shows no defect"), ((args.core,), "expected one +kernel=FILE[,FILE...]"),
                            ((args.core, "+kernel=none.elf"), "none.elf"), ((args.core, good, "+kernel=x"), "expected one +kernel=FILE[,FILE...]"),
                            ((wrapper(work / "mute", "echo 'no such licence' >&2; exit 9"), good), "bug_report: no such licence\n"),
                            ((wrapper(work / "dead", "exit 9"), good), "ends with status 9 and without a report")):
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
