#!/usr/bin/python3
"""Assembles every macro of vectors/karat.inc with random operands and compares the words with the ISA's encodings.

    test_encodings.py --source vectors [--vectors BUILT] [--seed N]

The table below is written from the ISA documents (and, where they contradict themselves, from the project's decisions
on them), not from the macros. Also checked: that operands out of range are errors, that the X_ macros put the right
extensions into their prefix, and, with --vectors, that every word of the built programs is a known instruction.
"""

import argparse
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

from elftools.elf.elffile import ELFFile

# mnemonic: (match, mask, fields). A field is written as its operand's place in the assembler text; see FIELDS.
TABLE = {
    "vbeq": (0x0000005B, 0x0000707F, "branch"),
    "vbne": (0x0000105B, 0x0000707F, "branch"),
    "vblt": (0x0000405B, 0x0000707F, "branch"),
    "vbge": (0x0000505B, 0x0000707F, "branch"),
    "vbltu": (0x0000605B, 0x0000707F, "branch"),
    "vbgeu": (0x0000705B, 0x0000707F, "branch"),
    "join": (0x0000205B, 0xFFFFFFFF, "none"),
    "setrpc": (0x0000305B, 0x0000707F, "xxi"),
    "regext": (0x0000200B, 0x000FFFFF, "prefix"),
    "regexti": (0x0000300B, 0x000FFFFF, "prefix"),
    "regpair": (0x0000500B, 0x000FFFFF, "prefix"),
    "regpairi": (0x0000700B, 0x000FFFFF, "prefix"),
    "endprg": (0x0000400B, 0xFFFFFFFF, "none"),
    "barrier": (0x0400400B, 0xFFF07FFF, "flags"),
    "barriersub": (0x0600400B, 0xFFF07FFF, "flags"),
    "vadd12.vi": (0x0000000B, 0x0000707F, "vvu"),
    "vsub12.vi": (0x0000100B, 0x0000707F, "vvu"),
    "vfexp.v": (0x0800600B, 0xFC0FF07F, "unary"),
    "vftta.vv": (0x0C00400B, 0xFC00707F, "binary"),
    "vlb12.v": (0x0000007B, 0x0000707F, "load"),
    "vlh12.v": (0x0000107B, 0x0000707F, "load"),
    "vlw12.v": (0x0000207B, 0x0000707F, "load"),
    "vlbu12.v": (0x0000407B, 0x0000707F, "load"),
    "vlhu12.v": (0x0000507B, 0x0000707F, "load"),
    "vsw12.v": (0x0000607B, 0x0000707F, "store"),
    "vsh12.v": (0x0000307B, 0x0000707F, "store"),
    "vsb12.v": (0x0000707B, 0x0000707F, "store"),
    "vlb.v": (0x0000002B, 0x8000707F, "private_load"),
    "vlh.v": (0x0000102B, 0x8000707F, "private_load"),
    "vlw.v": (0x0000202B, 0x8000707F, "private_load"),
    "vlbu.v": (0x0000402B, 0x8000707F, "private_load"),
    "vlhu.v": (0x0000502B, 0x8000707F, "private_load"),
    "vsb.v": (0x8000002B, 0x8000707F, "private_store"),
    "vsh.v": (0x8000102B, 0x8000707F, "private_store"),
    "vsw.v": (0x8000202B, 0x8000707F, "private_store"),
}
# Of profile v2.03 alone.
TABLE_203 = {
    "vlb12d.v": (0x0000002B, 0x0000707F, "load"),
    "vlh12d.v": (0x0000102B, 0x0000707F, "load"),
    "vlw12d.v": (0x0000202B, 0x0000707F, "load"),
    "vlbu12d.v": (0x0000402B, 0x0000707F, "load"),
    "vlhu12d.v": (0x0000502B, 0x0000707F, "load"),
    "vsw12d.v": (0x0000602B, 0x0000707F, "store"),
    "vsh12d.v": (0x0000302B, 0x0000707F, "store"),
    "vsb12d.v": (0x0000702B, 0x0000707F, "store"),
    "prefix": (0x00000002, 0x00001FFF, "computing"),
    "prefixi": (0x0000000A, 0x00001FFF, "computing_immediate"),
    "addw": (0x0000003B, 0xFE00707F, "xxx"),
    "subw": (0x4000003B, 0xFE00707F, "xxx"),
    "sllw": (0x0000103B, 0xFE00707F, "xxx"),
    "srlw": (0x0000503B, 0xFE00707F, "xxx"),
    "sraw": (0x4000503B, 0xFE00707F, "xxx"),
    "addiw": (0x0000001B, 0x0000707F, "xxi"),
    "slliw": (0x0000101B, 0xFE00707F, "shift"),
    "srliw": (0x0000501B, 0xFE00707F, "shift"),
    "sraiw": (0x4000501B, 0xFE00707F, "shift"),
    "ld": (0x00003003, 0x0000707F, "scalar_load"),
    "sd": (0x00003023, 0x0000707F, "scalar_store"),
    "lr.d": (0x1000302F, 0xF9F0707F, "reserved"),
    "sc.d": (0x1800302F, 0xF800707F, "amo"),
    "amoswap.d": (0x0800302F, 0xF800707F, "amo"),
    "amoadd.d": (0x0000302F, 0xF800707F, "amo"),
    "amoxor.d": (0x2000302F, 0xF800707F, "amo"),
    "amoand.d": (0x6000302F, 0xF800707F, "amo"),
    "amoor.d": (0x4000302F, 0xF800707F, "amo"),
    "amomin.d": (0x8000302F, 0xF800707F, "amo"),
    "amomax.d": (0xA000302F, 0xF800707F, "amo"),
    "amominu.d": (0xC000302F, 0xF800707F, "amo"),
    "amomaxu.d": (0xE000302F, 0xF800707F, "amo"),
}
# PRE_M_*: OPCODE6 is the space and the width.
for _space, _name in enumerate(("", "global_", "private_", "local_")):
    for _width in range(4):
        TABLE_203[f"pre_m_{_name}{32 * (_width + 1)}"] = (_space << 5 | _width << 3 | 6, 0x00007FFF, "memory")
# Left out by v2.02; the assembler has them: (match, mask, operands in the assembler's order).
V_203 = {}
for _op, _funct6 in (("vwaddu", 0x30), ("vwadd", 0x31), ("vwsubu", 0x32), ("vwsub", 0x33)):
    for _kind, _match in (("vv", _funct6 << 26 | 0x2057), ("vx", _funct6 << 26 | 0x6057), ("wv", _funct6 + 4 << 26 | 0x2057),
                          ("wx", _funct6 + 4 << 26 | 0x6057)):
        V_203[f"{_op}.{_kind}"] = (_match, 0xFC00707F, "vd, v2, " + ("v1" if _kind[1] == "v" else "x1"))
for _op, _funct6 in (("vwmulu", 0x38), ("vwmulsu", 0x3A), ("vwmul", 0x3B)):
    V_203[f"{_op}.vv"] = (_funct6 << 26 | 0x2057, 0xFC00707F, "vd, v2, v1")
    V_203[f"{_op}.vx"] = (_funct6 << 26 | 0x6057, 0xFC00707F, "vd, v2, x1")
for _op, _funct6 in (("vwmaccu", 0x3C), ("vwmacc", 0x3D), ("vwmaccus", 0x3E), ("vwmaccsu", 0x3F)):
    if _op != "vwmaccus":
        V_203[f"{_op}.vv"] = (_funct6 << 26 | 0x2057, 0xFC00707F, "vd, v1, v2")
    V_203[f"{_op}.vx"] = (_funct6 << 26 | 0x6057, 0xFC00707F, "vd, x1, v2")
for _number, _op in enumerate(("xu.f", "x.f", "f.xu", "f.x", "f.f", "rod.f.f", "rtz.xu.f", "rtz.x.f")):
    if _op != "rod.f.f":
        V_203[f"vfwcvt.{_op}.v"] = (0x12 << 26 | (8 + _number) << 15 | 0x1057, 0xFC0FF07F, "vd, v2")
    V_203[f"vfncvt.{_op}.w"] = (0x12 << 26 | (16 + _number) << 15 | 0x1057, 0xFC0FF07F, "vd, v2")


def field(value, high, low):
    return (value & ((1 << (high - low + 1)) - 1)) << low


def branch_bits(offset):
    at = lambda bit: offset >> bit & 1
    return field(at(12), 31, 31) | field(offset >> 5, 30, 25) | field(offset >> 1, 11, 8) | field(at(11), 7, 7)


def samples(rng, low, high, count=12):
    """Both ends, values next to them and to 0, and random ones."""
    values = {low, high, low + 1, high - 1} | {v for v in (-1, 0, 1) if low <= v <= high}
    return sorted(values | {rng.randint(low, high) for _ in range(count)})


def cases(rng):
    """(text, word) for every macro; branches go to a label that lies offset bytes away."""
    out = []
    for name, (match, mask, form) in (TABLE | TABLE_203).items():

        def add(text, fields=0):
            assert not fields & mask, name
            out.append((f"{name} {text}", match | fields, None))

        reg = lambda: rng.choice((0, 1, 31, rng.randrange(32)))
        if form == "none":
            add("")
        elif form == "branch":
            for offset in samples(rng, -2048, 2047):
                a, b = reg(), reg()
                fields = field(a, 24, 20) | field(b, 19, 15)
                out.append((f"{name} v{a}, v{b}, {{label}}", match | fields, 2 * offset & ~3))
        elif form == "xxi":
            for imm in samples(rng, -2048, 2047):
                a, b = reg(), reg()
                add(f"x{a}, x{b}, {imm}", field(imm, 31, 20) | field(b, 19, 15) | field(a, 11, 7))
        elif form == "xxx":
            for _ in range(8):
                a, b, c = reg(), reg(), reg()
                add(f"x{a}, x{b}, x{c}", field(c, 24, 20) | field(b, 19, 15) | field(a, 11, 7))
        elif form == "shift":
            for amount in range(32):
                a, b = reg(), reg()
                add(f"x{a}, x{b}, {amount}", field(amount, 24, 20) | field(b, 19, 15) | field(a, 11, 7))
        elif form in ("amo", "reserved"):
            for order, suffix in enumerate(("", ".rl", ".aq", ".aqrl")):
                for _ in range(8):
                    a, b, c = reg(), reg() if form == "amo" else 0, reg()
                    fields = field(order, 26, 25) | field(b, 24, 20) | field(c, 19, 15) | field(a, 11, 7)
                    operands = f"x{a}, x{b}, (x{c})" if form == "amo" else f"x{a}, (x{c})"
                    out.append((f"{name}{suffix} {operands}", match | fields, None))
        elif form in ("computing", "computing_immediate", "memory"):
            sizes = {"computing": (3, 3, 3, 3, 1, 3, 3), "computing_immediate": (6, 3, 3, 1, 3, 3), "memory": (3, 3, 3, 3, 1, 4)}[form]
            add("")
            for _ in range(24):
                values = [rng.choice((0, (1 << size) - 1, rng.randrange(1 << size))) for size in sizes]
                fields, high = 0, 31
                for size, value in zip(sizes, values):
                    fields |= field(value, high, high - size + 1)
                    high -= size
                add(", ".join(map(str, values)), fields)
        elif form == "prefix":
            for imm in samples(rng, 0, 4095):
                add(f"x0, zero, {imm}", field(imm, 31, 20))
        elif form == "flags":
            add("")
            for flags in range(32):
                add(f"x0, x0, {flags}", field(flags, 19, 15))
        elif form == "vvu":
            for imm in samples(rng, 0, 4095):
                a, b = reg(), reg()
                add(f"v{a}, v{b}, {imm}", field(imm, 31, 20) | field(b, 19, 15) | field(a, 11, 7))
        elif form == "unary":
            for _ in range(8):
                a, b = reg(), reg()
                add(f"v{a}, v{b}", field(1, 25, 25) | field(b, 24, 20) | field(a, 11, 7))
                add(f"v{a}, v{b}, v0.t", field(b, 24, 20) | field(a, 11, 7))
        elif form == "binary":
            for _ in range(8):
                a, b, c = reg(), reg(), reg()
                fields = field(b, 24, 20) | field(c, 19, 15) | field(a, 11, 7)
                add(f"v{a}, v{b}, v{c}", field(1, 25, 25) | fields)
                add(f"v{a}, v{b}, v{c}, v0.t", fields)
        elif form in ("load", "private_load", "scalar_load"):
            bits = 11 if form == "private_load" else 12
            cls = "x" if form == "scalar_load" else "v"
            for offset in samples(rng, -(1 << bits - 1), (1 << bits - 1) - 1):
                a, b = reg(), reg()
                add(f"{cls}{a}, {offset}({cls}{b})", field(offset, 19 + bits, 20) | field(b, 19, 15) | field(a, 11, 7))
        elif form in ("store", "private_store", "scalar_store"):
            bits = 11 if form == "private_store" else 12
            cls = "x" if form == "scalar_store" else "v"
            for offset in samples(rng, -(1 << bits - 1), (1 << bits - 1) - 1):
                a, b = reg(), reg()
                fields = field(a, 24, 20) | field(b, 19, 15)
                add(f"{cls}{a}, {offset}({cls}{b})", field(offset >> 5, 19 + bits, 25) | field(offset, 11, 7) | fields)
        else:
            raise AssertionError(form)
    for name, (match, mask, operands) in V_203.items():
        for masked in range(2):
            for _ in range(4):
                # The assembler refuses overlaps of V 1.0, which this ISA permits.
                numbers = {"d": rng.randrange(1, 32)}
                numbers |= zip("12", rng.sample([n for n in range(32) if n != numbers["d"]], 2))
                text = re.sub("[vx]([d12])", lambda m: f"{m[0][0]}{numbers[m[1]]}", operands) + (", v0.t" if masked else "")
                fields = field(1 - masked, 25, 25) | field(numbers["2"], 24, 20) | field(numbers["d"], 11, 7)
                fields |= field(numbers["1"], 19, 15) if "1" in operands else 0
                assert not fields & mask, name
                out.append((f"{name} {text}", match | fields, None))
    rng.shuffle(out)
    return out


# The X_ macros: (macro, instruction, operands, the instruction with all fields 0). An operand is {class:field} for a
# register (class v or x, field a key of FIELDS), or {kind:lowest:highest} for an immediate; x_cases() has the kinds.
VD, S1, S2 = (11, 7), (19, 15), (24, 20)
S3 = (31, 27)
X3, X2, X1, XD = (31, 29), (28, 26), (25, 23), (22, 20)
X_FORMS = [
    ("X_vvv", "vadd.vv", "{v:d}, {v:2}, {v:1}", 0x02000057),
    ("X_vvv", "vsub.vv", "{v:d}, {v:2}, {v:1}", 0x0A000057),
    ("X_vvx", "vadd.vx", "{v:d}, {v:2}, {x:1}", 0x02004057),
    ("X_mvv", "vmacc.vv", "{v:3d}, {v:1}, {v:2}", 0xB6002057),
    ("X_mxv", "vmacc.vx", "{v:3d}, {x:1}, {v:2}", 0xB6006057),
    ("X_vvf", "vfadd.vf", "{v:d}, {v:2}, {x:1}", 0x02005057),
    ("X_mfv", "vfmacc.vf", "{v:3d}, {x:1}, {v:2}", 0xB2005057),
    ("X_v2", "vfsqrt.v", "{v:d}, {v:2}", 0x4E001057),
    ("X_vv", "vmv.v.v", "{v:d}, {v:1}", 0x5E000057),
    ("X_vx", "vmv.v.x", "{v:d}, {x:1}", 0x5E004057),
    ("X_v", "vid.v", "{v:d}", 0x5208A057),
    ("X_xv", "vmv.x.s", "{x:d}, {v:2}", 0x42002057),
    ("X_vk", "vadd12.vi", "{v:d}, {v:1}, {i:0:4095}", 0x0000000B),
    ("X_vm", "vlw12.v", "{v:d}, {i:-2048:2047}, {v:1}", 0x0000207B),
    ("X_sm", "vsw12.v", "{v:2}, {s:-2048:2047}, {v:1}", 0x0000607B),
    ("X_vm", "vlhu.v", "{v:d}, {p:-1024:1023}, {v:1}", 0x0000502B),
    ("X_sm", "vsb.v", "{v:2}, {q:-1024:1023}, {v:1}", 0x8000002B),
    ("X_vle", "vle32.v", "{v:d}, {x:1}", 0x02006007),
    ("X_vls", "vlse32.v", "{v:d}, {x:1}, {x:2}", 0x0A006007),
    ("X_vlx", "vluxei32.v", "{v:d}, {x:1}, {v:2}", 0x06006007),
    ("X_vse", "vse32.v", "{v:3}, {x:1}", 0x02006027),
    ("X_vss", "vsse32.v", "{v:3}, {x:1}, {x:2}", 0x0A006027),
    ("X_vsx", "vsuxei32.v", "{v:3}, {x:1}, {v:2}", 0x06006027),
    ("X_xxx", "add", "{x:d}, {x:1}, {x:2}", 0x00000033),
    ("X_xxxx", "fmadd.s", "{x:d}, {x:1}, {x:2}, {x:4}", 0x00007043),
    ("X_xxi", "addi", "{x:d}, {x:1}, {i:-2048:2047}", 0x00000013),
    ("X_xxi", "setrpc", "{x:d}, {x:1}, {i:-2048:2047}", 0x0000305B),
    ("X_xm", "lw", "{x:d}, {i:-2048:2047}, {x:1}", 0x00002003),
    ("X_xs", "sw", "{x:2}, {s:-2048:2047}, {x:1}", 0x00002023),
    ("X_vvi", "vadd.vi", "{v:d}, {v:2}, {e:-1024:1023}", 0x02003057),
    ("X_vvc", "vmsleu.vi", "{v:d}, {v:2}, {e:0:2047}", 0x72003057),
    ("X_vvu", "vsll.vi", "{v:d}, {v:2}, {e:0:2047}", 0x96003057),
    ("X_vi", "vmv.v.i", "{v:d}, {e:-1024:1023}", 0x5E003057),
    ("X_vb", "vbltu", "{v:2}, {v:1}, .", 0x0000605B),
    ("X_xb", "bge", "{x:1}, {x:2}, .", 0x00005063),
    ("X_xa", "amoadd.w", "{x:d}, {x:2}, {x:1}", 0x0000202F),
    ("X_xa", "amomaxu.d", "{x:d}, {x:2}, {x:1}", 0xE000302F),
    ("X_xl", "lr.d", "{x:d}, {x:1}", 0x1000302F),
    ("X_xm", "ld", "{x:d}, {i:-2048:2047}, {x:1}", 0x00003003),
    ("X_vm", "vlw12d.v", "{v:d}, {i:-2048:2047}, {v:1}", 0x0000202B),
]
FIELDS = {"d": (VD, XD), "1": (S1, X1), "2": (S2, X2), "3": (VD, X3), "4": (S3, X3)}
ABI = "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6".split()


def x_cases(rng):
    """(text, prefix, word)"""
    out = []
    for macro, name, operands, match in X_FORMS:
        for _ in range(16):
            prefix, word = 0x0000200B, match

            def operand(m):
                nonlocal prefix, word
                kind, arg = m[1], m[2]
                if kind in "vx":
                    limit = 256 if kind == "v" else 64
                    number = rng.choice((0, 31, 32, limit - 1, rng.randrange(limit)))
                    if arg == "3d":  # Third source and destination in one: x3 is 0
                        prefix |= field(number >> 5, *XD)
                        word |= field(number, *VD)
                    else:
                        word |= field(number, *FIELDS[arg][0])
                        high, low = FIELDS[arg][1]
                        prefix |= field(number >> 5, high, low)
                    if kind == "x" and number < 32 and rng.random() < 0.5:
                        return ABI[number]
                    return f"{kind}{number}"
                low, high = map(int, arg.split(":"))
                value = rng.choice(samples(rng, low, high))
                if kind == "i":
                    word |= field(value, 31, 20)
                elif kind == "p":
                    word |= field(value, 30, 20)
                elif kind == "s":
                    word |= field(value >> 5, 31, 25) | field(value, 11, 7)
                elif kind == "q":
                    word |= field(value >> 5, 30, 25) | field(value, 11, 7)
                else:  # It follows REGEXTI
                    word |= field(value, 19, 15)
                    prefix |= 0x1000 | field(value >> 5, 31, 26)
                return str(value)

            text = re.sub(r"\{(\w):([^}]+)\}", operand, operands)
            if prefix & 0x1000:  # REGEXTI has its extensions of vs2 elsewhere: bits 5:3 of its immediate
                x2 = 0
                m = re.match(r"v(\d+), v(\d+)", text)
                if m:
                    x2 = int(m[2]) >> 5
                imm = int(re.findall(r"-?\d+", text)[-1])
                prefix = (prefix & ~field(7, *X2)) | field(imm >> 5, 31, 26) | field(x2, 25, 23)
            text = text.replace(", .", f", 8881f\n8881:") if text.endswith(", .") else text
            if "8881" in text:  # It goes to the next instruction: offset 4
                word |= branch_bits(4)
            before, low = rng.choice(((None, prefix & 0xFFFFF), other_prefix(rng, bool(prefix & 0x1000))))
            out.append(((f"PREFIXED {before}\n" if before else "") + f"{macro} {name}, {text}", prefix & ~0xFFFFF | low, word))
    return out


def other_prefix(rng, has_imm):
    """A prefix of v2.03 in REGEXT's place, or PREFIXI in that of REGEXTI: the operands of PREFIXED, and the word's low 20 bits."""
    pair = rng.randrange(2)
    if has_imm or rng.randrange(2):
        absolute, negative = rng.randrange(8), rng.randrange(8)
        fields = field(pair, 19, 19) | field(absolute, 18, 16) | field(negative, 15, 13)
        return f"prefix, pair={pair}, abs={absolute}, neg={negative}", fields | (0xA if has_imm else 2)
    name = rng.choice([name for name in TABLE_203 if name.startswith("pre_m_")])
    hint = rng.randrange(16)
    return f"{name}, pair={pair}, hint={hint}", field(pair, 19, 19) | field(hint, 18, 15) | TABLE_203[name][0]


# Each must be refused.
ERRORS = [
    "vlw.v v1, 1024(v2)",
    "vlw.v v1, -1025(v2)",
    "vsw.v v1, 1024(v2)",
    "vsw.v v1, -1025(v2)",
    "vsw.v v1, -4 + 8(v2)",  # & would take the sum apart
    "vlw12.v v1, 2048(v2)",
    "vsw12.v v1, -2049(v2)",
    "vlw12.v v32, 0(v2)",
    "vadd12.vi v1, v2, 4096",
    "vadd12.vi v1, v2, -1",
    "vsub12.vi v1, v2, -1",
    "setrpc x1, x2, 2048",
    "setrpc x32, x2, 0",
    "barrier x0, x0, 32",
    "vfexp.v v1, v2, v1.t",
    "vbeq v1, v2, far",
    "X_vvv vadd.vv, v256, v0, v0",
    "X_vvx vadd.vx, v1, v0, x64",
    "X_vvi vadd.vi, v1, v2, 1024",
    "X_vvi vadd.vi, v1, v2, -1025",
    "X_vvu vsll.vi, v1, v2, 2048",
    "X_vm vlw.v, v40, 1024, v2",
    "vlw12d.v v1, 2048(v2)",
    "slliw x2, x4, 32",
    "addw x32, x2, x4",
    "addiw x2, x4, 2048",
    "ld x2, 2048(x4)",
    "ld x2, 8(v4)",
    "amoadd.d x2, x4, 8(x6)",
    "amoadd.d x32, x4, (x6)",
    "prefix x3=8",
    "prefix pair=2",
    "prefix neg=-1",
    "prefixi 64",
    "pre_m_64 hint=16",
    "PREFIXED regext",
    "PREFIXED prefix, hint=1",
    "PREFIXED pre_m_32, abs=1",
    "PREFIXED pre_m_32\nX_vvi vadd.vi, v1, v2, 3",
    "PROFILE v2.04",
]

ASFLAGS = ["-target", "riscv32", "-march=rv32ima_zfinx_zve32f", "-mno-relax"]


class Assembler:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder

    def object(self, text):
        source, out = os.path.join(self.folder, "t.S"), os.path.join(self.folder, "t.o")
        with open(source, "w") as f:
            f.write('#include "karat.inc"\n' + text)
        done = subprocess.run(
            [self.args.clang, *ASFLAGS, "-I", self.args.source, "-c", source, "-o", out], capture_output=True, text=True
        )
        return out if done.returncode == 0 else None, done.stderr

    def words(self, text):
        """The linked .text as words."""
        obj, errors = self.object("    .text\n    .globl _start\n_start:\n" + text)
        if not obj:
            sys.exit("cannot assemble:\n" + errors)
        elf = os.path.join(self.folder, "t.elf")
        subprocess.run(
            [self.args.lld, "-T", os.path.join(self.args.source, "karat.ld"), obj, "-o", elf], check=True
        )
        return text_words(elf)


def text_words(elf):
    with open(elf, "rb") as f:
        section = ELFFile(f).get_section_by_name(".text")
        data = section.data()
        return section["sh_addr"], list(struct.unpack(f"<{len(data) // 4}I", data))


def check_macros(assembler, rng):
    failed = 0
    all_cases = cases(rng)
    lines, expected = [], []
    for text, word, offset in all_cases:
        if offset is None:
            lines.append(text)
            expected.append((text, word))
        else:
            # The target before, at or after the branch, with nothing but space between.
            if offset < 0:
                lines.append(f"8880: .space {-offset}, 0\n{text.format(label='8880b')}")
                expected += [(None, 0)] * (-offset // 4)
            elif offset == 0:
                lines.append("8880: " + text.format(label="8880b"))
            else:
                lines.append(f"{text.format(label='8880f')}\n.space {offset - 4}, 0\n8880:")
            expected.append((f"{text} offset {offset}", word | branch_bits(offset)))
            if offset > 0:
                expected += [(None, 0)] * (offset // 4 - 1)
    _, words = assembler.words("\n".join(lines) + "\n")
    if len(words) != len(expected):
        print(f"{len(words)} words, expected {len(expected)}")
        return 1
    for (text, want), got in zip(expected, words):
        if want != got:
            failed += 1
            print(f"{text}: expected {want:08x}, got {got:08x}")
    print(f"{len(all_cases)} custom instructions, {failed} wrong")

    prefixed = x_cases(rng)
    _, words = assembler.words("\n".join(t for t, _, _ in prefixed) + "\n")
    wrong = 0
    for i, (text, prefix, word) in enumerate(prefixed):
        if words[2 * i : 2 * i + 2] != [prefix, word]:
            wrong += 1
            got = " ".join(f"{w:08x}" for w in words[2 * i : 2 * i + 2])
            print(f"{text}: expected {prefix:08x} {word:08x}, got {got}")
    if len(words) != 2 * len(prefixed):
        wrong += 1
        print(f"{len(words)} words of prefixed instructions, expected {2 * len(prefixed)}")
    print(f"{len(prefixed)} prefixed instructions, {wrong} wrong")

    accepted = 0
    for text in ERRORS:
        obj, errors = assembler.object(f"{text}\n.space 8192\nfar:\n")
        if obj or "error" not in errors:
            accepted += 1
            print(f"not refused: {text}")
    print(f"{len(ERRORS)} bad operands, {accepted} accepted")
    return failed + wrong + accepted


def profile_of(elf):
    """What the note of "Karat" names, or None."""
    with open(elf, "rb") as f:
        section = ELFFile(f).get_section_by_name(".note.karat")
        return section and section.data()[20:25].decode()


# Instructions that the programs may use: RV32I, M, A, Zicsr, Zfinx, and the vector rows that Ventus keeps, in llvm-objdump's spelling.
STANDARD = set(
    """
    lui auipc jal jalr beq bne blt bge bltu bgeu lb lh lw lbu lhu sb sh sw addi slti sltiu xori ori andi slli srli srai
    add sub sll slt sltu xor srl sra or and fence mul mulh mulhsu mulhu div divu rem remu
    csrrw csrrs csrrc csrrwi csrrsi csrrci vsetvli vsetivli vsetvl
    lr.w sc.w amoswap.w amoadd.w amoxor.w amoand.w amoor.w amomin.w amomax.w amominu.w amomaxu.w
    vid.v vmv.v.v vmv.v.x vmv.v.i vmv.x.s vmv.s.x
    vmerge.vvm vmerge.vxm vmerge.vim vadc.vvm vadc.vxm vadc.vim vmadc.vvm vmadc.vxm vmadc.vim vmadc.vv vmadc.vx vmadc.vi
    vsbc.vvm vsbc.vxm vmsbc.vvm vmsbc.vxm vmsbc.vv vmsbc.vx
    vmand.mm vmnand.mm vmandn.mm vmor.mm vmnor.mm vmorn.mm vmxor.mm vmxnor.mm
    vmsgtu.vx vmsgtu.vi vmsgt.vx vmsgt.vi vrsub.vx vrsub.vi
    fadd.s fsub.s fmul.s fdiv.s fsqrt.s fmadd.s fmsub.s fnmsub.s fnmadd.s fmin.s fmax.s fsgnj.s fsgnjn.s fsgnjx.s
    feq.s flt.s fle.s fclass.s fcvt.w.s fcvt.wu.s fcvt.s.w fcvt.s.wu
    vfrsub.vf vfrdiv.vf vmfgt.vf vmfge.vf vfmerge.vfm vfmv.v.f vfmv.s.f vfmv.f.s
    vfsqrt.v vfrec7.v vfrsqrt7.v vfclass.v
    vfcvt.x.f.v vfcvt.xu.f.v vfcvt.rtz.x.f.v vfcvt.rtz.xu.f.v vfcvt.f.x.v vfcvt.f.xu.v
    """.split()
)
for _op in "vadd vand vor vxor vsll vsrl vsra vmseq vmsne vmsleu vmsle vsaddu vsadd vssrl vssra".split():
    STANDARD |= {f"{_op}.vv", f"{_op}.vx", f"{_op}.vi"}
for _op in (
    "vsub vminu vmin vmaxu vmax vmsltu vmslt vmul vmulh vmulhu vmulhsu vdivu vdiv vremu vrem "
    "vmacc vnmsac vmadd vnmsub vssubu vssub vaaddu vaadd vasubu vasub vsmul"
).split():
    STANDARD |= {f"{_op}.vv", f"{_op}.vx"}
for _op in (
    "vfadd vfsub vfmul vfdiv vfmin vfmax vfsgnj vfsgnjn vfsgnjx vmfeq vmfne vmflt vmfle "
    "vfmacc vfnmacc vfmsac vfnmsac vfmadd vfnmadd vfmsub vfnmsub"
).split():
    STANDARD |= {f"{_op}.vv", f"{_op}.vf"}
for _op in "vle vse vlse vsse vluxei vloxei vsuxei vsoxei".split():
    STANDARD |= {f"{_op}{_bits}.v" for _bits in (8, 16, 32)}


def check_programs(args):
    """Every word of the programs is an instruction of the list above, a custom one, or 0 (never reached)."""
    failed = 0
    used = set()
    since = TABLE_203 | V_203
    programs = sorted(f for f in os.listdir(args.vectors) if f.endswith(".elf"))
    for name in programs:
        path = os.path.join(args.vectors, name)
        listing = subprocess.run(
            [args.objdump, "-d", "-M", "no-aliases", "--no-show-raw-insn", "--mattr=+m,+a,+zfinx,+zve32f", path],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        mnemonic = {}
        for line in listing.splitlines():
            m = re.match(r"\s*([0-9a-f]+):\s+(\S+)", line)
            if m:
                mnemonic[int(m[1], 16)] = re.sub(r"\.(aq|rl|aqrl)$", "", m[2])
        base, words = text_words(path)
        custom = TABLE | since if profile_of(path) == "v2.03" else TABLE
        for i, word in enumerate(words):
            at = base + 4 * i
            rows = [n for n, (match, mask, _) in custom.items() if word & mask == match]
            if len(rows) == 1:
                used.add(rows[0])
            elif mnemonic.get(at) in STANDARD:
                used.add(mnemonic[at])
            elif word:
                failed += 1
                print(f"{name}: {at:08x}: {word:08x} is no instruction of the list ({mnemonic.get(at)})")
    for name in sorted((STANDARD | set(TABLE)) - used):
        failed += 1
        print(f"no program uses {name}")
    print(f"{len(programs)} programs use {len(used)} different instructions")
    return failed + (not programs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", required=True, help="folder of karat.inc and karat.ld")
    parser.add_argument("--vectors", help="folder of the assembled programs: check these as well")
    parser.add_argument("--clang", default="clang")
    parser.add_argument("--lld", default="ld.lld")
    parser.add_argument("--objdump", default="llvm-objdump")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        failed = check_macros(Assembler(args, folder), random.Random(args.seed))
    if args.vectors:
        failed += check_programs(args)
    print("FAIL" if failed else "PASS")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
