#!/usr/bin/python3
"""Matrix products of profile public against exact fractions: every row, operands whose sums round, cancel, overflow and underflow.

    test_mma.py [--rounds N]

The reference has no floating point: an element is a fraction, each step a product and a sum of fractions, rounded to the nearest number of
binary32 as IEEE 754 defines it. The result must also lie within the a-priori bound of the exact dot product, and sum_distance(), which judges
cores that add in another order, must say how far it and a number near it are from that. KARAT_SEED repeats a run."""
import argparse
import fractions
import math
import os
import random
import sys
import time

import karat

F = fractions.Fraction
CODE = 0x80000000
FORMATS = {"f16": (11, -14, 15), "bf16": (8, -126, 127), "f32": (24, -126, 127), "tf32": (11, -126, 127)}  # Significand, exponents


def value(bits, name):
    """The number of a pattern of the format, which is finite. tf32: in binary32, the low bits do not count."""
    if name == "tf32":
        return value(bits & ~0x1FFF, "f32")
    precision, low, high = FORMATS[name]
    width = 32 if name == "f32" else 16
    fraction, exp = bits & (1 << precision - 1) - 1, bits >> precision - 1 & (1 << width - precision) - 1
    sign = -1 if bits >> width - 1 else 1
    assert exp <= high - low + 1
    return sign * F((fraction | (exp > 0) << precision - 1)) * F(2) ** (max(exp, 1) + low - 1 - (precision - 1))


def rounded(x, name):
    """x to the nearest number of the format, ties to even: a fraction, or None where that overflows."""
    precision, low, high = FORMATS[name]
    if x == 0:
        return x
    exp = low
    magnitude = abs(x)
    if magnitude >= F(2) ** low:
        exp = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
        exp -= F(2) ** exp > magnitude
    unit = F(2) ** (exp - precision + 1)
    result = round(x / unit) * unit  # Python rounds ties to even
    return None if abs(result) >= F(2) ** (high + 1) else result


def pattern(x, name):
    """The pattern of a number of the format that is not a negative zero."""
    precision, low, _ = FORMATS[name]
    width = 32 if name == "f32" else 16
    sign, magnitude = (x < 0) << width - 1, abs(x)
    if magnitude < F(2) ** low:
        return sign | int(magnitude / F(2) ** (low - precision + 1))
    exp = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    exp -= F(2) ** exp > magnitude
    return sign | (exp - low + 1 << precision - 1) + int(magnitude / F(2) ** (exp - precision + 1)) - (1 << precision - 1)


def draw(name, mode):
    """A finite pattern: of any exponent, of a few next to each other, or a small integer and a half, whose products and sums often tie."""
    precision, low, high = FORMATS["f32" if name == "tf32" else name]
    width = 32 if name in ("f32", "tf32") else 16
    bits = random.getrandbits(width)
    exps = high - low + 1
    exp = random.randint(0, exps) if mode == "any" else random.randint(exps // 2 - 3, exps // 2 + 3)
    fraction = bits & (1 << precision - 1) - 1
    if mode == "ties":
        fraction &= ~((1 << max(precision - 5, 0)) - 1)
    return bits >> width - 1 << width - 1 | exp << precision - 1 | fraction


class Product:
    """One instruction: its shape, layouts and types, and how its matrices stand in registers."""

    def __init__(self, row):
        _, shape, self.a_layout, self.b_layout, d, a, _, c = row.mnemonic.split(".")
        self.row, self.ab, self.cd = row, a, c
        assert d == c
        m, _, rest = shape[1:].partition("n")
        n, _, k = rest.partition("k")
        self.m, self.n, self.k = int(m), int(n), int(k)

    @staticmethod
    def registers(elements, half):
        """Elements of 16 or 32 bits in registers of 32 lanes."""
        if half:
            elements = [low | high << 16 for low, high in zip(elements[::2], elements[1::2])]
        return [elements[i:i + 32] for i in range(0, len(elements), 32)]

    def run(self, model, a, b, c):
        """D by the model, as patterns row by row; a[i][k], b[k][j] and c[i][j] are patterns."""
        model.open(0, 1)
        warp = model.launch(0, pc=CODE)
        half = self.ab != "tf32"
        in_a = [a[i][k] for i in range(self.m) for k in range(self.k)] if self.a_layout == "row" else \
            [a[i][k] for k in range(self.k) for i in range(self.m)]
        in_b = [b[k][j] for j in range(self.n) for k in range(self.k)] if self.b_layout == "row" else \
            [b[k][j] for k in range(self.k) for j in range(self.n)]
        for base, elements, packed in ((4, in_a, half), (8, in_b, half), (16, [x for row in c for x in row], self.cd == "f16")):
            for number, lanes in enumerate(self.registers(elements, packed)):
                warp.set(f"v{base + number}", lanes)
        model.write(CODE, [karat.encode(self.row.mnemonic, vd=16, vs1=4, vs2=8)])
        commit = model.step(0)
        model.close(0)
        words = [word for write in commit.writes for word in map(int, write.value)]
        return commit, [word >> shift & 0xFFFF for word in words for shift in (0, 16)] if self.cd == "f16" else words

    def expected(self, a, b, c):
        """D and the exact sum; None where a step or the result is not finite, or is a zero, whose sign the reference does not have."""
        for i in range(self.m):
            row = [value(x, self.ab) for x in a[i]]
            for j in range(self.n):
                column = [value(b[k][j], self.ab) for k in range(self.k)]
                total = exact = value(c[i][j], self.cd)
                for x, y in zip(row, column):
                    total = None if total is None else rounded(total + x * y, "f32")
                    exact += x * y
                size = abs(value(c[i][j], self.cd)) + sum(abs(x * y) for x, y in zip(row, column))
                result = None if total is None else rounded(total, self.cd)
                yield (pattern(result, self.cd) if result else None), exact, size


    def units(self, bits, exact, size):
        """How far a pattern is from the exact sum, in units; an infinity is the number after the largest one."""
        precision, low, high = FORMATS[self.cd]
        sign, magnitude = (-1 if bits >> (15 if self.cd == "f16" else 31) else 1), bits & (0x7FFF if self.cd == "f16" else 0x7FFFFFFF)
        x = sign * (F(2) ** (high + 1) if magnitude == pattern(F(2) ** high, self.cd) + (1 << precision - 1) else value(magnitude, self.cd))
        exp = size.numerator.bit_length() - size.denominator.bit_length() if size else low
        exp -= F(2) ** exp > size
        return abs(x - exact) / F(2) ** (min(max(exp, low), high) - precision + 1)

    def differing_distances(self, commit, sums):
        """Lanes of which sum_distance() says something else, of the result or of a number near it; sums: (exact sum, size) of each element."""
        per_lane = 2 if self.cd == "f16" else 1
        for at in range(len(sums) // per_lane):
            write, lane = divmod(at, 32)
            word = int(commit.writes[write].value[lane])
            for candidate in (word, word + random.randint(-40, 40) & 0xFFFFFFFF, word ^ 1 << random.randrange(32)):
                halves = [candidate & 0xFFFF, candidate >> 16] if per_lane == 2 else [candidate]
                of_lane = sums[at * per_lane:(at + 1) * per_lane]
                infinity = pattern(F(2) ** FORMATS[self.cd][2], self.cd) + (1 << FORMATS[self.cd][0] - 1)
                got, text = commit.sum_distance(write, lane, candidate)
                if any(x & (0x7FFF if per_lane == 2 else 0x7FFFFFFF) > infinity for x in halves):
                    good = got == float("inf")
                else:
                    hundredths = math.ceil(100 * max(self.units(x, *sum_) for x, sum_ in zip(halves, of_lane)))
                    good = got == (hundredths / 100 if hundredths < 1 << 63 else (2 ** 64 - 2) / 100)
                if not good or not all(same_sum(x, exact) for x, (exact, _) in zip(text.split(", "), of_lane)):
                    yield f"lane {lane} of result {write}, {candidate:x}: {got} from {text}"


def same_sum(text, exact):
    """Whether that is the sum in hexadecimal, to all its digits."""
    mantissa, _, exponent = text.partition("p")
    cut = mantissa.endswith("...")
    whole, _, fraction = mantissa.rstrip(".").lstrip("-")[2:].partition(".")
    if text == "0":
        return exact == 0
    unit = F(2) ** (int(exponent) - 4 * len(fraction))
    x = int(whole + fraction, 16) * unit
    return (text[0] == "-") == (exact < 0) and (0 < abs(exact) - x < unit if cut else abs(exact) == x)


def special_differences(model, row):
    """Sums that are no numbers: for a factor, another factor and C in row 0, what the sum is, and numbers at no distance from it."""
    inf, one, nan, negative = 0x7F800000, 0x3F800000, 0x7FC00000, 1 << 31
    p, far = Product(row), float("inf")
    for x, y, z, text, same in ((inf, one, one, "inf", inf), (inf, one | negative, one, "-inf", inf | negative), (inf, 0, one, "nan", None),
                                (one, one, nan, "nan", None), (inf, one, inf | negative, "nan", None), (one, one, inf, "inf", inf),
                                (one, one, one | negative, "0", 0), (one, one, one | negative, "0", negative)):
        a, b, c = ([[0] * columns for _ in range(rows)] for rows, columns in ((p.m, p.k), (p.k, p.n), (p.m, p.n)))
        a[0][0], b[0][0], c[0][0] = x, y, z
        commit, _ = p.run(model, a, b, c)
        for number in (0, negative, inf, inf | negative, nan):
            good = number == same or (text == "0" and number << 1 & 0xFFFFFFFF == 0)
            got = commit.sum_distance(0, 0, number)
            if got[1] != text or (got[0] == 0) != good or (not good and text != "0" and got[0] != far):
                yield f"{x:x} * {y:x} + {z:x}, {number:x}: {got}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=1)
    args = parser.parse_args()
    seed = int(os.environ["KARAT_SEED"], 0) if os.environ.get("KARAT_SEED") else time.time_ns() & 0xFFFFFFFF
    print(f"KARAT_SEED={seed}")
    random.seed(seed)
    model = karat.Model(profile="public", max_warps=1, max_workgroups=1)
    model.map(CODE, 4096)
    rows = [row for row in karat.rows("public") if row.mnemonic.startswith("mma.")]
    checked = differences = 0
    for row in rows:
        for difference in special_differences(model, row) if ".tf32." in row.mnemonic else ():
            differences += 1
            print(f"{row.mnemonic}: {difference}")
    for number in range(args.rounds):
        for index, row in enumerate(rows):
            p = Product(row)
            mode = ("any", "near", "ties")[(index + number) % 3]
            a = [[draw(p.ab, mode) for _ in range(p.k)] for _ in range(p.m)]
            b = [[draw(p.ab, mode) for _ in range(p.n)] for _ in range(p.k)]
            c = [[draw(p.cd, mode) for _ in range(p.n)] for _ in range(p.m)]
            commit, results = p.run(model, a, b, c)
            expected = list(p.expected(a, b, c))
            for difference in p.differing_distances(commit, [(exact, size) for _, exact, size in expected]):
                differences += 1
                if differences < 10:
                    print(f"{row.mnemonic}: {difference}")
            for at, (got, (wanted, exact, size)) in enumerate(zip(results, expected, strict=True)):
                if wanted is None:
                    continue
                checked += 1
                bound = (p.k + 1) * size * F(2) ** -24 + p.k * F(2) ** -150 + (
                    abs(value(got, p.cd)) * F(2) ** -11 + F(2) ** -25 if p.cd == "f16" else 0)
                if got != wanted or abs(value(got, p.cd) - exact) > bound:
                    differences += 1
                    if differences < 10:
                        print(f"{row.mnemonic}, row {at // p.n}, column {at % p.n}: {got:x}, expected {wanted:x}")
    print(f"{len(rows)} rows, {checked} elements, {differences} differences")
    return differences != 0 or checked < 4000 or len(rows) != 112


if __name__ == "__main__":
    sys.exit(main())
