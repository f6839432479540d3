#!/usr/bin/python3
"""karat run --sv39: programs do the same in any address space, in every step and byte; page faults are reported; recordings of both are
judged so by karat check; and what has no translation refuses it."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from kernelfile import CODE, DATA, ENDPRG, addi, csrr, dumps, lui, lw, sw, write_elf
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from share import SHARE, profiles_of, share_of  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--vectors", required=True, type=pathlib.Path)
parser.add_argument("--kernels", required=True, type=pathlib.Path)
parser.add_argument("--random", type=int, default=6, help="random programs of each profile")
parser.add_argument("--length", type=int, default=1500, help="of random programs")
parser.add_argument("--directed", type=int, default=6, help="directed programs of each profile; 0: all")
parser.add_argument("--one-in", type=int, default=1, help="run one of so many programs")
args = parser.parse_args()
args.one_in *= max(1, 100 // SHARE)
args.random, args.directed = share_of(args.random), share_of(args.directed) if args.directed else 0
failures = 0
SEED = int(os.environ.get("KARAT_SEED", "1"), 0)


def check(good, what, *more):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what, *(str(m)[:2000] for m in more))


def karat(*arguments):
    done = subprocess.run([args.karat, *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


folder = tempfile.TemporaryDirectory()
here = pathlib.Path(folder.name)


def program(name, code, **options):
    return write_elf(here / f"{name}.elf", code, **options)


# --- The same results --------------------------------------------------------------------------------------------------------


def run(files, more, sv39):
    """All that a run leaves: status, output with memory, errors, every step, and the summary; and how many accesses moved."""
    trace, summary = here / "trace", here / "summary.json"
    options = [o for path in files for o in dumps(path)]
    recording = here / "run.ktr"
    status, out, err = karat("run", *files, *options, *more, f"--trace={trace}", f"--json={summary}", *sv39,
                             *([f"--record={recording}"] if sv39 else []))
    if sv39 and status == 0:
        judged, line, diag = karat("check", recording)
        counts = json.loads(summary.read_text())["kernels"]
        check(judged == 0 and " unchecked=none " in line, "the recording", files, sv39, line, diag)
        for name in ("x", "v", "simt", "csr", "exit"):
            check(f" {name}={sum(k['counts'][name] for k in counts)} " in line, name, "of the recording", files, line)
    steps, moved = re.subn(r"@[0-9a-f]{8,}\]", "]", trace.read_text())
    return (status, out, err, steps, json.loads(summary.read_text())), moved


def same(files, *more):
    """False: it does not come to its end without translation either."""
    plain, _ = run(files, more, [])
    if plain[0] != 0:
        return False
    for seed in [None, 4 * SEED, 4 * SEED + 1]:  # Every fourth one is a wide layout
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
same(ended[:3], "--resident=2", "--schedule=seed=4")  # They run one after the other on one memory
for threads in (1, 8):
    same(ended[3:4], f"--threads={threads}")

vectors = []


def generate(*arguments):
    status, out, err = karat("gen", *arguments)
    check(status == 0, "karat gen", arguments, out, err)


for number, profile in enumerate(profiles_of(args.karat)):
    options = [f"--profile={profile}", f"--threads={(8, 32)[(SEED + number) % 2]}", f"--output={here / profile}"]
    generate("random", f"--count={args.random}", f"--seed={SEED}", f"--length={args.length}", *options)
    names = [line.split()[0] for line in karat("gen", "directed", "--list", f"--profile={profile}")[1].splitlines()]
    for name in names[SEED % (len(names) // args.directed):: len(names) // args.directed] if args.directed else []:
        generate("directed", f"--only={name}", *options)
    if not args.directed:
        generate("directed", *options)
    made = sorted((here / profile).glob("*/program.elf"))
    check(len(made) >= args.random + args.directed, "programs", profile, len(made))
    vectors += made
for path in vectors:
    threads = json.loads((path.parent / "manifest.json").read_text())["threads"]
    check(same([path], f"--threads={threads}"), "a program of karat gen fails", path)
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
    for seed in ("", "=1", f"={4 * SEED + 3}"):
        status, out, err = karat("run", path, f"--sv39{seed}", "--json", here / "fault.json", "--record", here / "fault.ktr")
        judged, report, _ = karat("check", here / "fault.ktr")
        check(judged == 4 and "the core reports the same fault" in report and "the model's walk" in report, "the recording", report)
        judged, report, _ = karat("check", "--without=tlb", here / "fault.ktr")
        fetch = "fetch of" in pattern  # No other record shows it
        check(judged == 5 if fetch else judged == 4 and "page fault: " in report and "the core reports" not in report,
              "the recording without TLB", report)
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

# Changes of pages, by the command line.
store = [lui(5, DATA >> 12), sw(5, 5, 4), lw(6, 5, 4), ENDPRG]
path = program("changed", store, data=bytes(16))
for change, pattern in (("no-write", "store of 0x90000004: page is not writable, level 0"), ("no-read@1", "page is not writable, level 1"),
                        ("not-dirty@2", "store of 0x90000004: D is clear, level 2"), ("no-table@2", "fetch of 0x80000000: entry outside")):
    for layout in ([], [f"--sv39={SEED}"]):
        status, out, err = karat("run", path, f"--page={DATA:#x}:{change}", *layout)
        check(status == 4 and pattern in err, change, layout, status, out, err)
for change in ("page@1", "no-exec", "alias=0x80000000", "global+user@2"):
    status, out, err = karat("run", path, f"--page={DATA:#x}:{change}")
    check(status == 0, change, status, out, err)
status, out, err = karat("run", path, "--page=0xc0000000:alias=0x90000000", f"--page={DATA:#x}:no-write", "--dump=0xc0000004,4")
check(status == 4 and "00000000" in out, "two changes", out, err)

# --- What refuses it ---------------------------------------------------------------------------------------------------------


def one_line(text, *arguments):
    status, out, err = karat(*arguments)
    check(status == 2 and not out and len(err.splitlines()) == 1 and text in err, arguments, status, out, err)


good = program("good", [ENDPRG])
one_line("--sv39: expected a number, the seed of the layout, found 'x'", "run", good, "--sv39=x")
one_line("--sv39: expected a number", "run", good, "--sv39=")
one_line("--sv39: expected a number", "run", good, "--sv39=0x10000000000000000")
one_line("--page: expected VIRT:CHANGE[+CHANGE...][@LEVEL], found 'x'", "run", good, "--page=x")
one_line("--page: expected a change: page, alias=ADDR, invalid, ", "run", good, "--page=0:x")
check(karat("run", good, "--sv39=0xffffffffffffffff")[0] == 0, "the largest seed")
for command in ("check", "import", "shrink"):
    one_line("--sv39", command, good, "--sv39")

print(f"{len(programs)} programs, {len(vectors)} of karat gen, {len(kernels)} kernels")
sys.exit(1 if failures else 0)
