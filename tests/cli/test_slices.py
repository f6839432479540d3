#!/usr/bin/python3
"""karat run takes slices; with --schedule=rr it takes one step at a time. Status, output, places of the warps, and memory are the same: of the
programs and compiled kernels, of random programs whose warps race, of warps that write the code of others, and of runs that do not come to
their end."""
import argparse
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

from kernelfile import BARRIER, CODE, DATA, ENDPRG, addi, beq, bne, csrr, csrw, dumps, lui, lw, sw, vadd_vi, write_elf
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from share import profiles_of  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--vectors", required=True, type=pathlib.Path)
parser.add_argument("--kernels", required=True, type=pathlib.Path)
parser.add_argument("--random", type=int, default=4, help="random programs of each profile")
parser.add_argument("--length", type=int, default=1500, help="of random programs")
args = parser.parse_args()
SEED = int(os.environ.get("KARAT_SEED", "1"), 0)
draw = random.Random(SEED)
failures = 0
folder = tempfile.TemporaryDirectory()
here = pathlib.Path(folder.name)


def check(good, what, *more):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what, *(str(m)[:2000] for m in more))


def karat(*arguments):
    done = subprocess.run([args.karat, *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def same(path, *options):
    """The status of both."""
    options = [*dumps(path), *options]
    sliced, stepped = karat("run", path, *options), karat("run", path, *options, "--schedule=rr")
    check(sliced == stepped, path, options, *sliced, *stepped)
    return stepped[0]


ends = stops = 0
programs = [*sorted(args.vectors.glob("*.elf")), *sorted(args.vectors.glob("races/*.elf"))]
check(len(programs) > 50, "too few programs", len(programs))
for path in programs:
    options = draw.choice([[], ["--threads=32"], ["--resident=3"], ["--resident=2", "--simt-order=else-first"]])
    ends += same(path, *options) == 0
    stops += same(path, *options, f"--max-steps={draw.randint(1, 400)}") == 5
check(ends > len(programs) // 2 and stops > len(programs) // 4, "too few come to their end, or are stopped", ends, stops, len(programs))
for path in sorted(args.kernels.glob("*/*/*.metadata")) if args.kernels.is_dir() else []:
    same(path)

for number, profile in enumerate(profiles_of(args.karat)):
    status, out, err = karat("gen", "random", "--races", f"--profile={profile}", f"--count={args.random}", f"--seed={SEED}",
                             f"--length={args.length}", f"--threads={(8, 32)[(SEED + number) % 2]}", f"--output={here / profile}")
    check(status == 0, "karat gen", out, err)
    for path in sorted((here / profile).glob("*/program.elf")):
        check(same(path, f"--threads={(8, 32)[(SEED + number) % 2]}", f"--resident={draw.randint(1, 4)}") == 0, "a program of karat gen fails", path)


def program(name, code, **options):
    return write_elf(here / f"{name}.elf", code, **{"wf_size": 4, **options})


WID, PRINT = 0x805, 0x80B
ME = [csrr(5, WID), lui(6, CODE >> 12), lui(7, DATA >> 12)]
# Warp 0 writes two instructions in turns into the loop of the others, each of which counts by the one that it finds.
PATCH = 4 * (len(ME) + 12)
written = program("written", ME + [
    addi(10, 0, 100),  # Turns
    bne(5, 0, 4 * 8),
    lw(11, 6, PATCH), lw(12, 6, PATCH + 16),
    sw(12, 6, PATCH), sw(11, 6, PATCH),
    addi(10, 10, -1), bne(10, 0, -12), ENDPRG,
    addi(0, 0, 0), addi(10, 10, -1), addi(0, 0, 0),
    addi(13, 13, 1),  # PATCH
    bne(10, 0, -12), beq(0, 0, 12), ENDPRG,
    addi(13, 13, 16),
    0x00229293,  # slli x5, x5, 2
    0x005383B3,  # add x7, x7, x5
    sw(13, 7, 0), ENDPRG,
], wg_size=4)
check(same(written) == 0, "warps that run what another one writes")
own = program("own", ME + [addi(10, 0, 50), lw(11, 6, PATCH), addi(11, 11, 0), sw(11, 6, 4 * 8), addi(10, 10, -1), addi(13, 13, 1),
                           bne(10, 0, -16), sw(13, 7, 0), ENDPRG, vadd_vi(1, 1, 1), addi(13, 13, 7), addi(13, 13, 5), addi(13, 13, 3)])
check(same(own) == 0, "a warp that writes its own code")
check(same(program("spin", ME + [beq(5, 0, 8), ENDPRG, lw(8, 7, 0), beq(8, 0, -4), ENDPRG], wg_size=3)) == 3, "a loop that waits for ever")
check(same(program("endless", ME + [addi(8, 8, 1), 0x00747413, beq(0, 0, -8)], wg_size=1)) == 3, "an endless loop of more than one turn")
check(same(program("two", ME + [addi(8, 8, 1), 0x00747413, beq(0, 0, -8)], wg_size=2)) == 3, "two endless loops")
check(same(program("waits", ME + [beq(5, 0, 8), BARRIER, beq(0, 0, 0)], wg_size=3)) == 3, "a barrier that one never comes to")
check(same(program("exit", ME + [bne(5, 0, 12), addi(8, 8, 1), ENDPRG, *[addi(8, 8, 1)] * 5, BARRIER, ENDPRG], wg_size=3)) == 4,
      "a barrier after the end of a warp")
check(same(program("fails", ME + [addi(8, 0, 3), addi(8, 8, -1), bne(8, 5, -4), lw(9, 8, 1), ENDPRG], wg_size=3)) == 4, "a misaligned access")
# Warps take steps of their own ahead of one another: seen by the order of racing stores and prints, by a stop after any step, and by how far the
# others are where one fails.
AHEAD = [*[addi(10 + k % 3, 10 + k % 3, k + 1) for k in range(5)], vadd_vi(2, 2, 1), vadd_vi(3, 2, 3)]
RACE = [lw(8, 7, 0), *AHEAD, addi(8, 8, 1), sw(8, 7, 0), *AHEAD[:3]]
ROUNDS = 6


def racing(name, last, **options):
    """The race some times over by each of three warps, warp w after w further steps; then last."""
    body = [*RACE, addi(9, 9, -1), bne(9, 0, -4 * (len(RACE) + 1))]
    return program(name, ME + [addi(9, 0, ROUNDS), addi(14, 5, 1), addi(14, 14, -1), bne(14, 0, -4), *body, *last], wg_size=3, **options)


race = racing("race", [ENDPRG])
check(same(race) == 0, "warps that race")
for steps in range(1, 120):
    check(same(race, f"--max-steps={steps}") == 5, "a race that is stopped")
check(same(racing("race_fails", [*AHEAD, bne(5, 15, 8), lw(9, 8, 1), addi(15, 0, 1), beq(0, 0, -12)])) == 4, "a race until one warp fails")
printing = bytearray(4096)
printing[48:56] = struct.pack("<II", DATA + 256, 64)  # The print buffer
PRINTS = [addi(16, 8, 0x41), sw(16, 7, 256), *AHEAD, csrw(PRINT, 7), *AHEAD[:2]]
prints = racing("race_prints", PRINTS * 3 + [ENDPRG], data=bytes(printing))
check(same(prints) == 0 and karat("run", prints)[1].count("print wg=0") >= 4, "warps that race to print")
for steps in range(250, 330):
    check(same(prints, f"--max-steps={steps}") == 5, "prints that are stopped")
print(f"{ends} programs to their end, {stops} stopped before, seed {SEED}")
sys.exit(failures != 0)
