"""karat compare-log: equal to every log of the kernels folder, and able to find a difference in every kind of field."""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--kernels", required=True, type=pathlib.Path)
parser.add_argument("--seeds", default=20, type=int, help="random schedules")
args = parser.parse_args()
if not args.kernels.is_dir():
    print(f"skipped: no kernels folder at {args.kernels}")
    sys.exit(77)

failures = 0


def check(good, what, *more):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what, *more)


def compare(files, *options):
    done = subprocess.run([args.karat, "compare-log", *options, *files], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def counts(text, title):
    line = next((l for l in text.splitlines() if l.startswith(title + ":")), title + ":")
    return {k: int(v) for k, v in re.findall(r"([\w-]+)=(\d+)", line)}


# --- Every folder, every schedule ---------------------------------------------------------------------------


def sequence(folder):
    """The folder's kernels in launch order: Fan1_0, Fan2_0, Fan1_1, ..."""
    return sorted(folder.glob("*.metadata"), key=lambda p: (int(p.stem.rsplit("_", 1)[1]), p.stem))


COMMIT = re.compile(r"core +(\d+): 3 0x([0-9a-f]{8}) \(0x([0-9a-f]{8})\)(.*)")


def count_log(path):
    """The contents of a log, counted without karat: between the boot ROM and ENDPRG."""
    found = dict.fromkeys(("steps", "x", "v", "simt", "mem", "config", "csr", "mstatus"), 0)
    running = {}
    for line in path.read_text().splitlines():
        m = COMMIT.match(line)
        if not m:
            continue
        core, pc, word, rest = int(m[1]), int(m[2], 16), int(m[3], 16), m[4]
        if pc <= 0x1010:
            running[core] = True
        elif running[core]:
            found["steps"] += word & 0xFFFFF not in (0x200B, 0x300B)  # a prefix is one step with what follows
            found["x"] += len(re.findall(r" [xf]\d+ +0x", rest))
            found["v"] += len(re.findall(r" v\d+ ", rest))
            found["simt"] += "current mask" in rest
            found["mem"] += len(re.findall(r" mem ", rest))
            found["config"] += len(re.findall(r" e\d+ m", rest))
            found["csr"] += len(re.findall(r" c\d+_(?!mstatus)", rest))
            found["mstatus"] += len(re.findall(r" c768_mstatus", rest))
            if word == 0x400B:
                running[core] = False
    return found


def shared_words(files):
    """Words of memory that one warp of a launch writes and another touches, and those of them where the order of warps
    could show: another warp loads the word, or they store different values. (The others are .bss, which every warp clears.)

    From the logs alone; LDS (each workgroup has its own) by workgroup. A warp is a core number and how many ENDPRGs it has
    seen, since a core runs the next workgroup's warp after one."""
    shared = races = 0
    for path in files:
        ended = collections.Counter()
        readers, writers, values = (collections.defaultdict(set) for _ in range(3))
        for line in path.with_suffix(".log").read_text().splitlines():
            m = COMMIT.match(line)
            if not m or int(m[2], 16) <= 0x1010:
                continue
            core = int(m[1])
            for addr, data in re.findall(r" mem 0x([0-9a-f]{8})( 0x[0-9a-f]+)?", m[4]):
                where = (int(addr, 16) & ~3, ended[core] if addr[0] == "7" else None)
                (writers if data else readers)[where].add((core, ended[core]))
                if data:
                    values[where].add((int(addr, 16) & 3, int(data, 16)))
            ended[core] += int(m[3], 16) == 0x400B
        for where, by in writers.items():
            if len(by | readers[where]) > 1:
                shared += 1
                races += bool(readers[where]) or len(values[where]) > 1
    return shared, races


first = int(os.environ.get("KARAT_SEED") or time.time()) % 1000000
print(f"KARAT_SEED={first} (random schedules have the seeds from it on)")
SCHEDULES = {"rr": [()], "warp": [("--schedule", "warp")], "random": []}
for number in range(args.seeds):
    # Every second one with several workgroups resident, so that their warps mix.
    several = ("--resident", "3") if number % 2 else ()
    SCHEDULES["random"].append(("--schedule", f"seed={first + number}", *several))
schedules = [(name, options) for name, runs in SCHEDULES.items() for options in runs]
KEYS = ("steps", "x", "v", "simt", "mem", "config", "csr")
sums = {name: collections.Counter() for name in SCHEDULES}
folders = sorted({p.parent for p in args.kernels.rglob("*.metadata")})
check(folders, "no kernels in", args.kernels)
pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
for folder in folders:
    files = sequence(folder)
    expected = dict.fromkeys((*KEYS, "mstatus"), 0)
    for f in files:
        for key, value in count_log(f.with_suffix(".log")).items():
            expected[key] += value
    results = pool.map(lambda schedule: compare(files, *schedule[1]), schedules)
    for (name, options), (status, out, err) in zip(schedules, results):
        check(status == 0 and not err, folder, options, status, out, err)
        total, skipped = counts(out, "total"), counts(out, "skipped")
        check(skipped.get("mstatus") == expected["mstatus"], folder, "mstatus", skipped, expected)
        # x writes that are the platform's are skipped by name, everything else is compared
        compared = dict(total, x=total.get("x", 0) + skipped.get("mstatus-read", 0))
        for key in KEYS:
            check(compared.get(key) == expected[key], folder, options, key, compared.get(key), "of", expected[key])
        check(total.get("masks") == expected["v"] + expected["simt"], folder, "masks", total)
        sums[name].update(folders=1, **total)
    shared, races = shared_words(files)
    print(f"{folder.relative_to(args.kernels)}: {expected['steps']} steps, {len(schedules)} schedules; warps of a launch "
          f"share {shared} words of memory that they write, {races} of them so that their order could show")
for name, total in sums.items():
    print(f"schedule {name}: {len(SCHEDULES[name])} runs of {len(folders)} folders,",
          " ".join(f"{key}={total[key]}" for key in KEYS))

# --- It can fail --------------------------------------------------------------------------------------------


class Log:
    """A log to be changed in one place."""

    def __init__(self, path):
        self.lines = path.read_text().splitlines()

    def find(self, pattern, nth=0):
        hits = [i for i, l in enumerate(self.lines) if re.search(pattern, l)]
        assert len(hits) > nth, pattern
        return hits[nth]

    def sub(self, pattern, replacement, nth=0):
        i = self.find(pattern, nth)
        changed = re.sub(pattern, replacement, self.lines[i], count=1)
        assert changed != self.lines[i], (pattern, self.lines[i])
        self.lines[i] = changed
        return i


def flip(text):
    """The same number of hex digits, the last one another."""
    return text[:-1] + ("1" if text[-1] != "1" else "2")


def flipped(pattern, nth=0):
    """Change the group named 'v' in the nth line that matches."""

    def change(log):
        i = log.find(pattern, nth)
        m = re.search(pattern, log.lines[i])
        a, b = m.span("v")
        log.lines[i] = log.lines[i][:a] + flip(m["v"]) + log.lines[i][b:]

    return change


def replaced(pattern, text, nth=0):
    return lambda log: log.sub(pattern, text, nth)


def both_lines(pattern, replacement):
    """Change a commit line and its disassembly line in the same way."""

    def change(log):
        i = log.sub(r"(?<=: 3 )" + pattern, replacement)
        j = max(k for k in range(i) if re.search(r"core +\d+: 0x", log.lines[k]))
        log.lines[j] = re.sub(pattern, replacement, log.lines[j], count=1)

    return change


def deleted(pattern, before=0, after=0, nth=0):
    def change(log):
        i = log.find(pattern, nth)
        del log.lines[i - before:i + after + 1]

    return change


def cut(pattern):
    def change(log):
        del log.lines[log.find(pattern):]

    return change


def swapped_fields(log):
    i = log.find(r"e32 m1 l4 v\d+ .* c8_vstart 0x00000000")
    m = re.match(r"(core.*?\)) (e32 .*?) +(c8_vstart 0x00000000)(.*)", log.lines[i])
    log.lines[i] = f"{m[1]}{m[4]} {m[3]} {m[2]} "


def doubled_join(log):
    """A JOIN that the model does not execute."""
    i = log.find(r": 3 0x8\w+ \(0x0000205b\)")
    log.lines.insert(i, log.lines[i])


def wrong_prefix(log):
    i = log.find(r": 3 0x8\w+ \(0x\w{3}0200b\)")
    for k in (i - 1, i):
        log.lines[k] = re.sub(r"(\(0x\w)\w", r"\g<1>f", log.lines[k], count=1)


DIFFERENT = {
    "pc": both_lines(r"0x800000c8", "0x800000cc"),
    "instruction": both_lines(r"(0x8\w{7}) \(0x5e004057\)", r"\1 (0x5e005057)"),
    "x value": flipped(r": 3 0x8\w+ \S+ x\d+ +0x(?P<v>\w{8})"),
    "x value, last bit of a load": flipped(r": 3 0x8\w+ \S+ x\d+ +0x(?P<v>\w{8}) mem", 3),
    "x register": replaced(r"(: 3 0x8\w+ \S+) x3 ", r"\1 x4 "),
    "x write missing": replaced(r"(: 3 0x8\w+ \S+) x3 .*", r"\1"),
    "x write too many": replaced(r"(: 3 0x800000c8 .*)$", r"\1 x9  0x00000000"),
    "v value, highest lane": flipped(r" v\d+ +\w{8} 0x(?P<v>\w{8})", 2),
    "v value, lowest lane": flipped(r" v\d+ +\w{8} 0x\w{8} .*?(?P<v>\w{8}) *$", 2),
    "v register": replaced(r" v1 ( *\w{8} 0x)", r" v2 \1"),
    "v mask": flipped(r" v\d+ +(?P<v>\w{8}) 0x"),
    "v write missing": replaced(r" v0 +\w{8} 0x.*", ""),
    "vl of an instruction": replaced(r" l4 v", " l3 v"),
    "SEW": replaced(r" e32 m1", " e16 m1"),
    "LMUL": replaced(r" e32 m1", " e32 m2"),
    "vstart": flipped(r"c8_vstart 0x(?P<v>\w{8})"),
    "vl": flipped(r"c3104_vl 0x(?P<v>\w{8})"),
    "vtype": flipped(r"c3105_vtype 0x(?P<v>\w{8})"),
    "vl missing": replaced(r"c3104_vl 0x\w{8}", ""),
    "fflags": flipped(r"c1_fflags 0x(?P<v>\w{8})"),
    "fflags missing": replaced(r"c1_fflags 0x\w{8}", ""),
    "rpc": flipped(r"c2060_rpc 0x(?P<v>\w{8})"),
    "rpc missing": replaced(r"c2060_rpc 0x\w{8}", ""),
    "mtvec": flipped(r"c773_mtvec 0x(?P<v>\w{8})"),
    "CSR that does not exist": replaced(r"c773_mtvec", "c774_mtvec"),
    "SIMT mask": flipped(r"e32 m1 l4 current mask:\t(?P<v>\w{8})"),
    "next pc of a uniform VBRANCH": flipped(r"e32 m1 .*current npc:\t(?P<v>\w{8}) stack size: 0"),
    "next pc of a divergent VBRANCH": flipped(r"e32 m1 .*current npc:\t(?P<v>\w{8}) stack size: 2"),
    "next pc of a JOIN that pops": flipped(r"\(0x0000205b\).*current npc:\t(?P<v>\w{8}) stack size: 1"),
    "stack depth": lambda log: (log.sub(r"stack size: 2", "stack size: 1"), deleted(r"\[r_pc\]")(log)),
    "stack r_pc": flipped(r"\[r_pc\] (?P<v>\w{8})"),
    "stack else_pc": flipped(r"\[else_pc\] (?P<v>\w{8})"),
    "stack else_mask": flipped(r"\[else_mask\] (?P<v>\w{8})"),
    "second stack entry": flipped(r"\[else_mask\] (?P<v>\w{8})", 1),
    "SIMT fields missing": replaced(r" current mask:.*stack size: 0", ""),
    "load address": flipped(r": 3 0x8\w+ .* x\d+ .*mem 0x(?P<v>\w{8})"),
    "load address of a lane": flipped(r" v\d+ .*mem 0x\w{8} mem 0x(?P<v>\w{8})"),
    "load missing": replaced(r"(: 3 0x8\w+ .* x\d+ .*) mem 0x\w{8}$", r"\1"),
    "load of a lane too many": replaced(r"( v\d+ .*mem 0x\w{8})\s*$", r"\1 mem 0x90000000"),
    "store address": flipped(r": 3 0x8\w+ .*mem 0x(?P<v>\w{8}) 0x\w{8}"),
    "store data": flipped(r": 3 0x8\w+ .*mem 0x\w{8} 0x(?P<v>\w{8})"),
    "store data of the last lane": flipped(r"\(0x\w{4}607b\).*mem 0x\w{8} 0x(?P<v>\w{8})\s*$"),
    "store missing": replaced(r"(: 3 0x8\w+ \S+) mem 0x\w{8} 0x\w{8}$", r"\1"),
    "store logged as a load": replaced(r"(: 3 0x8\w+ \S+ mem 0x\w{8}) 0x\w{8}$", r"\1"),
    "step missing": deleted(r": 3 0x80000018", before=1),
    "step too many": doubled_join,
    "ends early": cut(r"core +0: 0x80000090"),
    "ends very early": cut(r"core +0: 0x80000018"),
    "no ENDPRG": deleted(r": 3 0x8\w+ \(0x0000400b\)", before=1),
    "empty": cut(r"^core"),
    "one warp more": lambda log: log.lines.extend(l.replace("core   0:", "core   1:") for l in list(log.lines)
                                                  if "0x0000" in l[:24]),
    "one workgroup more": lambda log: log.lines.extend(list(log.lines)),
}
SAME = {
    "nothing": lambda log: None,
    "mstatus": flipped(r"c768_mstatus 0x(?P<v>\w{8})"),
    "what is read from mstatus": flipped(r"\(0x300eaef3\) x29 0x(?P<v>\w{8})"),
    "stale next pc of SETRPC": flipped(r"c2060_rpc.*current npc:\t(?P<v>\w{8})"),
    "disassembly": replaced(r"(core +0: 0x80000000 \S+ )auipc", r"\1other"),
    "order of fields": swapped_fields,
}
UNREADABLE = {
    "field": replaced(r"c8_vstart", "what8"),
    "value": replaced(r"(: 3 0x8\w+ \S+ x3 +0x)\w{8}", r"\g<1>123"),
    "lane too few": replaced(r"( v\d+ +\w{8} 0x\w{8}) \w{8}", r"\1"),
    "count of repeats": replaced(r"Executed \d+ times", "Executed 9 times"),
    "stack line missing": deleted(r"\[r_pc\]"),
    "commit without its disassembly": deleted(r"core +0: 0x80000018"),
    "line": replaced(r"^core( +0: 0x80000018)", r"cure\1"),
}


def mutations(kernel, table, expected):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "changed.log")
        for name, change in table.items():
            log = Log(kernel.with_suffix(".log"))
            change(log)
            path.write_text("".join(l + "\n" for l in log.lines))
            status, out, err = compare([kernel], "--log", path)
            check(status == expected, f"{name}: status {status}, expected {expected}", out, err)
            if expected == 2:
                check(len(err.splitlines()) == 1, name, "expected one line", err)
            if expected == 1:
                check(err.startswith("karat compare-log: ") and str(path) in err, name, err)


fan1 = args.kernels / "gaussian/4w4t/Fan1_0.metadata"
mutations(fan1, DIFFERENT, 1)
mutations(fan1, SAME, 0)
mutations(fan1, UNREADABLE, 2)
mutations(args.kernels / "matadd/4w4t/matadd_0.metadata", {"prefix": wrong_prefix}, 1)
# Several warps and workgroups: a difference in any of them is found.
many = args.kernels / "vecadd/32wg4w8t/vecadd_0.metadata"
mutations(many, {
    "last workgroup, last warp": flipped(r"core +3: 3 0x80000308 .* x6 +0x(?P<v>\w{8})", 31),
    "workgroups exchanged": lambda log: log.lines.__setitem__(slice(None), log.lines[922:1844] + log.lines[:922]
                                                              + log.lines[1844:]),
    "workgroup missing": lambda log: log.lines.__delitem__(slice(0, 922)),
    "warp missing": lambda log: log.lines.__setitem__(slice(None), [l for l in log.lines if "core   3:" not in l]),
}, 1)

# --- Other inputs -------------------------------------------------------------------------------------------

status, out, err = compare([fan1], "--log", "/nonexistent/x.log")
check(status == 2 and len(err.splitlines()) == 1, "log that is not there", status, err)
status, out, err = compare([fan1], "--log", "a", "--log", "b")
check(status == 2 and len(err.splitlines()) == 1, "more logs than kernels", status, err)
status, out, err = compare([fan1], "--max-steps", "10")
check(status == 5, "--max-steps", status, err)
status, out, err = compare([fan1.with_name("Fan1_1.metadata")])
check(status == 1 and "unmapped" in err, "second kernel without the first", status, err)
status, out, err = compare([fan1], "--simt-order", "if-first")
check(status == 1, "another SIMT order", status, err)

print("failures:", failures)
sys.exit(failures != 0)
