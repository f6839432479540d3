"""Register logs in every dialect that the simulator has printed: karat check says which it is, and judges all of it, as a recording of it;
what is no log is refused at its line, or, with --partial, ends it."""
import argparse
import os
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
LOG_OPTIONS = ("--partial", "--strict-lines")
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


def judge(elf, lines, *options):
    """Status, verdict line and whole output of karat check; import and check of the recording say the same."""
    status, out, err = karat("check", write(lines), elf, *options)
    check(not err, "check", err)
    TRACE.unlink(missing_ok=True)
    made, said, err = karat("import", "-o", TRACE, LOG, elf, *(o for o in options if o in LOG_OPTIONS))
    check(made == 0 and not err and out.startswith(said.splitlines()[0]), "import", made, err)
    again, report, _ = karat("check", TRACE, *(o for o in options if o not in LOG_OPTIONS))
    check((again, report.splitlines()[-1]) == (status, out.splitlines()[-1]), "the recording", report)
    return status, out.splitlines()[-1], out


def passes(what, result, steps, *words):
    status, line, out = result
    check(status == 0 and "PASS" in line and f"instructions={steps} " in line and all(w in out for w in words), what, status, out)


def differs(what, result, number, kind):
    """That kind of mismatch, found in that line."""
    status, line, out = result
    check(status == 1 and f"MISMATCH ({kind})" in line and f"found in cycle {number}," in out, what, number, kind, out)


def incomplete(what, result, steps, *words):
    status, line, out = result
    check(status == 5 and "INCOMPLETE" in line and f"instructions={steps} " in line and all(w in out for w in words), what, status, out)


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
CHANGES = ((r"(x9  0x0*)1$", r"\g<1>2", "wrong value written"), (r"(\[else_mask\] 0000000)e", r"\1f", "wrong SIMT outcome"),
           (r"(mask:\t0000000)e", r"\1f", "wrong SIMT outcome"), (r"(v3  .*0000000)4", r"\g<1>5", "wrong value written"),
           (r"(mem 0x0*90000000 0x0?)5", r"\g<1>6", "wrong data stored"))
for name, (dialect, words) in DIALECTS.items():
    lines = whole(**dialect).lines
    result = judge(elf, lines)
    passes(name, result, 4 * STEPS, f"{LOG}: register log: ", words)
    found = dict(re.findall(r"(\w+)=(\d+) ", result[1]))
    check([int(found[k]) for k in ("x", "v", "mem", "exit")] == [24, 12, 4, 4], name, found)
    # Every dialect is compared: a change of each kind is found.
    for pattern, change, kind in CHANGES:
        at = max(i for i, l in enumerate(lines) if re.search(pattern, l))
        commit = max(i for i, l in enumerate(lines[:at + 1]) if re.match(r"core +\d: 3 ", l))
        changed = [*lines[:at], re.sub(pattern, change, lines[at]), *lines[at + 1:]]
        differs((name, pattern), judge(elf, changed), commit + 1, kind)

# A log without any SIMT state: everything else is compared, and that is said.
lines = whole(simt="none").lines
result = judge(elf, lines)
passes("no SIMT state", result, 4 * STEPS, "no SIMT state (unchecked)", ",simt,", " simt=0 ")

# More words than a warp has lanes (VLEN is not the lanes').
wide = [re.sub(r"(v\d+  0000000f )0x", r"\g<1>0xdeadbeef deadbeef deadbeef deadbeef ", l) for l in whole().lines]
passes("words above the lanes", judge(elf, wide), 4 * STEPS, "vectors as words of 8 words")

# --- Which warps ----------------------------------------------------------------------------------------------

through = Printer().run([(2 * g + w, w, g) for g in range(2) for w in range(2)]).lines
passes("cores of the grid", judge(elf, through), 4 * STEPS, "core N is warp N of the grid", "warps=4")
for core, wid, workgroup in ((0, 0, 0), (0, 1, 1), (1, 1, 0), (0, 0, 1)):
    incomplete("one warp", judge(elf, Printer().run([(core, wid, workgroup)]).lines), STEPS,
               f"one warp alone: workgroup {workgroup} warp {wid}")
for workgroup in range(2):
    lines = Printer().run([(0, 0, workgroup), (1, 1, workgroup)]).lines
    incomplete("one workgroup", judge(elf, lines), 2 * STEPS, f"one workgroup alone: workgroup {workgroup}")
    wrong = [l.replace("x9  0x00000001", "x9  0x00000003") for l in lines]
    status, _, out = judge(elf, wrong)
    check(status == 1 and f"workgroup {workgroup} warp 0 " in out and "wrong value written" in out, "one workgroup, wrong", out)
# Logs whose cores count through all workgroups: the number says which.
for warps, words in (([(3, 1, 1)], "one warp alone: workgroup 1 warp 1"), ([(2, 0, 1), (3, 1, 1)], "one workgroup alone: workgroup 1")):
    incomplete("part of the grid", judge(elf, Printer().run(warps).lines), len(warps) * STEPS, words)
# Three warps of four are none of these.
incomplete("three of four", judge(elf, Printer().run([(0, 0, 0), (1, 1, 0)]).run([(0, 0, 1)]).lines), 3 * STEPS)
status, out, err = karat("check", write(Printer().run([(w, 0, 0) for w in range(5)]).lines), elf)
check(status == 2 and "found more" in err, "five of four", status, err)

# A warp alone may not be seen to wait for those that are not there.
code = [kernelfile.addi(5, 0, 1), kernelfile.BARRIER, kernelfile.addi(6, 0, 2), kernelfile.ENDPRG]
path = program(TMP / "barrier.elf", grid=(1, 1, 1), code=code)
plan = [Step(START, code[0], x=(5, 1)), Step(START + 4, code[1]), Step(START + 8, code[2], x=(6, 2)), Step(START + 12, code[3])]
incomplete("BARRIER of a warp alone", judge(path, Printer().run([(1, 1, 0)], [plan]).lines), 2, "workgroup 0 warp 1 after its BARRIER")
passes("BARRIER", judge(path, Printer().run([(0, 0, 0), (1, 1, 0)], [plan] * 2).lines), 8)

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
status, line, out = judge(path, lines)
check(status == 4 and "PROGRAM ERROR" in line and "instructions=3 " in line and ", traps;" in out and
      "workgroup 0 warp 0 ends in trap_illegal_instruction at pc 0x8000000c, tval 0x2e1110d7" in out and
      "  at        0x8000000c" in out and "illegal instruction: " in out, "trap", status, out)
# The model executes what the simulator has trapped at: a difference.
path, lines = trapped(register_log.CODE[3])
status, line, out = judge(path, lines)
check(status == 1 and "MISMATCH (warp declared ended before its ENDPRG)" in line and "  at        0x8000000c" in out, "trap in the log alone", out)
# A vector access that has begun is logged before its trap as if it had been done.
path, lines = trapped(0xFC00667B, name="trap_store_access_fault", tval=0x18, partial=True)
status, line, out = judge(path, lines)
check(status == 4 and "instructions=3 " in line and "ends in trap_store_access_fault" in out and "tval 0x00000018" in out and
      "  at        0x8000000c" in out, "trap of an access", status, out)
# The lines before it are compared.
status, line, out = judge(path, [l.replace("x6  0x00000000", "x6  0x00000007") for l in lines])
check(status == 1 and "MISMATCH (wrong value written)" in line, "difference before a trap", out)
# Somewhere else than where the model is.
path, lines = trapped(0x2E1110D7, pc=START + 16)
status, line, out = judge(path, lines)
check(status == 1 and "MISMATCH (wrong pc issued)" in line and "the model is at 0x8000000c" in out, "trap elsewhere", out)

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
    for command in (("check",), ("import", "-o", TRACE)):
        TRACE.unlink(missing_ok=True)
        status, out, err = karat(*command, write(lines), elf, "--strict-lines")
        check(status == 2 and err.startswith(f"karat {command[0]}: {LOG}:{number}: expected {expected}") and err.count("\n") == 1 and
              not TRACE.exists(), name, number, status, repr(err))
    status, line, out = judge(elf, lines, "--partial", "--strict-lines")
    check(status == 5 and "INCOMPLETE" in line and f"\npartial: {LOG}:{number} is not understood (expected {expected}" in out, name, out)
# With --partial what comes before is compared, indeed.
changed, first = one(BAD["a value"][0], r"x7  0x00000005", "x7  0x00000006")
differs("partial, wrong", judge(elf, changed, "--partial"), first, "wrong value written")
# Without --strict-lines, text of other programs is passed over and counted, wherever it is; a commit that is missing is found.
at = [line_of(good, r"^core +1: 3 0x80000024")]
at += [at[0] + 1, at[0] + 2]
mixed = ["\ufeffwarning: no symbols", *good[:at[0]], "hello from " + good[at[0]], "between the lines of a stack", *good[at[1]:]]
said = "text of other programs, which is passed over: 3, the first is line 1\n"
passes("text of other programs", judge(elf, mixed), 4 * STEPS, said)
result = judge(elf, [f"[12:00:01.5] {l}" for l in good])
passes("times", result, 4 * STEPS, f"passed over: {len(good)}, the first is line 1\n")
passes("both cases", judge(elf, [re.sub(r"0x[0-9a-f]+|\b[0-9a-f]{8}\b", lambda m: m[0].upper().replace("0X", "0x"), l) for l in good]), 4 * STEPS)
result = judge(elf, ["\ufeff" + good[0], *good[1:]], "--strict-lines")
passes("a byte order mark", result, 4 * STEPS)
check("passed over" not in result[2], "a byte order mark", result)
lost, number = one(good, r"^core(   1: 3 0x80000010)", r"cure\1")
status, line, out = judge(elf, lost[:number - 2] + lost[number - 1:])
check(status == 1 and "MISMATCH (wrong pc issued)" in line, "a commit that is no line of a log", out)

# A log's size does not matter to memory: a loop of 20 and of 400 thousand instructions.
LOOP = [kernelfile.addi(5, 0, 0), kernelfile.addi(5, 5, 1), kernelfile.beq(0, 0, -4)]
spin = program(TMP / "spin.elf", wg_size=1, grid=(1, 1, 1), code=LOOP)
most = 0
for rounds in (10000, 200000):
    with LOG.open("w") as file:
        file.write(f"core   0: 3 0x{START:08x} (0x{LOOP[0]:08x}) x5  0x00000000\n")
        for i in range(rounds):
            file.write(f"core   0: 3 0x{START + 4:08x} (0x{LOOP[1]:08x}) x5  0x{i + 1:08x}\ncore   0: 3 0x{START + 8:08x} (0x{LOOP[2]:08x})\n")
    done = subprocess.Popen([args.karat, "check", LOG, spin], stdout=subprocess.PIPE, text=True)
    out = done.stdout.read()
    _, status, usage = os.wait4(done.pid, 0)
    done.returncode = os.waitstatus_to_exitcode(status)
    check(done.returncode == 5 and f"instructions={2 * rounds + 1} " in out, "a long log", out)
    check(not most or usage.ru_maxrss < most + 4096, "memory of a long log", usage.ru_maxrss, "KiB, of a short one", most)
    most = usage.ru_maxrss

# A word of 16 bits is read, and is none of the program's.
lines, number = one(good, r"3 0x80000010 \(0x00750023\).*", "3 0x80000010 (0x0023)")
result = judge(elf, lines)
differs("16 bits", result, number, "wrong instruction word issued")
check("instructions of 16 bits" in result[2], "16 bits", result)
# -q prints the verdict alone.
status, out, err = karat("check", "-q", write(good), elf)
check(status == 0 and out.count("\n") == 1 and out.startswith("karat: PASS "), "-q", out)

# --- Which kernel ---------------------------------------------------------------------------------------------

BESIDE = LOG.with_suffix(".metadata")
for arguments, expected in (((LOG,), "not a Karat recording (a log needs its kernel, named after it)"), ((elf,), "a log, found only kernels"),
                            ((), "expected a recording or a log"), ((LOG, TMP / "none.elf"), "none.elf"),
                            ((LOG, LOG, elf), "expected a kernel for each log"), ((LOG, elf, elf), "expected a log for each kernel"),
                            ((TRACE, "--threads=4"), "options of logs"), ((TMP / "none.log", elf), "cannot be opened"),
                            ((TRACE, elf), "expected no further file")):
    status, out, err = karat("check", *arguments)
    check(status == 2 and not out and err.count("\n") == 1 and expected in err, arguments, status, repr(err))
BESIDE.write_bytes(elf.read_bytes())
status, out, _ = karat("check", LOG)
check(status == 0 and "karat: PASS " in out, "a kernel beside its log", status, out)
done = subprocess.run([args.karat, "check", "-", elf], input=LOG.read_text(), capture_output=True, text=True)
check(done.returncode == 0 and done.stdout.startswith("-: register log"), "a log as standard input", done)

print(f"{failures} failures")
sys.exit(failures != 0)
