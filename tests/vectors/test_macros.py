"""The macros of vectors/karat.inc take registers of the right class, by every name, and say which operand is wrong."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ABI = ("zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6").split()
NUMBERS = {f"x{i}": i for i in range(64)} | {name: i for i, name in enumerate(ABI)} | {"fp": 8} | {f"v{i}": i for i in range(256)}
REGISTER = re.compile(r"[vr](d|s[123])")
# An instruction for each macro of a prefix, and its operands that are no registers.
BEHIND = {"X_vvv": "vadd.vv", "X_vvx": "vadd.vx", "X_vvi": "vadd.vi", "X_vvu": "vsll.vi", "X_vvc": "vmsleu.vi", "X_mvv": "vmacc.vv",
          "X_mxv": "vmacc.vx",
          "X_vvf": "vfadd.vf", "X_mfv": "vfmacc.vf", "X_v2": "vfsqrt.v", "X_vv": "vmv.v.v", "X_vx": "vmv.v.x", "X_vi": "vmv.v.i", "X_v": "vid.v",
          "X_xv": "vmv.x.s", "X_vk": "vadd12.vi", "X_vm": "vlw12.v", "X_sm": "vsw12.v", "X_vle": "vle32.v", "X_vls": "vlse32.v",
          "X_vlx": "vluxei32.v", "X_vse": "vse32.v", "X_vss": "vsse32.v", "X_vsx": "vsuxei32.v", "X_vb": "vbeq", "X_xxx": "add",
          "X_xxxx": "fmadd.s", "X_xxi": "addi", "X_xm": "lw", "X_xs": "sw", "X_xb": "beq", "X_xa": "amoadd.d", "X_xl": "lr.d"}
BASES = {"mem": "vs1", "xmem": "rs1", "amem": "rs1"}  # The register in an operand "offset(base)"
OTHERS = {"imm": "5", "offset": "8", "label": "here", "flags": "1", "tail": "", "mask": "", "csr": "CSR_TID"}


def macros():
    """(name, operands) of every instruction's macro in karat.inc."""
    text = (ROOT / "vectors" / "karat.inc").read_text()
    text = text[text.index("// 3. Custom instructions."):text.index("// 5. Shared by the directed programs")]
    for name, operands in re.findall(r"^\.macro (\S+) (.*)$", text, re.M):
        names = [re.split("[=:]", operand)[0].strip() for operand in operands.split(",")]
        if not name.startswith("karat_") and any(REGISTER.fullmatch(operand) or operand in BASES for operand in names):
            yield name, names


def line(name, operands, registers):
    """A use of a macro, with these registers by operand."""
    words = []
    for operand in operands:
        if operand == "op":
            words.append(BEHIND[name])
        elif operand in BASES:
            words.append(f"{'' if operand == 'amem' else '8'}({registers[BASES[operand]]})")
        elif operand in registers:
            words.append(registers[operand])
        elif OTHERS[operand]:
            words.append(OTHERS[operand])
    return f"{name} {', '.join(words)}"


def registers_of(operands):
    return [operand for operand in operands if REGISTER.fullmatch(operand)] + [BASES[operand] for operand in operands if operand in BASES]


def names_for(operand, behind):
    is_v = operand[0] == "v"
    return [name for name, number in NUMBERS.items() if (name[0] == "v") == is_v and (behind or number < 32)]


class Test:
    def __init__(self, args, folder):
        self.args, self.folder, self.failures, self.checks = args, pathlib.Path(folder), 0, 0

    def check(self, good, *what):
        self.checks += 1
        if not good:
            self.failures += 1
            if self.failures < 30:
                print("test_macros:", *what, file=sys.stderr)

    def assemble(self, lines, name):
        """The messages by line, and the words."""
        source, out = self.folder / f"{name}.S", self.folder / f"{name}.o"
        source.write_text('#include "karat.inc"\n    .text\nhere:\n' + "".join(f"    {text}\n" for text in lines))
        done = subprocess.run([self.args.clang, "-target", "riscv32", "-march=rv32ima_zfinx_zve32f", "-mno-relax", "-I", ROOT / "vectors",
                               "-ferror-limit=0", "-c", source, "-o", out], capture_output=True, text=True)
        said = [""] * len(lines)
        pending = ""
        for text in done.stderr.splitlines():  # An error within a macro, and then the line that uses it
            error = re.search(r"error: (.*)", text)
            pending = error[1] if error else pending
            at = re.match(rf"{re.escape(str(source))}:(\d+):\d+: (note: while in macro|error)", text)
            if at and pending:
                said[int(at[1]) - 4] += pending + "\n"
                pending = ""
        return said, done.returncode, out

    def words(self, out):
        """The words of .text."""
        raw = self.folder / "text.bin"
        subprocess.run([self.args.objcopy, "-O", "binary", "--only-section=.text", out, raw], check=True)
        data = raw.read_bytes()
        return [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]


def plain(name, operand):
    """A register of that class, which is not the one that another operand has."""
    return {"vd": "v4", "vs1": "v5", "vs2": "v6", "vs3": "v7", "rd": "x4", "rs1": "x5", "rs2": "x6", "rs3": "x7"}[operand]


def test_right(t):
    """Every name is taken, and is the same word as the register's number where it has one of 32; one after the other alike by number."""
    for name, operands in macros():
        regs = registers_of(operands)
        if name in ("regext", "regexti", "regpair", "regpairi", "barrier", "barriersub"):
            continue  # Prefixes and barriers: their fields are x0
        lines, numbers = [], []
        for operand in regs:
            for spelled in names_for(operand, name.startswith("X_")):
                lines.append(line(name, operands, {r: plain(name, r) for r in regs} | {operand: spelled}))
                numbers.append((operand, NUMBERS[spelled]))
        said, status, out = t.assemble(lines, "right")
        t.check(status == 0, name, [f"{a}: {b}" for a, b in zip(lines, said) if b][:2])
        if status:
            continue
        words = t.words(out)
        per = len(words) // len(lines)
        t.check(len(words) == per * len(lines) and per == (2 if name.startswith("X_") else 1), name, len(words), len(lines))
        seen = {}
        for i, key in enumerate(numbers):
            word = tuple(words[per * i:per * i + per])
            if "label" in operands:  # It is further away for each: the offset is not looked at
                word = (*word[:-1], word[-1] & 0x01fff07f)
            t.check(seen.setdefault(key, word) == word, lines[i], "is not the register's number")
        t.check(len(set(seen.values())) >= len(seen) - len(regs), name, "two registers are one word")


def test_wrong(t):
    """A register of the other class, or what is none: one error that names the instruction and the operand."""
    cases = []
    for name, operands in macros():
        regs = registers_of(operands)
        for operand in regs:
            wrong = ("x10", "a3", "fp", "x0") if operand[0] == "v" else ("v10", "v0")
            for spelled in (*wrong, "q3", *(("v40",) if operand[0] == "v" and not name.startswith("X_") else ())):
                text = line(name, operands, {r: plain(name, r) for r in regs} | {operand: spelled})
                cases.append((text, BEHIND.get(name, name), operand, spelled))
    said, status, _ = t.assemble([case[0] for case in cases], "wrong")
    t.check(status != 0, "all of these assemble")
    for (text, op, operand, spelled), message in zip(cases, said):
        if spelled == "v40":  # A register, but not one of 32
            t.check(message, text, "assembles")
        else:
            t.check(re.search(rf"^{re.escape(op)}: {operand}: .*{re.escape(spelled)}", message, re.M), text, repr(message))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clang", required=True)
    parser.add_argument("--objcopy", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        t = Test(args, folder)
        named = {name for name, _ in macros()}
        t.check(set(BEHIND) <= named and len(named) > 125, "macros", len(named), set(BEHIND) - named)
        test_right(t)
        test_wrong(t)
    print(f"{t.checks - t.failures} of {t.checks} checks pass")
    return 1 if t.failures else 0


if __name__ == "__main__":
    sys.exit(main())
