"""Binary32 arithmetic in plain Python, for expected.py: every operation exact in integers, then rounded once.

Numbers are their 32 bits. An operation returns (bits, flags), flags as fflags has them. Rounding modes are as encoded
in frm. Subnormals are kept, every NaN result is canonical, tininess is detected after rounding.
"""

import decimal
import math
from functools import lru_cache

RNE, RTZ, RDN, RUP, RMM = range(5)
NX, UF, OF, DZ, NV = 1, 2, 4, 8, 16
SIGN, INF, NAN, MAX = 1 << 31, 0x7F800000, 0x7FC00000, 0x7F7FFFFF


def sign(f):
    return f >> 31


def is_nan(f):
    return f & ~SIGN > INF


def is_snan(f):
    return is_nan(f) and not f & 0x400000


def is_inf(f):
    return f & ~SIGN == INF


def is_zero(f):
    return f & ~SIGN == 0


def neg(f):
    return f ^ SIGN


def parts(f):
    """A finite number's magnitude as n * 2^e."""
    exponent, fraction = f >> 23 & 255, f & 0x7FFFFF
    return (fraction | 0x800000 if exponent else fraction), max(exponent, 1) - 150


def signed(f):
    n, e = parts(f)
    return (-n if sign(f) else n), e


def goes_up(rm, s, odd, rest, half):
    """Whether a magnitude of which rest is dropped goes up; half is half of its last place."""
    if rm == RNE:
        return rest > half or (rest == half and odd)
    if rm == RMM:
        return rest >= half
    return rest > 0 and rm == (RDN if s else RUP)


def overflow(s, rm):
    return s << 31 | (INF if rm in (RNE, RMM) or rm == (RDN if s else RUP) else MAX), OF | NX


def encode(s, n, e, rm):
    """n * 2^e, n > 0, rounded; of more bits than 26 the last may be sticky."""
    top = n.bit_length() - 1 + e

    def at(q):
        drop = q - e
        if drop <= 0:
            return n << -drop, False
        rest = n & ((1 << drop) - 1)
        return (n >> drop) + goes_up(rm, s, n >> drop & 1, rest, 1 << drop - 1), rest != 0

    q = max(top, -126) - 23
    k, inexact = at(q)
    if k.bit_length() - 1 + q > 127:
        return overflow(s, rm)
    flags = NX if inexact else 0
    if inexact and top < -126 and at(top - 23)[0].bit_length() - 1 + top - 23 < -126:
        flags |= UF
    return s << 31 | (q + 149 << 23) + k, flags


def nan_of(*operands):
    return NAN, NV if any(is_snan(f) for f in operands) else 0


@lru_cache(maxsize=None)
def fma(a, b, c, rm):
    if any(map(is_nan, (a, b, c))):
        invalid = (is_inf(a) and is_zero(b)) or (is_zero(a) and is_inf(b))
        return NAN, NV if invalid else nan_of(a, b, c)[1]
    s = sign(a) ^ sign(b)
    if is_inf(a) or is_inf(b):
        if is_zero(a) or is_zero(b) or (is_inf(c) and sign(c) != s):
            return NAN, NV
        return s << 31 | INF, 0
    if is_inf(c):
        return c, 0
    (na, ea), (nb, eb), (nc, ec) = signed(a), signed(b), signed(c)
    e = min(ea + eb, ec)
    total = (na * nb << ea + eb - e) + (nc << ec - e)
    if total:
        return encode(int(total < 0), abs(total), e, rm)
    # An exact zero is positive, but when rounding down, and where both are zeros of one sign.
    zero = s if s == sign(c) and na * nb == 0 else int(rm == RDN)
    return zero << 31, 0


def add(a, b, rm):
    return fma(a, 0x3F800000, b, rm)


def sub(a, b, rm):
    return add(a, neg(b), rm) if not is_nan(b) else nan_of(a, b)


def mul(a, b, rm):
    if is_nan(a) or is_nan(b):
        return nan_of(a, b)
    return fma(a, b, (sign(a) ^ sign(b)) << 31, rm)


@lru_cache(maxsize=None)
def div(a, b, rm):
    if is_nan(a) or is_nan(b):
        return nan_of(a, b)
    s = sign(a) ^ sign(b)
    if (is_inf(a) and is_inf(b)) or (is_zero(a) and is_zero(b)):
        return NAN, NV
    if is_inf(a) or is_zero(b):
        return s << 31 | INF, 0 if is_inf(a) else DZ
    if is_inf(b) or is_zero(a):
        return s << 31, 0
    (na, ea), (nb, eb) = parts(a), parts(b)
    quotient, rest = divmod(na << 60, nb)
    return encode(s, quotient << 1 | (rest != 0), ea - eb - 61, rm)


@lru_cache(maxsize=None)
def sqrt(a, rm):
    if is_nan(a):
        return nan_of(a)
    if is_zero(a):
        return a, 0
    if sign(a):
        return NAN, NV
    if is_inf(a):
        return a, 0
    n, e = parts(a)
    if e & 1:
        n, e = n << 1, e - 1
    n <<= 80
    root = math.isqrt(n)
    return encode(0, root << 1 | (root * root != n), e // 2 - 41, rm)


def order(a):
    """A number's place among all, -0 below +0."""
    return ~(a & ~SIGN) if sign(a) else a


def less(a, b):
    return order(a) < order(b) and not (is_zero(a) and is_zero(b))


def compare(a, b, quiet, holds):
    """holds(below, equal) for ordered operands, else False."""
    if is_nan(a) or is_nan(b):
        return 0, NV if not quiet or is_snan(a) or is_snan(b) else 0
    equal = a == b or (is_zero(a) and is_zero(b))
    return int(holds(less(a, b), equal)), 0


def eq(a, b):
    return compare(a, b, True, lambda below, equal: equal)


def ne(a, b):
    value, flags = eq(a, b)
    return 1 - value, flags


def lt(a, b):
    return compare(a, b, False, lambda below, equal: below)


def le(a, b):
    return compare(a, b, False, lambda below, equal: below or equal)


def gt(a, b):
    return lt(b, a)


def ge(a, b):
    return le(b, a)


def extreme(a, b, pick):
    flags = NV if is_snan(a) or is_snan(b) else 0
    if is_nan(a) or is_nan(b):
        return (b if not is_nan(b) else a if not is_nan(a) else NAN), flags
    return pick(a, b, key=order), flags


def fmin(a, b):
    return extreme(a, b, min)


def fmax(a, b):
    return extreme(a, b, max)


def sgnj(a, b):
    return a & ~SIGN | b & SIGN, 0


def sgnjn(a, b):
    return a & ~SIGN | neg(b) & SIGN, 0


def sgnjx(a, b):
    return a ^ b & SIGN, 0


def classify(a):
    if is_nan(a):
        return 1 << (8 if is_snan(a) else 9), 0
    kind = 4 if is_inf(a) else 1 if is_zero(a) else 3 if a & INF else 2  # from 0 outwards
    return 1 << (4 - kind if sign(a) else 3 + kind), 0


@lru_cache(maxsize=None)
def to_int(a, low, high, rm):
    """low and high: the integer's limits."""
    if is_nan(a):
        return high & 0xFFFFFFFF, NV
    if is_inf(a):
        return (low if sign(a) else high) & 0xFFFFFFFF, NV
    n, e = parts(a)
    rest = n & ((1 << max(-e, 0)) - 1)
    value = n << e if e >= 0 else (n >> -e)
    if e < 0:
        value += goes_up(rm, sign(a), value & 1, rest, 1 << -e - 1)
    value = -value if sign(a) else value
    if not low <= value <= high:
        return (low if value < low else high) & 0xFFFFFFFF, NV
    return value & 0xFFFFFFFF, NX if rest else 0


def to_i32(a, rm):
    return to_int(a, -(1 << 31), (1 << 31) - 1, rm)


def to_u32(a, rm):
    return to_int(a, 0, (1 << 32) - 1, rm)


def from_u32(value, rm):
    return encode(0, value, 0, rm) if value else (0, 0)


def from_i32(value, rm):
    if value >> 31:
        return encode(1, (1 << 32) - value, 0, rm)
    return from_u32(value, rm)


def rec7(a, rm):
    """V 1.0, 13.10: 7 bits of the reciprocal of the middle of the operand's interval."""
    s = sign(a)
    if is_nan(a):
        return nan_of(a)
    if is_inf(a):
        return s << 31, 0
    if is_zero(a):
        return s << 31 | INF, DZ
    n, e = parts(a)
    shift = 24 - n.bit_length()
    n, e = n << shift, e - shift + 150  # the exponent as encoded, below 1 for subnormals
    if e < -1:
        return overflow(s, rm)
    index = n >> 16 & 127
    estimate = (1 << 17) // (2 * index + 257) + 1 >> 1  # 2^8 / (1 + (index + 1/2) / 2^7), to nearest
    estimate, e = estimate & 127, 253 - e
    if e >= 1:
        return s << 31 | e << 23 | estimate << 16, 0
    return s << 31 | (128 | estimate) << 16 >> 1 - e, 0


def rsqrt7(a):
    """V 1.0, 13.9: 7 bits of the reciprocal square root."""
    if is_nan(a):
        return nan_of(a)
    if is_zero(a):
        return sign(a) << 31 | INF, DZ
    if sign(a):
        return NAN, NV
    if is_inf(a):
        return 0, 0
    n, e = parts(a)
    shift = 24 - n.bit_length()
    n, e = n << shift, e - shift + 150
    # With an even exponent as encoded the operand counts as one in [2, 4), else as one in [1, 2).
    middle = (2 * (n >> 17 & 63) + 129) << (e & 1 ^ 1)  # of 2^7
    estimate = math.isqrt((1 << 25) // middle) + 1 >> 1  # 2^8 / sqrt(middle / 2^7), twice that, to nearest
    return (380 - e >> 1) << 23 | (estimate & 127) << 16, 0


@lru_cache(maxsize=None)
def exp(a, rm):
    """Correctly rounded."""
    if is_nan(a):
        return nan_of(a)
    if is_inf(a):
        return (0 if sign(a) else INF), 0
    if is_zero(a):
        return 0x3F800000, 0
    n, e = signed(a)
    with decimal.localcontext() as context:
        context.prec = 200
        x = max(min(decimal.Decimal(n) * decimal.Decimal(2) ** e, decimal.Decimal(200)), decimal.Decimal(-200))
        scaled = int(x.exp() * 2**500)
    return encode(0, scaled << 1 | 1, -501, rm)
