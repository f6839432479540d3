#!/usr/bin/python3
"""The rules that exclude bins, against what runs: no program may reach a bin that a rule says nothing can reach.

The directed set and random programs run on the model with several numbers of threads; random programs also in other orders of
their warps and of the two paths of a divergence. A bin that was hit and is excluded fails, on its own device and merged with
the others'. So does a rule that takes less, or more, than it should where its border is; and the directed set where it leaves
more than little of what can be reached.
"""
import argparse
import concurrent.futures
import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from kernelfile import CODE, ENDPRG, addi, lui, lw, write_elf, write_metadata  # noqa: E402
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from share import share_of  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--threads", default="1,2,4,8,16,32", help="threads per warp of the devices (1,2,4,8,16,32)")
parser.add_argument("--random", type=int, default=20, help="random programs on each (20)")
parser.add_argument("--length", type=int, default=1000, help="instructions of each (1000)")
parser.add_argument("--seed", type=int, default=1, help="of the first one (1)")
parser.add_argument("--directed", help="of the directed set only programs whose name has this in it")
parser.add_argument("--profile", default="v2.02", help="of the ISA (v2.02)")
parser.add_argument("--jobs", type=int, default=2, help="runs at once (2)")
args = parser.parse_args()
TENSOR_THREADS = 4  # With fewer vftta is illegal
LEAST = "99.7"  # Percent that the directed set covers by itself

# Threads of the device; bins that nothing can reach there; bins beside them that something can.
BORDERS = (
    ({1}, "instruction", "vlw12_v none|regext|regpair single, vbeq none single, vmv_x_s none single", "vle32_v|vadd_vv none|regext single"),
    ({1, 2}, "instruction", "vle32_v|vsse32_v|vluxei8_v regpair|regpairi alternating|other", ""),
    ({1}, "instruction", "vse32_v regpair|regpairi single", "vle8_v|vsse16_v regpair|regpairi single"),
    ({2}, "instruction", "vlw12_v none|regext alternating|other, vmv_x_s none other",
     "vle32_v|vadd_vv none|regexti alternating|other, vle8_v|vsse16_v regpair|regpairi alternating|other"),
    ({1}, "operand", "vsw12_v none single 2 one", "vse32_v none single 3 one"),
    ({2}, "operand", "vsw12_v none other 2 one", "vse32_v none other 3 one"),
    ({4, 8, 32}, "instruction", "", "vlw12_v none|regpair single|alternating|other"),
    ({1, 2}, "simt", "pass|diverge 1|2 alternating", ""),
    ({2}, "simt", "", "pass 1|2 single, diverge 2 single"),
    ({4}, "simt", "pass 5..8 alternating", "pass 1|2|3|4 alternating, pass 5..8 single"),
    ({8}, "simt", "pass 9_and_more alternating", "pass|diverge 9_and_more single|other, pass 5..8 alternating"),
    ({2}, "memory", "load|store private 4|8 0 one_word|2-way", "load|store private 1|2 0 one_word|2-way, load|store global|lds 4 0 one_word|2-way"),
    ({2, 4}, "memory", "load|store private 1|2|4|8 0 3-way_and_more", ""),
    ({4}, "memory", "", "load|store private 1|2|4|8 0 one_word|2-way|one_bank, load|store global|lds 4 0 3-way_and_more"),
    ({8, 32}, "memory", "", "load|store private 1|2|4|8 0 one_word|2-way|one_bank|3-way_and_more"),
    ({1, 2, 4, 8, 16, 32}, "csr", "csrrsi vstart same_value, csrrci vstart another_value",
     "csrrci|csrrwi|csrrs|csrrc vstart same_value, csrrsi vxsat same_value"),
)


def karat(*arguments):
    done = subprocess.run([args.karat, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"test_cov_rules: {' '.join(map(str, arguments))}: status {done.returncode}: {done.stderr}{done.stdout[-400:]}")
    return done


def weights(folder):
    """Those that apply by themselves, without tensors."""
    kinds = json.loads(karat("gen", "--kinds").stdout)
    kinds["units"].pop("tensor", None)
    path = folder / "weights.json"
    path.write_text(json.dumps(kinds))
    return path


def run(threads, program):
    """The program's coverage, in an order drawn from its name."""
    path = program.parent / "coverage.json"
    rng = random.Random(f"{args.seed} {program.parent.name}")
    more = [] if "random" not in program.parent.name else [
        rng.choice(("--schedule=rr", "--schedule=warp", f"--schedule=seed={rng.randrange(1000)}")),
        rng.choice(("--simt-order=smaller-first", "--simt-order=if-first", "--simt-order=else-first"))]
    karat("run", f"--profile={args.profile}", f"--threads={threads}", "--warps=32", *more, f"--coverage={path}", program)
    return path


def reachable(*files):
    """The bins that no rule excludes on all of the devices of these files, and those that were hit."""
    report = json.loads(karat("cov", "report", "--format=json", "--hits", *files).stdout)
    hit = {(g["name"], *names) for g in report["groups"] for names, _ in g["hits"]}
    return hit | {(g["name"], *names) for g in report["groups"] for names in g["holes"]}, hit


def bins(group, text):
    """Those of a line of BORDERS: "a|b c, d e" are a c, b c and d e."""
    return [(group, *(name.replace("_and_", " and ").replace("one_", "one ").replace("_value", " value") for name in names))
            for one in text.split(", ") if one for names in itertools.product(*(point.split("|") for point in one.split()))]


def borders(files):
    """What each device has of BORDERS; its names have to be some bin's on a large one."""
    wrong, every = [], {}
    here = {threads: reachable(path)[0] for threads, path in files.items()}
    for names in set().union(*here.values()):
        for axis, name in enumerate(names):
            every.setdefault((names[0], axis), set()).add(name)
    for devices, group, excluded, not_excluded in BORDERS:
        for names in bins(group, excluded) + bins(group, not_excluded):
            wrong += [f"{names}: no such bin" for axis, name in enumerate(names)
                      if max(files) >= 8 and name not in every[group, axis]]
        for threads in devices & files.keys():
            wrong += [f"{threads} threads: {names} is not excluded" for names in bins(group, excluded) if names in here[threads]]
            wrong += [f"{threads} threads: {names} is excluded" for names in bins(group, not_excluded) if names not in here[threads]]
    if len(files) > 1 and reachable(*files.values())[0] != set().union(*here.values()):
        wrong.append("merged: what one of the devices can reach is excluded, or more than they can is not")
    return wrong


VID, SCATTER = 0x5208A0D7, (0x0E10B157, 0x9622E157)  # vid.v v1; v2 = (1 - v1) * x5
BYTES, WORDS = (0x8011002B, 0x000141AB), (0x8011202B, 0x000121AB)  # vsb.v v1, 0(v2), vlbu.v v3, 0(v2); vsw.v, vlw.v


def far_fetched(folder):
    """Bins that look impossible and are not: programs that hit them."""
    wrong = []

    def hits(threads, program, *more):
        path = folder / "far.json"
        karat("run", f"--threads={threads}", f"--coverage={path}", *more, program)
        return reachable(path)[1]

    def expect(found, group, text):
        wrong.extend(f"{names}: not hit" for names in bins(group, text) if names not in found)

    # Private memory that begins within a word: byte 3 of one thread's word and byte 0 of the next one's are in one word.
    for x5, pattern in ((3, "one_word"), (7, "2-way")):
        within = write_elf(folder / "within.elf", [addi(5, 0, x5), VID, *SCATTER, *BYTES, ENDPRG], pds=(0xA0000001, 256), regs=(32, 32))
        expect(hits(2, within), "memory", f"load|store private 1 0 {pattern}")
    # Three threads: 4 * (2^31 + 1) / 3 bytes further is, modulo 2^32, the next thread's word.
    around = write_elf(folder / "around.elf", [lui(5, 0xAAAAB), addi(5, 5, 0xAAC), VID, *SCATTER, *WORDS, ENDPRG], pds=(0xA0000000, 256),
                       regs=(32, 32), wf_size=3)
    expect(hits(4, around), "memory", "load|store private 4 0 one_word")
    # x0 as the base of an address: where there is memory at 0.
    at_zero = write_metadata(folder / "zero.metadata", buffers=[(CODE, [lw(5, 0, 8), ENDPRG], 4096), (0, [0] * 4, 4096)], knl=0)
    expect(hits(4, at_zero), "number", "lw 1 0")
    # The larger path first: the stack is as deep as there are threads to leave.
    karat("gen", "directed", "--threads=8", "--scenario=nested", f"--output={folder / 'nested'}")
    expect(hits(8, folder / "nested" / "nested" / "program.elf", "--simt-order=if-first"), "simt", "diverge|pass 9_and_more single|other")
    return wrong


def main():
    wrong = []
    print(f"random programs: seeds from {args.seed}")
    merged, programs = {}, 0
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        folder = pathlib.Path(name)
        for threads in map(int, args.threads.split(",")):
            here = folder / str(threads)
            more = [f"--weights={weights(folder)}"] if threads < TENSOR_THREADS else []
            device = f"--profile={args.profile}", f"--threads={threads}", f"--output={here}"
            karat("gen", "random", f"--count={share_of(args.random)}", f"--seed={args.seed}", f"--length={args.length}", *device, *more)
            karat("gen", "directed", *device, *([f"--only={args.directed}"] if args.directed else []))
            files = list(pool.map(lambda p, t=threads: run(t, p), sorted(here.glob("*/program.elf"))))
            merged[threads] = folder / f"{threads}.json"
            karat("cov", "merge", f"--output={merged[threads]}", *files)
            if not args.directed:
                karat("cov", "report", f"--min={LEAST}", *(path for path in files if "random" not in path.parent.name))
            line = karat("cov", "report", merged[threads]).stdout.split("\nall ")[1].splitlines()[0].split()
            print(f"{threads:2} threads: {len(files)} programs, {line[0]} bins, {line[1]} excluded, {line[2]} hit", flush=True)
            programs += len(files)
        karat("cov", "report", *merged.values())
        if args.profile == "v2.02":  # The row whose bins these are
            wrong += borders(merged) + far_fetched(folder)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{programs} programs: no bin that a rule excludes was hit")
    return 0 if programs and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
