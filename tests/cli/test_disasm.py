"""karat disasm on files: ELF files of every kind, kernels, text; what is broken gives one line and status 2.

What is expected comes from elsewhere: llvm-objdump (texts, targets and symbols of standard instructions), pyelftools
(sections, symbols, words), and the kernels' own register logs (words). KARAT_SEED repeats the damaged files."""
import argparse
import gzip
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

from elftools.elf.elffile import ELFFile

from kernelfile import CODE, DATA, ENDPRG, addi, beq, elf, lui, lw, vadd_vi, vadd_vv, write_elf, write_metadata
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from share import share_of  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--vectors", required=True, type=pathlib.Path, help="folder of assembled programs")
parser.add_argument("--kernels", required=True, type=pathlib.Path)
args = parser.parse_args()
failures = 0
seed = int(os.environ.get("KARAT_SEED") or time.time())
print(f"KARAT_SEED={seed}")
random.seed(seed)


def check(good, what, *more):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what, *[m if len(str(m)) < 2000 else str(m)[:2000] + " ..." for m in more])


def disasm(*arguments, stdin=None):
    done = subprocess.run([args.karat, "disasm", *map(str, arguments)], input=stdin, capture_output=True)
    return done.returncode, done.stdout.decode("ascii"), done.stderr.decode("utf-8", "replace")


def listing(*arguments, stdin=None):
    status, out, err = disasm(*arguments, stdin=stdin)
    check(status == 0 and not err, arguments, status, err)
    return out


def expect(out, *arguments, stdin=None):
    got = listing(*arguments, stdin=stdin)
    check(got == out, arguments, f"\n{got}expected\n{out}")


def one_line(text, *arguments, stdin=None):
    status, out, err = disasm(*arguments, stdin=stdin)
    check((status, out) == (2, "") and len(err.splitlines()) == 1 and text in err and err.startswith("karat disasm: "),
          arguments, status, out, err)


LINE = re.compile(r"0x([0-9a-f]{8}): ([0-9a-f]{8})(?: ([0-9a-f]{8}))?  (.*)")
SECTION = re.compile(r"section (.*): 0x([0-9a-f]{8}), (\d+) bytes")


def words_of(out):
    """Address and word of every listed word."""
    found = []
    for line in out.splitlines():
        match = LINE.fullmatch(line)
        if match:
            addr = int(match[1], 16)
            found += [(addr + 4 * i, int(word, 16)) for i, word in enumerate(match.group(2, 3)) if word]
    return found


folder = tempfile.TemporaryDirectory()
here = pathlib.Path(folder.name)
REGEXT = 0x0010200B  # Register vd + 32

# --- Exact listings -----------------------------------------------------------------------------------------

# Segments where no section is executable, with and without a launch section; a prefix and its instruction are one
# line, a prefix before a prefix and one at the end stand alone, and data is data.
code = [REGEXT, vadd_vi(1, 0, 3), REGEXT, REGEXT, beq(0, 0, -12), 0xFFFFFFFF, REGEXT]
text = ("start:\n"
        "0x80000000: 0010200b 0201b0d7  vadd.vi v33, v0, 3  {regext}\n"
        "0x80000008: 0010200b  regext 0, 0, 0, 1\n"
        "0x8000000c: 0010200b fe000ae3  beq x0, x0, 0x80000004 <start+0x4>  {regext, does not fit}\n"
        "data:\n"
        "0x80000014: ffffffff  .4byte 0xffffffff\n"
        "0x80000018: 0010200b  regext 0, 0, 0, 1\n")
symbols = [("start", CODE, 20), ("data", CODE + 20, 0)]
for launch in (False, True):
    expect("segment: 0x80000000, 28 bytes\n" + text, write_elf(here / "some.elf", code, symbols=symbols, launch=launch))
expect("segment: 0x80000000, 28 bytes\n" + text, "-", stdin=elf(code, symbols=symbols))
# A label between a prefix and its instruction: a jump there runs it without.
expect("segment: 0x80000000, 12 bytes\n"
       "0x80000000: 0010200b 0201b0d7  vadd.vi v33, v0, 3  {regext}\n"
       "inner:\n"
       "0x80000004: 0201b0d7  vadd.vi v1, v0, 3\n"
       "0x80000008: 0000400b  endprg\n",
       write_elf(here / "inner.elf", [REGEXT, vadd_vi(1, 0, 3), ENDPRG], symbols=[("inner", CODE + 4, 0)]))
# Names out of a file cannot write to the terminal.
check("a\\x1b[31m\\x0a\\x7f:\n" in listing("-", stdin=elf([ENDPRG], symbols=[("a\x1b[31m\n\x7f", CODE, 0)])), "control characters")
# A .metadata, and its .data; other buffers are not code.
kernel = write_metadata(here / "one.two.metadata", buffers=[(DATA, [1, 2], 64), (CODE, [addi(1, 0, 1), ENDPRG], 64)])
out = ("buffer: 0x80000000, 8 bytes\n"
       "0x80000000: 00100093  addi x1, x0, 1\n"
       "0x80000004: 0000400b  endprg\n")
expect(out, kernel)
expect(out, kernel.with_suffix(".data"))
expect("0x00001000: 00000001  .4byte 0x00000001  # a 16-bit instruction of compressed code (C)\n"
       "0x00001004: 00000002  .4byte 0x00000002  # prefix of profile v2.03, or a 16-bit instruction of compressed code (C)\n"
       "0x00001008: 00100093  addi x1, x0, 1\n0x0000100c: 0000400b  endprg\n",
       "--pc", "0x1000", kernel.with_suffix(".data"))
check("tensor mma of mixed precision of newer Ventus code" in listing("00415161"), "tensor mma")
(here / "alone.data").write_text("0000400b\n")
one_line("no " + str(here / "alone.metadata") + " in its folder", here / "alone.data")
expect("0x80000000: 0000400b  endprg\n", "--pc", "0x80000000", here / "alone.data")
# Text: comments, several words a line, addresses; a prefix does not reach over a gap.
TEXT = "# two\n 13 0x00100093#one\n\n20: 10200B\r\n0x28:\t0201b0d7 10200B 0201b0d7\n34: 0000400b 10200b"
out = ("0x{0:08x}: 00000013  addi x0, x0, 0\n0x{1:08x}: 00100093  addi x1, x0, 1\n"
       "0x00000020: 0010200b  regext 0, 0, 0, 1\n"
       "0x00000028: 0201b0d7  vadd.vi v1, v0, 3\n"
       "0x0000002c: 0010200b 0201b0d7  vadd.vi v33, v0, 3  {{regext}}\n"
       "0x00000034: 0000400b  endprg\n"
       "0x00000038: 0010200b  regext 0, 0, 0, 1\n")
(here / "words.txt").write_bytes(TEXT.encode())
expect(out.format(0, 4), here / "words.txt")
expect(out.format(0, 4), "-", stdin=TEXT.encode())
expect(out.format(0x10, 0x14), "--pc", "16", here / "words.txt")
# Files of $readmemh: comments of two kinds, addresses in words, underscores.
VMEM = "/* words: 2,\n memory */ @0004 0000_0013//one\n@6 13 /**/ 13 @00000008\n_\n13"
(here / "words.vmem").write_text(VMEM)
expect(listing("-", stdin=b"10: 13\n18: 13 13\n20: 13\n"), here / "words.vmem")
(here / "wrong.vmem").write_text("13 /*\n*/ x")
one_line("wrong.vmem:2: expected words of up to 8 hex digits, found 'x'", here / "wrong.vmem")
one_line("found '/'", "-", stdin=b"13 / 13")
one_line("expected an address that is a multiple of 4, found '@40000000'", "-", stdin=b"@40000000 13")
one_line("expected words of up to 8 hex digits, found none", "-", stdin=b"/* 13")
expect("0xfffffffc: 0000400b  endprg\n", "-", stdin=b"fffffffc: 0000400b\n")
# The profile counts: private memory has gone from v2.03.
expect("0x00000000: 0000002b  vlb.v v0, 0(v0)\n", "0000002b")
expect("0x00000000: 0000002b  vlb.v v0, 0(v0)\n", "-", stdin=b"0000002b")
expect("0x00000000: 0000002b  vlb12d.v v0, 0(v0)  # also vlb.v (private memory) of profile v2.02, and of newer Ventus code\n",
       "--profile", "v2.03", "0000002b")
expect("0x00000000: 8000602b  vsw12d.v v0, -2048(v0)\n", "--profile", "v2.03", "8000602b")
# A prefix of v2.03 has 32 bits, though its two low ones are not both set: one line with its instruction, alone before another prefix.
PREFIXED = [0x000C8002, vadd_vv(1, 2, 3), 0x0010000A, 0x0009802E, lw(3, 1, 0), 0x00000076, ENDPRG]
expect("segment: 0x80000000, 28 bytes\n"
       "0x80000000: 000c8002 022180d7  vadd.vv v1, v2, v3  {prefix pair abs(3) neg(3), does not fit}\n"
       "0x80000008: 0010000a  prefixi 0, 0, 1, 0, 0, 0\n"
       "0x8000000c: 0009802e 0000a183  lw x3, 0(x1)  {pre_m_global_64 pair hint(3)}\n"
       "0x80000014: 00000076 0000400b  endprg  {pre_m_local_96}\n",
       write_elf(here / "prefixed.elf", PREFIXED, profile="v2.03"))
# Newer code is named where the file does not say that it is for this profile.
check("endprg  {pre_m_local_96}  # prefix also vlb_global of newer Ventus code\n" in listing("--profile", "v2.03",
                                                                                             write_elf(here / "plain.elf", PREFIXED)),
      "overlaps of a file without a profile")
one_line(f"{here / 'prefixed.elf'}: its code is for profile v2.03 of the ISA; --profile: v2.02", "--profile", "v2.02", here / "prefixed.elf")
one_line("expected ISA profile v2.02 or v2.03 or public, found 'v9.99'", write_elf(here / "strange.elf", [ENDPRG], profile="v9.99"))
named = write_metadata(here / "named.metadata", buffers=[(CODE, [0x00000002, addi(1, 0, 1), ENDPRG], 64)], profile="v2.03")
expect("buffer: 0x80000000, 12 bytes\n0x80000000: 00000002 00100093  addi x1, x0, 1  {prefix}\n0x80000008: 0000400b  endprg\n", named)

# --- Sections, symbols and words, by pyelftools ---------------------------------------------------------------


def check_sections(path):
    """Every executable section in order, with all its words, and the labels that name places in it."""
    out = listing(path)
    with open(path, "rb") as f:
        file = ELFFile(f)
        sections = [(i, s) for i, s in enumerate(file.iter_sections())
                    if s["sh_flags"] & 4 and s["sh_type"] == "SHT_PROGBITS" and s["sh_size"]]
        names = {i: set() for i, _ in sections}
        table = file.get_section_by_name(".symtab")
        for symbol in table.iter_symbols() if table else ():
            if (symbol["st_shndx"] in names and symbol["st_info"]["type"] in ("STT_NOTYPE", "STT_FUNC", "STT_OBJECT")
                    and symbol.name and not symbol.name.startswith((".L", "$"))):
                names[symbol["st_shndx"]].add((symbol["st_value"], symbol.name))
        blocks = out.strip().split("\n\n")
        check(len(blocks) == len(sections), path, "sections", len(sections), out)
        for (i, section), block in zip(sections, blocks):
            lines = block.splitlines()
            match = SECTION.fullmatch(lines[0])
            check(match and (match[1], int(match[2], 16), int(match[3])) ==
                  (section.name, section["sh_addr"], section["sh_size"]), path, lines[0])
            data, base = section.data(), section["sh_addr"]
            want = [(base + at, *struct.unpack_from("<I", data, at)) for at in range(0, len(data) - 3, 4)]
            check(sorted(set(words_of(block))) == want, path, section.name, "words")
            labels = set()
            for line, after in zip(lines, lines[1:]):
                name, colon, place = line.partition(":")
                if colon and not line.startswith(("0x", "section ")):
                    follows = next((x for x in lines[lines.index(line):] if x.startswith("0x")), "")
                    labels.add((int(place[3:] or follows[:10], 16), name))
            check(labels == {n for n in names[i] if n[0] < base + len(data)}, path, section.name, labels ^ names[i])
    return len(sections)


programs = sorted([*args.vectors.glob("*.elf"), *args.vectors.glob("*.o")])
programs = [p for p in programs if p.name != "probe.o"]
print(f"{sum(map(check_sections, programs))} sections of {len(programs)} assembled programs")
check(programs, "no programs in", args.vectors)

# --- Texts, targets and symbols, by llvm-objdump --------------------------------------------------------------

SOURCE = """
    .globl _start, second
_start: addi x1, x2, -5
    beq x1, x2, middle
middle: lw x3, 8(x4)
    bgeu x7, x8, _start
    jal x1, second
    vadd.vv v1, v2, v3, v0.t
    .4byte 0
    vle32.v v4, (x5)
    .size _start, . - _start
    .section .text.second, "ax"
second: jal x0, second
    blt x1, x2, inner
    bne x3, x4, 8
inner: sub x1, x2, x3
    jalr x0, 0(x1)
    .byte 1, 2
    .section .text.empty, "ax"
    .section .rodata, "a"
    .4byte 19
"""


def objdump(tool, path):
    """(section, address, word, text) of every word."""
    command = [tool, "-d", "-M", "numeric", "-M", "no-aliases", "--mattr=+m,+a,+f,+v", path]
    found, section = [], None
    for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
        if line.startswith("Disassembly of section "):
            section = line.split()[-1].rstrip(":")
        match = re.fullmatch(r"\s*([0-9a-f]+): ((?:[0-9a-f]{2} ){4}) *\t(.*)", line)
        if match:
            word = int.from_bytes(bytes.fromhex(match[2]), "little")
            found.append((section, int(match[1], 16), word, match[3]))
    return found


def normal(text):
    """Numbers as integers, white space as one blank."""
    text = re.sub(r"0x[0-9a-f]+", lambda m: str(int(m[0], 16)), text)
    return " ".join(text.replace("\t", " ").split())


tool, clang, lld = (shutil.which(n) or shutil.which(n + "-14") for n in ("llvm-objdump", "clang", "ld.lld"))
if not (tool and clang and lld):
    print("skipped: comparison with llvm-objdump (packages llvm, clang, lld)")
else:
    (here / "code.S").write_text(SOURCE)
    subprocess.run([clang, "-target", "riscv32", "-march=rv32ima_zfinx_zve32f", "-mno-relax", "-c", here / "code.S", "-o",
                    here / "code.o"], check=True)
    script = here / "link.ld"
    script.write_text("SECTIONS { .text 0x80000000 : { *(.text) } .second 0x80001000 : { *(.text.second) } }\n")
    for name, options in (("exec", []), ("plain", ["--strip-all"]), ("dyn", ["-pie", "--no-dynamic-linker"])):
        subprocess.run([lld, "-T", script, *options, here / "code.o", "-o", here / f"{name}.elf"], check=True)
    for name in ("code.o", "exec.elf", "plain.elf", "dyn.elf"):
        path, section, compared = here / name, None, 0
        check_sections(path)
        out = listing(path)
        theirs = {(s, a): (w, t) for s, a, w, t in objdump(tool, path)}
        for line in out.splitlines():
            match = SECTION.fullmatch(line)
            section = match[1] if match else section
            match = LINE.fullmatch(line)
            if not match or match[4].startswith(".4byte"):
                continue
            word, text = theirs.pop((section, int(match[1], 16)), (None, None))
            ours = match[4]
            if name == "code.o":  # The linker's part: in objdump only with -r
                ours = re.sub(r"  # .*", "", ours)
                relocated = ours != match[4]
            else:
                relocated = False
            if text and relocated:
                text = re.sub(r" <.*>", "", text)
            if text and name == "plain.elf":  # Where there are no symbols, objdump names sections
                text = re.sub(r" <.*>", "", text)
            check(word == int(match[2], 16) and normal(ours) == normal(text), path, f"'{line}' and '{text}'")
            compared += 1
        left = [v for v in theirs.values() if "unknown" not in v[1]]
        check(compared == 12 and not left, path, compared, left)
        if name == "exec.elf":
            check("0x8000101c: .byte" not in out and re.search(r"0x80001014:  \.byte 0x01, 0x02\n", out), out)
    out = listing(here / "code.o")
    check("jal x1, 0x00000010  # second\n" in out, "fixup", out)

# --- Compiled kernels -------------------------------------------------------------------------------------------

kernels = sorted(args.kernels.glob("*/*/*.metadata"))
if not kernels:
    print(f"skipped: compiled kernels, none in {args.kernels}")
for path in kernels:
    out = listing(path)
    check(listing(path.with_suffix(".data")) == out, path, ".data")
    listed = dict(words_of(out))
    log = dict(re.findall(r"^core +\d+: (0x8[0-9a-f]{7}) \((0x[0-9a-f]+)\)", path.with_suffix(".log").read_text(), re.M))
    wrong = [a for a, w in log.items() if int(a, 16) in listed and listed[int(a, 16)] != int(w, 16)]
    logged = sum(int(a, 16) in listed for a in log)
    check(logged > 20 and not wrong, path, logged, wrong)
if kernels:
    print(f"{len(kernels)} compiled kernels listed")

# --- Errors are one line ------------------------------------------------------------------------------------------

good = elf([lui(5, 0x90000), ENDPRG], symbols=[("start", CODE, 4)])
bad = {
    "": "found none",
    "# nothing\n\n": "found none",
    "13\n1 xyz\n": ":2: expected words of up to 8 hex digits, found 'xyz'",
    "13\n123456789\n": ":2: expected words",
    "13 4: 13\n": ":1: expected words",
    "2: 13\n": ":1: expected an address that is a multiple of 4",
    "fffffffc: 13 13\n": ":1: expected words within the 32-bit address space",
    "a\0b": "found 'a?b'",
    "\x7fELG": "found '\\x7fELG'",
    "x" * 100: "found 'xxxxxxxxxxxxxxxxxxxxxxxxxxxx...'",
}
for content, message in bad.items():
    one_line(message, "-", stdin=content.encode("latin-1"))
for content, message in {
    good[:3]: "expected words",
    good[:10]: "expected an ELF header",
    good[:4] + b"\2" + good[5:]: "found ELF64",
    good[:5] + b"\2" + good[6:]: "little-endian",
    good[:18] + b"\3\0" + good[20:]: "found machine 3",
    elf([ENDPRG], kind=1)[:200]: "section headers within the file",
    good[:28] + bytes(4) + good[32:44] + bytes(2) + good[46:]: "expected an executable section or segment",
}.items():
    one_line(message, "-", stdin=content)
for arguments, message in {
    ("--pc", "4", write_elf(here / "good.elf", [ENDPRG])): "has addresses of its own",
    ("--pc", "4", kernel): "has addresses of its own",
    (here,): str(here),
    (here / "absent",): "cannot be opened",
    (here / "absent.data",): "cannot be opened",
    ("13", here / "good.elf"): "one file",
}.items():
    one_line(message, *arguments)

# --- Packed files are read as what is in them -------------------------------------------------------------------------

words = b"13\n" * 100000  # More than one buffer
plain = listing("-", stdin=words)
for content in (gzip.compress(words), gzip.compress(words[:30000]) + gzip.compress(words[30000:])):
    (here / "packed").write_bytes(content)
    check(listing(here / "packed") == plain and listing("-", stdin=content) == plain, "gzip")
    one_line("damaged, or cut off, as a file of gzip", "-", stdin=content[:-9])
expect(listing(here / "good.elf"), "-", stdin=gzip.compress((here / "good.elf").read_bytes()))
one_line("damaged, or cut off, as a file of gzip", "-", stdin=b"\x1f\x8b" + bytes(20))
if shutil.which("zstd"):
    content = subprocess.run(["zstd", "-q", "-c"], input=words, capture_output=True, check=True).stdout
    check(listing("-", stdin=content) == plain, "zstd")
    one_line("damaged, or cut off, as a file of zstd", "-", stdin=content[:-9])
one_line("damaged, or cut off, as a file of zstd", "-", stdin=b"\x28\xb5\x2f\xfd" + b"\xff" * 20)

# --- Damaged files give a listing or one line -----------------------------------------------------------------------


def damage(content):
    content = bytearray(content)
    kind = random.randrange(4)
    if kind == 0:
        del content[random.randrange(len(content)):]
    elif kind == 1:  # Headers are where it hurts
        for _ in range(random.randrange(1, 4)):
            struct.pack_into("<H", content, random.randrange(4, 51), random.choice([0, 1, 0x7FFF, 0xFFFF, random.getrandbits(16)]))
    elif kind == 2:
        at = min(struct.unpack_from("<I", content, 32)[0], len(content) - 4)
        for _ in range(random.randrange(1, 6)):
            place = random.randrange(at, len(content) - 3)
            struct.pack_into("<I", content, place, random.choice([0, 1, 4, 0x7FFFFFFF, 0xFFFFFFFF, len(content), random.getrandbits(32)]))
    else:
        for _ in range(random.randrange(1, 20)):
            content[random.randrange(len(content))] ^= 1 << random.randrange(8)
    return bytes(content)


bases = [good]
bases += [p.read_bytes() for p in (here / "code.o", here / "exec.elf") if p.exists()]
counts = {0: 0, 2: 0}
for base in bases:
    for _ in range(share_of(150)):
        content = damage(base)
        status, out, err = disasm("-", stdin=content)
        fine = (status == 0 and out and not err) or (status == 2 and not out and len(err.splitlines()) == 1)
        if not fine:
            (pathlib.Path.cwd() / "damaged.elf").write_bytes(content)
        check(fine, "damaged file, kept as damaged.elf:", status, out, err)
        counts[status] = counts.get(status, 0) + 1
print(f"{counts[0]} damaged ELF files listed, {counts[2]} refused")
check(counts[0] and counts[2], "damage that does nothing, or leaves nothing", counts)

print("failures:", failures)
sys.exit(failures != 0)
