"""The memory that each directed program must leave, computed from the ISA documents in plain Python.

PROGRAMS maps a program's name to a function of num_thread, which returns {place: bytes}; a place is a symbol of the
program or an address. Nothing here looks at a model: each function says per thread what the program computes, with
the operations' meaning taken from the RISC-V specifications and the Ventus manual.

Most programs store rows of 32 words, one word per thread (see PUT in vectors/karat.inc); words of threads that the
device does not have stay 0.
"""

import fractions
import functools
import operator
import struct

import binary32 as f32

M32 = 0xFFFFFFFF
PDS_BASE = 0xA0000000
LDS_BASE = 0x70000000


def u32(value):
    return value & M32


def s32(value):
    value &= M32
    return value - (1 << 32) if value >> 31 else value


def sext(value, bits):
    value &= (1 << bits) - 1
    return u32(value - (1 << bits) if value >> (bits - 1) else value)


def words(values):
    return b"".join(struct.pack("<I", u32(v)) for v in values)


def row(value, threads):
    """A row: one value per thread, or the same one in each."""
    values = [value] * threads if isinstance(value, int) else list(value)
    assert len(values) == threads
    return words(values + [0] * (32 - threads))


def rows(warps, threads):
    """The rows of all warps, one after the other."""
    return b"".join(row(r, threads) for warp in warps for r in warp)


# --- Operations -----------------------------------------------------------------------------------------------------
# Two operands: a is rs1 of a scalar operation and vs2 of a vector one, b the other.


def div(a, b):
    if u32(b) == 0:
        return M32
    a, b = s32(a), s32(b)
    quotient = abs(a) // abs(b)
    return u32(-quotient if (a < 0) != (b < 0) else quotient)


def rem(a, b):
    if u32(b) == 0:
        return u32(a)
    a, b = s32(a), s32(b)
    remainder = abs(a) % abs(b)
    return u32(-remainder if a < 0 else remainder)


def divu(a, b):
    return M32 if u32(b) == 0 else u32(a) // u32(b)


def remu(a, b):
    return u32(a) if u32(b) == 0 else u32(a) % u32(b)


OPS = {
    "add": lambda a, b: u32(a + b),
    "sub": lambda a, b: u32(a - b),
    "rsub": lambda a, b: u32(b - a),
    "and": lambda a, b: u32(a & b),
    "or": lambda a, b: u32(a | b),
    "xor": lambda a, b: u32(a ^ b),
    "sll": lambda a, b: u32(a << (b & 31)),
    "srl": lambda a, b: u32(a) >> (b & 31),
    "sra": lambda a, b: u32(s32(a) >> (b & 31)),
    "slt": lambda a, b: int(s32(a) < s32(b)),
    "sltu": lambda a, b: int(u32(a) < u32(b)),
    "minu": lambda a, b: min(u32(a), u32(b)),
    "min": lambda a, b: u32(min(s32(a), s32(b))),
    "maxu": lambda a, b: max(u32(a), u32(b)),
    "max": lambda a, b: u32(max(s32(a), s32(b))),
    "mul": lambda a, b: u32(a * b),
    "mulh": lambda a, b: u32((s32(a) * s32(b)) >> 32),
    "mulhu": lambda a, b: u32((u32(a) * u32(b)) >> 32),
    "mulhsu": lambda a, b: u32((s32(a) * u32(b)) >> 32),
    "div": div,
    "divu": divu,
    "rem": rem,
    "remu": remu,
    "mseq": lambda a, b: int(u32(a) == u32(b)),
    "msne": lambda a, b: int(u32(a) != u32(b)),
    "msltu": lambda a, b: int(u32(a) < u32(b)),
    "mslt": lambda a, b: int(s32(a) < s32(b)),
    "msleu": lambda a, b: int(u32(a) <= u32(b)),
    "msle": lambda a, b: int(s32(a) <= s32(b)),
    "msgtu": lambda a, b: int(u32(a) > u32(b)),
    "msgt": lambda a, b: int(s32(a) > s32(b)),
    "mand": lambda a, b: u32(a & b),
    "mnand": lambda a, b: u32(~(a & b)),
    "mandnot": lambda a, b: u32(a & ~b),
    "mor": lambda a, b: u32(a | b),
    "mnor": lambda a, b: u32(~(a | b)),
    "mornot": lambda a, b: u32(a | ~b),
    "mxor": lambda a, b: u32(a ^ b),
    "mxnor": lambda a, b: u32(~(a ^ b)),
}

# Three operands: old vd, vs1 (or rs1), vs2.
MAC = {
    "macc": lambda d, s1, s2: u32(s1 * s2 + d),
    "nmsac": lambda d, s1, s2: u32(d - s1 * s2),
    "madd": lambda d, s1, s2: u32(s1 * d + s2),
    "nmsub": lambda d, s1, s2: u32(s2 - s1 * d),
}

# With v0: vs2, vs1 (or rs1 or immediate), bit of v0.
WITH_V0 = {
    "merge": lambda a, b, m: u32(b) if m else u32(a),
    "adc": lambda a, b, m: u32(a + b + m),
    "madc": lambda a, b, m: int(u32(a) + u32(b) + m > M32),
    "sbc": lambda a, b, m: u32(a - b - m),
    "msbc": lambda a, b, m: int(u32(a) - u32(b) - m < 0),
}

BRANCHES = {
    "eq": lambda a, b: u32(a) == u32(b),
    "ne": lambda a, b: u32(a) != u32(b),
    "lt": lambda a, b: s32(a) < s32(b),
    "ge": lambda a, b: s32(a) >= s32(b),
    "ltu": lambda a, b: u32(a) < u32(b),
    "geu": lambda a, b: u32(a) >= u32(b),
}

# --- Corner operands: the tables of programs/corners.inc -------------------------------------------------------------

A = [
    0x00000000, 0x00000001, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0x00000002, 0xFFFFFFFE, 0x55555555,
    0xAAAAAAAA, 0x0000FFFF, 0xFFFF0000, 0x00008000, 0x00007FFF, 0xFFFF8000, 0x0000001F, 0x00000020,
    0x00000021, 0x80000001, 0x12345678, 0x9ABCDEF0, 0xDEADBEEF, 0xCAFEBABE, 0x0F0F0F0F, 0xF0F0F0F0,
    0x00000003, 0xFFFFFFFD, 0x00000007, 0xFFFFFFF9, 0x00010000, 0x40000000, 0xC0000000, 0x00FF00FF,
]  # fmt: skip
B = [
    0x00000000, 0x00000000, 0xFFFFFFFF, 0xFFFFFFFF, 0x80000000, 0x00000002, 0x00000001, 0x0000001F,
    0xAAAAAAAA, 0x00010000, 0x00000010, 0x80000000, 0x00000003, 0x00000021, 0x0000003F, 0xFFFFFFE0,
    0x7FFFFFFF, 0x80000001, 0x00001234, 0x12345678, 0x00000004, 0xFFFFFFFB, 0x0000000F, 0x33333333,
    0xFFFFFFFD, 0x00000003, 0x7FFFFFFE, 0x00000007, 0x00010000, 0x40000000, 0x00000002, 0x0000000D,
]  # fmt: skip
C = [
    0x00000001, 0x00000000, 0xFFFFFFFE, 0xFFFFFFFF, 0x00000003, 0x80000000, 0x80000001, 0x00000002,
    0x00000000, 0x00000001, 0x00000001, 0x55555554, 0x55555555, 0xAAAAAAAA, 0xAAAAAAAB, 0x00000001,
    0x00000100, 0x00000101, 0x00010000, 0x00010001, 0xFFFFFFFE, 0x00000000, 0x00000001, 0x7FFFFFFF,
    0x00000001, 0x00000001, 0x00000000, 0x00000000, 0x0000000F, 0x000000F0, 0xF0000000, 0xF0000001,
]  # fmt: skip

# Of programs/fp.inc.
FA = [
    0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001,
    0x00000001, 0x807FFFFF, 0x00800000, 0x80800001, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F800001, 0x3F7FFFFF,
    0x4B7FFFFF, 0x4B800000, 0x33800000, 0x33800001, 0x3FB504F3, 0x40490FDB, 0xC0A00000, 0x5F7FFFFF,
    0x1F800000, 0x20000000, 0xFFC12345, 0xFF812345, 0x4EFFFFFF, 0xCF000000, 0x00000003, 0x3EFFFFFF,
]  # fmt: skip
FB = [
    0x80000000, 0x00000000, 0xBF800000, 0x33800000, 0xFF800000, 0x00000000, 0x7F800001, 0x3F800000,
    0x3F000000, 0x00000001, 0x3F7FFFFF, 0x3F000001, 0x73000000, 0x40000000, 0x3F800001, 0x34000000,
    0x3F000000, 0x3F800000, 0x3F800001, 0xBF800000, 0x3FB504F3, 0xC02DF854, 0x3EAAAAAB, 0x5F800000,
    0x1F7FFFFF, 0x9F800000, 0x7F800000, 0x00000000, 0x3F000000, 0x4F000000, 0x80000002, 0x7F7FFFFF,
]  # fmt: skip
FC = [
    0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0x7FC00000, 0x3F800000, 0x7F800000,
    0x80000001, 0x00000001, 0x807FFFFF, 0x00800000, 0x73000000, 0x7F7FFFFF, 0xBF800002, 0xB37FFFFF,
    0xCA800000, 0xCB800000, 0xB3800000, 0x00000001, 0xC0000000, 0x4108A2C0, 0x3FD55556, 0xFF7FFFFF,
    0x80000001, 0x00400000, 0x3F800000, 0x7F812345, 0xCF000000, 0x5E800000, 0x3F800001, 0xFF7FFFFF,
]  # fmt: skip
FD = [
    0x3F000000, 0xBF000000, 0x3FC00000, 0xBFC00000, 0x40200000, 0xC0200000, 0x3F7FFFFF, 0xBF7FFFFF,
    0x4EFFFFFF, 0x4F000000, 0xCF000000, 0xCF000001, 0x4F7FFFFF, 0x4F800000, 0x4B3FFFFF, 0xCB000001,
    0x00000000, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0x00000001, 0x80200000,
    0x003FFFFF, 0x00400000, 0x807FFFFF, 0x00800000, 0x7EFFFFFF, 0x7F000000, 0xFF7FFFFF, 0x3F2AAAAB,
]  # fmt: skip
FI = [
    0x00000000, 0x00000001, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0x01000001, 0x01000003, 0x02000002,
    0x02000005, 0xFEFFFFFF, 0xFEFFFFFD, 0x7FFFFFC0, 0x7FFFFFBF, 0x7FFFFF40, 0xFFFFFF80, 0xFFFFFF7F,
    0x80000080, 0x80000081, 0x8000007F, 0x80000180, 0x12345678, 0xDEADBEEF, 0x00FFFFFF, 0xFF000001,
    0x00000080, 0xFFFF0000, 0x40000020, 0x40000021, 0x3FFFFFE0, 0xC0000020, 0x00000003, 0x55555555,
]  # fmt: skip


def corner(table, base, threads):
    return [table[(lane + base) & 31] for lane in range(threads)]


def each(function, *operands):
    """function per thread; operands are lists, or one value for all threads."""
    threads = next(len(o) for o in operands if isinstance(o, list))
    columns = [o if isinstance(o, list) else [o] * threads for o in operands]
    return [function(*values) for values in zip(*columns)]


def where(mask, new, old):
    """new where bit 0 of the mask is set."""
    return each(lambda m, n, o: n if m & 1 else o, mask, new, old)


# --- The programs -----------------------------------------------------------------------------------------------------


def vecadd(threads):
    a = [u32((i * 7) ^ ((i & 1) << 31)) for i in range(100)]
    b = [u32(i * i * 0x01010101) for i in range(100)]
    return {"out": words([x + y for x, y in zip(a, b)] + [0] * 28)}


def matadd(threads):
    return {"out": words([u32(i * 0x00030005) + u32((i << 24) ^ (i * 11)) for i in range(12 * 40)])}


def fma64(a, b, c):
    """a * b + c in binary64, rounded once to nearest even, as Python divides integers. None of the results is 0, whose sign this loses."""
    exact = fractions.Fraction(a) * fractions.Fraction(b) + fractions.Fraction(c)
    assert exact
    return float(exact)


def matmul64(threads):
    def element(n):
        bits = n * 0x9E3779B97F4A7C15 & 0x800FFFFFFFFFFFFF | 0x3F8 + n % 13 << 52
        return struct.unpack("<d", struct.pack("<Q", bits))[0]

    def sum_of(first, pairs):
        return functools.reduce(lambda total, ab: fma64(*ab, total), pairs, first)

    rows_, cols, inner = 8, 16, 8
    a = [[element(1 + inner * i + k) for k in range(inner)] for i in range(rows_)]
    b = [[element(101 + inner * j + k) for k in range(inner)] for j in range(cols)]
    c = [[element(301 + cols * i + j) for j in range(cols)] for i in range(rows_)]
    alpha = element(501)
    product, difference = [], []
    for i in range(rows_):
        for j in range(cols):
            total = sum_of(c[i][j], zip(a[i], b[j]))
            product.append(float(fractions.Fraction(total) * fractions.Fraction(alpha)))
            difference.append(sum_of(0.0, ((-x, abs(y)) for x, y in zip(a[i], b[j]))))
    return {"product": struct.pack("<128d", *product), "difference": struct.pack("<128d", *difference)}


def simt_nested(threads):
    def path(x):
        b0, b1, b2 = x & 1, x & 2, x & 4
        if not b0:
            if not b1:
                return 1 + 2 + (0 if b2 else 4)
            return (1 << 4) + (3 if b2 else 5)
        if b1:
            return u32(~7) + (10 if b2 else 9)
        return 2 * 15 if b2 else -15

    warps = []
    for w in range(2):
        total, out = [0] * threads, []
        for r in range(4):
            value = [u32(path(((w * threads + lane) ^ r) * 5 + w)) for lane in range(threads)]
            total = each(lambda t, v: u32(t + v), total, value)
            out += [value, total]
        warps.append(out)
    return {"out": rows(warps, threads)}


def simt_nested_rpc(threads):
    def path(x):
        b0, b1, b2 = x & 1, x & 2, x & 4
        if b0:
            return (4 + (6 if b1 else 0)) << 4
        if b1:
            return 2 * (1 + 11)
        return 2 * ((3 ^ 15 if b2 else 3 << 3) + 3)

    warps = []
    for w in range(2):
        total, out = [0] * threads, []
        for r in range(4):
            value = [u32(path(((w * threads + lane) ^ r) * 3 + w)) for lane in range(threads)]
            total = each(lambda t, v: u32(t + v), total, value)
            out += [value, total]
        out.append(77)
        warps.append(out)
    return {"out": rows(warps, threads)}


def simt_loop(threads):
    def sum_up(t):
        count, total = (5 * t + 3) & 7, 0
        while count:
            total = u32(3 * (total + count))
            count -= 1
        return total

    def collatz(t):
        x, steps = 3 * t + 1, 0
        while x > 1:
            x = 3 * x + 1 if x & 1 else x >> 1
            steps += 1
        return steps

    def nested(t):
        value = 0
        for i in range(t & 3):
            for j in range(i, (t >> 2) & 3):
                if i != j:
                    value = u32(4 * value + i + j + 1)
            value = u32(value + 5)
        return value

    warps = []
    for w in range(2):
        ids = range(w * threads, (w + 1) * threads)
        warps.append([[f(t) for t in ids] for f in (sum_up, collatz, nested)])
    return {"out": rows(warps, threads)}


def simt_uniform(threads):
    pairs = [
        (0, 0),
        (0, 0xFFFFFFFF),
        (0x7FFFFFFF, 0x80000000),
        (0x80000000, 0x7FFFFFFF),
        (0x80000000, 0x80000000),
        (1, 2),
        (0xFFFFFFFB, 0xFFFFFFFC),
        (0xFFFFFFFF, 0xFFFFFFFF),
        (0xFFFFFFFF, 1),
        (0x80000000, 0),
        (0x7FFFFFFF, 0x7FFFFFFE),
        (0x00010000, 0x00000001),
    ]
    warps = []
    for w in range(2):
        out = []
        for pair in pairs:
            a, b = reversed(pair) if w else pair
            out.append(sum(taken(a, b) << k for k, taken in enumerate(BRANCHES.values())))

        def kinds(a, b):
            value = 0
            for k, taken in enumerate(BRANCHES.values()):
                value = value | (1 << k) if taken(a, b) else value + 2048
            return value

        for r in range(8):
            out.append(each(kinds, corner(A, 4 * r, threads), corner(B, 4 * r + 1, threads)))
        out.append([7 if lane < 2 else 1 + 2 + 8 for lane in range(threads)])
        out.append((1 << 12) + 1)  # each path once
        out.append([9 if lane < 2 else 0 for lane in range(threads)])
        out.append(17)
        warps.append(out)
    return {"out": rows(warps, threads)}


def barrier_lds(threads):
    total = 4 * threads
    value = [1021 * t + 1 for t in range(total)]
    warps = [[] for _ in range(4)]

    def put(values):
        for w in range(4):
            warps[w].append(values[w * threads : (w + 1) * threads])

    for r in range(6):
        value = [u32(3 * value[t] + value[(t + threads * (r + 1) + 3) % total] + r) for t in range(total)]
        put(value)
    other = value[::-1]
    put([u32(sext(v, 16) << 8) ^ (v & 0xFF) for v in other])
    for w in range(4):
        warps[w].append(0x1234567 + ((w + 1) & 3))
    put(other)
    return {"out": rows(warps, threads)}


def regext(threads):
    warps = []
    for w in range(2):
        base = 16 * w
        a, b, c = (corner(t, base, threads) for t in (A, B, C))
        lanes = list(range(threads))
        op = lambda name, x, y: each(OPS[name], x, y)
        mark = lambda n: 100 + n
        out = []
        # 1
        out += [op("add", a, mark(2)), each(lambda y: u32(mark(1) - y), b)]
        out += [mark(1) + mark(2), mark(4), op("sub", a, b), mark(5), op("mul", a, c), op("divu", a, b)]
        # 2
        out.append(where(c, op("add", a, b), [mark(1)] * threads))
        out.append(each(lambda x, y, m: y if m & 1 else x, a, b, c))
        out.append(each(lambda x, y, m: u32(x + y + (m & 1)), a, b, c))
        out += [op("msltu", a, b), c]
        # 3
        v130 = each(MAC["macc"], c, a, b)
        out.append(v130)
        out += [each(MAC["macc"], c, a, b), v130]  # v194 had c
        # vmadd: vd = vs1 * vd + vs2 with vs1 = v225 (7 << 3 | 1), vs2 = v66, the old vd 101 in v103
        out += [each(MAC["madd"], mark(1), a, b), mark(7)]
        # vnmsac: vs1 = v1, vs2 = v33, the old vd 102 in v2
        out += [each(MAC["nmsac"], mark(2), mark(1), a), b]
        out.append(each(MAC["nmsub"], v130, 13, a))
        v130 = out[-1]
        # 4
        x33, x63 = 1000003, u32(-77)
        out.append(op("add", a, x33))
        v19 = out[-1]
        out.append(where(c, op("rsub", a, x63), v19))
        out.append(u32(-76))
        out.append(op("mslt", a, x63))
        out.append(each(MAC["macc"], x63, x33, b))
        out.append(op("sll", a, x63))
        # 5
        out += [op("add", a, 1023), op("add", a, -1024), op("rsub", b, 500), op("and", a, 0x2A5)]
        out += [op("or", a, -257), op("xor", a, 32)]
        out.append(where(c, op("xor", a, -16), out[-1]))
        out += [op("sll", a, 31), op("srl", a, 1), op("sra", a, 31)]
        out += [op("mseq", b, 16), op("msne", b, 31), op("msle", b, -1000), op("msleu", b, 1040), int(mark(3) <= 20)]
        out += [op("msgt", b, 1000), op("msgtu", b, 1000)]
        out.append(each(lambda x, m: 777 if m & 1 else x, a, c))
        out.append(each(lambda x, m: u32(x - 600 + (m & 1)), a, c))
        out += [u32(-1000), mark(3)]
        out += [42 << 5 | 21, 43 << 5 | 21, min(33, threads)]
        # 6
        out += [op("add", a, 4095), op("sub", a, 2048)]
        # 7
        out.append(a)
        # Lane i stores a half at 4 * i + 130 and a byte at 4 * i + 129; lanes do not touch each other's.
        out.append(each(lambda y: u32((y & 0xFFFF) + sext(y, 8)), b))
        out.append(a)
        out.append(a[::-1])
        # b was stored backwards, and is read backwards
        out.append(b)
        # v130 stored backwards, read forwards
        out.append(v130[::-1])
        out.append(where(c, v130[::-1], [mark(1)] * threads))
        # 8
        out.append(each(lambda x, y: 600 if s32(x) < s32(y) else 1, a, b))
        out.append(each(lambda x, y: 2 if y < x else 31, a, b))
        out.append(lanes)
        # 9
        x34 = 0x12345678
        x36 = OPS["sub"](x34, ~x34)
        x37 = OPS["mul"](x36, x34)
        x38 = divu(x37, x33)
        x39 = u32(x38 << 3)
        out.append(u32(x39 + (x38 < x37)))
        out.append(x37)
        out.append(5 + 7)  # beq is taken, bltu with x0 is not
        out.append(111)
        out.append(4 + (4 << 8))
        out += [0, 4, 0]
        warps.append(out)
    return {"out": rows(warps, threads)}


def private(threads):
    total, size = 2 * threads, 68
    memory = bytearray(2 * total * size)
    warps = []
    for g in range(2):
        value = [u32(0x9E3779B1 * (t + 1) + 0x01020304 * g) for t in range(total)]
        own = [bytearray(size) for _ in range(total)]
        out = [[] for _ in range(total)]  # by thread

        for t in range(total):
            v, m, put = value[t], own[t], out[t].append
            word = lambda at: int.from_bytes(m[at : at + 4], "little")
            half = lambda at: int.from_bytes(m[at : at + 2], "little")
            m[0:16] = words([v, 2 * v, ~v, -v])
            for at in (0, 4, 8, 12):
                put(word(at))
            m[16:24] = words([v, v])
            m[18:20] = words([~v])[:2]
            m[21] = -v & 0xFF
            m[23] = 2 * v & 0xFF
            put(word(16))
            put(word(20))
            put(sext(half(16), 16))
            put(sext(half(18), 16))
            put(half(18))
            for at in range(20, 24):
                put(sext(m[at], 8))
                put(m[at])
            put(m[20])
            at = 32 + 4 * (t & 7)
            m[at : at + 4] = words([v])
            m[at + (t & 3)] = t
            put(word(at))
            put(sext(m[at + (t & 3)], 8))
            put(half(at + (t & 2)))
            if t & 1:
                m[24:28] = words([~v])
                put(word(24))
            else:
                m[28:32] = words([v])
                put(word(28))
            put(word(24))
            put(word(28))
        for t in range(total):
            other = own[total - 1 - t]
            out[t] += [int.from_bytes(other[4 * k : 4 * k + 4], "little") for k in range(6)]
            out[t] += [value[t] >> 16, value[t]] if g else [0, 0]
        for t in range(total):
            for k in range(size // 4):
                at = g * total * size + 4 * (k * total + t)
                memory[at : at + 4] = own[t][4 * k : 4 * k + 4]
            if g:
                at = (size * total) - 4 * total + 4 * t
                memory[at : at + 4] = words([value[t]])
        for w in range(2):
            warps.append([list(r) for r in zip(*out[w * threads : (w + 1) * threads])])
    return {"out": rows(warps, threads), PDS_BASE: bytes(memory)}


def multi_wg(threads):
    warps, groups = [], 12
    for g in range(groups):
        x, y, z = g % 3, g // 3 % 2, g // 6
        value = []
        for t in range(2 * threads):
            v = t + g
            for _ in range((5 * g % groups + 1) * (t // threads + 1)):
                v = u32(v * 1664525 + 1013904223)
                v ^= v >> 16
            value.append(v)
        for w in range(2):
            ids = range(w * threads, (w + 1) * threads)
            own = [value[t] for t in ids]
            other = [value[(t + threads) % (2 * threads)] for t in ids]
            warps.append(
                [
                    x + (y << 8) + (z << 16) + (w << 24),
                    list(ids),
                    2,
                    0x6B617261,
                    own,
                    other,
                    each(OPS["sub"], other, own),
                    [(2 * g + w) * threads + lane for lane in range(threads)],
                ]
            )
    # The launch convention of the project's loaders: CSR_WGID is the workgroup's number in the grid.
    return {"out": rows(warps, threads), "wgid": words([g for g in range(groups) for _ in range(2)])}


def alu_int(threads):
    bitwise = ["add", "sub", "and", "or", "xor", "sll", "srl", "sra", "minu", "min", "maxu", "max"]
    warps = []
    for w in range(2):
        out = []
        for r in range(4):
            s7 = 4 * r + 16 * w
            s8 = s7 + 9 * r
            a, b = corner(A, s7, threads), corner(B, s8, threads)
            old, mask = corner(A, s7 + 11, threads), corner(C, s7, threads)
            s9 = B[(s8 + 1) & 31]

            def put(name, source):
                result = each(OPS[name], a, source)
                out.extend([result, where(mask, result, old)])

            for name in bitwise:
                put(name, b)
            for name in ["add", "sub", "rsub"] + bitwise[2:]:
                put(name, s9)
            for name in ["add", "rsub", "and", "or", "xor"]:
                for imm in (-16, -1, 0, 15):
                    put(name, imm)
            for name in ["sll", "srl", "sra"]:
                for imm in (0, 1, 17, 31):
                    put(name, imm)
        warps.append(out)
    return {"out": rows(warps, threads)}


def alu_scalar(threads):
    corners = [0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 2, 0xFFFFFFF1, 0x12345678, 0x0000001F, 0xAAAA5555]
    names = "add sub sll slt sltu xor srl sra or and mul mulh mulhsu mulhu div divu rem remu".split()
    out = []
    for w in range(2):
        for first in corners:
            for second in corners:
                a, b = (second, first) if w else (first, second)
                out += [OPS[name](a, b) for name in names]
                out.append(sum(taken(a, b) << k for k, taken in enumerate(BRANCHES.values())))
        for a in corners:
            for name in ["add", "slt", "sltu", "xor", "or", "and"]:
                out += [OPS[name](a, imm) for imm in (-2048, -1, 0, 1, 2047)]
            for name in ["sll", "srl", "sra"]:
                out += [OPS[name](a, imm) for imm in (0, 1, 13, 31)]
        out += [0xFFFFF000, 0x12345000, 0, 0xFFFFF000, 0, 4, 4, 30, 22]
        out += [0x80000000, 0, 0xFFFFFFFF, 77, u32(-3), u32(-1), 0]
    return {"out": words(out)}


def muldiv(threads):
    warps = []
    for w in range(2):
        out = []
        for r in range(8):
            s7 = 4 * r
            s8 = s7 + 7 * w
            a, b, c = corner(A, s7, threads), corner(B, s8, threads), corner(A, s8 + 3, threads)
            mask, s9 = corner(C, s8, threads), B[s8 & 31]
            for name in "mul mulh mulhu mulhsu divu div remu rem".split():
                out += [each(OPS[name], a, b), each(OPS[name], a, s9)]
            for name in "macc nmsac madd nmsub".split():
                out += [each(MAC[name], c, b, a), each(MAC[name], c, s9, a)]
            for name in "mul mulh div divu rem remu".split():
                out.append(where(mask, each(OPS[name], a, b), c))
            for name in "macc nmsub".split():
                out.append(where(mask, each(MAC[name], c, b, a), c))

            def chain(a, b, c):
                x = u32(div(a, b) * c + a)
                y = OPS["mulhu"](rem(x, b), x)
                return divu(y + x * x, s9)

            out.append(each(chain, a, b, c))
            out.append([u32(x * x) for x in a])
            out.append([u32(x * x + x) for x in b])
            out.append([rem(x, x) for x in b])
            more = OPS["mulhu"](s9, s9) + rem(divu(s9, 2048), 2048)
            out.append(each(lambda c, b: u32(div(c, b) + more), c, b))
        warps.append(out)
    return {"out": rows(warps, threads)}


def compare_merge(threads):
    warps = []
    for w in range(2):
        out = []
        for r in range(4):
            s7 = 4 * r + 16 * w
            s8 = s7 + 9 * r
            a, b, old = corner(A, s7, threads), corner(B, s8, threads), corner(A, s7 + 11, threads)
            v0, v6 = corner(C, s7, threads), corner(C, s8 + 5, threads)
            s9 = B[(s8 + 1) & 31]
            bits = [m & 1 for m in v0]

            def put(name, source):
                result = each(OPS[name], a, source)
                out.extend([result, where(v0, result, old)])

            for name in "mseq msne msltu mslt msleu msle".split():
                put(name, b)
            for name in "mseq msne msltu mslt msleu msle msgtu msgt".split():
                put(name, s9)
            for name in "mseq msne msleu msle msgtu msgt".split():
                put(name, 31 if name in ("msleu", "msgtu") else -1)  # the same five bits
                put(name, 2)
            for name in "merge adc madc".split():
                out += [each(WITH_V0[name], a, source, bits) for source in (b, s9, -1)]
            for name in "sbc msbc".split():
                out += [each(WITH_V0[name], a, source, bits) for source in (b, s9)]
            out += [each(WITH_V0["madc"], a, source, 0) for source in (b, s9, 1)]
            out += [each(WITH_V0["msbc"], a, source, 0) for source in (b, s9)]
            for name in "mand mnand mandnot mor mnor mornot mxor mxnor".split():
                out.append(each(OPS[name], a, v6))
            out += [b, s9, u32(-16), s9, s9]
            low = each(lambda a, c: a + c, a, old)  # 33 bits
            high = each(lambda b, a, low: u32(b + a + (low >> 32)), b, a, low)
            out.append(high)
            # subtracting {b, old} again leaves a, both times: no borrow can be lost
            whole = [(h << 32) + u32(l) for h, l in zip(high, low)]
            out.append(each(lambda x, b, c: u32((x - ((b << 32) + c)) >> 32), whole, b, old))
        warps.append(out)
    return {"out": rows(warps, threads)}


def mem_widths(threads):
    table = words(A)
    warps = []
    for w in range(2):
        a, b, mask = (corner(t, 16 * w, threads) for t in (A, B, C))
        lanes = range(threads)
        area = bytearray(4096)
        out = []

        def get(memory, at, size, signed=False):
            value = int.from_bytes(memory[at : at + size], "little")
            return sext(value, 8 * size) if signed else value

        def put(at, size, value):
            area[at : at + size] = words([value])[:size]

        own = lambda base=0: [get(area, base + 4 * i, 4) for i in lanes]
        on = [m & 1 for m in mask]
        # 1
        place = [4 * ((7 * i + w) & 31) for i in lanes]
        load = lambda at, size, signed: [get(table, p + at, size, signed) for p in place]
        out.append(load(0, 4, False))
        for at in range(4):
            out += [load(at, 1, True), load(at, 1, False)]
        for at in (0, 2):
            out += [load(at, 2, True), load(at, 2, False)]
        out += [load(0, 4, False), load(2, 2, False), load(0, 1, False)]
        for i in lanes:
            put(4 * i, 4, a[i])
            put(4 * i + 1, 1, b[i])
        out.append(own())
        for i in lanes:
            put(4 * i + 2, 2, b[i])
        out.append(own())
        for i in lanes:
            put(4 * i, 1, i)
            put(4 * i + 3, 1, i)
        out.append(own())
        for i in lanes:
            put(4 * i, 4, b[i])
            put(4 * i + 2, 2, a[i])
        out.append(own())
        for i in lanes:
            put(2048 + 4 * i, 1, a[i])
        out.append(own(2048))
        # 2
        out.append(A[:threads])
        out.append(where(mask, a, b))
        out.append(where(mask, b, a))
        # 3
        double = lambda: [get(area, 512 + 8 * i, 4) for i in lanes]
        for i in lanes:
            put(512 + 8 * i, 4, a[i])
        out.append(a)
        out.append(own(512))
        out.append(a[::-1])
        for i in lanes:
            if on[i]:
                put(512 + 8 * (threads - 1 - i), 4, b[i])
        out.append(double())
        out.append(A[3])
        out.append(where(mask, [A[3]] * threads, b))
        out.append(A[:threads])
        # 4
        out.append(A[:threads][::-1])
        for i in lanes:
            put(1024 + 4 * (threads - 1 - i), 4, a[i])
        out.append(own(1024))
        for i in lanes:
            if on[i]:
                put(1024 + 4 * (threads - 1 - i), 4, b[i])
        out.append(own(1024))
        out.append(where(mask, own(1024)[::-1], list(lanes)))
        out.append(own(1024)[::-1])
        # 5
        value = [A[i] + (i & 1) for i in lanes]
        out.append(value)
        out.append(value)
        out.append([value[threads - 1 - i] if (threads - 1 - i) % 2 == 0 else 0 for i in lanes])
        out.append([value[i] if i & 1 else 0 for i in lanes])
        # 6
        first = [int(i < 3) for i in lanes]
        out.append(where(first, A[:threads], [5] * threads))
        out.append(where(first, A[:threads][::-1], [6] * threads))
        out.append(where(first, load(0, 4, False), [7] * threads))
        stored = [u32(a[i] & ~0xFF00 | i << 8) if i < 3 else b[i] for i in lanes]
        out += [stored, stored, stored]
        for i in lanes:
            put(1664 + 4 * i, 4, stored[i])
        # 7
        at = 1792
        put(at, 4, A[19] ^ (M32 if w else 0))
        t2 = u32(get(area, at, 1, True) - get(area, at + 1, 1))
        t2 = u32((t2 << 4) + get(area, at + 2, 1, True))
        t2 = u32(t2 << 4) ^ get(area, at + 3, 1)
        out.append(t2)
        t2 = u32(get(area, at, 2, True) << 8) ^ get(area, at + 2, 2)
        t2 = u32(t2 + get(area, at, 2) + get(area, at + 2, 2, True))
        out.append(t2)
        put(at + 1, 1, t2)
        out.append(get(area, at, 4))
        put(at + 2, 2, t2)
        t3 = get(area, at, 4)
        out.append(t3)
        put(at, 1, t3)
        put(at, 1, t2)
        put(at - 4, 1, t2)
        out.append(u32((get(area, at - 4, 4) << 8) + get(area, at, 4)))
        warps.append(out)
    return {"out": rows(warps, threads)}


def vadd12(threads):
    warps = []
    for w in range(2):
        a, mask = corner(A, 16 * w, threads), corner(C, 16 * w, threads)
        out = []
        for imm in (0, 1, 15, 16, 31, 32, 2047, 2048, 4095):
            out += [each(OPS["add"], a, imm), each(OPS["sub"], a, imm)]
        out.append(each(OPS["add"], a, 3 * (4095 - 2048)))
        out.append(each(OPS["add"], a, 1000))
        out.append([u32(x - 3000 if lane & 1 else x + 3000) for lane, x in enumerate(a)])
        out.append([u32(x + 2222) if lane < 2 else u32(-2) for lane, x in enumerate(a)])
        warps.append(out)
    return {"out": rows(warps, threads)}


def csr_ops(threads):
    warps = []
    for w in range(2):
        out = []
        x = 0x12345678 + w
        out += [x, x]
        x |= 0x0F0F0F0F
        out += [x, x]
        x &= ~0x00FF00FF
        out.append(x)
        x |= 31
        out.append(x)
        x &= ~21
        out += [x, 17]
        out += [10, 20, 10]
        out += [0xA5A5A5A5, 0xA5A5A5A5 | 10, 0, 0x80000104]
        # fcsr
        out += [5, 5, 5, 0x45, 0x05, 0x5D, 0x4C, 0xFF, 7, 31, 0]
        # vcsr
        out += [1, 2, 6, 0]
        out += [threads, 0x10, 4 * threads, threads]
        out += [w * threads, 2, threads, 0xFEEDFACE, w, LDS_BASE, PDS_BASE, 0, 0, 0, 0]
        rpc = 0x80000ABC
        out += [0, rpc - 4, rpc - 4, rpc, rpc | 3, (rpc | 3) & ~0xFF, 2047]
        warps.append(out)
    return {"out": rows(warps, threads)}


def vsetvl(threads):
    out = []
    vl = lambda avl: min(avl, threads)
    added = [0] * threads
    bit = 1
    for avl in (0, 1, 3, 31):
        for lane in range(vl(avl)):
            added[lane] += bit
        bit <<= 1
        out += [vl(avl), 0]
    for _ in range(3):
        added = [x + bit for x in added]
        bit <<= 1
        out.append(threads)
    out.append(added)
    out += [2, 2, 0xD0, threads, 0x10]
    out += [threads, threads]
    out += [vl(31), vl(31)]
    out += [3, 0x90]
    out += [0, 0x80000000, 0]
    out += [0, 0x80000000]
    out += [0, 0x80000000, 0, 4 * threads]
    out.append([7 if lane == 1 else 0 for lane in range(threads)])
    out.append([(1, 2, 1, 2)[lane] if lane < 4 else 0 for lane in range(threads)])
    out.append(77)
    return {"out": rows([out], threads)}


def hazards(threads):
    warps = []
    s8 = 0x10DCD
    for w in range(4):
        v1 = [w * threads + lane + 3 for lane in range(threads)]
        s9 = 12345
        out = []
        for r in range(5):
            v3 = each(lambda x: u32(x * s8 + x), v1)
            v6 = each(lambda x, y: u32(remu(x, y) + x), v3, v1)
            out += [v6, each(OPS["add"], v1, 5), 9, each(OPS["mul"], v1, v1)]
            out.append(each(OPS["add"], v3, 3 + (s8 % 77) ** 2))
            v13 = each(lambda x, y: u32(div(x, y) + x + 1), v3, v1)
            out += [v13, each(OPS["mul"], v3, 4)]
            v17 = each(lambda x, y: u32(x + 1) if y & 1 else u32(divu(x, y) * y), v13, v1)
            out.append(v17)
            v18 = each(lambda x, y: y if x < y else x, v13, v17)
            v0 = each(remu, v18, v1)
            v18 = where(v0, each(OPS["add"], v18, 2), v18)
            out += [v18, v0]
            v20 = each(lambda x, y, word: u32((word if remu(x, y) & 1 else div(x, y)) + x), v18, v1, v3)
            out.append(v20)
            t3 = u32((s9 + 1) ** 2)
            v22 = u32((s9 + s9 + 1) * t3)
            s9 = divu(t3, r)
            t4 = int(s9 < t3)
            v23 = u32(s9 + t4 + 1)
            out += [u32(v22 + t4), v23]
            out.append([u32(v23 + (lane == 1)) for lane in range(threads)])
            v25 = each(lambda x, y: u32(divu(x, y) * y + 100 - (y + 1)), v18, v1)
            out.append(v25)
            if u32(v23 + 1) & 1:
                v25 = each(OPS["add"], v25, 7)
            v26 = each(OPS["xor"], v25, v6)
            out.append(v26)
            v1 = each(OPS["or"], v26, 2)
            s9 = (s9 | 1) & 0xFFFF
        warps.append(out)
    return {"out": rows(warps, threads)}


def loop_alu(threads):
    def thread(t):
        v1, v2, memory = t + 1, 0, [0, 0]
        for trip in range(64, 0, -1):
            for k in range(2):
                v1 = u32(v1 + memory[k])
                v2 = u32(v2 - ((v1 ^ trip) << 5))
                v1 = u32((v1 | v2 >> 7) + 0x01000193)
                memory[k] = v1
        return v1 ^ v2

    return {"out": rows([[[thread(w * threads + lane) for lane in range(threads)]] for w in range(4)], threads)}


def loop_mem(threads):
    def thread():
        a, mixed, total = 0, 0, 0
        for trip in range(64, 0, -1):
            b = u32(a + trip)
            mixed, total, a = mixed ^ b, total + trip, u32(2 * b)
        return mixed, total

    mixed, total = thread()
    return {"out": rows([[[mixed] * threads, [total] * threads]] * 4, threads)}


def loop_fp(threads):
    one, half, scale = 0x3F800000, 0x3F000000, 0x3F7FEC00

    def thread(t):
        v1, v3, v5 = f32.from_u32(t + 1, f32.RNE)[0], 0, 0
        for _ in range(64):
            v1 = f32.fma(scale, v1, one, f32.RNE)[0]
            v2 = f32.mul(v1, v1, f32.RNE)[0]
            v3 = f32.add(f32.mul(v3, half, f32.RNE)[0], v2, f32.RNE)[0]
            v4 = min(v3, v2)  # none is negative: their bits are in the order of their values
            v2 = f32.sub(v2, v4, f32.RNE)[0]
            v5 = f32.sub(v3, v2, f32.RNE)[0]
        return v3, v5

    values = [[thread(w * threads + lane) for lane in range(threads)] for w in range(4)]
    return {"out": rows([[[v[row] for v in warp] for row in range(2)] for warp in values], threads)}


def exit_pending(threads):
    """Registers set first of all keep that, and LDS reads 0, whatever the slot's last owner still had pending."""
    lanes = range(threads)
    return {"out": rows([[5, u32(-7), 0, [w * threads + lane for lane in lanes]] for _ in range(12) for w in range(2)], threads)}


def few_threads(threads):
    """Three threads a warp on every device; threads only shows in vl."""
    warps, memory = [], bytearray(5 * 9 * 64)
    for g in range(5):
        group = [t + 256 * g for t in range(9)]
        for t in range(9):
            own = bytearray(64)
            own[0:4] = words([group[t]])
            own[4 + 4 * (t % 3) : 8 + 4 * (t % 3)] = words([~group[t]])
            own[41] = t
            for k in range(16):
                at = 4 * ((g * 16 + k) * 9 + t)
                memory[at : at + 4] = own[4 * k : 4 * k + 4]
        for w in range(3):
            ids = [3 * w, 3 * w + 1, 3 * w + 2]
            mine = [group[t] for t in ids]
            out = [3, 3 * w, ids, threads, mine, [u32(~v) for v in mine], ids, [group[(t + 4) % 9] for t in ids]]
            out += [mine[::-1], 0, [3, 3, 15], 2 * threads, [0, 1, 2], [threads, threads + 1, threads + 2], [6, 6, 1], 2]
            warps.append(out)
    return {"out": rows(warps, 3), PDS_BASE: bytes(memory)}


def few_regs(threads):
    """Fields that are no registers, with numbers beyond the warp's last one."""
    warps = []
    for w in range(2 * 3):
        shifted = u32((w + 31) << 27)
        warps.append([w + 31, shifted, u32((shifted >> 24) - (256 if shifted >> 31 else 0)), u32(w ^ -5), 0xFFFFF000, 29, u32(-5), w + 31, w + 31])
    return {"out": rows(warps, threads)}


def lds_full(threads):
    """Twenty pages of local memory a workgroup: the last page's word, the sum and the xor of all."""
    warps = []
    for g in range(24):
        words_of = [[256 * g + lane + page for page in range(20)] for lane in range(threads)]
        warps.append([[w[-1] for w in words_of], [sum(w) for w in words_of], [functools.reduce(operator.xor, w) for w in words_of]])
    return {"out": rows(warps, threads)}


def reg_alloc(threads):
    warps = []
    lanes = range(threads)
    for w in range(20 * 2):
        base = (w + 1) << 10
        work = [lane + base for lane in lanes]
        for _ in range((((w // 2) & 3) + 4 * (w & 1)) * 4 + 1):
            work = [u32(v + 3 * (v // 3)) for v in work]
        out = [work, [2 * (lane + base) + 32 + 164 for lane in lanes], 163 - 33, 2 * base + 44 + 32, u32(33 - 43)]
        out.append([lane + base + 160 + 3 * lane for lane in lanes])
        out.append([2 * (lane + base) + 127 + 128 if (lane + (w & 1)) & 1 else 0 for lane in lanes])
        out.append([u32((lane + base + 164) // 3 - (2 * (lane + base) + 40 + 164)) for lane in lanes])
        out += [base + 2 * 43 - 42, [lane + base + 32 for lane in lanes], [lane + base + 33 for lane in lanes], base + 43]
        warps.append(out)
    return {"out": rows(warps, threads)}


def lds_banks(threads):
    warps = []
    lanes = range(threads)
    for w in range(22 * 2):
        value = [lane + threads * w for lane in lanes]
        out = [0]
        out += [[value[lane ^ 3] + n for lane in lanes] for n in range(1, 10)]
        value = [v + 9 for v in value]
        out.append(value[-1])
        value = [v + 7 for v in value]
        out.append([value[threads - 2 + (lane & 1)] for lane in lanes])
        out.append([value[lane | 1] for lane in lanes])
        out.append([v & 0xFF for v in value])
        packed = [sum((value[4 * k + i] & 0xFF) << 8 * i for i in range(4)) for k in range(threads // 4)]
        out.append(packed + [0] * (threads - threads // 4))
        out.append([v & 0xFFFF for v in value])
        value = [v + 1 for v in value]
        out.append(value[:2] + [value[-1]] * (threads - 2))
        out += [2 * w + 40, 0]
        warps.append(out)
    return {"out": rows(warps, threads)}


def undefined_regs(threads):
    """Results that do not depend on what the registers hold."""
    lanes = list(range(threads))
    out = [0, 0, 0, 0, lanes, 0, 7, lanes, 0, [1234] + [0] * (threads - 1), 0, 0]
    return {"out": rows([out] * 8, threads)}


def relaunch(threads):
    """The state at launch, in every warp of every workgroup, and LDS that reads 0."""
    warps = []
    for _ in range(24):
        for w in range(2):
            stored = [~(w * threads + lane) for lane in range(threads)]
            warps.append([threads, 0x10] + [0] * 7 + [1, 0, 0, [u32(2 * v) for v in stored]])
    return {"out": rows(warps, threads)}


def lds_turnover(threads):
    return {"out": b"".join((16 * group if group & 3 else 0).to_bytes(4, "little") for group in range(128))}


def mem_spread(threads):
    warps = []
    lanes = list(range(threads))
    for w in range(2):
        value = [u32(0x01010101 * (w * threads + lane) + 0x123) for lane in lanes]
        out = [value, [u32(~v) for v in value], [u32(v + 7) for v in value], [u32(2 * v) for v in value]]
        out.append(u32(value[1] + 7))
        out.append(lanes)
        out.append([value[threads - 4 + (lane & 3)] for lane in lanes])
        for _ in range(2):
            out.append(value[-1])
            pairs = [value[lane | 1] for lane in lanes]
            # The first words hold the pairs now; all lanes' bytes go to byte 1 of the first.
            out.append(pairs)
            out.append(u32(pairs[0] & ~0xFF00 | (threads - 1) << 8))
            out.append(value[threads - 2])
        out += [value, value[::-1], value[-1]]
        out += [value[::-1], value, value[::-1]]
        out.append(value)
        mixed = [u32(value[lane] & 0xFFFFFF | lane << 24) for lane in lanes]
        out.append([m >> 16 for m in mixed])
        mixed = [u32(m + 5) for m in mixed]
        out.append(mixed)
        out.append([mixed[lane] if lane & 1 else 0 for lane in lanes])
        out.append([0 if lane & 1 else mixed[lane] for lane in lanes])
        out.append(lanes)
        warps.append(out)
    return {"out": rows(warps, threads)}


def warp_order(threads):
    warps = []
    for w in range(4):
        scalar, vector = 0, [0] * threads
        seen = 0  # what the round before stored in the scalar words
        seen_v = [0] * threads
        for count in range(20, 0, -1):
            scalar = u32(3 * scalar + 2 * seen)
            vector = each(lambda acc, old: u32(3 * acc + old), vector, seen_v)
            seen, seen_v = count, [lane + count for lane in range(threads)]
        out = [scalar, vector, vector]
        a = [u32(w * threads + lane + 0x7FFF1234) for lane in range(threads)]
        b = [lane + 3 for lane in range(threads)]
        for _ in range(4):
            out.append(each(lambda x, y: u32(x // y + 1), a, b))
            out.append(each(lambda x, y: u32((2 * x + 300) * (300 - x)), a, b))
        quotient, other = 0x7FFF1234 // 3, 0x7FFF1234 + 100
        out += [u32(quotient + other), u32(quotient - other)]
        warps.append(out)
    return {"out": rows(warps, threads)}


def barrier_store(threads):
    total = 4 * threads
    warps = [[] for _ in range(4)]
    acc = [0] * total
    for r in range(24):
        value = [u32(0x01020304 * t + 0x9E3779B1 * (r + 1)) for t in range(total)]
        for t in range(total):
            one, two, three = (value[(t + k * threads) % total] for k in (1, 2, 3))
            for word in (one + 5, two + 5, three + 5, one + 9, two + 9, three + 9, ~one, two):
                acc[t] = u32(3 * acc[t] + word)
        for w in range(4):
            warps[w].append(acc[w * threads : (w + 1) * threads])
    loaded = [0] * 4
    for r in range(40, 0, -1):
        for w in range(4):
            loaded[w] = u32(3 * loaded[w] + (0 if w == r & 3 or r == 40 else r + 1))
    for w in range(4):
        warps[w].append(loaded[w])
    return {"out": rows(warps, threads)}


def printing(threads):  # CSR_PRINT and the first byte are cleared, the others are not
    warps = []
    for text in (b"warp 0 says hello\n", b"exactly twenty-four char"):
        warps.append([0, 0, text[1], struct.unpack_from("<I", text, 4)[0]])
    return {"out": rows(warps, threads)}


def print_text(warp, threads):
    """The contents of the buffer of print_stores when a warp writes CSR_PRINT, and the text that the host takes."""
    text = bytearray(10 if i % 64 == 63 else 97 + (i + 5 * warp) % 26 for i in range(320))
    last = 66 + 2 * warp
    text[200:202] = bytes((last, last))
    text[259] |= last
    text[128 : 128 + threads] = bytes([last - 1] * threads)
    return text, bytes(text[: 301 if warp else 320])


def print_stores(threads):
    texts = [print_text(warp, threads)[0] for warp in range(2)]
    return {"out": rows([[0, 0, t[128], t[200] | t[201] << 8, t[259]] for t in texts], threads)}


def roundoff(value, dropped, vxrm):
    """value without its lowest bits, rounded (V 1.0, 3.8: rnu, rne, rdn, rod)."""
    if not dropped:
        return value
    half, below = value >> (dropped - 1) & 1, value & ((1 << (dropped - 1)) - 1)
    kept = value >> dropped
    return kept + (half, half and int(bool(below) or kept & 1), 0, int(not kept & 1 and bool(half or below)))[vxrm]


def saturate(value, low, high):
    """(result, whether it saturated)"""
    return u32(min(max(value, low), high)), int(not low <= value <= high)


I32 = (-(1 << 31), (1 << 31) - 1)
FIXED = {  # vs2, vs1 (or rs1 or immediate), vxrm: (result, saturated)
    "saddu": lambda a, b, r: saturate(u32(a) + u32(b), 0, M32),
    "sadd": lambda a, b, r: saturate(s32(a) + s32(b), *I32),
    "ssubu": lambda a, b, r: saturate(u32(a) - u32(b), 0, M32),
    "ssub": lambda a, b, r: saturate(s32(a) - s32(b), *I32),
    "aaddu": lambda a, b, r: (u32(roundoff(u32(a) + u32(b), 1, r)), 0),
    "aadd": lambda a, b, r: (u32(roundoff(s32(a) + s32(b), 1, r)), 0),
    "asubu": lambda a, b, r: (u32(roundoff(u32(a) - u32(b), 1, r)), 0),
    "asub": lambda a, b, r: (u32(roundoff(s32(a) - s32(b), 1, r)), 0),
    "smul": lambda a, b, r: saturate(roundoff(s32(a) * s32(b), 31, r), *I32),
    "ssrl": lambda a, b, r: (u32(roundoff(u32(a), b & 31, r)), 0),
    "ssra": lambda a, b, r: (u32(roundoff(s32(a), b & 31, r)), 0),
}


def fixed_point(threads):
    warps = []
    for w in range(2):
        out = []
        for n in range(8):
            s7 = 4 * n
            s8 = 7 * w + s7 + 1
            r = n & 3
            a, b, old = corner(A, s7, threads), corner(B, s8, threads), corner(A, s8 + 3, threads)
            v0 = corner(C, s8, threads)
            s9 = B[s8 & 31]
            s10 = 0
            for name in FIXED:
                sources = [b, s9]
                if name in ("saddu", "sadd"):
                    sources.append(-3)
                if name in ("ssrl", "ssra"):
                    sources.append(5)
                for source in sources:
                    both = each(lambda x, y: FIXED[name](x, y, r), a, source)
                    result = [x for x, _ in both]
                    out += [result, where(v0, result, old)]
                    s10 = u32(3 * s10 + int(any(sat for _, sat in both)))
                    s10 = u32(3 * s10 + (r << 1 | int(any(sat and m & 1 for (_, sat), m in zip(both, v0)))))
            out += [each(lambda x: FIXED["ssra"](x, 31, r)[0], a), s10, r]
        out += [0, 0, 1, 0x7FFFFFFF, 0]
        factor = [u32(0x11345677 * (lane + 1)) for lane in range(threads)]
        out += [each(lambda x: FIXED["smul"](x, x ^ 9, 2 * w)[0], factor)] * 2 + [96]
        warps.append(out)
    return {"out": rows(warps, threads)}


def mem_elements(threads):
    table = words(A + B + C)
    warps = []
    for w in range(2):
        a, b, mask = (corner(t, 16 * w, threads) for t in (A, B, C))
        lanes = list(range(threads))
        area = bytearray(2048 + 128)
        out = []
        get = lambda memory, at, size: int.from_bytes(memory[at : at + size], "little")
        load = lambda size, place: [get(table, place(i), size) for i in lanes]
        masked = lambda value: out.append(where(mask, value, b))

        def store(size, values, place, on=None):
            for i in lanes:
                if on is None or on[i] & 1:
                    area[place(i) : place(i) + size] = words([values[i]])[:size]

        put = lambda at: out.append([get(area, at + 4 * i, 4) for i in lanes])
        word = lambda base: lambda i: base + 4 * i
        # 1
        out.append(load(1, lambda i: 75 + w + i))
        out.append(load(2, lambda i: 50 + 2 * w + 2 * i))
        masked(load(1, lambda i: i))
        masked(load(2, lambda i: 50 + 2 * w + 2 * i))
        # 2
        out.append(load(1, lambda i: 3 * i))
        out.append(load(2, lambda i: 196 - 6 * i))
        out.append(table[11])
        masked(load(1, lambda i: 160 - 5 * i))
        masked(load(2, lambda i: 10 * i))
        # 3
        store(4, a, word(0))
        store(1, b, lambda i: i)
        put(0)
        store(4, a, word(128))
        store(2, b, lambda i: 130 + 2 * i)
        put(128)
        store(4, a, word(256))
        store(1, b, lambda i: 257 + 5 * i)
        put(256)
        put(384)
        store(4, a, word(512))
        store(2, b, lambda i: 512 + 2 * (threads - 1 - i), mask)
        put(512)
        store(1, b, lambda i: 512 + i, mask)
        put(512)
        store(2, a, lambda i: 512 + 2 * i, mask)
        put(512)
        # 4
        picked = load(4, lambda i: 4 * ((7 * i + w) & 63))
        for _ in range(3):
            out.append(picked)
            masked(picked)
        # 5
        back = lambda base: lambda i: base + 4 * (threads - 1 - i)
        store(4, a, back(1152))
        put(1152)
        store(4, b, back(1152), mask)
        put(1152)
        store(4, b, back(1024))
        put(1024)
        store(4, a, back(1024), mask)
        put(1024)
        store(4, a, back(1024))
        put(1024)
        out.append(b[-1])
        out.append(max((i, a[i]) for i in lanes if mask[i] & 1)[1])
        # 6
        out.append([get(table, 2 * i, 2) if i < 3 else 5 for i in lanes])
        out.append([picked[i] if i < 3 else 6 for i in lanes])
        store(4, a, word(1536))
        store(1, b, lambda i: 1536 + i, [i < 3 for i in lanes])
        put(1536)
        # 7
        store(4, a, word(1664))
        store(2, b, lambda i: 1670 + 2 * i)
        out.append([area[1670 + i] for i in lanes])
        warps.append(out)
    return {"out": rows(warps, threads)}


def lmul2(threads):
    n = 2 * threads
    table = words(A + B + C)
    warps = []
    for w in range(2):
        group = lambda first, second: corner(first[0], 16 * w + first[1], threads) + corner(
            second[0], 16 * w + second[1], threads
        )
        a, b, old = group((A, 0), (A, 11)), group((B, 0), (B, 11)), group((A, 5), (B, 3))
        mask = group((C, 0), (C, 11))
        bits = [m & 1 for m in mask]
        s9 = B[(16 * w + 8) & 31]
        out = []

        def put(values):
            values = [values] * n if isinstance(values, int) else values
            out.extend([values[:threads], values[threads:]])

        op = lambda name, x, y: each(OPS[name], x, y)
        masked = lambda value: put(where(mask, value, old))
        # 1
        for more in (-1, 0, 1):
            vl = min(n + more, n)
            out.extend([vl, vl, 0xD1])
        out.extend([min(31, n), n, threads, threads, 0x51, 0, 0])
        # 2
        put(op("add", a, b))
        put(op("sub", a, s9))
        put(op("rsub", a, -7))
        masked(op("add", a, b))
        masked(op("sra", a, 3))
        put(op("mul", a, b))
        masked(op("mulh", a, s9))
        put(op("divu", a, b))
        masked(op("rem", a, s9))
        put(each(MAC["macc"], old, a, b))
        masked(each(MAC["nmsub"], old, a, b))
        put(op("mslt", a, b))
        masked(op("msleu", a, s9))
        put(each(WITH_V0["merge"], a, b, bits))
        put(each(WITH_V0["adc"], a, s9, bits))
        put(each(WITH_V0["madc"], a, b, bits))
        put(op("mxnor", a, b))
        put(s9)
        put(s9)
        put(each(lambda x, y: FIXED["sadd"](x, y, 1)[0], a, b))
        masked(each(lambda x, y: FIXED["ssra"](x, y, 1)[0], a, b))
        put(list(range(n)))
        masked(list(range(n)))
        out.extend([1, 1, s9])
        # 3
        for vl in (1, threads - 1, threads, threads + 1, n - 1):
            value = op("add", a, b)
            value = where(mask, op("mul", value, b), value)
            put([value[i] if i < vl else old[i] for i in range(n)])
        # 4
        area = bytearray(2048)
        get = lambda memory, at, size: int.from_bytes(memory[at : at + size], "little")
        back = lambda at: put([get(area, at + 4 * i, 4) for i in range(n)])

        def store(size, values, place, on=[1] * 64):
            for i in range(n):
                if on[i]:
                    area[place(i) : place(i) + size] = words([values[i]])[:size]

        put([get(table, 4 * i, 4) for i in range(n)])
        store(4, a, lambda i: 4 * i)
        put([area[i] for i in range(n)])
        store(1, b, lambda i: 1 + i)
        back(0)
        store(2, b, lambda i: 2 + 2 * i, bits)
        back(0)
        held = [get(area, 4 * i, 4) for i in range(n)]
        put(held[::-1])
        masked([get(table, 6 * i, 2) for i in range(n)])
        store(4, a, lambda i: 1024 + 8 * i)
        back(1024)
        out.append(b[-1])
        put(held[::-1])
        store(4, a, lambda i: 512 + 4 * (n - 1 - i))
        back(512)
        store(4, b, lambda i: 512 + 4 * (n - 1 - i), bits)
        back(512)
        out.append(a[-1])
        put(held[::-1])
        put([get(words(b), 2 * i, 2) for i in range(n)])
        # 5
        odd = [i % threads & 1 for i in range(n)]
        put([(u32(y - z) if m else x) if o else u32(y + z) for x, y, z, m, o in zip(old, a, b, bits, odd)])
        put([(z if m else x) if o else y for x, y, z, m, o in zip(old, a, b, bits, odd)])
        # 6
        put(op("add", a, a))
        out.extend([[u32(v + 1) for v in held[threads:]], [u32(v + 2) for v in held[:threads]]])
        mask = op("mul", a, b)
        masked(op("add", a, b))
        value = held
        for _ in range(3):
            value = op("add", op("mul", value, b), a)
        put(value)
        # 7
        total = op("add", a, b)
        masked(op("add", op("sub", total, old), total))
        warps.append(out)
    return {"out": rows(warps, threads)}


def regpair(threads):
    table = words(A + B + C)
    total, size = 2 * threads, 64
    private = bytearray(total * size)
    warps = []
    for w in range(2):
        lanes = range(threads)
        pick = lambda t, shift: corner(t, 16 * w + shift, threads)
        v4, v5, v24, v25, v0, v1 = pick(B, 0), pick(A, 9), pick(A, 3), pick(B, 5), pick(C, 0), pick(C, 7)
        area = bytearray(4096)
        out = []

        def get(at, size=4, memory=area):
            return int.from_bytes(memory[at : at + size], "little")

        def put(at, size, value, memory=area):
            memory[at : at + size] = words([value])[:size]

        def store(place, low, high, on=None, memory=area):
            """Each lane its low word, then its high one."""
            for i in lanes:
                if on is None or on[i] & 1:
                    put(place(i), 4, low[i], memory)
                    put(place(i) + 4, 4, high[i], memory)

        def back(at, memory=area):
            out.extend([[get(at + 4 * (i + k), 4, memory) for i in lanes] for k in (0, threads)])

        def load(place, memory=area):
            out.extend([[get(place(i) + k, 4, memory) for i in lanes] for k in (0, 4)])

        # 1
        low, high = 0x11223344 + w, 0x55667788
        for at, value in ((8, low), (12, high), (16, high), (24, low), (28, high)):
            put(at, 4, value)
        put(33, 1, low)
        put(34, 2, high)
        out.append([get(4 * i) for i in lanes])
        out.append([get(20 + 4 * i) for i in lanes])
        out += [low, high, low, low, sext(low, 16), 6, low, high, high, high, 0]
        put(40, 8, 0)
        put(44, 4, high)
        out += [low, high]
        # 2
        apart = lambda i: 256 + 8 * i
        store(apart, v4, v5)
        back(256)
        load(apart)
        load(lambda i: apart(i) - 4)
        out += [v24, v5]
        out += [[x >> 16 for x in v4], v5]
        out += [v4, v5]
        for i in lanes:
            put(257 + 8 * i, 1, v5[i])
            put(260 + 8 * i, 4, v5[i])
        back(256)
        store(lambda i: 768 + 4 * i, v4, v5)
        back(768)
        store(lambda i: 1280 + 4 * (threads - 1 - i), v4, v5)
        back(1280)
        any_place = lambda i: 1792 + 4 * ((i * i + 2 * i) + (i * i + 2 * i >> 2) & 7)
        for i in lanes:
            put(any_place(i) + 4, 4, v5[i])
        store(any_place, v4, v5)
        back(1792)
        load(any_place)
        store(lambda i: 2304 + 4 * (threads * (i & 1) + (i >> 1)), v4, v5)
        back(2304)
        # 3
        for at, values in ((8, v4), (12, v5), (24, v24), (28, v25), (32, v5)):
            for i in lanes:
                put(at * total + 4 * (w * threads + i), 4, values[i], private)
        out += [v4, v5, v24, v25, v5, 0]
        out += [v24, v25]
        # 4
        store(apart, v4, v5)
        back(256)
        out += [where(v0, v4, v24), where(v0, v5, v25)]
        out += [v24, [get(256 + 4 * i) for i in lanes]]
        out += [[get(256 + i, 1) for i in lanes], v25]
        load(lambda i: 12 * i, table)
        out += [v4[::-1], v5[::-1]]
        store(lambda i: 768 + 4 * i, v24, v25, v0)
        back(768)
        out += [v4[::-1], v5[::-1]]
        store(lambda i: 1280 + 8 * i, v4, v5)
        back(1280)
        out += [v4[::-1], v5[::-1]]
        out += [where(v0, v4, v0), where(v0, v5, v1)]
        out += [v4, v5]
        only = [int(i == 2) for i in lanes]
        out += [where(only, [v4[0]] * threads, v24), where(only, [v5[0]] * threads, v25)]
        out += [[get(256 + i + k, 1) for i in lanes] for k in (0, threads)]
        for i, value in enumerate(v4 + v5):
            put(256 + 2 * i, 2, value)
        back(256)
        # 5
        out.append(u32(high - low))
        v68, v69 = [u32(x + 3) for x in v4], [u32(x + 4) for x in v5]
        store(apart, v68, v69)
        out.append([u32(y - x) for x, y in zip(v68, v69)])
        # 6
        load(apart)
        quotient = each(divu, v24, v25)
        store(apart, v4, quotient)
        back(256)
        out.append([u32(x + 1) for x in quotient])
        out += [0x7FFFFFFF, u32(0x7FFFFFFF + 0x7FFFFFFF // 3)]
        # 7
        lds = bytearray(512)
        store(lambda i: 8 * i, v24, v25, memory=lds)
        out.append(u32(v24[1] - v25[1]))
        odd = [i & 1 for i in lanes]
        even = [1 - o for o in odd]
        # v6 and v7 are what section 6 loaded
        out += [where(odd, [get(4 * i + 4, 4, table) for i in lanes], v4)]
        out += [where(odd, [get(4 * i + 8, 4, table) for i in lanes], quotient)]
        store(lambda i: 4 * i, v4, quotient, even, lds)
        back(0, lds)
        warps.append(out)
    return {"out": rows(warps, threads), PDS_BASE: bytes(private)}


AMO = {  # what memory holds, the operand
    "swap": lambda a, b: b,
    "add": OPS["add"],
    "xor": OPS["xor"],
    "and": OPS["and"],
    "or": OPS["or"],
    "min": OPS["min"],
    "max": OPS["max"],
    "minu": OPS["minu"],
    "maxu": OPS["maxu"],
}


def atomics(threads):
    warps = []
    for warp in range(12):
        w = warp & 3
        out = [1]
        # 1
        for op in list(AMO) * 2:
            s10 = 0
            for k in range(0, 33, 3):
                operand, old = B[k & 31], A[(k + w) & 31]
                s10 = u32(9 * s10 + 3 * old + AMO[op](old, operand))
            out.append(s10)
        # 2
        out += [80, 120, 126 + 120, 120, 126 + 120] * 2
        # 3: what the SCs answer, then the words
        failed = int("".join(map(str, [1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1])), 2)
        out += [failed, 7, 105 & 0xFF | 7 << 8, 100] * 2
        out.append(15)
        # 4
        value = [50 & ~0xFF0000 | 51 << 16, 50, 54, 51][w]
        out += [1, value]
        out += [[0, 70], [0, 70], [1, value], [1, value]][w]
        out += [[0, 80], [0, 80], [1, 71], [1, 71]][w]
        out.append(sum(range(5, 5 + w)))
        out += out[-7:]
        warps.append(out)
    return {"out": rows(warps, threads)}


FP_ROUNDS = 20


class FpRound:
    """A round of the floating-point programs (programs/fp.inc): its operands, rows and flags."""

    def __init__(self, warp, number, threads):
        self.warp, self.number = warp, number
        self.place, self.rm = 4 * (number // 5) + 16 * warp, number % 5
        self.other_place = self.place + self.rm + 5
        pick = lambda table, place: corner(table, place, threads)
        self.a, self.b, self.c = (pick(t, self.place) for t in (FA, FB, FC))
        self.other, self.mask = pick(FB, self.other_place), pick(C, self.other_place)
        self.a6, self.s9 = FB[self.place & 31], FB[self.other_place + 1 & 31]
        self.old = self.c
        self.threads, self.s10, self.out = threads, 0, []

    def one(self, function, operands, on):
        """function in the lanes that are on, on top of old; its flags into s10."""
        results = each(function, self.old, *operands)
        self.s10 = u32(33 * self.s10 + flags_of(r for r, m in zip(results, on) if m & 1))
        self.out.append([r[0] if m & 1 else o for r, m, o in zip(results, on, self.old)])

    def each(self, function, first, second, other):
        """EACH: function of the old value and two operands."""
        self.one(function, (first, second), [1] * self.threads)
        self.one(function, (first, other), self.mask)

    def each1(self, function, first, other):
        """EACH1: function of one operand."""
        self.one(lambda old, x: function(x), (first,), [1] * self.threads)
        self.one(lambda old, x: function(x), (other,), self.mask)


def flags_of(results):
    flags = 0
    for _, raised in results:
        flags |= raised
    return flags


def fp_program(function, rounds=FP_ROUNDS):
    """The rows of a program that is FP_START, function, FP_NEXT."""

    def program(threads):
        warps = []
        for w in range(2):
            out = []
            for number in range(rounds):
                r = FpRound(w, number, threads)
                function(r)
                out += r.out + [r.s10]
            warps.append(out)
        return {"out": rows(warps, threads)}

    program.__name__ = function.__name__
    return program


@fp_program
def fp_arith(r):
    add = lambda old, x, y: f32.add(x, y, r.rm)
    sub = lambda old, x, y: f32.sub(x, y, r.rm)
    rsub = lambda old, x, y: f32.sub(y, x, r.rm)
    mul = lambda old, x, y: f32.mul(x, y, r.rm)
    for op in (add, sub):
        r.each(op, r.a, r.b, r.other)
        r.each(op, r.a, r.a6, r.s9)
    r.each(rsub, r.a, r.a6, r.s9)
    r.each(mul, r.a, r.b, r.other)
    r.each(mul, r.a, r.a6, r.s9)


# The negated parts: the product, the addend.
FUSED = {"macc": (0, 0), "nmacc": (1, 1), "msac": (0, 1), "nmsac": (1, 0)}


def fused(name, x, y, z, rm):
    product, addend = FUSED[name]
    return f32.fma(x ^ product << 31, y, z ^ addend << 31, rm)


@fp_program
def fp_fma(r):
    for name in FUSED:
        op = lambda d, s1, s2: fused(name, s1, s2, d, r.rm)
        r.each(op, r.b, r.a, r.other)
        r.each(op, r.a6, r.a, r.other)
    r.old = r.a
    for name in FUSED:
        op = lambda d, s1, s2: fused(name, s1, d, s2, r.rm)
        r.each(op, r.b, r.c, r.other)
        r.each(op, r.a6, r.c, r.other)
    r.old = [0x00800000] * r.threads
    k = [f32.from_i32(i + 4 * (r.place & 15) + 1, r.rm)[0] - (78 << 23) for i in range(r.threads)]
    for name in ("nmsac", "msac"):
        r.each(lambda d, s1, s2: fused(name, s1, s2, d, r.rm), 127 - 78 << 23, k, k)


@fp_program
def fp_div(r):
    div = lambda old, x, y: f32.div(x, y, r.rm)
    r.each(div, r.a, r.b, r.other)
    r.each(div, r.b, r.a, r.c)
    r.each(div, r.a, r.a6, r.s9)
    r.each(lambda old, x, y: f32.div(y, x, r.rm), r.b, r.a6, r.s9)
    r.each1(lambda x: f32.sqrt(x, r.rm), [x & ~f32.SIGN for x in r.a], r.a)


def fp_misc_round(r):
    for function in (f32.fmin, f32.fmax, f32.sgnj, f32.sgnjn, f32.sgnjx, f32.eq, f32.ne, f32.lt, f32.le):
        op = lambda old, x, y: function(x, y)
        r.each(op, r.a, r.b, r.other)
        r.each(op, r.a, r.a6, r.s9)
    for function in (f32.gt, f32.ge):
        r.each(lambda old, x, y: function(x, y), r.a, r.a6, r.s9)
    negative = [f32.neg(x) for x in r.a]
    r.each(lambda old, x, y: f32.eq(x, y), r.a, r.a, r.other)
    r.each(lambda old, x, y: f32.le(x, y), r.a, r.a, r.other)
    r.each(lambda old, x, y: f32.eq(x, y), r.a, negative, r.b)
    r.each(lambda old, x, y: f32.fmax(x, y), r.a, negative, r.b)
    r.each1(f32.classify, r.a, r.other)
    r.out += [where(r.mask, [r.s9] * r.threads, r.a), r.s9, r.a6, r.a6, 0]


fp_misc = fp_program(fp_misc_round, 8)
fp_misc.__name__ = "fp_misc"


@fp_program
def fp_convert(r):
    place = lambda table, at: corner(table, at, r.threads)
    d, i, j = place(FD, r.place), place(FI, r.place), place(FI, r.other_place)
    for function, rm in ((f32.to_i32, r.rm), (f32.to_u32, r.rm), (f32.to_i32, f32.RTZ), (f32.to_u32, f32.RTZ)):
        r.each1(lambda x: function(x, rm), d, r.other)
    r.each1(lambda x: f32.from_i32(x, r.rm), i, j)
    r.each1(lambda x: f32.from_u32(x, r.rm), i, j)
    rec7 = lambda x: f32.rec7(x, r.rm)
    r.each1(rec7, d, r.other)
    r.each1(f32.rsqrt7, d, r.other)
    for function, entry in ((f32.rsqrt7, 1 << 17), (rec7, 1 << 16)):
        total = [0] * r.threads
        for k in range(4 * (r.number + FP_ROUNDS * r.warp), 4 * (r.number + FP_ROUNDS * r.warp) + 4):
            x = [0x3F000000 + (k + 33 * i) * entry + entry - 1 for i in range(r.threads)]
            total = [u32(3 * t + function(f)[0]) for t, f in zip(total, x)]
        r.out.append(total)


def fp_scalar(threads):
    warps = []
    for w in range(2):
        out = []
        for i in range(16 * w, 16 * w + 16):
            x, y, z, d, n = FA[i], FB[i], FC[i], FD[i], FI[i]
            flags, total = 0, 0

            def group(*results):
                nonlocal flags, total
                for value, _ in results:
                    total = u32(33 * total + value)
                flags = u32(33 * flags + flags_of(results))

            def rounding(rm):
                group(f32.add(x, y, rm), f32.sub(x, y, rm), f32.mul(x, y, rm))
                group(f32.div(x, y, rm), f32.sqrt(y, rm))
                group(fused("macc", x, y, z, rm), fused("msac", x, y, z, rm))
                group(fused("nmsac", x, y, z, rm), fused("nmacc", x, y, z, rm))
                group(f32.to_i32(d, rm))
                group(f32.to_u32(d, rm))
                group(f32.from_i32(n, rm), f32.from_u32(n, rm))

            for rm in range(5):
                rounding(rm)
            out.append(total)
            total = 0
            for op in (f32.fmin, f32.fmax, f32.sgnj, f32.sgnjn, f32.sgnjx, f32.eq, f32.lt, f32.le):
                group(op(x, y))
                group(op(x, x))
            group(f32.classify(x), f32.classify(z))
            out.append(total)
            total = 0
            for rm in range(5):
                rounding(rm)
            out += [total, flags]
        warps.append(out)
    return {"out": rows(warps, threads)}


def fp_flags(threads):
    NX, UF, OF, DZ, NV = f32.NX, f32.UF, f32.OF, f32.DZ, f32.NV
    one, more = 0x3F800000, 0x3F800001
    up = [one, one, one, more, one]  # 1 + 2^-24
    warps = []
    for w in range(4):
        # 1
        out = [NX, UF | NX, OF | NX, DZ, NV, NV, NV, OF | NX] * 2 + [NX | DZ | OF, 7]
        # 2
        out += [0, 0, 9]
        lane2 = [one if i == 2 else 9 for i in range(threads)]
        out += [0, 0, 0, OF | NX, [f32.INF if i == 1 else v for i, v in enumerate(lane2)]]
        out += [NV, OF | NX, 0, NV]
        # 3
        out += [NX | DZ, NX | DZ | UF, NX | UF, more, 3 << 5 | NX | UF | OF]
        out += [3 << 5 | NX | UF | OF, one, 2 << 5 | NX | UF | OF, 2]
        # 4
        out += [NX | NV] * 12 + [OF | NX | UF] * 4 + [NX] * 8
        # 5
        out.append([NX, DZ, OF | NX, NV][w])
        s10 = 0
        for _ in range(24):
            s10 = u32(33 * s10 + up[w] + f32.to_i32(0x3F000000, w)[0])
        out += [up[w], s10]
        for step in (1, 2, 3):
            out += [up[w + step & 3], up[w], more]
        warps.append(out)
    return {"out": rows(warps, threads)}


FE = [  # of programs/fp_exp.S
    0x00000000, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0x42B17217, 0x42B17218,
    0xC2AEAC4F, 0xC2AEAC50, 0xC2CFF1B4, 0xC2CFF1B5, 0xC2CE8ED0, 0xC2B00000, 0x00000001, 0x80000001,
    0x3F800000, 0xBF800000, 0x3F317218, 0xBF317218, 0x40490FDB, 0xC1200000, 0x33000000, 0xB2800000,
    0x42A00000, 0xC2A00000, 0x7F7FFFFF, 0xFF7FFFFF, 0x3C2AAAAB, 0xBBAAAAAB, 0x41C80001, 0xC0FFFFFF,
]  # fmt: skip
FN = [
    0x3C71457B, 0x3E298AC6, 0x3F11DE48, 0xBF4B2899, 0x3E7D7905, 0xBFB05DCD, 0xBDC0C4D6, 0x3F6478FC,
    0x3F81100B, 0x3C08B11F, 0xBDBB8CBD, 0xBB837CF2, 0x3E56FC78, 0xBFFC4FEC, 0xC0234850, 0x3F099807,
    0xBBE5A709, 0x3E2ABEAE, 0x3C5FF55B, 0xBFFFA31A, 0xBC938ABA, 0xBC54F2FF, 0xBE28113D, 0x3DB63AB4,
    0x3BCCFA89, 0x3E1D9E39, 0x3C3AA64B, 0x3E0E5302, 0xBEB48CE7, 0xBD89C01D, 0x3DD4C22C, 0xBE9BB650,
]  # fmt: skip


@fp_program
def fp_exp(r):
    pick = lambda place: corner(FE, place, r.threads)
    exp = lambda x: f32.exp(x, r.rm)
    first, other = pick(r.place), pick(r.other_place)
    r.each1(exp, first, other)
    factor = 0x3F2B4C5D + (r.number + 3 << 10)
    small = [f32.from_i32(u32(2 * i + r.place - 30), r.rm)[0] for i in range(r.threads)]
    small = [f32.mul(x, factor, r.rm)[0] for x in small]
    r.each1(exp, small, other)
    r.one(lambda old, x: exp(x), (other,), [int(i == r.threads - 1) for i in range(r.threads)])
    r.old = r.out[-1]
    r.one(lambda old, x: exp(x), (other,), [0] * r.threads)
    r.one(lambda old, x: exp(x), (small,), [int(i < 2) for i in range(r.threads)])
    r.out += [[exp(x)[0] for x in first], [exp(x)[0] for x in other], [f32.add(x, x, r.rm)[0] for x in small]]
    for first in (r.number + FP_ROUNDS * r.warp - 320, r.number + FP_ROUNDS * r.warp - 280):
        x = [f32.from_i32(u32(first + 17 * i), r.rm)[0] for i in range(r.threads)]
        x = [f32.mul(y, 0x3C317218, r.rm)[0] for y in x]
        r.one(lambda old, y: exp(y), (x,), [1] * r.threads)
    r.one(lambda old, x: exp(x), (corner(FN, r.place, r.threads),), [1] * r.threads)


def tensor(old, v1, v2, rm, on):
    """VFTTA: values and flags by lane; lanes that are off, or after the result, keep old."""
    threads = len(old)
    size = 1
    while 4 * size * size <= threads:
        size *= 2
    count = threads // size

    def dot(terms):
        if len(terms) == 1:
            return terms[0]
        (x, fx), (y, fy) = dot(terms[: len(terms) // 2]), dot(terms[len(terms) // 2 :])
        value, flags = f32.add(x, y, rm)
        return value, flags | fx | fy

    out = []
    for lane, value in enumerate(old):
        if lane >= size * size or not on[lane] & 1:
            out.append((value, 0))
            continue
        i, j = divmod(lane, size)
        total, flags = dot([f32.mul(v1[i * count + n], v2[j * count + n], rm) for n in range(count)])
        result, last = f32.add(value, total, rm)
        out.append((result, flags | last))
    return out


def fp_tensor(threads):
    warps = []
    all_on = [1] * threads
    for w in range(4):
        out = []
        for number in range(FP_ROUNDS):
            r = FpRound(w, number, threads)

            def vftta(old, vs2, vs1, on=all_on):
                results = tensor(old, vs1, vs2, r.rm, on)
                return [v for v, _ in results], flags_of(results)

            def both(vs2, vs1, other):
                """EACH"""
                for source, on in ((vs1, all_on), (other, r.mask)):
                    values, flags = vftta(r.old, vs2, source, on)
                    r.out.append(values)
                    r.s10 = u32(33 * r.s10 + flags)

            both(r.a, r.b, r.other)
            x, y = ([f32.from_i32(v, r.rm)[0] for v in corner(FI, p, threads)] for p in (r.place, r.other_place))
            r.old = [f32.neg(f32.mul(p, q, r.rm)[0]) for p, q in zip(x, y)]
            both(x, y, x)
            values, flags = vftta(y, y, x, [int(i < 3) for i in range(threads)])
            r.out.append(values)
            r.s10 = u32(33 * r.s10 + flags)
            total = [f32.add(p, q, r.rm)[0] for p, q in zip(x, y)]
            quotient = [f32.div(p, q, r.rm)[0] for p, q in zip(x, y)]
            v10 = vftta([0] * threads, total, x)[0]
            v10 = vftta(v10, y, quotient)[0]
            r.out.append([f32.sub(p, q, r.rm)[0] for p, q in zip(v10, quotient)])
            r.out.append(vftta([0] * threads, x, y)[0])
            out += r.out + [r.s10]
        warps.append(out)
    return {"out": rows(warps, threads)}


def fp_groups(threads):
    n = 2 * threads
    warps = []
    for w in range(2):
        group = lambda table, more: corner(table, 16 * w, threads) + corner(table, 16 * w + more, threads)
        a, b, old, mask, a6 = group(FA, 8), group(FB, 8), group(FC, 8), group(C, 11), FB[16 * w + 14]
        everywhere = [1] * n
        out = []

        def op(function, *operands, on=everywhere):
            results = each(function, *operands)
            values = where(on, [r[0] for r in results], old)
            out.extend([values[:threads], values[threads:], flags_of(r for r, m in zip(results, on) if m & 1)])

        # 1
        op(lambda x, y: f32.add(x, y, 3), a, b)
        op(lambda x, y: f32.sub(x, y, 3), a, a6, on=mask)
        op(lambda d, x, y: fused("macc", x, y, d, 3), old, a, b)
        op(lambda d, x, y: fused("nmsac", x, d, y, 3), old, a6, b, on=mask)
        op(lambda x, y: f32.div(x, y, 3), a, b)
        op(lambda x: f32.sqrt(x, 3), b, on=mask)
        op(f32.lt, a, b)
        op(f32.fmax, a, a6, on=mask)
        op(lambda x: f32.to_i32(x, 3), a)
        op(lambda x: f32.rec7(x, 3), b, on=mask)
        op(lambda x, m: (a6 if m & 1 else x, 0), a, mask)
        op(lambda x: (a6, 0), a)
        sums = [f32.add(x, y, 3) for x, y in zip(a, b)][: threads + 1]
        out += [f32.NV, f32.NV | flags_of(sums)]
        out += [[v for v, _ in sums[:threads]], [sums[threads][0]] + [0] * (threads - 1), a6]
        lanes = [f32.from_u32(i, 3)[0] for i in range(threads)]
        out += [[v for v, _ in tensor(lanes, lanes, lanes, 3, everywhere)], old[:threads]]
        # 2
        a1, a2, a3 = 0x40490FDB, 0xC02DF854, 0x3FB504F3
        fma = lambda name, x, y, z, rm=0: fused(name, x, y, z, rm)[0]
        out += [fma("macc", a1, a2, a3), fma("msac", a3, a1, a2), fma("nmacc", a2, a3, a1, f32.RUP)]
        a1 = fma("nmsac", a1, a2, a1, f32.RDN)
        x63 = fma("macc", a1, a2, a3)
        x44 = fma("nmacc", a2, a3, x63)
        x45 = f32.div(a3, x44, 0)[0]
        out += [a1, fma("msac", a2, x63, a2), fma("nmsac", x44, a1, a3), f32.sgnjn(x45, a2)[0], f32.le(x44, x45)[0]]
        out.append(f32.mul(a2, a3, 0)[0])
        # 3
        v2, v3, v4, v5, v6 = a[:threads], a[threads:], b[:threads], b[threads:], old[:threads]
        v66 = [f32.add(x, a3, 0)[0] for x in v2]
        v99 = [f32.mul(x, y, 0)[0] for x, y in zip(v66, v4)]
        v68 = each(lambda x, y, z: fma("macc", x, y, z), v66, v99, v6)
        out.append(v68)
        out.append(each(lambda d, x: fma("nmsac", x44, d, x), v68, v66))
        v132 = each(lambda x, y, z: fma("msac", x, y, z), v2, v3, v5)
        root = [f32.sqrt(x, 0)[0] for x in v132]
        out += [each(lambda x, d, z: fma("macc", x, d, z), v2, v4, v3), v132, root]
        out.append([f32.le(x, y)[0] for x, y in zip(root, v66)])
        product = tensor(v6, v66, v66, 0, everywhere)
        out += [[v for v, _ in product], v2]
        warps.append(out)
    return {"out": rows(warps, threads)}


def fp_hazards(threads):
    warps = []
    for w in range(4):
        out = []
        op1 = lambda function, x, *more: [function(v, *more)[0] for v in x]
        op2 = lambda function, x, y: [function(p, q, w)[0] for p, q in zip(x, y)]
        same = lambda value: [value] * threads
        add, sub, mul, div = f32.add, f32.sub, f32.mul, f32.div
        low, high = (lambda x, y, rm: f32.fmin(x, y)), (lambda x, y, rm: f32.fmax(x, y))
        macc = lambda d, x, y: [f32.fma(p, q, r, w)[0] for p, q, r in zip(x, y, d)]
        for r in range(6):
            start = [w * threads + i + 7 * r for i in range(threads)]
            v1 = op1(f32.from_u32, [x + 2 for x in start], w)
            v2 = op1(f32.from_u32, [x * x + 3 for x in start], w)
            a1, a2 = f32.from_i32(FI[5 + r], f32.RTZ)[0], f32.from_i32(FI[20 + r], w)[0]
            # 1
            v4 = op2(div, v1, v2)
            v5 = op2(mul, v4, v2)
            v6 = op1(f32.sqrt, v5, w)
            v7 = macc(op2(high, v6, v4), v6, v5)
            v8 = op1(f32.to_i32, v7, w)
            v8 = op1(f32.from_i32, [u32(2 * x) for x in v8], w)
            v9 = op2(add, each(OPS["div"], v8, v2), v8)
            v9 = each(OPS["mul"], v9, v7)
            out += [v4, v7, v9, op1(f32.classify, v9)]
            v4 = macc(op2(div, v2, v1), v1, v1)
            v4 = macc([f32.neg(x) for x in v2], same(a1), v4)
            out.append(v4)
            v0 = [f32.lt(x, a1)[0] for x in v1]
            v4 = where(v0, op2(add, v1, v2), v4)
            v5 = where(v0, op2(div, v1, v2), op2(sub, v2, v1))
            out += [v4, v5, where(v0, same(a2), v5)]
            # 2
            out += [op2(add, v1, v2), op2(low, v1, v2)]
            out += [each(OPS["add"], v1, v2), v1, op2(sub, v1, v2)]
            twice = op2(add, v2, v2)
            out += [op2(div, v1, v2), op2(mul, twice, twice)]
            # 3
            a3 = div(a1, a2, w)[0]
            a4 = f32.fma(a1, a2, a3, w)[0]
            a3 = f32.sqrt(a4, w)[0]
            a3 = f32.fma(f32.neg(a3), a3, a1, w)[0]
            out += [a4, u32(2 * f32.to_i32(a3, w)[0])]
            out += [add(a1, a2, w)[0], u32(a1 + 1)]
            out += [mul(a1, a2, w)[0], OPS["mul"](a1, a2), f32.from_i32(FI[1], w)[0]]
            a3 = div(a1, a2, w)[0]
            out += [op2(div, v2, op2(mul, v1, same(a3))), a3]
            a3 = f32.neg(a3) if f32.lt(a3, a1)[0] else a3
            out.append(a3)
            # 4
            value = {}
            for k in range(8, 18):
                v = op2(mul, op2(add, [u32(x + k - 9) for x in v1], same(a1)), v2)
                value[k] = op2(mul, [f32.sgnj(x, y)[0] for x, y in zip(v, v1)], same(a2))
            v4 = value[8]
            for k in range(9, 18):
                v7 = op2(low, value[k], v4)
                v4 = each(OPS["xor"], op2(add, v4, value[k]), v7)
                a3 = div(a3, a2, w)[0]
                v4 = op2(high, v4, op2(div, value[k], v2))
            out += [v4, a3]
        warps.append(out)
    return {"out": rows(warps, threads)}


def spread(threads):
    total = sum(range(1, 9))
    return {"out": rows([[0, total, total, total - 1, 0, [g * 256 + t for t in range(threads)]] for g in range(40)], threads)}


def print_rush(threads):
    return {"out": rows([[w] for w in range(64)], threads)}


def ends(threads):
    return {"out": rows([[0 if g & 7 else [g * 256 + t for t in range(threads)]] for g in range(200)], threads)}


def page_end(threads):
    """It is there for the place of its code."""
    return {"out": words([7])}


def page_next(threads):
    """The same."""
    return page_end(threads)


def icache(threads):
    warps = []
    for group in range(3):
        for warp in range(4):
            s10, v1 = 0, [warp * threads + t for t in range(threads)]
            for k in [0, 1, 7] * 6 + [(group + call * (2 * warp + 1)) & 7 for call in range(24)]:
                s10 = u32(s10 * 5 + k + 1)
                v1 = [u32(v + s10) ^ k for v in v1]
                s10 = u32((s10 ^ u32(s10 << 3)) + k * 3)
                v1 = [u32(2 * v + s10) for v in v1]
                s10 ^= k * 16
            out = [s10, v1]
            for k in range(7):
                s10 = u32(s10 * 3 + k + 1)
            out.append(s10)
            for _ in range(2):
                for k in range(1, 261):
                    s10 = u32((s10 ^ u32(s10 << 1)) + k)
            warps.append(out + [s10])
    return {"out": rows(warps, threads)}


def alone(threads):
    warps = []
    for group in range(128):
        trips = (3 * group & 7) + 1
        warps.append([[(trips * (5 if t < threads // 2 else 3)) + group for t in range(threads)]])
    return {"out": rows(warps, threads)}


def jumps(threads):
    return {"out": rows([[warp + 14 + 12 + 10 + 8] for _ in range(4) for warp in range(4)], threads)}


PROGRAMS = {
    f.__name__: f
    for f in (
        vecadd,
        spread,
        print_rush,
        ends,
        icache,
        jumps,
        alone,
        exit_pending,
        few_threads,
        few_regs,
        lds_full,
        lds_turnover,
        reg_alloc,
        lds_banks,
        undefined_regs,
        matadd,
        matmul64,
        simt_nested,
        simt_nested_rpc,
        simt_loop,
        simt_uniform,
        barrier_lds,
        regext,
        private,
        multi_wg,
        alu_int,
        alu_scalar,
        muldiv,
        compare_merge,
        mem_widths,
        vadd12,
        csr_ops,
        vsetvl,
        hazards,
        loop_alu,
        loop_fp,
        loop_mem,
        relaunch,
        mem_spread,
        warp_order,
        barrier_store,
        printing,
        print_stores,
        mem_elements,
        fixed_point,
        lmul2,
        regpair,
        atomics,
        fp_arith,
        fp_fma,
        fp_div,
        fp_misc,
        fp_convert,
        fp_scalar,
        fp_flags,
        fp_exp,
        fp_tensor,
        fp_groups,
        fp_hazards,
        page_end,
        page_next,
    )
}
