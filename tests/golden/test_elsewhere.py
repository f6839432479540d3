#!/usr/bin/python3
"""Karat's notes on words that are not instructions here, against LLVM's disassembler.

    test_elsewhere.py --karat PATH [--words N]

Of each row of golden/isa/other_isas.def that is RISC-V's random words are drawn, and LLVM, with that extension switched on, has to
give the mnemonic that the row has. The other way round, of random words that LLVM knows with everything on and Karat does not,
Karat has to say something; of those that are 16-bit instructions for LLVM, that they are. Rows of newer Ventus code are in no
LLVM of Debian's: their encodings are held against the documents by hand below, in v2.03 also where a word is an instruction there as
well. KARAT_SEED repeats a run. Exits with 77 (skipped) without llvm-mc.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time

SKIPPED = 77
# By what a row says of itself: the triple and what is switched on in LLVM.
FAMILIES = (("RV32F", "riscv32", "+f"), ("RV32D", "riscv32", "+f,+d"), ("Zfh", "riscv32", "+f,+zfh"),
            ("RV64", "riscv64", "+m,+a,+f"), ("V with 64-bit", "riscv64", "+v"), ("Zifencei", "riscv32", ""), ("the privileged", "riscv32", ""))
# Rows that are not one mnemonic.
SEVERAL = {("arithmetic", "RV32D"): r"f\w+(\.\w+)*\.d(\.\w+)?$", ("arithmetic", "Zfh"): r"f\w+(\.\w+)*\.h(\.\w+)?$",
           ("load", "V with 64-bit"): r"vl\w*64", ("store", "V with 64-bit"): r"vs\w*64"}
# The contents of ../shared/isa/newer-encodings.md, as words and the required names.
NEWER = {
    0x00002076: "vlw_global of newer Ventus code", 0x0000507A: "vlhu_local of newer Ventus code", 0x0000407E: "vlbu_private of newer Ventus code",
    0x1200000A: "mma.m16n8k16.row.col.f16.f16.f16.f16 of profile public", 0xE200000A: "vt.rt.traverse (ray tracing) of newer Ventus code",
    0xE200100A: "vt.rt.release (ray tracing) of newer", 0xE200200A: "vt.rt.enqueue (ray tracing) of newer",
    0x0000005F: "vlrt.w or vsrt.w (ray tracing) of newer",
    0x20001042: "shuffle.bfly of profile public", 0x24001042: "shuffle.idx of profile public", 0x28001042: "shuffle.up of profile public",
    0x2C001042: "shuffle.down of profile public", 0x0000005A: "vadd.f16x2 of profile public", 0x0800105A: "vfma.bf16x2 of profile public",
    0x0400007A: "vcvt.fp16.fp32 of profile public, or vlb_local of newer Ventus code", 0x0000002A: "vex2.approx.f32 of profile public",
    0x2400202A: "vsilu.approx.bf16x2 of profile public", 0x00002072: "csrr.v of profile public",
    0x00000041: "cp.async size (DMA) of older Ventus code", 0x2E1110D7: "shuffle.down of older Ventus code",
    0x00001041: "cp.async bulk (DMA) of older", 0x00003041: "cp.async tensor (DMA) of older", 0x00004041: "cp.async fence (DMA) of older",
    0x00000042: "cp.async size (DMA) of newer", 0x00003042: "cp.async tensor (DMA) of newer", 0x00004042: "cp.async fence (DMA) of newer",
    0x00005042: "cp.async prefetch (DMA) of newer", 0x00006042: "cp.async tensor.g2s (DMA) of newer", 0x00004061: "tensor mma of newer Ventus code"}
# Words that are instructions of v2.03 as well: what it is there, and what else is named.
OVERLAPS = {0x00000076: ("pre_m_local_96", "vlb_global"), 0xFFFF8076: ("pre_m_local_96", "vlb_global"),
            0x0000007E: ("pre_m_local_128", "vlb_private"), 0x1200000A: ("prefixi", "mma"), 0xFFFFE00A: ("prefixi", "mma"),
            0xE200000A: ("prefixi", "vt.rt.traverse"), 0xE200200A: ("prefixi", "vt.rt.enqueue"),
            0x0000002B: ("vlb12d.v", "vlb.v"), 0x8000202B: ("vlw12d.v", "vsw.v"), 0x7FFFDFAB: ("vlhu12d.v", "vlhu.v")}
# Next to them: words of newer code that are no instructions of v2.03, whose fields are zero in other places.
BESIDE = {0x00002076: "vlw_global", 0x0000407E: "vlbu_private", 0x1200108A: "mma", 0x00000276: "vlb_global"}
# Instructions of v2.03 that nothing else is known to be.
ALONE = (0x0000006E, 0x00000002, 0x0000602B, 0x0000302B, 0x00003003, 0xC4002057)
wrong = []


def llvm(tool, triple, attributes, lines):
    """For each line of bytes the mnemonic of what it begins with, or None."""
    source = "".join(" ".join(f"0x{b:02x}" for b in line) + "\n" for line in lines)
    done = subprocess.run([tool, "--disassemble", f"--triple={triple}", f"--mattr={attributes}", "-M", "no-aliases"], input=source,
                          capture_output=True, text=True)
    unknown = {int(n) for n in re.findall(r"<stdin>:(\d+):\d+: warning: invalid", done.stderr)}
    known = [text.split()[0] for text in done.stdout.splitlines() if text.startswith("\t") and ".text" not in text]
    if len(known) + len(unknown) != len(lines):
        raise SystemExit(f"llvm-mc: {len(known)} and {len(unknown)} of {len(lines)}\n{done.stderr[:500]}")
    texts = iter(known)
    return [None if i + 1 in unknown else next(texts) for i in range(len(lines))]


def word_bytes(word):
    return list(word.to_bytes(4, "little"))


def said(karat, words, profile="v2.02"):
    """The note of karat disasm on each: None where it is an instruction, and not left out."""
    out = []
    for at in range(0, len(words), 4000):
        chunk = words[at:at + 4000]
        command = [karat, "disasm", f"--profile={profile}", "--", *(f"{w:08x}" for w in chunk)]
        texts = {}
        for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
            found = re.fullmatch(r"0x([0-9a-f]{8}): (?:[0-9a-f]{8} )?([0-9a-f]{8})  (.*?)(?:  # (.*))?", line)
            texts[int(found[1], 16) // 4] = None if not found[3].startswith(".4byte") and not found[4] else found[4] or ""
        out += [texts.get(i) for i in range(len(chunk))]
    return out


def rows_are_llvms(tool, karat, table, count):
    for family, triple, attributes in FAMILIES:
        rows = [row for row in table if row["of"].startswith(family)]
        if not rows:
            wrong.append(f"no row of {family}")
        for row in rows:
            match, mask = int(row["match"], 16), int(row["mask"], 16)
            words = [match, *(match | random.getrandbits(32) & ~mask for _ in range(count))]
            pattern = SEVERAL.get((row["name"], family), re.escape(row["name"]) + r"(\.aq|\.rl|\.aqrl)*$")
            names = llvm(tool, triple, attributes, [word_bytes(w) for w in words])
            known = [(w, n) for w, n in zip(words, names) if n]
            if not known:
                wrong.append(f"{row['name']} of {family}: LLVM knows none of {count} words")
            wrong.extend(f"{w:08x}: LLVM says {n}, the row {row['name']} of {family}" for w, n in known if not re.match(pattern, n))
            texts = said(karat, words)
            wrong.extend(f"{w:08x}: karat says '{t}', not {row['name']} of {family}" for w, t in zip(words, texts)
                         if f"{row['name']} of {family}" not in (t or ""))


def what_llvm_knows_is_said(tool, karat, count):
    opcodes = [n << 2 | 3 for n in range(32) if n not in (2, 10, 22, 30)]  # All but the four of vendors
    words = [random.getrandbits(25) << 7 | random.choice(opcodes) for _ in range(count)]
    texts = said(karat, words)
    for triple, attributes in (("riscv32", "+m,+a,+f,+d,+v"), ("riscv64", "+m,+a,+f,+d,+v,+zfh")):
        names = llvm(tool, triple, attributes, [word_bytes(w) for w in words])
        illegal = [(w, n, t) for w, n, t in zip(words, names, texts) if n and t is not None]
        print(f"{len(illegal)} of {count} random words are LLVM's ({triple}) and not Karat's")
        wrong.extend(f"{w:08x}: LLVM ({triple}) says {n}, karat nothing" for w, n, t in illegal if not t)
        left_out = [(w, n, t) for w, n, t in illegal if "left out here" in t]
        wrong.extend(f"{w:08x}: LLVM says {n}, karat '{t}'" for w, n, t in left_out if not t.startswith(f"{n} of "))
        if not left_out:
            wrong.append("none of what is left out was drawn")
    halves = [random.getrandbits(16) for _ in range(count)]
    halves = [h for h in halves if h & 3 != 3 and h]
    names = llvm(tool, "riscv32", "+c,+f,+d", [[h & 255, h >> 8] for h in halves])
    compressed = [(random.getrandbits(16) << 16 | h, n) for h, n in zip(halves, names) if n]
    print(f"{len(compressed)} random 16-bit instructions")
    for (w, n), t in zip(compressed, said(karat, [w for w, _ in compressed])):
        if not n.startswith("c.") or "compressed code" not in (t or ""):
            wrong.append(f"{w:08x}: LLVM says {n}, karat '{t}'")


def newer(karat):
    for (word, name), text in zip(NEWER.items(), said(karat, list(NEWER))):
        if name not in (text or ""):
            wrong.append(f"{word:08x}: expected {name}, karat says '{text}'")
    if any("also" in (text or "") for text in said(karat, list(OVERLAPS))):
        wrong.append("overlaps in v2.02")
    for (word, name), text in zip(BESIDE.items(), said(karat, list(BESIDE), "v2.03")):
        if f"{name} " not in (text or "") or "also" in text:
            wrong.append(f"{word:08x}: expected {name}, karat says '{text}' in v2.03")


def overlaps(karat):
    """Both karat isa WORD and karat disasm name both, and decode v2.03."""
    for word, (here, there) in OVERLAPS.items():
        text = subprocess.run([karat, "isa", "--profile=v2.03", f"0x{word:08x}"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
        listed = subprocess.run([karat, "disasm", "--profile=v2.03", "--", f"0x{word:08x}"], capture_output=True, text=True, check=True).stdout
        for line in (text, listed):
            if not re.search(rf" {re.escape(here)} .*  # also {re.escape(there)} .*newer Ventus code", line):
                wrong.append(f"{word:08x}: expected {here}, also {there}; karat says '{line}'")
        found = json.loads(subprocess.run([karat, "isa", "--json", f"0x{word:08x}"], capture_output=True, text=True, check=True).stdout)
        named = [o for o in found if "word" in o]
        also = named[0]["overlaps"] if len(named) == 1 else {}
        if there not in also.get("v2.03", "") or "v2.03" in named[0]["elsewhere"] or "v2.02" in also:
            wrong.append(f"{word:08x}: expected {there} in JSON, karat says {named}")
    for word in ALONE:
        text = subprocess.run([karat, "isa", "--profile=v2.03", f"0x{word:08x}"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
        if "#" in text:
            wrong.append(f"{word:08x}: karat says '{text}'")
    # A prefix and its instruction on one line.
    line = subprocess.run([karat, "disasm", "--profile=v2.03", "0000000a", "00150513"], capture_output=True, text=True, check=True).stdout
    if not re.search(r"addi x10, x10, 1  \{prefixi\}  # prefix also mma .* of newer Ventus code$", line.strip()):
        wrong.append(f"prefixi and addi: karat says '{line}'")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--karat", required=True)
    parser.add_argument("--words", type=int, default=100, help="of each row")
    args = parser.parse_args()
    seed = int(os.environ.get("KARAT_SEED") or time.time())
    print(f"KARAT_SEED={seed}")
    random.seed(seed)
    newer(args.karat)
    overlaps(args.karat)
    tool = shutil.which("llvm-mc-14") or shutil.which("llvm-mc")
    if not tool and not wrong:
        print("skipped: llvm-mc not found (package llvm-14)")
        return SKIPPED
    table = json.loads(subprocess.run([args.karat, "isa", "--elsewhere", "--json"], capture_output=True, text=True, check=True).stdout)
    if tool:
        rows_are_llvms(tool, args.karat, table, args.words)
        what_llvm_knows_is_said(tool, args.karat, 200 * args.words)
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
