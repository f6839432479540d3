#!/usr/bin/python3
"""The kernels of vectors/public on the model against exact fractions, and functions of 80 decimal digits, each step rounded once.

    test_public_kernels.py --vectors FOLDER"""
import argparse
import decimal
import pathlib
import sys

import karat
from test_mma import F, pattern, rounded, value

decimal.getcontext().prec = 80
D = decimal.Decimal


def power_of_two(x):
    return F(D(2) ** (D(x.numerator) / D(x.denominator)))


def gelu(x):
    x = D(x.numerator) / D(x.denominator)
    pi = D("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")
    u = (2 / pi).sqrt() * (x + D("0.044715") * x ** 3)
    return F(x / 2 * (1 + (1 - (-2 * u).exp()) / (1 + (-2 * u).exp())))


def butterflies(lanes, merge):
    for distance in (16, 8, 4, 2, 1):
        lanes = [merge(lane, lanes[i ^ distance]) for i, lane in enumerate(lanes)]
    return lanes


def add(x, y):
    return rounded(x + y, "f32")


def words_at(run, addr, count):
    return [int(word) for word in run.read_words(addr, count)]


def halves(words):
    return [word >> shift & 0xFFFF for word in words for shift in (0, 16)]


def matmul_gelu(run, at):
    """Differences of sum, out and ids to what A, B and bias in memory give."""
    steps = [[[value(x, "f16") for x in halves(words_at(run, at[name] + 512 * step, 128))] for name in "ab"] for step in range(2)]
    c = []
    for i in range(16):
        for j in range(16):
            total = F(0)
            for a, b in steps:
                for k in range(16):
                    total = rounded(total + a[16 * i + k] * b[16 * j + k], "f32")
            c.append(total)
    lanes = c[:32]
    for register in range(1, 8):
        lanes = [add(x, y) for x, y in zip(lanes, c[32 * register:])]
    expected = [pattern(x, "f32") for x in butterflies(lanes, add)]
    bias = [value(x, "f16") for x in halves(words_at(run, at["bias"], 32))]
    results = []
    for pair in range(4):
        for lane in range(32):
            for half in range(2):
                x = rounded(rounded(c[64 * pair + 32 * half + lane], "f16") + bias[2 * lane + half], "f16")
                result = rounded(gelu(x), "f16")
                results.append(pattern(result, "f16") if result else 0x8000 * (x < 0))
    return [("sum", words_at(run, at["sum"], 32), expected), ("out", halves(words_at(run, at["out"], 128)), results),
            ("ids", words_at(run, at["ids"], 32), [100 + lane for lane in range(32)])]


def softmax(run, at):
    log2e, expected = value(0x3FB8AA3B, "f32"), []
    for row in range(2):
        x = [value(word, "f32") for word in words_at(run, at["x"] + 128 * row, 32)]
        e = [rounded(power_of_two(rounded(rounded(v - max(x), "f32") * log2e, "f32")), "f32") for v in x]
        inverse = [rounded(1 / total, "f32") for total in butterflies(e, add)]
        expected += [pattern(rounded(p * q, "f32"), "f32") for p, q in zip(e, inverse)]
    return [("out", words_at(run, at["out"], 64), expected)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--vectors", type=pathlib.Path, required=True)
    args = parser.parse_args()
    wrong = 0
    for kernel in (matmul_gelu, softmax):
        loaded = karat.Kernel(args.vectors / "public" / f"{kernel.__name__}.elf")
        run = karat.Run(loaded).run()
        assert run.finished and run.model.profile == "public"
        for name, got, expected in kernel(run, loaded.symbols):
            differing = [i for i, (x, y) in enumerate(zip(got, expected, strict=True)) if x != y]
            print(f"{kernel.__name__}: {name}: {len(got)} values, {len(differing)} differ")
            wrong += len(differing)
            for i in differing[:5]:
                print(f"  {i}: {got[i]:x}, expected {expected[i]:x}")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
