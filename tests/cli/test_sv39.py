#!/usr/bin/python3
"""karat run --sv39: programs do the same in any address space, in every step and byte; page faults are reported; and what has no
translation refuses it."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from elftools.elf.elffile import ELFFile

from kernelfile import CODE, DATA, ENDPRG, addi, csrr, lui, lw, sw, write_elf

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--vectors", required=True, type=pathlib.Path)
parser.add_argument("--kernels", required=True, type=pathlib.Path)
parser.add_argument("--random", type=int, default=12, help="random programs")
parser.add_argument("--one-in", type=int, default=1, help="run one of so many programs")
args = parser.parse_args()
failures = 0
SEED = int(os.environ.get("KARAT_SEED", "1"), 0)


def check(good, what, *more):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what, *(str(m)[:2000] for m in more))


def karat(*arguments):
    done = subprocess.run([args.karat, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


folder = tempfile.TemporaryDirectory()
here = pathlib.Path(folder.name)


def program(name, code, **options):
    return write_elf(here / f"{name}.elf", code, **options)


# --- The same results --------------------------------------------------------------------------------------------------------


def dumps(path):
    """--dump of all that an ELF file has in memory."""
    if path.suffix != ".elf":
        return []
    with path.open("rb") as file:
        segments = [s for s in ELFFile(file).iter_segments() if s["p_type"] == "PT_LOAD" and s["p_memsz"]]
        return [f"--dump={s['p_vaddr']:#x},{s['p_memsz']}" for s in segments]


def run(files, more, sv39):
    """All that a run leaves: status, output with memory, errors, every step, and the summary; and how many accesses moved."""
    trace, summary = here / "trace", here / "summary.json"
    options = [o for path in files for o in dumps(path)]
    status, out, err = karat("run", *files, *options, *more, f"--trace={trace}", f"--json={summary}", *sv39)
    steps, moved = re.subn(r"@[0-9a-f]{8,}\]", "]", trace.read_text())
    return (status, out, err, steps, json.loads(summary.read_text())), moved


def same(files, *more):
    """False: it does not come to its end without translation either."""
    plain, _ = run(files, more, [])
    if plain[0] != 0:
        return False
    for seed in [None, SEED, SEED + 1000]:
        got, moved = run(files, more, ["--sv39" if seed is None else f"--sv39={seed}"])
        check(got == plain, [f.name for f in files], "with seed", seed,
              next((pair for pair in zip(str(got[3]).splitlines(), plain[3].splitlines()) if pair[0] != pair[1]), (got[:3], plain[:3])))
        check(seed is not None or not moved, files, "the identity moves addresses")
        check(seed is None or moved or ".global" not in plain[3], files, "no address has moved")
    return True


programs = sorted(args.vectors.glob("*.elf"))[SEED % args.one_in:: args.one_in]
check(len(programs) > 50 // args.one_in, "too few programs", len(programs))
ended = [path for path in programs if same([path])]
check(len(ended) > len(programs) * 9 // 10, "too few programs come to their end", len(ended), len(programs))
same(ended[:3], "--resident=2", "--schedule=seed=4")  # one after the other on one memory
for threads in (1, 8):
    same(ended[3:4], f"--threads={threads}")
status, out, err = karat("gen", "random", f"--count={args.random}", f"--seed={SEED}", "--length=1500", f"--output={here / 'random'}")
check(status == 0, "karat gen", out, err)
vectors = sorted((here / "random").glob("**/program.elf"))
check(len(vectors) == args.random, "random programs", vectors)
for path in vectors:
    threads = json.loads((path.parent / "manifest.json").read_text())["threads"]
    check(same([path], f"--threads={threads}"), "a random program fails", path)
kernels = sorted(args.kernels.glob("**/*.metadata")) if args.kernels.is_dir() else []
for path in kernels[SEED % args.one_in:: args.one_in]:
    same([path])

# The arguments of a launch from the command line: word 1 of the argument buffer goes to the buffer of argument 0.
KNL_ARGS = 4
launched = program("launched", [csrr(5, 0x803), lw(6, 5, KNL_ARGS), lw(7, 6, 0), lw(8, 6, 4), sw(8, 7, 8), ENDPRG], launch=False,
                   symbols=[("kernel", CODE, 24)])
for sv39 in ([], ["--sv39"], [f"--sv39={SEED}"]):
    got = karat("run", launched, "--kernel=kernel", "--arg=buffer:12", "--arg=u32:0x1234", "--threads=4", "--dump-arg=0",
                f"--dump-arg=0:{here / 'bytes'}", *sv39)
    check(got[0] == 0 and "00000000 00000000 00001234" in got[1], "--dump-arg", sv39, *got)
    check((here / "bytes").read_bytes() == bytes(8) + b"\x34\x12\0\0", "--dump-arg to a file", sv39)

# --- Faults ------------------------------------------------------------------------------------------------------------------


def fault(code, pattern, **options):
    path = program("fault", code, **options)
    plain = karat("run", path)
    for seed in ("", "=1", f"={SEED + 5}"):
        status, out, err = karat("run", path, f"--sv39{seed}", "--json", here / "fault.json")
        check(status == 4 and len(err.splitlines()) == 1 and re.search(pattern, err), pattern, seed, status, out, err)
        check(json.loads((here / "fault.json").read_text())["error"] in err, "the summary's error", err)
    return plain


ENTRY = r"level [012], entry 0x[0-9a-f]{16} at 0x[0-9a-f]{9,}"
AT = r"fault: program error: page fault in workgroup 0 warp 0"
plain = fault([lui(5, 0xA0000), sw(5, 5, 4), ENDPRG],
              AT + r" lane 0 at pc 0x80000004 \(.*sw .*\): store of 0xa0000004: entry is not valid, " + ENTRY + "$")
check(plain[0] == 4 and "access to an unmapped address" in plain[2], "without translation", *plain)
fault([lw(5, 0, 0), ENDPRG], AT + r" lane 0 at pc 0x80000000 \(.*lw .*\): load of 0x00000000: entry is not valid, " + ENTRY + "$")
fault([lui(5, 0xA0000), 5 << 15 | 0x67],  # jalr x0, 0(x5): private memory is not executable
      AT + r" at pc 0xa0000000: fetch of 0xa0000000: page is not executable, " + ENTRY + r", physical address 0x[0-9a-f]+000$", pds=(0xA0000000, 64))
status, out, err = karat("run", program("good", [ENDPRG]), "--sv39", f"--dump={DATA + 4092:#x},8")
check(status == 2 and "--dump: 0x90001000 is not mapped" in err, "--dump beyond", status, out, err)

# --- What refuses it ---------------------------------------------------------------------------------------------------------


def one_line(text, *arguments):
    status, out, err = karat(*arguments)
    check(status == 2 and not out and len(err.splitlines()) == 1 and text in err, arguments, status, out, err)


good = program("good", [ENDPRG])
one_line("--sv39: expected a number, the seed of the layout, found 'x'", "run", good, "--sv39=x")
one_line("--sv39: expected a number", "run", good, "--sv39=")
one_line("--sv39: expected a number", "run", good, "--sv39=0x10000000000000000")
one_line("--record: expected no --sv39, too", "run", good, "--sv39", f"--record={here / 'r'}")
check(not (here / "r").exists(), "a recording")
check(karat("run", good, "--sv39=0xffffffffffffffff")[0] == 0, "the largest seed")
for command in ("check", "compare-log", "import", "shrink"):
    one_line("--sv39", command, good, "--sv39")

print(f"{len(programs)} programs, {len(vectors)} random ones, {len(kernels)} kernels")
sys.exit(1 if failures else 0)
