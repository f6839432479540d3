#!/usr/bin/python3
"""karat run, of a run that does not end: where every warp is, at --max-steps, at SIGINT and SIGTERM, where the whole state comes again, and
at a barrier that one does not come to; --trace by windows; uses of registers never written; source lines
in its errors; and --record, which karat check passes, of every program of profile v2.02 and one of v2.03."""
import argparse
import fcntl
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import termios
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "scripts"))

from lockstep import programs_in  # noqa: E402
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from share import some  # noqa: E402
from kernelfile import BARRIER, CODE, DATA, ENDPRG, addi, beq, bne, csrr, csrw, lui, lw, sw, vadd_vi, vadd_vv, write_elf  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--changed", required=True, type=pathlib.Path, help="the program that changes recordings")
parser.add_argument("--vectors", required=True, type=pathlib.Path)
parser.add_argument("--kernels", required=True, type=pathlib.Path)
parser.add_argument("--clang", required=True)
args = parser.parse_args()
failures = 0
JUMP_TO_ITSELF = 0x0000006F


def check(good, what, *more):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what, *more)


def karat(*arguments):
    done = subprocess.run([args.karat, *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


folder = tempfile.TemporaryDirectory()
here = pathlib.Path(folder.name)


def program(name, code, **options):
    return write_elf(here / f"{name}.elf", code, **options)


# --- Where the warps are -----------------------------------------------------------------------------------------------

live = program("live", [csrr(5, 0x805), bne(5, 0, 12), addi(6, 0, 1), JUMP_TO_ITSELF, BARRIER, ENDPRG], wg_size=2, wf_size=4,
               symbols=[("start", CODE, 0), ("spin", CODE + 12, 4), ("wait", CODE + 16, 8)])
BLOCKS = """  workgroup 0 warp 0: 0x8000000c <spin+0x0>  jal x0, 0x8000000c, mask 0000000f, stack empty
    loops over 0x8000000c <spin+0x0>: 1 instruction a turn, at least 64 turns so far
  workgroup 0 warp 1: 0x80000010 <wait+0x0>  barrier 0, mask 0000000f, stack empty
    waits at a barrier: of workgroup 0 warp 1 arrived, warp 0 missing
"""
summary = "live: workgroups=0 warps=0 threads=4 instructions="
got = karat("run", live, "--max-steps", 200, "--json", here / "live.json")
check(got == (5, summary + "200\n" + BLOCKS, "karat run: live: not finished after 200 steps (--max-steps)\n"), "--max-steps", *got)
report = json.loads((here / "live.json").read_text())
check(report["status"] == 5 and report["error"] == "live: not finished after 200 steps (--max-steps)", report)
warps = report["where"]
check([w["warp"] for w in warps] == [0, 1] and warps[0]["loop"] == {"first": CODE + 12, "last": CODE + 12, "instructions": 1, "turns": 64} and
      warps[1]["barrier"] == {"arrived": [1], "missing": [0]} and warps[1]["symbol"] == "wait" and "sm" not in warps[0], warps)
karat("run", program("ends", [ENDPRG]), "--json", here / "ends.json")
check("where" not in json.loads((here / "ends.json").read_text()), "of a whole run")
# Many warps: those in one place are one block, and the JSON has them all.
crowd = program("crowd", [csrr(5, 0x805), bne(5, 0, 8), BARRIER, JUMP_TO_ITSELF], wg_size=8, grid=(9, 1, 1))
status, out, err = karat("run", crowd, "--max-steps", 4000, "--resident", 9, "--json", here / "crowd.json")
blocks = (r"^  9 warps, the first of them workgroup 0 warp 0: 0x80000008 .*\n"
          r"    waits at a barrier: of workgroup 0 warp 0 arrived, warps 1-7 missing\n"
          r"  63 warps, the first of them workgroup 0 warp 1: 0x8000000c")
check(status == 5 and len(out.splitlines()) < 8 and re.search(blocks, out, re.M), out)
check(len(json.loads((here / "crowd.json").read_text())["where"]) == 72, "all of them")
# A warp that ends while the others wait: who they are.
left = program("left", [csrr(5, 0x805), bne(5, 0, 16), addi(6, 0, 1), addi(6, 0, 1), ENDPRG, BARRIER, ENDPRG], wg_size=3, wf_size=4)
status, out, err = karat("run", left)
check(status == 4 and out.endswith("\n  workgroup 0 warp 0: 0x80000010  endprg, mask 0000000f, stack empty\n"
                                   "  workgroup 0 warps 1-2: 0x80000014  barrier 0, mask 0000000f, stack empty\n"
                                   "    waits at a barrier: of workgroup 0 warps 1-2 arrived, warp 0 missing\n"), out, err)
status, out, err = karat("run", left, "--schedule", "warp")  # Warp 0 has ended before
check(status == 4 and "\n  workgroup 0 warp 1: 0x80000014  barrier 0, mask 0000000f, stack empty\n"
                      "    waits at a barrier: of workgroup 0 warp 1 arrived, warps 0,2 missing\n" in out, out, err)
check("  workgroup 0" not in karat("run", program("trap", [0]))[1], "an error of one warp is of that one")

# --- The same state again ---------------------------------------------------------------------------------------------

AGAIN = re.compile(r"^karat run: \w+: it never ends: all registers and memory after step (\d+) are what they were after step (\d+)\n$")
status, out, err = karat("run", live)
check(status == 3 and AGAIN.match(err) and out.endswith(BLOCKS), "again", status, out, err)
for schedule in ("warp", "seed=3"):
    status, out, err = karat("run", live, "--schedule", schedule)
    check(status == 3 and AGAIN.match(err), schedule, status, err)
# A loop of seven steps that counts in memory to three, and again: not the same after one turn.
swings = program("swings", [lui(6, DATA >> 12), lw(5, 6, 0), addi(5, 5, 1), 0x0032F293, sw(5, 6, 0), beq(0, 0, -16)])  # andi x5, x5, 3
status, out, err = karat("run", swings)
found = AGAIN.match(err)
check(status == 3 and found and (int(found[1]) - int(found[2])) % 20 == 0, "in memory", status, err)
# A loop that counts is no endless loop, however long: it is not reported, and it ends.
counts = program("counts", [lui(5, 0x100), addi(5, 5, -1), bne(5, 0, -4), ENDPRG])
check(karat("run", counts) == (0, f"counts: workgroups=1 warps=1 threads=32 instructions={2 * (1 << 20) + 2}\n", ""), "it ends")
memory = program("memory", [lui(6, DATA >> 12), lui(7, 0x40), lw(5, 6, 0), addi(5, 5, 1), sw(5, 6, 0), bne(5, 7, -12), ENDPRG])
check(karat("run", memory)[0] == 0, "counts in memory")
# Two warps, drawn at random: who is next does not follow from the state.
pair = program("pair", [JUMP_TO_ITSELF], wg_size=2)
check(karat("run", pair, "--schedule", "seed=1", "--max-steps", 1000000)[0] == 5 and karat("run", pair)[0] == 3, "at random")

# A log that ends in a loop, as a simulator's that was stopped: no PASS of what is made of it.
looped = program("looped", [addi(5, 0, 1), JUMP_TO_ITSELF], wf_size=4)
(here / "looped.log").write_text("core   0: 0x80000000 (0x00100293) li      x5, 1\ncore   0: 3 0x80000000 (0x00100293) x5  0x00000001\n" +
                                 "core   0: 0x80000004 (0x0000006f) j       pc + 0x0\ncore   0: 3 0x80000004 (0x0000006f)\n" * 70)
check(karat("import", here / "looped.log", looped, "-o", here / "looped.ktr")[0] == 0, "import")
status, out, err = karat("check", here / "looped.ktr")
check(status == 5 and "\n              loops over 0x80000004: 1 instruction a turn, at least 64 turns so far\n" in out, out, err)

# --- Signals ----------------------------------------------------------------------------------------------------------

for number in (signal.SIGINT, signal.SIGTERM):
    out = here / f"{number}.json"
    recording = here / f"{number}.ktr"
    process = subprocess.Popen([args.karat, "run", pair, "--schedule", "seed=1", "--json", out, "--record", recording, "--coverage",
                                here / "cov"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not (recording.exists() and recording.stat().st_size > 4000):
        time.sleep(0.02)
    for _ in range(2):  # Like timeout(1): the process, and then its group
        process.send_signal(number)
    said, err = process.communicate()
    name = signal.Signals(number).name
    check(process.returncode == 5 and re.match(rf"karat run: pair: not finished after \d+ steps: ended by {name}\n$", err), name,
          process.returncode, err)
    check("\n  workgroup 0 warps 0-1: 0x80000000  jal x0, 0x80000000, mask ffffffff" in said, name, said)
    check(json.loads(out.read_text())["status"] == 5 and (here / "cov").stat().st_size, name, "its files")
    check("karat: INCOMPLETE (ended early) core=model" in karat("check", recording)[1], name, "its recording")

# A check that is ended while it reads: it has taken half of its recording, and the rest comes after the signal.
recording = here / "long.ktr"
karat("run", pair, "--max-steps", 400000, "--record", recording)
pipe = here / "pipe"
os.mkfifo(pipe)
process = subprocess.Popen([args.karat, "check", pipe, "--json", here / "check.json", "--coverage", here / "check.cov"],
                           stdout=subprocess.PIPE, text=True)
written = recording.read_bytes()
place, blocks_written = 16, 0
while place < len(written):  # A header of 32 bytes with the size of what follows it
    place += 32 + int.from_bytes(written[place + 8:place + 12], "little")
    blocks_written += 1
check(blocks_written > 8, "blocks", blocks_written)
try:
    with open(pipe, "wb", buffering=0) as out:
        for at in range(0, len(written) // 2, 256):
            out.write(written[at:at + 256])
        while fcntl.ioctl(out, termios.FIONREAD, bytes(4)) != bytes(4):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out.write(written[at + 256:])
except BrokenPipeError:  # It wants no more
    pass
said = process.communicate()[0]
check(process.returncode == 5 and "\n  what      ended by SIGINT before the trace had been read\n  warps     workgroup 0 warp" in said and
      "karat: INCOMPLETE (ended early) core=model program=pair " in said, process.returncode, said)
check(json.loads((here / "check.json").read_text())["verdict"] == "INCOMPLETE" and (here / "check.cov").stat().st_size, "its files")

# --- Windows of the trace ---------------------------------------------------------------------------------------------

windows = program("windows", [csrr(5, 0x805), csrr(6, 0x808), addi(7, 0, 2), addi(7, 7, -1), bne(7, 0, -4), ENDPRG], wg_size=2, grid=(2, 1, 1),
                  wf_size=2, symbols=[("start", CODE, 0), ("loop", CODE + 12, 8), ("done", CODE + 20, 0)])
whole = karat("run", windows, "--trace")[1].splitlines()[:-1]
check(len(whole) == 32, whole)


def traced(wanted, *options):
    status, out, err = karat("run", windows, "--trace", *options)
    got = out.splitlines()[:-1]
    check((status, err) == (0, ""), options, status, err)
    check(got == [line for number, line in enumerate(whole, 1) if wanted(number, line, int(line.split()[3][:8], 16))], options, *got)


traced(lambda n, line, pc: " warp=1 " in line, "--warp", 1)
traced(lambda n, line, pc: " wg=1 warp=0 " in line, "--warp", "1.0")
traced(lambda n, line, pc: " wg=1 warp=0 " in line or " warp=1 " in line, "--warp", "1.0", "--warp", "0x1")
traced(lambda n, line, pc: 5 <= n <= 9, "--from", 5, "--to", 9)
traced(lambda n, line, pc: n >= 30, "--from", 30)
traced(lambda n, line, pc: n == 1, "--to", 1)
traced(lambda n, line, pc: pc in (CODE + 12, CODE + 16), "--pc", "loop")
traced(lambda n, line, pc: pc <= CODE + 8, "--pc", "start")
traced(lambda n, line, pc: pc >= CODE + 12, "--pc", "loop:done")
traced(lambda n, line, pc: pc == CODE + 4, "--pc", hex(CODE + 4))
traced(lambda n, line, pc: CODE + 4 <= pc <= CODE + 16, "--pc", f"{CODE + 4:#x}:loop")
traced(lambda n, line, pc: pc == CODE + 20 and " warp=0 " in line and n > 20, "--pc", "done", "--warp", 0, "--from", 21)
for options in (("--from", 33), ("--warp", "2"), ("--pc", "loop", "--to", 2)): # Nothing is selected
    status, out, err = karat("run", windows, "--trace", *options)
    check(status == 0 and len(out.splitlines()) == 1 and len(err.splitlines()) == 1 and "none of the 32 steps" in err, options, status, out, err)
for options, text in (((windows, "--warp", "1"), "expected --trace as well"), ((windows, "--trace", "--warp", "a"), "--warp: expected"),
                      ((windows, "--trace", "--warp", "1."), "--warp: expected"), ((windows, "--trace", "--from", "0"), "--from: expected"),
                      ((windows, "--trace", "--to", "x"), "--to: expected"), ((windows, "--trace", "--pc", "loop:"), "--pc: expected"),
                      ((windows, "--trace", "--pc", "nowhere"), "found 'nowhere'"),
                      ((windows, "--trace", "--pc", "loop:nowhere"), "found 'nowhere'")):
    status, out, err = karat("run", *options)
    check(status == 2 and len(err.splitlines()) == 1 and text in err, options, status, err)

# --- Registers never written ------------------------------------------------------------------------------------------

# x7 is read twice, v1 once in all its lanes; x5 is written before, and x0 is no register to write.
reads = program("reads", [addi(5, 0, 1), addi(6, 7, 0), addi(6, 7, 0), vadd_vv(2, 1, 1), vadd_vi(2, 1, 1), ENDPRG], wf_size=2)
status, out, err = karat("run", reads, "--json", here / "reads.json")
check((status, out) == (0, "reads: workgroups=1 warps=1 threads=2 instructions=6 undefined=2\n"), status, out, err)
check(json.loads((here / "reads.json").read_text())["kernels"][0]["undefined"] ==
      [{"pc": CODE + 4, "class": "x", "register": 7, "uses": 1}, {"pc": CODE + 12, "class": "v", "register": 1, "uses": 1}], "the places")

# --- Source lines -----------------------------------------------------------------------------------------------------

flags = ["-g", "-target", "riscv32", "-march=rv32ima_zfinx_zve32f", "-mno-relax"]
source = here / "withlines.S"
source.write_text('#include "karat.inc"\n    .text\n    .globl _start\n_start:\n    KERNEL _start\n'
                  '    lui a0, 0x12345\n    lw a1, 0(a0)\n    endprg\n')
root = pathlib.Path(__file__).resolve().parent.parent.parent
subprocess.run([args.clang, *flags, "-I", root / "vectors", "-c", source, "-o", here / "withlines.o"], check=True)
subprocess.run([args.clang, "-target", "riscv32", "-nostdlib", "-fuse-ld=lld", f"-Wl,-T,{root / 'vectors' / 'karat.ld'}", here / "withlines.o", "-o",
                here / "withlines.elf"], check=True)
status, out, err = karat("run", here / "withlines.elf")
check(status == 4 and "at pc 0x80000004 <_start+0x4> (withlines.S:7) (" in err, status, err)

# --- Recordings -------------------------------------------------------------------------------------------------------


def recorded(name, *options):
    """It is PASS, with nothing unchecked, and counts the same; the recording."""
    file = here / f"{name}.ktr"
    status, out, err = karat("run", *options, "--record", file)
    last = out.splitlines()[-1]
    got, line, more = karat("check", file)
    check((status, got) == (0, 0) and " core=model " in line and " unchecked=none " in line, options, status, err, line, more)
    undefined = sum(int(n) for n in re.findall(r"^\S+: workgroups=.* undefined=(\d+)", out, re.M))
    check(undefined == int((re.findall(r" undefined=(\d+)", line) or [0])[0]), "undefined", options, last, line)
    return file


programs = programs_in(args.vectors)
check(len(programs) > 40, "programs", len(programs))
always = [elf for elf in programs if elf.stem in ("barrier_lds", "csr_ops", "simt_nested")]  # Every kind of record
files = [recorded(elf.stem, elf) for elf in dict.fromkeys(some(programs) + always)]
files.append(recorded("sequence", *(args.vectors / f"{name}.elf" for name in ("vecadd", "printing", "vecadd"))))
files.append(recorded("reads", reads))
for threads in (8, 32):  # Accesses of several words
    files.append(recorded(f"v203-{threads}", args.vectors / "matmul64.elf", "--threads", threads))
files.append(recorded("sv39", *(args.vectors / f"{name}.elf" for name in ("vecadd", "printing", "simt_nested", "vecadd")), "--sv39=4"))
for options in (["--schedule", "warp", "--resident", 4], ["--schedule", "seed=9", "--resident", 3], ["--warps", 32], ["--threads", 32]):
    recorded("scheduled", args.vectors / "multi_wg.elf", *options)
if (args.kernels / "README.md").exists():
    folders = sorted(p for p in args.kernels.glob("*/*") if p.is_dir())
    for place in folders:
        names = sorted(place.glob("*.metadata"), key=lambda p: (p.stem.split("_")[-1], p.stem))
        recorded("kernel", *names)
    check(len(folders) > 8, "kernels", len(folders))
else:
    print(f"{args.kernels}: absent, its kernels are left out")
done = subprocess.run([args.changed, *files], capture_output=True, text=True)
check(done.returncode == 0, "changed recordings", done.stdout, done.stderr)
print(done.stdout, end="")
# Runs that do not end well are recorded up to there.
for options, status, text in (([live, "--max-steps", 300], 5, "karat: INCOMPLETE: ended early\n  what      cycle limit: 0 of 2 warps of kernel 0"),
                              ([left], 4, "karat: PROGRAM ERROR: undefined or forbidden by the ISA\n"),
                              ([here / "withlines.elf"], 4, "withlines.S:7 in _start  0x80000004")):
    check(karat("run", *options, "--record", here / "bad.ktr")[0] == status, options)
    got, out, err = karat("check", here / "bad.ktr")
    check(got == status and text in out, options, got, out, err)
for options, text in ((["--record", here / "none" / "x"], "cannot be written"), (["--record", windows], "named as an output and for another purpose"),
                      (["--record", here / "x", "--json", here / "x"], "named as an output and for another purpose")):
    status, out, err = karat("run", windows, *options)
    check(status == 2 and text in err and len(err.splitlines()) == 1, options, status, err)
wide = program("wide", [ENDPRG], wg_size=65)
status, out, err = karat("run", wide, "--record", here / "wide.ktr")
check(status == 2 and "at most 64 warps" in err and not (here / "wide.ktr").exists(), status, err)

print(f"{failures} failures")
sys.exit(1 if failures else 0)
