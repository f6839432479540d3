#!/usr/bin/python3
"""Launches of an ELF file on the command line (docs/run.md), on the model and on cores: the same instruction counts, PASS, and buffers
that equal what this test computes. A recording of such a run is judged the same again, and the rerun command launches the same.

The kernel is vectors/debug/mix.S, assembled here.
"""
import argparse
import json
import pathlib
import random
import re
import shlex
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from kernelfile import ENDPRG, addi, lui, lw, sw, write_metadata  # noqa: E402

FLAGS = ["-target", "riscv32", "-march=rv32ima_zfinx_zve32f", "-mno-relax"]

FACTOR, VALUE, PRINT = 0x10001, -0.1, 64


class Test:
    def __init__(self, args, folder):
        self.args, self.folder, self.cases, self.failed = args, folder, 0, 0

    def check(self, good, what, *more):
        self.cases += 1
        if not good:
            self.failed += 1
            print("test_elf_launch:", what, *more, file=sys.stderr)

    def assemble(self):
        obj, elf = (self.folder / f"mix.{end}" for end in ("o", "elf"))
        source = self.args.sources / "debug" / "mix.S"
        subprocess.run([self.args.clang, *FLAGS, "-I", self.args.sources, "-c", source, "-o", obj], check=True)
        subprocess.run([self.args.lld, "-T", self.args.sources / "karat.ld", obj, "-o", elf], check=True)
        return elf


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)


def instructions(text):
    return re.findall(r"instructions=(\d+)", text)


def expected(words, groups, items):
    out = [words[g * items + items - 1 - i] * FACTOR + PRINT + groups * items & 0xffffffff for g in range(groups) for i in range(items)]
    return struct.pack(f"<{len(out)}I", *out), struct.pack("<f", VALUE) * len(out)


def one_launch(t, elf, seed, groups, items):
    """On the model, and on every core."""
    words = [random.Random(seed).getrandbits(32) for _ in range(groups * items)]
    size, source = 4 * len(words), t.folder / "in.bin"
    source.write_bytes(struct.pack(f"<{len(words)}I", *words))
    want = expected(words, groups, items)
    values = [f"file:{source}", f"buffer:{size}", f"buffer:{size}", f"u32:{FACTOR:#x}", f"f32:{VALUE}", f"local:{4 * items}"]
    shape = {"grid": groups, "workgroup": items, "print": PRINT}
    out, bits = t.folder / "out.bin", t.folder / "bits.bin"
    what = f"seed {seed}, {groups} workgroups of {items}"
    done = run(t.args.karat, "run", elf, "--threads", t.args.threads, "--kernel=mix", *(f"--{k}={v}" for k, v in shape.items()),
               *(f"--arg={v}" for v in values), f"--dump-arg=1:{out}", f"--dump-arg=2:{bits}")
    t.check(done.returncode == 0 and (out.read_bytes(), bits.read_bytes()) == want, what, "on the model:", done)
    counts = instructions(done.stdout)
    for core in t.args.core:
        for given in ([",".join(values)], values):
            if "-sv" in core and len(given) > 1:
                continue  # A simulator gives the first of several plusargs of one name
            out.unlink(missing_ok=True), bits.unlink(missing_ok=True)
            options = ["+entry=mix", *(f"+{k}={v}" for k, v in shape.items()), *(f"+arg={v}" for v in given)]
            done = run(core, f"+kernel={elf}", *options, f"+dump-arg=1:{out},2:{bits}", f"+seed={seed}")
            t.check(done.returncode == 0 and done.stdout.startswith("karat: PASS ") and len(counts) == 1 and instructions(done.stdout) == counts,
                    what, core, done, "instructions on the model:", counts)
            t.check(out.exists() and bits.exists() and (out.read_bytes(), bits.read_bytes()) == want, what, core, "buffers")
    return values, shape


def again(t, elf, values, shape):
    """A fault's recording and rerun command."""
    core = t.args.core[0]
    options = ["+entry=mix", *(f"+{k}={v}" for k, v in shape.items()), "+arg=" + ",".join(values)]
    report, ktr, out = t.folder / "r.json", t.folder / "r.ktr", t.folder / "r.bin"
    done = run(core, f"+kernel={elf}", *options, f"+dump-arg=1:{out}", f"+fault={t.args.fault}",
               f"+json={report}", f"+record={ktr}")
    t.check(done.returncode == 1, "the fault is found", done)
    checked = run(t.args.karat, "check", ktr)
    t.check((checked.returncode, checked.stdout) == (1, done.stdout), "karat check:", checked, done)
    rerun = shlex.split(json.loads(report.read_text())["rerun"])
    t.check(set(options) <= set(rerun) and not any(w.startswith("+dump-arg") for w in rerun), "rerun", rerun)
    folder = t.folder / "rerun"
    folder.mkdir()
    shown = run(*rerun, cwd=folder)
    t.check(shown.returncode == 1 and shown.stdout.splitlines()[0] == done.stdout.splitlines()[0], "the rerun:", shown)


def bad_input(t, elf):
    """One line, status 2, and no file."""
    core, out = t.args.core[0], t.folder / "never.bin"
    kernel = f"+kernel={elf}"
    for options, want in (
            ([kernel], "expected a section .karat.launch"),
            ([kernel, "+grid=2"], "+entry: expected the kernel's symbol too"),
            ([kernel, "+entry=none"], "expected a symbol none, the kernel to launch"),
            ([f"{kernel},{elf}", "+entry=mix"], "+entry: expected one file to launch in +kernel=, found 2"),
            ([kernel, "+entry=mix", "+grid=0"], "bad argument '+grid=0': expected +grid=, and X[,Y[,Z]], each 1 or more"),
            ([kernel, "+entry=mix", "+arg=u32:1,word:2"], "bad argument '+arg=u32:1,word:2': expected +arg=, and buffer:SIZE"),
            ([kernel, "+entry=mix", "+arg=u32:1,"], "bad argument '+arg=u32:1,'"),
            ([kernel, "+entry=mix", f"+arg=file:{t.folder}/absent"], "absent"),
            ([kernel, "+entry=mix", "+arg=u32:1", f"+dump-arg=0:{out}"], "+dump-arg: expected an argument that is a buffer or a file, found 0"),
            ([kernel, "+entry=mix", "+arg=buffer:4", f"+dump-arg=1:{out}"], "+dump-arg: expected one of the 1 arguments"),
            ([kernel, "+entry=mix", "+arg=buffer:4", "+dump-arg=x"], "bad argument '+dump-arg=x': expected +dump-arg=, and N or N:FILE"),
            ([kernel, f"+dump-arg=0:{out}"], "+dump-arg: expected one of the 0 arguments"),
            ([kernel, "+entry=mix", f"+arg=file:{elf}", f"+dump-arg=0:{elf}"], str(elf)),
            ([kernel, "+entry=mix", f"+workgroup={t.args.threads * 1000}"], "workgroups of 1000 warps; the core has")):
        done = run(core, *options)
        t.check(done.returncode == 2 and done.stderr.count("\n") == 1 and want in done.stderr and not done.stdout and not out.exists(), want, done)
    listed = run(core, "+help").stdout
    options = re.findall(r"^ +--(\w+)=", run(t.args.karat, "launch", "--help").stdout, re.M)
    for name in set(options) - {"output", "threads", "kernel", "profile"} | {"entry", "dump-arg"}:
        t.check(f"\n  +{name}=" in listed, f"+help has +{name}", listed)
    t.check(len(options) >= 10, "options of karat launch", options)


def local_buffers(t):
    """A buffer of a .metadata inside the LDS window: zeros run on a core, alone and in a list; with other contents it is refused, and named."""
    zeros, ones = (write_metadata(t.folder / f"{name}.metadata", wf_size=1, knl=0x90001000, buffers=[
        (0x80000000, [lui(5, 0x7ffff), lw(6, 5, 0), addi(6, 6, 1), sw(6, 5, 0), ENDPRG], 4096), (0x7ffff000, [word], 4096)])
        for name, word in (("zeros", 0), ("ones", 0x100)))
    for kernels in ([zeros], [zeros, zeros]):
        ktr = t.folder / "local.ktr"
        done = run(t.args.core[0], "+kernel=" + ",".join(map(str, kernels)), f"+record={ktr}")
        t.check(done.returncode == 0 and f" warps={len(kernels)} " in done.stdout, kernels, done)
        checked = run(t.args.karat, "check", ktr)
        t.check((checked.returncode, checked.stdout) == (0, done.stdout), "karat check:", checked)
    done = run(t.args.core[0], f"+kernel={zeros},{ones}")
    t.check(done.returncode == 2 and done.stderr.count("\n") == 1 and
            "ones: buffer 1 (base 0x7ffff000, 4 bytes) is local memory that begins with other than zeros" in done.stderr, done)


def bug_report(t, elf, values, shape):
    """The report has the launch as .metadata and .data, and shows the defect by itself."""
    out = t.folder / "bugs"
    command = [t.args.core[0], f"+kernel={elf}", "+entry=mix", *(f"+{k}={v}" for k, v in shape.items()), "+arg=" + ",".join(values),
               f"+fault={t.args.fault}"]
    script = [t.args.sources.parent / "scripts" / "bug_report", "--karat", t.args.karat]
    done = run(*script, f"--threads={t.args.threads}", "--only=1", "--out", out, "--", *command)
    folders = list(out.iterdir()) if out.exists() else []
    t.check(done.returncode == 0 and len(folders) == 1, "bug_report:", done)
    for folder in folders:
        t.check({"mix.metadata", "mix.data", "run.ktr", "reproduce.sh"} <= {file.name for file in folder.iterdir()}, list(folder.iterdir()))
        t.check(run(folder / "reproduce.sh", t.args.core[0]).returncode == 0, "reproduce.sh")
    for more, options, want in (([], command, "expected --threads N"),
                                ([f"--threads={t.args.threads}"], [*command, "+grid=0"], "--grid: expected X[,Y[,Z]]")):
        done = run(*script, *more, "--out", t.folder / "none", "--", *options)
        t.check(done.returncode == 2 and done.stderr.count("\n") == 1 and want in done.stderr and not (t.folder / "none").exists(), want, done)


def field(t):
    if not (t.args.field / "ldsbuf.metadata").exists():
        print(f"{t.args.field}: absent, its inputs are left out")
        return
    done = run(t.args.core[0], f"+kernel={t.args.field / 'ldsbuf.metadata'}")
    t.check(done.returncode == 0 and " instructions=1 " in done.stdout, done)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", required=True, action="append", help="the core in a harness; several times: several")
    parser.add_argument("--karat", required=True)
    parser.add_argument("--threads", required=True, type=int)
    parser.add_argument("--fault", default="barrier_early", help="one that the kernel shows")
    parser.add_argument("--sources", required=True, type=pathlib.Path)
    parser.add_argument("--field", required=True, type=pathlib.Path)
    parser.add_argument("--clang", required=True)
    parser.add_argument("--lld", required=True)
    args = parser.parse_args()
    args.core = [str(pathlib.Path(core).resolve()) for core in args.core]
    with tempfile.TemporaryDirectory() as name:
        t = Test(args, pathlib.Path(name))
        elf = t.assemble()
        for seed, (groups, warps) in enumerate(((1, 1), (3, 2), (5, 4))):
            values, shape = one_launch(t, elf, seed + 1, groups, warps * args.threads)
        again(t, elf, values, shape)
        bug_report(t, elf, values, shape)
        bad_input(t, elf)
        local_buffers(t)
        field(t)
    print(f"{t.cases - t.failed} passed, {t.failed} failed")
    return 1 if t.failed else 0


if __name__ == "__main__":
    sys.exit(main())
