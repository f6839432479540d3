"""Register logs in every dialect that the simulator has printed: karat compare-log and karat import say which it is, and compare all
of it; what is no log is refused at its line, or, with --partial, ends it; --continue lists differences by their signatures."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import kernelfile
import register_log
from register_log import Printer, Step, START, STEPS, program, steps_of, whole

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--karat", required=True, type=pathlib.Path)
args = parser.parse_args()
work = tempfile.TemporaryDirectory()
TMP = pathlib.Path(work.name)
LOG, TRACE = TMP / "run.log", TMP / "run.ktr"
failures = 0


def check(good, what, *more):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what, *more)


def karat(*arguments):
    done = subprocess.run([args.karat, *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def write(lines):
    LOG.write_text("\n".join(lines) + "\n")
    return LOG


def compare(elf, lines, *options):
    return karat("compare-log", "--log", write(lines), *options, elf)


def counts(out, title="total"):
    line = next((l for l in out.splitlines() if l.startswith(title + ":")), "")
    return {k: int(v) for k, v in re.findall(r"([\w-]+)=(\d+)", line)}


def imported(elf, lines, *options):
    """The output of karat import, and karat check's verdict line."""
    status, out, err = karat("import", "log", "-o", TRACE, "--log", write(lines), *options, elf)
    check(status == 0 and not err, "import", status, err)
    status, report, err = karat("check", TRACE)
    return status, out, report.splitlines()[-1] if report else err


elf = program(TMP / "two.elf")

# --- Dialects -------------------------------------------------------------------------------------------------

MODERN = "register log: disassembly and commits, boot ROM, SIMT state on the commit line, vectors as words of 4 words with the mask"
DIALECTS = {
    "as it is now": (dict(), MODERN + ", bytes of one digit; core N is warp N of its workgroup"),
    "bytes of two digits": (dict(narrow=False), MODERN + "; core N"),
    "vectors as one number": (dict(vectors="number"), "vectors as one number of 4 words with the mask"),
    "vectors without the mask": (dict(vectors="number", mask=False), "vectors as one number of 4 words without the mask"),
    "words without the mask": (dict(mask=False), "vectors as words of 4 words without the mask"),
    "SIMT state on lines of its own": (dict(simt="block", mask=False, vectors="number", top=False),
                                       "SIMT state on lines of its own with the oldest entry first"),
    "oldest entry first": (dict(top=False), "SIMT state on the commit line with the oldest entry first"),
    "values of 64 bits": (dict(bits=64), "boot ROM, values of 64 bits"),
    "commits only": (dict(disassembly=False), "register log: commits only"),
    "no boot ROM": (dict(boot=False), "no boot ROM"),
}
for name, (dialect, words) in DIALECTS.items():
    lines = whole(**dialect).lines
    status, out, err = compare(elf, lines)
    check(status == 0 and not err, name, status, out, err)
    check(out.startswith(f"{LOG}: register log: ") and words in out.splitlines()[0], name, out)
    got = counts(out)
    masks = 4 * (6 + (3 if dialect.get("mask", True) else 0))
    expected = {"steps": 4 * STEPS, "x": 24, "v": 12, "masks": 4 * 5 + (12 if dialect.get("mask", True) else 0), "simt": 20,
                "mem": 4, "csr": 20, "config": 16}
    check(got == expected, name, got, expected)
    status, said, line = imported(elf, lines)
    check(status == 0 and "PASS" in line and words in said, name, "import", status, said, line)
    # Every dialect is compared: a change of each kind is found.
    for pattern, change in ((r"(x9  0x0*)1$", r"\g<1>2"), (r"(\[else_mask\] 0000000)e", r"\1f"), (r"(mask:\t0000000)e", r"\1f"),
                            (r"(v3  .*0000000)4", r"\g<1>5"), (r"(mem 0x0*90000000 0x0?)5", r"\g<1>6")):
        at = max(i for i, l in enumerate(lines) if re.search(pattern, l))
        changed = [*lines[:at], re.sub(pattern, change, lines[at]), *lines[at + 1:]]
        status, out, err = compare(elf, changed)
        check(status == 1 and f"{LOG}:" in err, name, pattern, status, err)

# A log without any SIMT state: everything else is compared, and that is said.
lines = whole(simt="none").lines
status, out, err = compare(elf, lines)
check(status == 0 and "no SIMT state (unchecked)" in out and counts(out)["simt"] == 0 and counts(out)["steps"] == 4 * STEPS and
      counts(out, "skipped")["simt-not-logged"] == 20, "no SIMT state", status, out, err)
status, said, line = imported(elf, lines)
check(status == 0 and "PASS" in line and ",simt," in line, "no SIMT state, import", said, line)

# More words than a warp has lanes (VLEN is not the lanes').
wide = [re.sub(r"(v\d+  0000000f )0x", r"\g<1>0xdeadbeef deadbeef deadbeef deadbeef ", l) for l in whole().lines]
status, out, err = compare(elf, wide)
check(status == 0 and "vectors as words of 8 words" in out, "words above the lanes", status, out, err)

# --- Which warps ----------------------------------------------------------------------------------------------

through = Printer().run([(2 * g + w, w, g) for g in range(2) for w in range(2)]).lines
status, out, err = compare(elf, through)
check(status == 0 and "core N is warp N of the grid" in out and counts(out)["steps"] == 4 * STEPS, "cores of the grid", out, err)
status, said, line = imported(elf, through)
check(status == 0 and "PASS" in line and "warps=4" in line, "cores of the grid, import", said, line)
for core, wid, workgroup in ((0, 0, 0), (0, 1, 1), (1, 1, 0), (0, 0, 1)):
    lines = Printer().run([(core, wid, workgroup)]).lines
    status, out, err = compare(elf, lines)
    check(status == 0 and f"one warp alone: workgroup {workgroup} warp {wid}" in out and counts(out)["steps"] == STEPS and
          out.splitlines()[-1] == f"{LOG}: one warp alone was compared", "one warp", core, wid, workgroup, status, out, err)
    status, said, line = imported(elf, lines)
    check(status == 5 and "INCOMPLETE" in line and f"instructions={STEPS} " in line, "one warp, import", said, line)
for workgroup in range(2):
    lines = Printer().run([(0, 0, workgroup), (1, 1, workgroup)]).lines
    status, out, err = compare(elf, lines)
    check(status == 0 and f"one workgroup alone: workgroup {workgroup}" in out and counts(out)["steps"] == 2 * STEPS and
          out.splitlines()[-1] == f"{LOG}: one workgroup alone was compared", "one workgroup", workgroup, status, out, err)
    wrong = [l.replace("x9  0x00000001", "x9  0x00000003") for l in lines]
    status, out, err = compare(elf, wrong)
    check(status == 1 and f"workgroup {workgroup} warp 0 differs: x9" in err, "one workgroup, wrong", err)
# The same where the cores count through all workgroups: the number says which.
for warps, words in (([(3, 1, 1)], "one warp alone: workgroup 1 warp 1"), ([(2, 0, 1), (3, 1, 1)], "one workgroup alone: workgroup 1")):
    status, out, err = compare(elf, Printer().run(warps).lines)
    check(status == 0 and words in out and counts(out)["steps"] == len(warps) * STEPS, "part of the grid", warps, status, out, err)
    status, said, line = imported(elf, Printer().run(warps).lines)
    check(status == 5 and "INCOMPLETE" in line and f"instructions={len(warps) * STEPS} " in line, "part of the grid, import", said, line)
# Three warps of four are none of these.
lines = Printer().run([(0, 0, 0), (1, 1, 0)]).run([(0, 0, 1)]).lines
status, out, err = compare(elf, lines)
check(status == 1 and "expected the logs of 4 warps, found 3" in err, "three of four", status, err)
status, out, err = compare(elf, Printer().run([(w, 0, 0) for w in range(5)]).lines)
check(status == 1 and "found more" in err, "five of four", status, err)

# A warp alone may not be seen to wait for those that are not there.
code = [kernelfile.addi(5, 0, 1), kernelfile.BARRIER, kernelfile.addi(6, 0, 2), kernelfile.ENDPRG]
path = program(TMP / "barrier.elf", grid=(1, 1, 1), code=code)
plan = [Step(START, code[0], x=(5, 1)), Step(START + 4, code[1]), Step(START + 8, code[2], x=(6, 2)), Step(START + 12, code[3])]
lines = Printer().run([(1, 1, 0)], [plan]).lines
status, out, err = compare(path, lines)
check(status == 0 and counts(out)["steps"] == 4, "BARRIER of a warp alone", status, out, err)
status, said, line = imported(path, lines)
check(status == 5 and "INCOMPLETE" in line and "instructions=2 " in line and "workgroup 0 warp 1 after its BARRIER" in said,
      "BARRIER of a warp alone, import", status, said, line)
status, said, line = imported(path, Printer().run([(0, 0, 0), (1, 1, 0)], [plan] * 2).lines)
check(status == 0 and "PASS" in line, "BARRIER, import", status, said, line)

# --- Traps ----------------------------------------------------------------------------------------------------


def trapped(word, *, name="trap_illegal_instruction", pc=START + 12, tval=None, partial=False):
    """Two warps of one workgroup: the first traps at its fourth instruction, and runs on in a handler."""
    code = list(register_log.CODE)
    code[3] = word
    path = program(TMP / "trap.elf", grid=(1, 1, 1), wg_size=1, code=code)
    p = Printer().run([(0, 0, 0)], [steps_of(0, 0)[:3]])
    p.lines.append(f"core   0: {p.value(START + 12)} (0x{word:08x}) unknown")
    if partial:
        p.lines.append(f"core   0: 3 {p.value(START + 12)} (0x{word:08x}) c8_vstart 0x00000000 e32 m1 l4")
    p.lines.append(f"core   0: exception {name}, epc {p.value(pc)}")
    p.lines.append(f"core   0:           tval {p.value(word if tval is None else tval)}")
    p.lines.append("core   0: >>>>  spike_end")
    p.commit(0, Step(0x80000200, 0x00100313, x=(6, 1)))
    p.commit(0, Step(0x80000204, kernelfile.JOIN, simt=register_log.Simt(0xF, 0, [])))
    return path, p.lines


path, lines = trapped(0x2E1110D7)
status, out, err = compare(path, lines)
check(status == 4 and "workgroup 0 warp 0 ends in trap_illegal_instruction at pc 0x8000000c" in err and "tval 0x2e1110d7" in err and
      "the model: illegal instruction: 2e1110d7" in err, "trap", status, out, err)
check(counts(out)["steps"] == 3 and counts(out, "skipped")["after-trap"] == 2 and ", traps;" in out and
      out.splitlines()[-1] == f"{LOG}: 1 warp ends in a trap", "trap", out)
status, said, line = imported(path, lines)
check(status == 5 and "INCOMPLETE" in line and "instructions=3 " in line and "ends in trap_illegal_instruction at pc 0x8000000c" in said,
      "trap, import", status, said, line)
# The model executes what the simulator has trapped at: a difference.
path, lines = trapped(register_log.CODE[3])
status, out, err = compare(path, lines)
check(status == 1 and "the model: it executes 00500393" in err, "trap in the log alone", status, err)
# A vector access that has begun is logged before its trap as if it had been done.
path, lines = trapped(0xFC00667B, name="trap_store_access_fault", tval=0x18, partial=True)
status, out, err = compare(path, lines)
check(status == 4 and counts(out)["steps"] == 3 and "ends in trap_store_access_fault" in err and "tval 0x00000018" in err and
      "the model: access to an unmapped address: fc00667b" in err, "trap of an access", status, out, err)
# The lines before it are compared.
status, out, err = compare(path, [l.replace("x6  0x00000000", "x6  0x00000007") for l in lines])
check(status == 1 and "x6: log 0x00000007" in err, "difference before a trap", status, err)
# Somewhere else than where the model is.
path, lines = trapped(0x2E1110D7, pc=START + 16)
status, out, err = compare(path, lines)
check(status == 1 and "the model is at pc 0x8000000c" in err, "trap elsewhere", status, err)

# --- Refused, and partial -------------------------------------------------------------------------------------

good = whole().lines
old = whole(simt="block", mask=False, vectors="number", top=False).lines


def line_of(lines, pattern, nth=0):
    return [i for i, l in enumerate(lines) if re.search(pattern, l)][nth]


def one(lines, pattern, replacement, nth=0):
    at = line_of(lines, pattern, nth)
    return [*lines[:at], re.sub(pattern, replacement, lines[at]), *lines[at + 1:]], at + 1


BAD = {
    "digits of a byte": (*one(good, r"(mem 0x90000000) 0x5", r"\1 0x005"), "a field of a register log at 'mem 0x90000000 0x005'"),
    "a value": (*one(good, r"x9  0x00000001", "x9  0x0001"), "a field of a register log at 'x9"),
    "a lane too few": (*one(good, r"(v3  0000000f 0x\w{8}) \w{8}", r"\1"), "a field of a register log at 'v3"),
    "a number too short": (*one(old, r"(v3  0x\w{8})\w{8}", r"\1"), "a field of a register log at 'v3"),
    "another number of words": (*one(good, r"(v3  0000000f 0x)", r"\g<1>00000000 "), "a field of a register log at 'v3"),
    "depth": (*one(good, r"stack size: 2", "stack size: 0x2"), "a field of a register log at 'current mask:"),
    "a line": (*one(good, r"^core(   1: 0x80000010)", r"cure\1"), "a line of a register log"),
    "a word": (*one(good, r"\(0x00750023\) ", "(0x750023) "), "'0xPC (0xWORD)'"),
    "a core": (*one(good, r"^core   1: 0x80000010", "core   y: 0x80000010"), "'core N:'"),
    "no mask in a block": (*one(old, r"^current mask:.*", "current npc:\t00000000"), "'current mask:' and its value"),
    "a block twice": (*one(old, r"^stack size: 0", "stack size: 0\ncurrent mask:\t0000000f"), "a commit line before its SIMT state"),
    "a trap": (*one(good, r"^core   1: 0x80000010.*", "core   1: exception trap_x at 0x80000010"), "'exception NAME, epc 0xPC'"),
    "a trap's value": (*one(good, r"^core   1: 0x80000010.*", "core   1:           tval 24"), "'tval 0xVALUE'"),
}
BAD["a block twice"] = (BAD["a block twice"][0], BAD["a block twice"][1] + 1, BAD["a block twice"][2])
for name, (lines, number, expected) in BAD.items():
    status, out, err = compare(elf, lines)
    check(status == 2 and err.startswith(f"karat compare-log: {LOG}:{number}: expected {expected}") and err.count("\n") == 1, name, number,
          status, repr(err))
    status, out, err = compare(elf, lines, "--partial")
    check(status == 0 and not err and out.splitlines()[-1].startswith(f"partial: {LOG}:{number} is not understood (expected {expected}")
          and 0 < counts(out)["steps"] < 4 * STEPS, name, "partial", status, out, err)
    TRACE.unlink(missing_ok=True)
    status, out, err = karat("import", "log", "-o", TRACE, "--log", LOG, elf)
    check(status == 2 and f"{LOG}:{number}: expected {expected}" in err and not TRACE.exists(), name, "import", status, err)
    status, said, line = imported(elf, lines, "--partial")
    check(status == 5 and "INCOMPLETE" in line and said.splitlines()[-1].startswith(f"partial: {LOG}:{number} "), name, said, line)
# With --partial what comes before is compared, indeed.
lines = BAD["a value"][0]
changed, _ = one(lines, r"x7  0x00000005", "x7  0x00000006")
status, out, err = compare(elf, changed, "--partial")
check(status == 1 and "x7: log 0x00000006" in err and out.splitlines()[-1].startswith("partial: "), "partial, wrong", status, out, err)
# A log that is cut is none that ends well without it.
status, out, err = compare(elf, good[:BAD["a value"][1] - 1])
check(status == 1, "cut", status, err)
# A word of 16 bits is read, and is none of the program's.
lines, number = one(good, r"3 0x80000010 \(0x00750023\).*", "3 0x80000010 (0x0023)")
status, out, err = compare(elf, lines)
check(status == 1 and "instructions of 16 bits" in out and f"{LOG}:{number}: " in err and "instruction: log 0x0023" in err,
      "16 bits", status, out, err)

# --- Differences ----------------------------------------------------------------------------------------------

lines, first = one(good, r"x7  0x00000005", "x7  0x00000006")
lines, _ = one(lines, r"mem 0x90000000 0x5", "mem 0x90000000 0x6")
lines, _ = one(lines, r"(v3  0000000f 0x)00000004", r"\g<1>00000005", 1)
lines, _ = one(lines, r"(v3  0000000f 0x)00000004", r"\g<1>00000005", 1)
lines, _ = one(lines, r"(v3  0000000f 0x)00000004 00000003", r"\g<1>00000004 00000002", 0)
status, out, err = compare(elf, lines)
check(status == 1 and f"{LOG}:{first}: step 4 of workgroup 0 warp 0 differs: x7: log 0x00000006, model 0x00000005" in err and
      "differences" not in out, "the first", err)
status, out, err = compare(elf, lines, "--continue")
listed = re.findall(r"^(?:differences)? +(\d+) x (.*?); first (.*)$", out, re.M)
check(status == 1 and err.count("differs") == 1 and counts(out)["steps"] == 4 * STEPS - 4, "goes on", status, out, err)
# The store takes the value that the log had: it is none.
check([(n, what) for n, what, _ in listed] == [("1", "x register, addi (zero)"), ("3", "v register, vadd.vi (positive), one lane")],
      "signatures", out)
check(listed and listed[0][2].startswith(f"{LOG}:{first}: step 4 of workgroup 0 warp 0 differs: x7"), "the first's place", out)
status, out, err = compare(elf, good, "--continue")
check(status == 0 and "differences" not in out, "none to go on after", status, out)
# No value can be taken for another pc: the warp is given up, the others are compared.
at = line_of(good, r"3 0x8000001c")
lines = [l if i not in (at - 1, at) else l.replace("0x8000001c", "0x80000020") for i, l in enumerate(good)]
status, out, err = compare(elf, lines, "--continue")
check(status == 1 and counts(out)["steps"] == 3 * STEPS + 7 and "1 x pc, auipc" in out and
      out.splitlines()[-1] == f"{LOG}: 1 warp was abandoned at a difference", "given up", status, out, err)

print(f"{failures} failures")
sys.exit(failures != 0)
