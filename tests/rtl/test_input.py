#!/usr/bin/python3
"""Bad input to the harness gives one clear line on stderr and exit status 2 (4 where the program is at fault), never more."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

from elftools.elf.elffile import ELFFile


def jump_into_nothing(good, folder):
    """A kernel whose first word has become jalr x0, 0(x0)."""
    elf = bytearray(good.read_bytes())
    start = elf.index(bytes.fromhex("73240280")) if bytes.fromhex("73240280") in elf else 0x1000
    elf[start:start + 4] = bytes.fromhex("67000000")
    (folder / "jump.elf").write_bytes(elf)
    return folder / "jump.elf"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", required=True)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    parser.add_argument("--warps", required=True, type=int, help="warp slots of the core")
    args = parser.parse_args()
    good = args.vectors / "vecadd.elf"
    problems = []
    cases = 0

    def expect(status, text, *plusargs):
        nonlocal cases
        cases += 1
        done = subprocess.run([args.core, *plusargs], capture_output=True, text=True)
        lines = done.stderr.strip().splitlines()
        if done.returncode != status or (status == 2 and (len(lines) != 1 or text not in lines[0])) or \
                (status != 2 and text not in done.stdout + done.stderr):
            problems.append(f"{plusargs}: status {done.returncode}, expected {status} and '{text}': {done.stdout}{done.stderr}")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        expect(2, "+kernel=")
        expect(2, "missing.elf", "+kernel=" + str(folder / "missing.elf"))
        expect(2, "unknown argument '+sed=1': did you mean '+seed'?", f"+kernel={good}", "+sed=1")
        expect(2, "unknown argument '+frobnicate' (+help lists them)", f"+kernel={good}", "+frobnicate")
        expect(2, "expected +latency=, and MIN[:MAX], 1 <= MIN <= MAX", f"+kernel={good}", "+latency=9:2")
        for twice in (["+seed=1", "+quiet", "+seed=2"], ["+stall=0", "+stall=0"],
                      ["+sv39", "+sv39=1"], ["+sv39=1", "+sv39"]):
            expect(2, f"'{twice[-1]}': expected {twice[-1].split('=')[0]} once, found it twice", f"+kernel={good}", *twice)
        expect(0, "PASS", f"+kernel={good}", "+quiet", "+quiet")
        expect(2, "+no-check produces no records", f"+kernel={good}", "+no-check", f"+record={folder / 'none.ktr'}")
        # Files that would be overwritten.
        (folder / "own.elf").write_bytes(good.read_bytes())
        for plusargs in (["+record=own.elf"], ["+json=own.elf"], ["+trace=own.elf"], ["+record=new", "+json=new"],
                         ["+record=new", "+trace=new"]):
            expect(2, "named as an output and for another purpose", f"+kernel={folder / 'own.elf'}",
                   *(a.replace("=", f"={folder}/") for a in plusargs))
            if (folder / "own.elf").read_bytes() != good.read_bytes() or (folder / "new").exists():
                problems.append(f"{plusargs}: something was written")
        # A program of another profile of the ISA than the core's, and an instruction of one in a program that names none.
        other = args.vectors / "matmul64.elf"
        expect(2, "matmul64: its code is for profile v2.03 of the ISA; the core: v2.02", f"+kernel={other}")
        expect(2, "matmul64: its code is for profile v2.03 of the ISA; the core: v2.02", f"+kernel={good},{other}")
        silent = bytearray(other.read_bytes())
        at = silent.index(b"Karat\0")
        silent[at] = ord("k")
        (folder / "silent.elf").write_bytes(silent)
        expect(4, "illegal instruction: pre_m_128 of profile v2.03", f"+kernel={folder / 'silent.elf'}", f"+json={folder / 'silent.json'}")
        if "pre_m_128 of profile v2.03" not in (folder / "silent.json").read_text():
            problems.append("the report as JSON does not name the profile")
        silent[at] = ord("K")
        silent[at + 8:at + 13] = b"v3.00"
        (folder / "strange.elf").write_bytes(silent)
        expect(2, "strange.elf: note of Karat: expected ISA profile v2.02 or v2.03 or public, found 'v3.00'", f"+kernel={folder / 'strange.elf'}")
        expect(2, "seed", f"+kernel={good}", "+seed=x")
        expect(2, "init", f"+kernel={good}", "+init=2")
        # A fault that only an assertion finds, where there are any.
        expect(1, "assertion failed", f"+kernel={args.vectors / 'icache.elf'}", "+seed=1", "+latency=2:20", "+fault=share_moves")
        expect(0, "karat: PASS", f"+kernel={args.vectors / 'icache.elf'}", "+seed=1", "+latency=2:20", "+fault=share_moves", "+no-assert")
        expect(2, "no-assert", f"+kernel={good}", "+no-assert=1")
        expect(2, "expected +checker-thread=, and 0 or 1", f"+kernel={good}", "+checker-thread=2")
        for mutants in ("", "x", "1,", "0x4", "1,2,3", "-1", "9999999999"):
            expect(2, "expected +mutant=, and one or two numbers", f"+kernel={good}", f"+mutant={mutants}")
        expect(2, "unknown fault 'no_such_fault' (+faults lists those of this core)", f"+kernel={good}", "+fault=no_such_fault")
        # Each of several shows; the first does not, in this program.
        alu = f"+kernel={args.vectors / 'alu_int.elf'}"
        expect(0, "PASS", alu, "+fault=csrrc_inverts")
        for several in (["+fault=csrrc_inverts", "+fault=tie_if_first"], ["+fault=tie_if_first,csrrc_inverts"]):
            expect(1, "wrong SIMT outcome", alu, *several)
        expect(2, "unknown fault 'two'", alu, "+fault=csrrc_inverts", "+fault=two")
        expect(2, "bad argument '+fault=tie_if_first,'", alu, "+fault=tie_if_first,")
        expect(2, "unknown fault 'tie_if_frist': did you mean 'tie_if_first'?", f"+kernel={good}", "+fault=tie_if_frist")
        elf = bytearray(good.read_bytes())
        elf[18] = 62  # e_machine: x86-64
        (folder / "x86.elf").write_bytes(elf)
        expect(2, "x86.elf", f"+kernel={folder / 'x86.elf'}")
        (folder / "cut.elf").write_bytes(good.read_bytes()[:100])
        expect(2, "cut.elf", f"+kernel={folder / 'cut.elf'}")
        (folder / "odd.metadata").write_text("80000000\n0000000g\n")
        expect(2, "odd.metadata:2", f"+kernel={folder / 'odd.metadata'}")
        (folder / "short.metadata").write_text("80000000\n00000000\n")
        expect(2, "short.metadata", f"+kernel={folder / 'short.metadata'}")
        expect(2, str(folder), f"+kernel={good}", f"+json={folder}")
        # A wrong description of the core.
        (folder / "core.json").write_text('{"core": "ingot",\n "ulp": {"vfadd.vv": 1}}')
        expect(2, "core.json:2: \"ulp\": vfadd.vv does not approximate", f"+kernel={good}", f"+core={folder / 'core.json'}")
        # Registers. A kernel that names one beyond those that it asks for; the core stops the warp and leaves the others'
        # registers alone (an assertion in the core says so).
        def with_registers(name, warps, sgprs, vgprs):
            with open(args.vectors / f"{name}.elf", "rb") as stream:
                at = ELFFile(stream).get_section_by_name(".karat.launch")["sh_offset"]
            data = bytearray((args.vectors / f"{name}.elf").read_bytes())
            for word, value in ((5, warps), (12, sgprs), (13, vgprs)):
                data[at + 4 * word:at + 4 * word + 4] = value.to_bytes(4, "little")
            path = folder / f"{name}_{sgprs}_{vgprs}.elf"
            path.write_bytes(data)
            return path

        beyond = "register number beyond the kernel's register usage"
        for program, sgprs, vgprs in (("reg_alloc", 40, 168), ("reg_alloc", 48, 160), ("reg_alloc", 48, 164), ("lmul2", 64, 16),
                                      ("regpair", 24, 256)):
            kernel = with_registers(program, 2, sgprs, vgprs)
            expect(4, beyond, f"+kernel={kernel}")
            expect(5, "INCOMPLETE", f"+kernel={kernel}", "+no-check", "+max-cycles=20000")
        if args.warps > 4:  # Four warps can have all registers
            expect(2, f"256 vector registers for each of {args.warps} warps; the core has",
                   f"+kernel={with_registers('vecadd', args.warps, 32, 0)}")
        expect(4, "PROGRAM ERROR", f"+kernel={jump_into_nothing(good, folder)}")
        expect(5, "INCOMPLETE", f"+kernel={good}", "+max-cycles=50")
    for problem in problems:
        print(f"test_input: {problem}", file=sys.stderr)
    print(f"{cases - len(problems)} passed, {len(problems)} failed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
