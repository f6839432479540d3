#!/usr/bin/python3
"""Disassembly against LLVM's, and back through the assembler.

    test_disasm.py --karat PATH --inc DIR [--words N]

Every standard row of the table is disassembled by Karat and by llvm-mc with random operands, and the texts have
to be equal. Every custom row's text goes through the macros of vectors/karat.inc and clang, and the word has
to come back. The rows come from "karat isa --json". KARAT_SEED repeats a run. Exits with 77 (skipped) without
llvm-mc.

What is normalised before texts are compared, and why:
  - white space: LLVM puts a tab after the mnemonic;
  - numbers: both sides' are compared as integers (Karat writes the immediates of lui and auipc in hex);
  - branch targets: Karat writes addresses, LLVM offsets: the pc is taken off;
  - CSRs: each side has names that the other has not (LLVM those of supervisor mode, Karat Ventus' own). A
    number has to be that of the word, and where both write a name it has to be the same;
  - fields that an instruction carries and does not use (fence: fm, rs1, rd) are 0 here: LLVM decodes no others;
  - the immediate of an unsigned compare is unsigned here, and LLVM writes it as signed;
  - rounding modes 5 and 6 are left out: they are reserved and illegal to execute, and LLVM decodes no such word;
  - rows that move, load or store 2, 4 or 8 whole registers have register numbers that are multiples of it here:
    LLVM decodes no others (the ISA leaves these rows out);
  - scalar floating point is disassembled with zfinx instead of v, which implies f: the two exclude each other;
  - rows of profile v2.03 that are RV64's are disassembled as riscv64;
  - LLVM decodes no widening instruction whose destination overlaps a source or the mask: such words are left out.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from share import profiles_of  # noqa: E402

SKIPPED = 77
CUSTOM = {0x0B, 0x2B, 0x5B, 0x7B}  # Opcodes that the RISC-V specification leaves to vendors
RV64 = re.compile(r"(add|sub|sll|srl|sra)i?w$|ld$|sd$|(lr|sc|amo\w+)\.d$")
SCALAR_FP = {0x43, 0x47, 0x4B, 0x4F, 0x53}
ATTRIBUTES = "+m,+a,+f,+v"  # The letter v implies the vector instructions of zve32f
ATTRIBUTES_ZFINX = "+m,+a,+zfinx"


def field_bits(row):
    """The bits that operands take."""
    return ~int(row["mask"], 16) & 0xFFFFFFFF


def ignored_bits(row):
    return 0xF00FFF80 & field_bits(row) if row["name"] == "fence" else 0


def names(row):
    return [o["name"] for o in row["operands"]]


def random_words(row, count):
    """Legal words of the row: no operand bits, all of them, and random ones."""
    bits, match = field_bits(row) & ~ignored_bits(row), int(row["match"], 16)
    words = [match, match | bits] + [match | (random.getrandbits(32) & bits) for _ in range(count)]
    whole = re.match(r"v(?:mv|l|s)([248])r", row["mnemonic"])
    if whole:
        low = int(whole[1]) - 1  # First register of vd and vs2
        words = [w & ~(low << 7) & ~(low << 20 if "vs2" in names(row) else 0) for w in words]
    if "rm" in names(row):
        words = [w for w in words if w >> 12 & 7 not in (5, 6)]
    if re.match(r"v[fn]*w", row["mnemonic"]):
        words = [w for w in words if not overlaps(row, w)]
    if any(o["name"] == "vm" and o["role"] == "ignored" for o in row["operands"]):
        words = [w | 1 << 25 for w in words]  # As the macros write it
    # With a field of no bits set, LLVM knows "fence 0, x" as no instruction at all.
    return [w for w in words if row["name"] != "fence" or (w >> 24 & 15 and w >> 20 & 15)]


def overlaps(row, word):
    """Whether the destination of a widening instruction is v0 with a mask, or a vector source."""
    vd = word >> 7 & 31
    sources = [word >> at & 31 for name, at in (("vs2", 20), ("vs1", 15)) if name in names(row)]
    return vd in sources or (not vd and not word >> 25 & 1)


def karat_texts(karat, profile, words):
    texts = []
    for at in range(0, len(words), 4000):
        chunk = [f"{w:08x}" for w in words[at : at + 4000]]
        done = subprocess.run([karat, "disasm", f"--profile={profile}", "--pc", "0", *chunk], capture_output=True, text=True, check=True)
        for i, line in enumerate(done.stdout.splitlines()):
            pc, word, text = line.split(None, 2)
            assert int(pc.rstrip(":"), 16) == 4 * i and int(word, 16) == words[at + i], line
            texts.append((4 * i, text.partition("  # ")[0].strip()))  # Without what it is elsewhere
    assert len(texts) == len(words)
    return texts


def llvm_texts(llvm_mc, triple, attributes, words):
    """One text for each word; None where LLVM knows no instruction."""
    source = "".join(" ".join(f"0x{w >> s & 255:02x}" for s in (0, 8, 16, 24)) + "\n" for w in words)
    command = [llvm_mc, "--disassemble", f"--triple={triple}", f"--mattr={attributes}"]
    command += ["-M", "numeric", "-M", "no-aliases"]
    done = subprocess.run(command, input=source, capture_output=True, text=True)
    unknown = {int(n) for n in re.findall(r"<stdin>:(\d+):\d+: warning: invalid", done.stderr)}
    known = [line.strip() for line in done.stdout.splitlines() if line.startswith("\t") and ".text" not in line]
    if done.returncode or len(known) + len(unknown) != len(words):
        raise SystemExit(f"llvm-mc: {len(known)} texts and {len(unknown)} unknown for {len(words)} words\n{done.stderr[:2000]}")
    texts = iter(known)
    return [None if i + 1 in unknown else next(texts) for i in range(len(words))]


def tokens(text):
    """Mnemonic, then operands and their punctuation, numbers as integers."""
    mnemonic, _, rest = text.replace("\t", " ").partition(" ")
    parts = re.findall(r"-?0x[0-9a-f]+|-?\b\d+\b|[a-z_][\w.]*|[(),]", rest)
    return [mnemonic] + [int(p, 0) if re.fullmatch(r"-?(0x[0-9a-f]+|\d+)", p) else p for p in parts]


def offset_to(target, pc):
    offset = (target - pc) & 0xFFFFFFFF
    return offset - (1 << 32) if offset >> 31 else offset


def normalised(row, word, pc, ours, theirs):
    ours, theirs = tokens(ours), tokens(theirs)
    if any(n.startswith("target") for n in names(row)) and isinstance(ours[-1], int):
        ours[-1] = offset_to(ours[-1], pc)
    if "csr" in names(row) and len(ours) == len(theirs):
        at = 3  # Mnemonic, rd, comma
        number = word >> 20
        if ours[at] == number or (isinstance(ours[at], str) and theirs[at] == number):
            if theirs[at] == number or isinstance(theirs[at], str):
                ours[at] = theirs[at] = number
    if row["name"] in ("vmsleu_vi", "vmsgtu_vi") and len(ours) == len(theirs):
        theirs = [t % 32 if isinstance(t, int) else t for t in theirs]
    return ours, theirs


def check_standard(karat, profile, llvm_mc, triple, attributes, rows, count):
    cases = [(row, word) for row in rows for word in random_words(row, count)]
    words = [word for _, word in cases]
    wrong, compared, seen = [], 0, set()
    for (row, word), (pc, ours), theirs in zip(cases, karat_texts(karat, profile, words), llvm_texts(llvm_mc, triple, attributes, words)):
        if theirs is None:
            wrong.append(f"{word:08x}: '{ours}', unknown to LLVM")
            continue
        left, right = normalised(row, word, pc, ours, theirs)
        compared += 1
        seen.add(row["name"])
        if left != right:
            wrong.append(f"{word:08x}: '{ours}', LLVM says '{theirs}'")
    print(f"{profile}: {compared} texts of {len(seen)} standard rows compared with LLVM's ({triple} {attributes}), {len(wrong)} differ")
    wrong += [f"{row['name']}: never compared" for row in rows if row["name"] not in seen]
    return wrong


def prefix_immediate(row, text):
    """The fields as Karat writes them, the highest first, put together again."""
    value = 0
    for operand, number in zip(row["operands"], tokens(text)[1::2]):
        value = value << operand["bits"] | number
    return value


def as_source(row, word, number, pc, text):
    """The disassembly as a line for the assembler; number is another one for each."""
    mnemonic = row["mnemonic"]
    if any(o["name"].startswith("target") for o in row["operands"]):  # A label where Karat writes an address
        head, _, target = text.rpartition(" ")
        return f".set .Lt{number}, . + ({offset_to(int(target, 16), pc)})\n{head} .Lt{number}"
    if mnemonic in ("barrier", "barriersub"):  # The macro takes the compiler's "barrier x0, x0, flags"
        return f"{mnemonic} x0, x0, {text.split()[1]}"
    if row["unit"] == "prefix" and int(row["match"], 16) & 1:  # Also the prefix's whole immediate
        return f"{mnemonic} x0, x0, {prefix_immediate(row, text)}"
    if mnemonic == "csrr.v":  # A number, where Karat writes names
        return f"{mnemonic} v{word >> 7 & 31}, {word >> 20}"
    return text


def assemble(clang, inc, lines):
    """The words of these lines after karat.inc; raises CalledProcessError."""
    from elftools.elf.elffile import ELFFile

    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "custom.S"), os.path.join(folder, "custom.o")
        with open(path, "w") as f:
            f.write("\n".join(['#include "karat.inc"', ".text", *lines]) + "\n")
        command = [clang, "-target", "riscv32", "-march=rv32ima_zfinx_zve32f", "-mno-relax", "-I", inc]
        subprocess.run(command + ["-c", path, "-o", out], capture_output=True, text=True, check=True)
        with open(out, "rb") as f:
            code = ELFFile(f).get_section_by_name(".text").data()
    return [int.from_bytes(code[i : i + 4], "little") for i in range(0, len(code), 4)]


def check_custom(karat, profile, inc, clang, rows, count):
    # Prefixes last: before any other word, one would be shown as part of it.
    rows = sorted(rows, key=lambda row: row["unit"] == "prefix")
    cases = [(row, word) for row in rows for word in random_words(row, count)]
    texts = karat_texts(karat, profile, [word for _, word in cases])
    try:
        got = assemble(clang, inc, [as_source(row, word, i, *texts[i]) for i, (row, word) in enumerate(cases)])
    except subprocess.CalledProcessError as error:
        return [f"the assembler refuses the disassembly:\n{error.stderr[:3000]}"]
    if len(got) != len(cases):
        return [f"{len(cases)} instructions assemble to {len(got)} words"]
    wrong = [
        f"{word:08x}: '{text}' assembles to {back:08x}"
        for (_, word), (_, text), back in zip(cases, texts, got)
        if back != word
    ]
    print(f"{profile}: {len(cases)} texts of {len(rows)} custom rows assembled again, {len(wrong)} differ")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--karat", required=True)
    parser.add_argument("--inc", required=True, help="folder of karat.inc")
    parser.add_argument("--words", type=int, default=100, help="random words a row")
    options = parser.parse_args()
    seed = int(os.environ.get("KARAT_SEED") or time.time())
    print(f"KARAT_SEED={seed}")
    random.seed(seed)
    llvm_mc = shutil.which("llvm-mc-14") or shutil.which("llvm-mc")
    if not llvm_mc:
        print("skipped: llvm-mc not found (package llvm-14)")
        return SKIPPED
    clang = shutil.which("clang") or shutil.which("clang-14")
    assembles = clang and os.path.exists(os.path.join(options.inc, "karat.inc"))
    if not assembles:
        print("custom rows not assembled: no clang, or no karat.inc")
    wrong = []
    for profile in profiles_of(options.karat):
        done = subprocess.run([options.karat, "isa", "--json", f"--profile={profile}"], capture_output=True, text=True, check=True)
        groups = {name: [] for name in ("custom", "riscv64", "zfinx", "others")}
        for row in json.loads(done.stdout):
            opcode = int(row["match"], 16) & 0x7F
            custom = opcode in CUSTOM or not opcode & 1
            groups["custom" if custom else "riscv64" if RV64.match(row["mnemonic"]) else "zfinx" if opcode in SCALAR_FP else "others"].append(row)
        check = lambda *more: check_standard(options.karat, profile, llvm_mc, *more, options.words)  # noqa: E731
        wrong += check("riscv32", ATTRIBUTES, groups["others"])
        wrong += check("riscv32", ATTRIBUTES_ZFINX, groups["zfinx"])
        if len(groups["riscv64"]) != (22 if profile == "v2.03" else 0):
            wrong.append(f"{profile}: {len(groups['riscv64'])} rows of RV64")
        elif groups["riscv64"]:
            wrong += check("riscv64", ATTRIBUTES, groups["riscv64"])
        if assembles:  # LLVM knows no RV64 instructions for riscv32
            wrong += check_custom(options.karat, profile, options.inc, clang, groups["custom"] + groups["riscv64"], options.words)
    for line in wrong[:20]:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
