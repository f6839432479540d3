#!/usr/bin/python3
"""Kernels of one run in address spaces of several layouts do what they do without translation; a page fault ends a run; and what cannot
translate refuses it."""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from kernelfile import CODE, DATA, ENDPRG, addi, lui, lw, sw, write_metadata  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--core", required=True, help="a core with an MMU")
parser.add_argument("--plain", required=True, help="the same without")
parser.add_argument("--karat", required=True)
parser.add_argument("--vectors", required=True, type=pathlib.Path)
parser.add_argument("--layouts", type=int, default=3, help="drawn layouts of each list of kernels")
args = parser.parse_args()
SEED = int(os.environ.get("KARAT_SEED", "1"), 0)
print(f"test_sv39: KARAT_SEED={SEED}")
rng = random.Random(SEED)
cases = failures = 0


def check(good, what, *more):
    global cases, failures
    cases += 1
    if not good:
        failures += 1
        print("test_sv39:", what, *(str(m)[:3000] for m in more), file=sys.stderr)


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def same(text):
    """All that a verdict says of the program: nothing of time."""
    return re.sub(r" (cycles|core|last)=\S+", "", text)


def lists_of_kernels(folder):
    for names in ("vecadd,printing,vecadd,matadd", "multi_wg,barrier_lds,multi_wg,private,mem_widths", "print_stores,printing,print_stores"):
        plusargs = ["+kernel=" + ",".join(str(args.vectors / f"{name}.elf") for name in names.split(",")), "+seed=3", "+latency=1:30"]
        plain = run(args.plain, *plusargs)
        check(plain[0] == 0, f"{names} without translation", *plain)
        for layout in ["+sv39", *(f"+sv39={rng.randrange(1 << 40)}" for _ in range(args.layouts))]:
            trace = folder / "run.ktr"
            status, out, err = run(args.core, *plusargs, layout, f"+record={trace}")
            what = f"{names} {layout}"
            check(status == 0 and same(out) == same(plain[1]), what, plain[1], out, err)
            again = run(args.karat, "check", "--records", trace)
            check(again[0] == 0 and again[1].splitlines()[0] == out.splitlines()[-1], f"karat check: {what}", out, *again)
            check(re.search(r"^  access +yes +[1-9]", again[1], re.M) and re.search(r"^  mem +no", again[1], re.M), f"records: {what}", again[1])


def faults(folder):
    """(name, code, changes of page tables, words of the verdict)"""
    load = [lui(5, DATA >> 12), lw(6, 5, 8)]
    yield "hole", [lui(5, 0x12345), lw(6, 5, 0)], [], ["load of 0x12345000"]
    yield "no-write", [*load, sw(6, 5, 4)], [f"{DATA:#x}:no-write"], [f"store or AMO of {DATA + 4:#x}", "page is not writable"]
    yield "no-read", load, [f"{DATA:#x}:no-read"], [f"load of {DATA + 8:#x}", "page is not readable"]
    yield "not-dirty", [*load, sw(6, 5, 12)], [f"{DATA:#x}:not-dirty"], [f"store or AMO of {DATA + 12:#x}", "D is clear"]
    yield "fetch", [lui(5, 0x12345), 0x00028067], [], ["fetch of 0x12345000"]  # jalr x0, 0(x5)


def page_faults(folder):
    for name, code, changes, words in faults(folder):
        path = write_metadata(folder / f"{name}.metadata", wf_size=4,
                              buffers=[(CODE, [addi(0, 0, 0), *code, ENDPRG], 0x1000), (DATA, [1, 2, 3, 4], 0x1000)])
        path.write_text("".join(f"// page {change}\n" for change in changes) + path.read_text())
        # A kernel that changes pages runs with translation without an option, in the identity
        for layout in ("+sv39", f"+sv39={rng.randrange(1 << 32)}", *([f"+kernel={path}"] if changes else [])):
            report = folder / "report.json"
            status, out, err = run(args.core, f"+kernel={path}", layout, f"+json={report}")
            check(status == 4 and "karat: PROGRAM ERROR" in out and all(word in out for word in ["page fault", *words]), f"{name} {layout}", status,
                  out, err)
            data = json.loads(report.read_text())
            check(layout in data.get("rerun", "").split(), f"{name} {layout}: the rerun command", data.get("rerun"))
            status, out, err = run(args.core, f"+kernel={path}", layout, "+no-check")
            check(status == 5 and re.search(r"^karat-ingot: cycle \d+: a page fault has stopped a warp of the core$", err, re.M) and
                  "karat: INCOMPLETE" in out, f"{name} {layout} +no-check", status, out, err)
    good = args.vectors / "vecadd.elf"
    expect = [(args.plain, "this core has no MMU", f"+kernel={good}", "+sv39"), (args.plain, "this core has no MMU", f"+kernel={good}", "+sv39=1"),
              (args.core, "the seed of the layout", f"+kernel={good}", "+sv39=x"), (args.core, "the seed of the layout", f"+kernel={good}", "+sv39="),
              (args.plain, "it changes page tables: this core has no MMU", f"+kernel={folder / 'no-read.metadata'}")]
    for core, words, *plusargs in expect:
        status, out, err = run(core, *plusargs)
        check(status == 2 and len(err.splitlines()) == 1 and words in err, " ".join(plusargs), status, out, err)


with tempfile.TemporaryDirectory() as name:
    lists_of_kernels(pathlib.Path(name))
    page_faults(pathlib.Path(name))
print(f"{cases - failures} passed, {failures} failed")
sys.exit(1 if failures else 0)
