#!/usr/bin/python3
"""Printing on ingot: what the host writes races with what warps do to the print buffer, and no healthy run is called wrong; a
warp that prints without a print buffer is a program error, alone, in a list, and on the model.

The programs are assembled here: small ones of this file, and those of the folder --field where it is. Each race runs with several
seeds and latencies, and its recording is judged again without the order of MEM and without MEM.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

FLAGS = ["-target", "riscv32", "-march=rv32ima_zfinx_zve32f", "-mno-relax"]

# Warp 0 works on the print buffer's first word while the others print.
RACE = """
#include "karat.inc"
    .text
    .globl _start
_start:
    KERNEL _start, warps=4, knl=argument_block, sgprs=32, vgprs=32
    csrr s1, CSR_WID
    la s7, buffer
    li s8, 25
    beqz s1, 2f
1:  csrwi CSR_PRINT, 1
    addi s8, s8, -1
    bnez s8, 1b
    endprg
2:  {body}
    addi s8, s8, -1
    bnez s8, 2b
    endprg
    .data
    .balign 64
buffer: .zero 16
    .globl argument_block
    .balign 64
argument_block:
    .zero 48
    .4byte buffer, 16
    .zero 8
"""
BODIES = {
    "load": "lbu t4, 0(s7); add s9, s9, t4",
    "store": "li t0, 0x41; sb t0, 0(s7); lhu t4, 0(s7); add s9, s9, t4; sb x0, 1(s7); sb s8, 1(s7)",
    "amo": "li t0, 0x4100; amoadd.w t4, t0, (s7); add s9, s9, t4; amoand.w t4, s8, (s7); add s9, s9, t4",
    "lrsc": "lr.w t4, (s7); addi t5, t4, 256; sc.w t6, t5, (s7); add s9, s9, t6; lr.w t4, (s7); addi t5, t4, 1; sc.w t6, t5, (s7)",
    "lanes": "vmv.v.x v1, s7; vsb12.v v1, 0(v1); vlw12.v v2, 0(v1); vadd.vv v2, v2, v2; vsb12.v v1, 1(v1)",
    "all": "li t0, 0x4100; amoor.w t4, t0, (s7); sb t0, 0(s7); lw t5, 0(s7); add s9, t5, t4; fence; sh s8, 0(s7); lbu t5, 0(s7); add s9, t5, s9",
}
NO_BUFFER = """
#include "karat.inc"
    .text
    .globl _start
_start:
    KERNEL _start, warps=1{knl}
    csrwi CSR_PRINT, 1
    endprg
    .data
    .balign 64
    .globl argument_block
argument_block:
    .zero 48
    .4byte 0x12340000, 16
    .zero 8
"""
FIELD = [("print_poll", []), ("print_poll", ["-DSELF"]), ("print_race", [])] + [("print_amo", [f"-DKIND={k}"]) for k in range(8)]
LATENCIES = ("1:4", "4:20", "20:200")


class Test:
    def __init__(self, args, folder):
        self.args, self.folder, self.cases, self.failed = args, folder, 0, 0

    def check(self, good, what, done):
        self.cases += 1
        if not good:
            self.failed += 1
            print(f"test_print: {what}: status {done.returncode}\n{done.stdout}{done.stderr}", file=sys.stderr)

    def assemble(self, name, source, flags=()):
        """An ELF of a source file, or of a text."""
        if not isinstance(source, pathlib.Path):
            text, source = source, self.folder / f"{name}.S"
            source.write_text(text, encoding="utf-8")
        elf = self.folder / f"{name}.elf"
        vectors = self.args.sources
        subprocess.run([self.args.clang, *FLAGS, *flags, "-I", vectors, "-c", source, "-o", elf.with_suffix(".o")], check=True)
        subprocess.run([self.args.lld, "--discard-locals", "-T", vectors / "karat.ld", elf.with_suffix(".o"), "-o", elf], check=True)
        return elf

    def run(self, *command):
        return subprocess.run(command, capture_output=True, text=True, errors="replace")

    def race(self, name, elf, seeds):
        """No seed and no latency makes a MISMATCH."""
        trace = self.folder / "trace.ktr"
        for latency in LATENCIES:
            for seed in range(1, seeds + 1):
                done = self.run(self.args.core, f"+kernel={elf}", f"+seed={seed}", f"+latency={latency}", "+max-cycles=100000", f"+record={trace}")
                self.check(done.returncode == 0, f"{name}, seed {seed}, latency {latency}", done)
                for less in ("order", "mem"):
                    done = self.run(self.args.karat, "check", f"--without={less}", trace)
                    self.check(done.returncode == 0, f"{name}, seed {seed}, latency {latency}, without {less}", done)

    def program_error(self, name, elves, want):
        """The same in lockstep and on the model."""
        for command in ([self.args.core, "+kernel=" + ",".join(map(str, elves))], [self.args.karat, "run", *elves]):
            done = self.run(*command)
            self.check(done.returncode == 4 and want in done.stdout + done.stderr, f"{name}: {command[0]}", done)

    def refuted(self, elf):
        """A value that is neither the old nor the new one: the checker finds it in the stream of a faulty core."""
        done = self.run(self.args.core, f"+kernel={elf}", "+fault=lbu_signed", "+seed=1")
        self.check(done.returncode == 1 and "MISMATCH (wrong value written)" in done.stdout, "a load of neither value", done)


# A value that the host has not written, and that was not there before: 0x80 read with its sign.
NEITHER = RACE.format(body="li t0, 0x80; sb t0, 0(s7); lbu t4, 0(s7); add s9, s9, t4")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("core", "karat", "clang", "lld"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("sources", "vectors", "field"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=4)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        test = Test(args, pathlib.Path(name))
        for body, text in BODIES.items():
            test.race(body, test.assemble(body, RACE.format(body=text)), args.seeds)
        test.refuted(test.assemble("neither", NEITHER))
        nothing = test.assemble("nothing", NO_BUFFER.format(knl=""))
        nowhere = test.assemble("nowhere", NO_BUFFER.format(knl=", knl=argument_block"))
        printing = args.vectors / "printing.elf"
        for what, elf in (("no block", nothing), ("no buffer", nowhere)):
            test.program_error(what, [elf], "no print buffer")
            test.program_error(f"{what}, in a list", [printing, elf], "no print buffer")
        if args.field.is_dir():
            for source, flags in FIELD:
                elf = test.assemble(source + "".join(flags), args.field / f"{source}.S", flags)
                test.race(f"{source} {' '.join(flags)}", elf, args.seeds)
            noknl = test.assemble("noknl", args.field / "noknl.S")
            test.program_error("noknl", [noknl], "no print buffer")
        else:
            print(f"test_print: {args.field} is not there: its programs are left out")
    print(f"{test.cases - test.failed} passed, {test.failed} failed")
    return 1 if test.failed else 0


if __name__ == "__main__":
    sys.exit(main())
