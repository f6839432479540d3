"""karat check of logs, and karat import: good logs pass, the report on a log that is wrong in one place names the place, and what is no log
is refused in one line."""
import argparse
import gzip
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import chisel_log
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from share import some  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--kernels", required=True, type=pathlib.Path)
parser.add_argument("--vectors", required=True, type=pathlib.Path)
args = parser.parse_args()
work = tempfile.TemporaryDirectory()
TMP = pathlib.Path(work.name)
failures = 0


def check(good, what, *more):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what, *more)


def karat(*arguments):
    done = subprocess.run([args.karat, *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def judge(files, logs, *options):
    """Status, verdict line and report of karat check on the log; or what it says."""
    status, out, err = karat("check", *options, *(logs or [file.with_suffix(".log") for file in files]), *files)
    check(status == 2 or not err, "check says", err)
    return (status, err, "") if status == 2 else (status, out.splitlines()[-1], out)


def recorded(files, logs, result, *options):
    """The recording of the log has the same verdict."""
    trace = TMP / "run.ktr"
    status, _, err = karat("import", "-o", trace, *options, *(logs or [file.with_suffix(".log") for file in files]), *files)
    check(status == 0 and not err, "import says", status, err)
    status, out, _ = karat("check", trace)
    check((status, out.splitlines()[-1]) == result[:2], "the recording", out)


def verdict(line):
    return re.match(r"karat: ([A-Z ]+?)(?: \((.*?)\))? core=", line).groups()


def counts(line):
    return dict(re.findall(r"([\w-]+)=(\S+)", line))


def passes(what, result, **expected):
    status, line, report = result
    got = counts(line)
    check(status == 0 and verdict(line) == ("PASS", None), what, report or line)
    for key, value in expected.items():
        check(got.get(key) == str(value), what, key, got.get(key), "expected", value)


def refused(what, result, path, number, expected):
    status, line, _ = result
    where = f"{path}:{number}: expected " if number else f"{path}: "
    check(status == 2 and line.count("\n") == 1 and where in line and expected in line, what, status, repr(line))


def differs(what, result, kind, cycle=None, pc=None, status=1):
    got, line, report = result
    check(got == status and verdict(line)[1] == kind, what, "expected", kind, "found", report or line)
    if cycle is not None:
        check(f"found in cycle {cycle}," in report, what, "cycle", cycle, report)
    if pc is not None:
        check(f"  at        0x{pc:08x}" in report, what, f"pc {pc:08x}", report)


def sequence(folder):
    return sorted(folder.glob("*.metadata"), key=lambda p: (int(p.stem.rsplit("_", 1)[1]), p.stem))


def edited(lines, *changes):
    """A file of these lines, some of them replaced (line number from 1: text, None: left out)."""
    changes = dict(changes)
    path = TMP / "edited.log"
    text = [changes.get(i + 1, line) for i, line in enumerate(lines)]
    path.write_text("\n".join(t for t in text if t is not None) + "\n")
    return path


def flip(text, at):
    """Another hex digit in that place."""
    return text[:at] + ("1" if text[at] != "1" else "2") + text[at + 1:]


def find(lines, pattern, nth=0):
    """Number (from 1) and match of the nth line that has that pattern."""
    hits = [(i + 1, m) for i, m in ((i, re.search(pattern, l)) for i, l in enumerate(lines)) if m]
    assert len(hits) > nth, (pattern, len(hits))
    return hits[nth]


def flipped(lines, pattern, nth=0):
    """That line with the last digit of the group v changed: number, file."""
    number, m = find(lines, pattern, nth)
    return number, edited(lines, (number, flip(lines[number - 1], m.end("v") - 1)))


def folders():
    return sorted({p.parent for p in args.kernels.rglob("*.metadata")}) if args.kernels.is_dir() else []


def threads_of(files):
    return int(files[0].read_text().split()[2 * 5], 16)


# --- Format log ---------------------------------------------------------------------------------------------


def logs_pass():
    total = 0
    for folder in folders():
        files = sequence(folder)
        _, out, _ = karat("run", *files)
        steps = sum(int(n) for n in re.findall(r"instructions=(\d+)", out))
        result = judge(files, [])
        recorded(files, [], result)
        passes(folder, result, core="log", instructions=steps, unchecked="launch,read,barrier,space,final-memory", unordered=0,
               adopted=0)
        got = counts(result[1])
        check(got["audit"] == got["v"] != "0", folder, "every vector register that is written is seen whole", got)
        total += steps
    print(f"format log: {len(folders())} folders, {total} instructions pass")


def logs_differ():
    file = args.kernels / "vecadd/8w4t/vecadd_0.metadata"
    lines = file.with_suffix(".log").read_text().splitlines()
    # SEW and LMUL, which instructions show that do not set them; and no more of it where CSRs are not looked at.
    for old, new in (("e32", "e16"), ("m1", "m2")):
        number, m = find(lines, rf"core +3: 3 0x(8\w+) .* {old} .*v\d", 3)
        path = edited(lines, (number, lines[number - 1].replace(f" {old} ", f" {new} ")))
        result = judge([file], [path])
        differs((old, new), result, "wrong CSR value", number, int(m[1], 16))
        check(re.search(r"cause +seq \d+, or the instruction that set CSR 0xc21 before it", result[2]), old, result[2])
        passes("without CSRs", judge([file], [path], "--without=csr"), csr=0)
    # An instruction left out.
    number, m = find(lines, r"core +3: 3 0x(8\w+) \(0x\w+\) x", 30)
    following = find(lines[number:], r"core +3: 3 0x(8\w+) ")
    differs("left out", judge([file], [edited(lines, (number, None), (number - 1, None))]), "wrong pc issued",
            number + following[0] - 2)
    # A wrong word, in both of its lines.
    changed = [(n, flip(lines[n - 1], lines[n - 1].index("(0x") + 4)) for n in (number - 1, number)]
    differs("word", judge([file], [edited(lines, *changed)]), "wrong instruction word issued", number)
    # The log ends early.
    status, line, _ = judge([file], [edited(lines[:len(lines) // 2])])
    check(status == 5 and verdict(line)[0] == "INCOMPLETE", "cut log", line)
    # Also after a JOIN that does not pop, whose next pc only the next line says.
    for end in joins_that_do_not_pop(lines)[:12]:
        status, line, _ = judge([file], [edited(lines[:end])])
        check(status == 5 and verdict(line)[0] == "INCOMPLETE", "log cut behind line", end, line)
    # Fewer bytes than are stored.
    number, m = find(lines, r"core +5: 3 0x8\w+ .* mem 0x\w{8} 0x(\w{8})", 1)
    text = lines[number - 1]
    differs("fewer bytes", judge([file], [edited(lines, (number, text[:m.end(1) - 4] + text[m.end(1):]))]),
            "memory access missing", pc=int(re.search(r"3 0x(\w{8})", text)[1], 16))


# Of a log: what is changed (the digit before the end of the group v, or by what), and what is found there.
CHANGES = (
    (r": 3 0x8\w+ \S+ x\d+ +0x(?P<v>\w{8})", None, "wrong value written"),
    (r" v\d+ +(?P<v>\w{8}) 0x", None, "wrong thread mask at issue"),
    (r"\(0x0000205b\).*current mask:\t(?P<v>\w{8})", None, "wrong SIMT outcome"),
    (r" e32 m1 l(?P<v>4) v", None, "wrong CSR value"),
    (r"c8_vstart 0x(?P<v>\w{8}) e32", None, "wrong CSR value"),
    (r"c3104_vl 0x(?P<v>\w{8})", None, "wrong CSR value"),
    (r"c2060_rpc 0x(?P<v>\w{8})", None, "wrong CSR value"),
    (r"(: 3 0x8\w+ \S+) x3 .*", r"\1", "register write missing"),
    (r"(: 3 0x800000c8 .*)$", r"\1 x9  0x00000000", "write that no instruction expects"),
    (r" v\d+ +\w{8} 0x\w{8} .*?(?P<v>\w{8}) *$", None, "wrong value written"),
    (r" v1 ( *\w{8} 0x)", r" v2 \1", "wrong register written"),
    (r" v0 +\w{8} 0x.*", "", "register write missing"),
    (r"c3104_vl 0x\w{8}", "", "CSR write missing"),
    (r"c3105_vtype 0x(?P<v>\w{8})", None, "wrong CSR value"),
    (r"c1_fflags 0x(?P<v>\w{8})", None, "wrong CSR value"),
    (r"c1_fflags 0x\w{8}", "", "wrong CSR value"),
    (r"c2060_rpc 0x\w{8}", "", "CSR write missing"),
    (r"c773_mtvec", "c774_mtvec", "CSR write that no instruction expects"),
    (r"current npc:\t(?P<v>\w{8}) stack size: 2", None, "wrong SIMT outcome"),
    (r"\(0x0000205b\).*current npc:\t(?P<v>\w{8}) stack size: 1", None, "wrong SIMT outcome"),
    (r" current mask:.*stack size: 0", "", None),  # The log line of a SETRPC
    (r"c2060_rpc.*current mask:\t(?P<v>\w{8})", None, "wrong SIMT outcome"),
    (r" v\d+ .*mem 0x\w{8} mem 0x(?P<v>\w{8})", None, "wrong memory address"),
    (r"(: 3 0x8\w+ .* x\d+ .*) mem 0x\w{8}$", r"\1", "memory access missing"),
    (r"( v\d+ .*mem 0x\w{8})\s*$", r"\1 mem 0x90000000", "wrong memory address"),
    (r"\(0x\w{4}607b\).*mem 0x\w{8} 0x(?P<v>\w{8})\s*$", None, "wrong data stored"),
    (r"(: 3 0x8\w+ \S+) mem 0x\w{8} 0x\w{8}$", r"\1", "memory access missing"),
    (r"(: 3 0x8\w+ \S+ mem 0x\w{8}) 0x\w{8}$", r"\1", "memory access that no instruction expects"),
    # The platform's, or not valid: no difference.
    (r"c768_mstatus 0x(?P<v>\w{8})", None, None),
    (r"\(0x300eaef3\) x29 0x(?P<v>\w{8})", None, None),
    (r"c2060_rpc.*current npc:\t(?P<v>\w{8})", None, None),
    (r"(core +0: 0x80000000 \S+ )auipc", r"\1other", None),
)


def logs_changed():
    """Every kind of field is compared, at the instruction that has it."""
    file = args.kernels / "gaussian/4w4t/Fan1_0.metadata"
    lines = file.with_suffix(".log").read_text().splitlines()
    for pattern, text, kind in CHANGES:
        if text is None:
            number, path = flipped(lines, pattern)
        else:
            number, _ = find(lines, pattern)
            path = edited(lines, (number, re.sub(pattern, text, lines[number - 1], count=1)))
        result = judge([file], [path])
        if kind:
            differs((pattern, text), result, kind, pc=int(re.search(r": 3 0x(\w{8})", lines[number - 1])[1], 16))
        else:
            passes((pattern, text), result)
    # Each field of each entry of the stack, at the VBRANCH that has pushed it and at a JOIN that shows it again.
    stack, _ = find(lines, r"stack size: 2")
    again, _ = find(lines, r"\(0x0000205b\).*stack size: 1")
    for number, of in ((stack + 1, stack), (stack + 2, stack), (again + 1, again)):
        for field in ("r_pc", "else_pc", "else_mask"):
            m = re.search(rf"\[{field}\] (\w{{8}})", lines[number - 1])
            path = edited(lines, (number, flip(lines[number - 1], m.end(1) - 1)))
            pc = int(re.search(r": 3 0x(\w{8})", lines[of - 1])[1], 16)
            differs((number, field), judge([file], [path]), "wrong SIMT outcome", of, pc)
    # A prefix, and any of several workgroups.
    file = args.kernels / "matadd/4w4t/matadd_0.metadata"
    lines = file.with_suffix(".log").read_text().splitlines()
    number, _ = find(lines, r": 3 0x8\w+ \(0x\w{3}0200b\)")
    both = [(n, re.sub(r"(\(0x\w)\w", r"\g<1>f", lines[n - 1], count=1)) for n in (number - 1, number)]
    differs("prefix", judge([file], [edited(lines, *both)]), "wrong prefix")
    file = args.kernels / "vecadd/32wg4w8t/vecadd_0.metadata"
    lines = file.with_suffix(".log").read_text().splitlines()
    number, path = flipped(lines, r"core +3: 3 0x80000308 .* x6 +0x(?P<v>\w{8})", 31)
    differs("last warp", judge([file], [path]), "wrong value written", number, 0x80000308)
    differs("exchanged", judge([file], [edited(lines[922:1844] + lines[:922] + lines[1844:])]), "wrong value written", pc=0x80000308)
    # The address space of the kernels before.
    status, line, _ = judge([args.kernels / "gaussian/4w4t/Fan1_1.metadata"], [])
    check(status == 4 and "PROGRAM ERROR" in line, "second kernel without the first", line)


def cuts_of(lines, first, step):
    """Where to cut: after every line of the first 40 from that one on, and at some places after."""
    return [*range(first, min(first + 40, len(lines))), *range(first + 40, len(lines), step)]


def nothing_wrong(what, text, result):
    """The verdict on a log that was cut off there."""
    status, line, report = result
    check((status, verdict(line)[0]) in ((0, "PASS"), (5, "INCOMPLETE")) if report else False,
          what, "cut behind", repr(text[-40:]), report or line)


def logs_cut():
    """Nothing that a log says is wrong because the log ends, wherever that is."""
    total = 0
    for name in ("vecadd/4w8t", "vecadd/32wg4w8t", "nn/2w16t", "matadd/4w4t", "gaussian/2w8t"):
        files = sequence(args.kernels / name)
        text = files[0].with_suffix(".log").read_text()
        lines = text.splitlines()
        first, _ = find(lines, r"^core +\d+: 3 0x8")
        stack = [number for number, line in enumerate(lines) if line.startswith("[r_pc]")]
        cuts = [sum(len(l) + 1 for l in lines[:n]) for n in cuts_of(lines, first, len(lines) // 12) + stack[:8]]
        # Cuts within lines: the newline lacks, a field, part of one.
        cuts += [c - back for c in cuts[10:40:3] + cuts[40::4] for back in (1, 3, 12)]
        cuts = some(cuts[::3])
        path = TMP / "cut.log"
        for cut in cuts:
            path.write_text(text[:cut])
            nothing_wrong(files[0], text[:cut], judge(files[:1], [path]))
        total += len(cuts)
    # The fields of an ENDPRG are none, so that its line counts though no newline ends it.
    file = args.kernels / "gaussian/2w8t/Fan1_0.metadata"
    lines = file.with_suffix(".log").read_text().splitlines()
    last, _ = find(lines, r"core +0: 3 0x8\w+ \(0x0000400b\)")
    path = TMP / "cut.log"
    path.write_text("\n".join(lines[:last]))
    passes("ENDPRG without newline", judge([file], [path]))
    # A line that is wrong stays wrong, also where the log ends in the next; kernels after do not hide it.
    lines = (args.kernels / "vecadd/4w8t/vecadd_0.log").read_text().splitlines()
    number, _ = flipped(lines, r"core +1: 3 0x8\w+ \(0x\w+\) x\d+ +0x(?P<v>\w{8})", 6)
    wrong = (TMP / "edited.log").read_text().splitlines()
    for cut in (number, number + 1, number + 30):
        differs(("wrong, then cut", cut),
                judge([args.kernels / "vecadd/4w8t/vecadd_0.metadata"], [edited(wrong[:cut])]),
                "wrong value written", number)
    print(f"format log: {total} cuts")


def joins_that_do_not_pop(lines):
    """Numbers of the last lines of such commits."""
    depth, ends = {}, []
    for number, line in enumerate(lines, 1):
        m = re.match(r"core +(\d+): 3 0x\w+ \(0x(\w+)\).*stack size: *(\d+)", line)
        if not m:
            continue
        size = int(m[3])
        if int(m[2], 16) & 0x707f == 0x205b and depth.get(m[1]) == size:
            ends.append(number + size)
        depth[m[1]] = size
    check(ends, "JOINs that do not pop")
    return ends


def logs_refused():
    file = args.kernels / "vecadd/8w4t/vecadd_0.metadata"
    lines = file.with_suffix(".log").read_text().splitlines()
    number, _ = find(lines, r"core +3: 3 0x8", 5)
    for text, expected in (("nonsense", "a line of a register log"), (lines[number - 1] + " q7", "a field"),
                           (lines[number - 1] + " e7 m1 l4", "a field"), (lines[number - 1] + " e32 m3 l4", "a field"),
                           (lines[number - 1].replace("3 0x8", "3 8"), "'0xPC (0xWORD)'")):
        path = edited(lines, (number, text))
        refused(text, judge([file], [path], "--strict-lines"), path, number, expected)
    refused("no log", judge([file], [TMP / "absent.log"]), TMP / "absent.log", 0, "cannot be opened")
    packed = TMP / "packed.log.gz"
    packed.write_bytes(gzip.compress(edited(lines).read_bytes()))
    plain = judge([file], [edited(lines)])
    check(plain[0] == 0 and judge([file], [packed])[:2] == plain[:2], "a packed log", plain)
    packed.write_bytes(packed.read_bytes()[:-20])
    refused("a cut packed log", judge([file], [packed]), packed, 0, "cut off, as a file of gzip")
    small = args.kernels / "vecadd/4w8t/vecadd_0.metadata"
    path = file.with_suffix(".log")
    status, line, _ = judge([small], [path])
    check(status == 2 and line.count("\n") == 1, "log of another kernel", line)


# --- Format chisel ------------------------------------------------------------------------------------------

# Left out: LMUL 2 and register pairs, which the core does not have, and so does not print (lmul2, regpair, reg_alloc);
# printing, where the host answers, of which the log says nothing.
PROGRAMS = ("simt_nested", "simt_nested_rpc", "simt_loop", "simt_uniform", "barrier_lds", "barrier_store", "atomics",
            "multi_wg", "relaunch", "private", "loop_mem", "hazards", "regext", "mem_widths", "few_threads",
            "exit_pending", "fp_arith", "vecadd", "matadd")
UNCHECKED = "launch,issue,read,audit,simt,csr,barrier,exit,mem-order,space,final-memory"


def chisel(files, lines, threads=8):
    path = TMP / "chisel.log"
    path.write_text("\n".join(lines) + "\n")
    return judge(files, [path], "--threads", threads)


def chisel_passes():
    total = 0
    for folder in folders():
        files, threads = sequence(folder), threads_of(sequence(folder))
        result = chisel(files, chisel_log.make(args.karat, files, threads), threads)
        passes(folder, result, core="chisel", unchecked=UNCHECKED, unordered=0, adopted=0)
        total += int(counts(result[1])["instructions"])
    for number, name in enumerate(PROGRAMS):
        file = args.vectors / f"{name}.elf"
        lines = chisel_log.make(args.karat, [file], 8, "--threads", "8", "--resident", "3", "--schedule",
                                f"seed={number}", seed=number, sms=3, sm=True)
        result = chisel([file], lines)
        recorded([file], [TMP / "chisel.log"], result, "--threads", 8)
        atomics = name == "atomics"
        passes(name, result, unchecked=UNCHECKED.replace("mem-order", "mem-order,amo-data") if atomics else UNCHECKED)
        total += int(counts(result[1])["instructions"])
    # The log does not show the registers at the launch, so no branch may depend on them.
    file = args.vectors / "undefined_regs.elf"
    status, line, _ = chisel([file], chisel_log.make(args.karat, [file], 8, "--threads", "8", sms=1))
    check(verdict(line) == ("PROGRAM ERROR", "control or address depends on a register never written"), line)
    # Older cores do not say which SM.
    file = args.vectors / "simt_nested.elf"
    for old in (False, True):
        passes("no sm", chisel([file], chisel_log.make(args.karat, [file], 8, "--threads", "8", sms=1, sm=False, old=old)))
    print(f"format chisel: {total} instructions pass")
    # As older cores print: out of program order, and again; operands instead of addresses.
    for number, name in enumerate(PROGRAMS):
        file = args.vectors / f"{name}.elf"
        for seed in (number, number + 100):
            lines = chisel_log.make(args.karat, [file], 8, "--threads", "8", "--resident", "3", "--schedule",
                                    f"seed={number}", seed=seed, sms=3, old=True)
            status, line, report = chisel([file], lines)
            check(status == 0 and verdict(line) == ("PASS", None), "older core", name, seed, report or line)


def pc_of(line):
    return int(re.search(r"0x(\w{8}) 0x\w{8}", line)[1], 16)


def chisel_differs():
    file = args.vectors / "simt_nested.elf"
    lines = chisel_log.make(args.karat, [file], 8, "--threads", "8", sms=1, seed=3)
    cases = (
        ("wrong value written", r" x +[1-9]\d*  (?P<v>\w{8})$", 12),
        ("wrong value written", r" v +\d+ 11111111 .*(?P<v>\w{8}) $", 2),
        ("wrong memory address", r"lsu\.w v.* mask 1{8} .*@.* (?P<v>\w{7})\w$", 0),
        ("wrong data stored", r"lsu\.w v.* mask 1{8} .* (?P<v>\w{8}) @", 0),
    )
    for kind, pattern, nth in cases:
        number, path = flipped(lines, pattern, nth)
        differs((kind, lines[number - 1]), judge([file], [path], "--threads", "8"), kind, number,
                pc_of(lines[number - 1]))

    def change(pattern, replacement, nth=0):
        number, _ = find(lines, pattern, nth)
        text = re.sub(pattern, replacement, lines[number - 1], count=1)
        assert text != lines[number - 1]
        return number, edited(lines, (number, text))

    number, path = change(r" v( +\d+) 11111111 ", r" v\1 11101111 ", 2)
    differs("lanes", judge([file], [path], "--threads", "8"), "register write missing",
            pc=pc_of(lines[number - 1]))
    number, path = change(r" x +([1-9])  ", r" x 1\1  ", 3)
    differs("register", judge([file], [path], "--threads", "8"), "wrong register written", number,
            pc_of(lines[number - 1]))
    number, path = change(r"0x8000(\w{3})\w (0x\w{8} x )", r"0x8000\g<1>2 \2", 5)
    differs("pc", judge([file], [path], "--threads", "8"), "wrong pc issued", number)
    number, path = change(r"(0x8000\w{4}) 0x\w(\w{7} x )", r"\1 0xf\2", 0)
    differs("word", judge([file], [path], "--threads", "8"), "wrong instruction word issued", number,
            pc_of(lines[number - 1]))
    # A wrong output of a branch is found at the instruction after it, and the report names the branch.
    number, path = change(r"Jump\? 1  80000(\w{2})\w", r"Jump? 1  80000\1f", 1)
    differs("target", judge([file], [path], "--threads", "8"), "wrong pc issued", pc=pc_of(lines[number - 1]))
    number, path = change(r"(join +mask and npc: +)1{8}( .*\? 1)", r"\g<1>11111110\2", 0)
    # The last line of that JOIN counts.
    while re.search("join", lines[number]) and pc_of(lines[number]) == pc_of(lines[number - 1]):
        number += 1
        path = edited(lines, (number, lines[number - 1].replace("11111111", "11111110")))
    differs("outcome", judge([file], [path], "--threads", "8"), "wrong thread mask at issue")
    # Left out: a write, a store. Twice: a write.
    number, _ = find(lines, r" x +[1-9]\d*  \w{8}$", 6)
    differs("no write", judge([file], [edited(lines, (number, None))], "--threads", "8"),
            "register write missing", pc=pc_of(lines[number - 1]))
    straight = args.vectors / "vecadd.elf"
    others = chisel_log.make(args.karat, [straight], 8, "--threads", "8", sms=1)
    number, _ = find(others, r"lsu\.w v")
    differs("no store", judge([straight], [edited(others, (number, None))], "--threads", "8"),
            "memory access missing", pc=pc_of(others[number - 1]))
    number, _ = find(others, r"lsu\.r ", 2)
    differs("no load", judge([straight], [edited(others, (number, None))], "--threads", "8"),
            "memory access missing", pc=pc_of(others[number - 1]))
    number, _ = find(lines, r" v +\d+ 11111111 ", 2)
    differs("twice", judge([file], [edited(lines, (number, lines[number - 1] + "\n" + lines[number - 1]))],
                           "--threads", "8"), "lanes written twice", number + 1, pc_of(lines[number - 1]))
    number, m = find(others, r"current mask and npc: +([01]{8})")
    text = others[number - 1]
    path = edited(others, (number, text[:m.start(1)] + m[1].translate({48: 49, 49: 48}) + text[m.end(1):]))
    differs("vbranch", judge([straight], [path], "--threads", "8"), "wrong thread mask at issue")
    path = edited(others, (number, flip(text, len(text) - 2)))
    differs("vbranch pc", judge([straight], [path], "--threads", "8"), "wrong pc issued", pc=pc_of(text))
    number, _ = find(lines, r" endprg", 0)
    status, line, _ = judge([file], [edited(lines, (number, None))], "--threads", "8")
    check(status == 5 and verdict(line)[0] == "INCOMPLETE", "no end", line)
    status, line, _ = judge([file], [edited(lines[:len(lines) // 2])], "--threads", "8")
    check(status == 5 and verdict(line)[0] == "INCOMPLETE", "cut log", line)


# Of two or more warps, most of two or more workgroups; as many SMs as workgroups run at once where they have local memory,
# which the run has in one place for all of them.
CUT = ("hazards", "multi_wg", "barrier_lds", "exit_pending", "few_threads", "private", "relaunch", "simt_nested", "vecadd")


def chisel_cut():
    """Which warps are in the slots is not known at once, and in a log that was cut off not of all: nothing is wrong for that."""
    total = wrong = 0
    for number, name in enumerate(CUT):
        file = args.vectors / f"{name}.elf"
        one = 1 if name in ("relaunch", "private", "vecadd") else 3
        for seed, sms, old in ((number, 3, False), (number + 100, one, False), (number + 200, 3, True)):
            lines = chisel_log.make(args.karat, [file], 8, "--threads", "8", "--resident", "3", "--schedule",
                                    f"seed={seed}", seed=seed, sms=sms, old=old)
            cuts = cuts_of(lines, 2, len(lines) // 5)[::3]
            cuts = some(cuts)
            for cut in cuts:
                nothing_wrong((name, seed), "\n".join(lines[:cut]), chisel([file], lines[:cut]))
            total += len(cuts)
            if not old:
                wrong += wrong_then_cut(name, file, lines)
        # Within the last line.
        text = "\n".join(lines)
        for cut in range(len(text) // 2, len(text) // 2 + 60, 7):
            (TMP / "cut.log").write_text(text[:cut])
            nothing_wrong(name, text[:cut], judge([file], [TMP / "cut.log"], "--threads", "8"))
    print(f"format chisel: {total} cuts, {wrong} behind a wrong line")


def wrong_then_cut(name, file, lines):
    """What one of the first lines has wrong is wrong wherever the log ends after it. (But what is read of CSRs: a longer log
    may show that another warp is in the slot.)"""
    seen = 0
    for number, line in enumerate(lines[:40], 1):
        m = re.search(r" 0x\w{8} 0x(\w{8}) x +[1-9]\d*  \w{8}$", line)
        if not m or int(m[1], 16) & 0x7f == 0x73 or number % 3:
            continue
        changed = lines[:number - 1] + [flip(line, len(line) - 1)] + lines[number:]
        for cut in (number, number + 1, number + 9):
            differs((name, "wrong, then cut behind line", cut, line), chisel([file], changed[:cut]), "wrong value written",
                    number, pc_of(line))
        seen += 1
    return seen


def chisel_placed():
    """A warp that says that it is another's is seen where both have printed it, in a log cut after that, too."""
    file = args.vectors / "simt_nested.elf"
    lines = chisel_log.make(args.karat, [file], 8, "--threads", "8", sms=1, seed=3)
    reads = [i for i, line in enumerate(lines, 1) if re.search(r"0x805024f3 x", line)]
    values = [lines[i - 1][-1] for i in reads]
    check(len(reads) > 1 and len(set(values)) == len(values), "warps that read wid", lines)
    second = lines[reads[1] - 1][:-1] + values[0]
    for cut in (max(reads) + 30, len(lines)):
        changed = lines[:reads[1] - 1] + [second] + lines[reads[1]:]
        status, line, report = chisel([file], changed[:cut])
        check(status == 1 and "wrong value written" in line and re.search(r"csrrs x\d+, [wt]id, x0", report),
              "two warps of one number", cut, report or line)
    # One warp of each workgroup alone reads where local memory is.
    file = args.vectors / "exit_pending.elf"
    lines = chisel_log.make(args.karat, [file], 8, "--threads", "8", "--resident", "3", sms=3)
    first = {}
    kept = []
    for line in lines:
        m = re.match(r"sm +(\d+) warp (\d+) 0x\w{8} 0x80[67]02\w{3} x ", line)
        if m and first.setdefault(m[1], m[2]) != m[2]:
            continue
        kept.append(line)
    status, line, report = chisel([file], kept)
    check("wrong launch" not in line, "local memory told by one warp", len(lines) - len(kept), report or line)


# Text of other programs is passed over, counted and said, wherever it is, and no line of the core is lost behind it.
def chisel_foreign():
    file = args.vectors / "simt_nested.elf"
    good = chisel_log.make(args.karat, [file], 8, "--threads", "8", sms=1, seed=3)
    _, plain, _ = chisel([file], good)
    lines = [line for line in good if line.lstrip().startswith("sm")]
    assert lines

    def judged(what, text, said, first=None):
        path = edited(text)
        result = judge([file], [path], "--threads", "8")
        passes(what, result)
        check(counts(result[1]).get("instructions") == counts(plain)["instructions"], what, result[1], plain)
        note = f"passed over: {said}, the first is line {first}\n"
        check((note in result[2]) if said else "passed over" not in result[2], what, repr(result[2]))
        if first:
            refused(what, judge([file], [path], "--threads", "8", "--strict-lines"), path, first, "a line of the Chisel core")

    judged("alone", lines, 0)
    judged("upper case", [line.replace("0x", "0X") for line in lines], 0)
    judged("times", [f"[{number}ns] {line}" for number, line in enumerate(lines)], len(lines), 1)
    judged("glued", [lines[0], "done" + lines[1], *lines[2:]], 1, 2)
    judged("own line", [lines[0], "sm ready", "waiting for sm 0 warp 1", *lines[1:]], 2, 2)


def chisel_refused():
    file = args.vectors / "simt_nested.elf"
    lines = chisel_log.make(args.karat, [file], 8, "--threads", "8", sms=1, seed=3)

    def bad(pattern, replacement, expected):
        number, _ = find(lines, pattern)
        text = re.sub(pattern, replacement, lines[number - 1], count=1)
        assert text != lines[number - 1], pattern
        path = edited(lines, (number, text))
        refused((pattern, replacement), judge([file], [path], "--threads", "8"), path, number, expected)

    bad(r"sm +0 warp", "sm 0 wrap", "'sm S warp W'")
    bad(r"warp \d", "warp 64", "a warp slot's number")
    bad(r"0x8", "8", "'0xPC 0xWORD'")
    bad(r" x +\d+  \w+$", " y  1  00000000", "the effect of the instruction")
    bad(r" x +[1-9]\d* ", " x 64 ", "a scalar register's number")
    bad(r"( x +[1-9]\d* +\w{7})\w$", r"\1", "a word of 8 hex digits")
    bad(r"( x +[1-9]\d* +\w{8})$", r"\1 7", "the end of the line")
    bad(r" v +\d+ ", " v256 ", "a vector register's number")
    bad(r" v( +\d+) 1", r" v\1 2", "a mask with a binary digit for each lane")
    bad(r"( v +\d+ 1{8} .*) \w{8} $", r"\1", "a value of 8 hex digits for each lane")
    bad(r" op 3", " 3", "'op'")
    bad(r"lsu\.w v(.*) mask", r"lsu.w v\1 msk", "'mask'")
    bad(r"lsu\.w v(.*) @", r"lsu.w v\1 #", "'@'")
    bad(r"lsu\.w fin", "lsu.w find", "the end of the line")
    bad(r"lsu\.w v", "lsu.w q", "'fin' or 'x' or 'v'")
    bad(r"Jump\? 1", "Jump? 2", "0 or 1")
    bad(r"join    mask", "join    mark", "'mask'")
    bad(r"pop stack \? ", "pop stack ", "'?'")
    bad(r"setrpc 0x", "setrpc ", "the pc")
    file = args.vectors / "vecadd.elf"
    lines = chisel_log.make(args.karat, [file], 8, "--threads", "8", sms=1, seed=3)
    bad(r"current mask", "mask", "'current'")
    bad(r"(current .* )0x", r"\1", "the pc, 0x and 8 hex digits")
    scalar = "sm 0 warp 0 0x80000000 0x00000000 lsu.r x 5 op 3 @ 00000000-00000004"
    refused("sum", judge([file], [edited([scalar])], "--threads", "8"), TMP / "edited.log", 1, "BASE+OFFSET")
    refused("lanes", judge([file], [edited(lines)], "--threads", "16"), TMP / "edited.log",
            find(lines, r" v +\d+ [01]{8} |mask [01]{8}|npc: +[01]{8}")[0], "--threads")
    refused("nothing", judge([file], [edited(["[bench] nothing"])], "--threads", "8"), TMP / "edited.log", 0,
            "expected a register log (lines")
    refused("too much", judge([file], [edited(lines + lines)], "--threads", "8"), TMP / "edited.log",
            len(lines) + find(lines, "^sm")[0], "the end: every warp")


def usage():
    for arguments, expected in (((), "expected a recording or a log"), (("x.elf",), "found only kernels"),
                                (("-o", "t", "a.log"), "its kernel after it"), (("a.log", "x.elf"), "-o TRACE")):
        status, out, err = karat("import", *arguments)
        check(status == 2 and not out and err.count("\n") == 1 and expected in err, arguments, status, repr(err))
    file = args.vectors / "simt_nested.elf"
    log = TMP / "good.log"
    log.write_text("\n".join(chisel_log.make(args.karat, [file], 8, "--threads", "8", sms=1)) + "\n")
    status, out, err = karat("import", "-o", TMP / "absent" / "t", log, "--threads", "8", file)
    check(status == 2 and err.count("\n") == 1 and "cannot be written" in err, "no folder", status, err)
    # An output that is not a regular file stays as it is: a trace does not take its place.
    pipe, folder = TMP / "pipe", TMP / "folder"
    os.mkfifo(pipe)
    folder.mkdir()
    for place, why in ((pipe, "expected a regular file, or none"), (folder, "Is a directory")):
        status, out, err = karat("import", "-o", place, log, "--threads", "8", file)
        check(status == 2 and err == f"karat import: {place}: cannot be written: {why}\n" and
              pipe.is_fifo() and folder.is_dir() and not list(TMP.glob(".karat-*")), "no file", place, status, err)
    own, beside = TMP / "own.metadata", TMP / "own.data"
    own.write_bytes(file.read_bytes())
    beside.write_text("00000013\n")
    for out_file in (log, own, beside):
        before = out_file.read_bytes()
        status, out, err = karat("import", "-o", out_file, log, "--threads", "8", own)
        check(status == 2 and err == f"karat import: {out_file}: named as an output and for another purpose\n" and out_file.read_bytes() == before,
              "over an input", status, err)


usage()
chisel_passes()
chisel_differs()
chisel_cut()
chisel_placed()
chisel_foreign()
chisel_refused()
if folders():
    logs_pass()
    logs_differ()
    logs_changed()
    logs_cut()
    logs_refused()
else:
    print(f"skipped: format log, no kernels folder at {args.kernels}")
print(f"{failures} failures")
sys.exit(failures != 0)
