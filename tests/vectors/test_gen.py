#!/usr/bin/python3
"""karat gen on the model alone: every file of every vector says the same, and says it again; the directed set reaches every
instruction; random programs end, whatever the parameters; signatures are what the registers fold into, and a wrong one is noticed."""
import argparse
import functools
import json
import operator
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

from elftools.elf.elffile import ELFFile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from share import SHARE, share_of  # noqa: E402
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--objdump", required=True, help="LLVM's, as another reader of the words")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--quick", action="store_true", help="under sanitizers: make all kinds of vectors once, look at a few, and no more")
args = parser.parse_args()
rng = random.Random(args.seed)
print(f"test_gen: seed {args.seed}")
folder = tempfile.TemporaryDirectory(prefix="karat-gen-")
here = pathlib.Path(folder.name)
failures = 0


def check(good, *what):
    global failures
    if not good:
        failures += 1
        print("FAILED:", *what)


def karat(*arguments):
    done = subprocess.run([args.karat, *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def gen(*arguments):
    """It has to work, and to say nothing."""
    got = karat("gen", *arguments)
    check(got == (0, "", ""), "karat gen", *arguments, got)


def hex_words(path):
    """{address in words: word} of a file for $readmemh."""
    words, at = {}, 0
    for text in path.read_text().split():
        if text[0] == "@":
            at = int(text[1:], 16)
        else:
            words[at] = int(text, 16)
            at += 1
    return words


def elf_words(path):
    with open(path, "rb") as stream:
        segments = [(s["p_vaddr"], s.data()) for s in ELFFile(stream).iter_segments() if s["p_type"] == "PT_LOAD"]
    return {(base + i) // 4: int.from_bytes(data[i:i + 4], "little") for base, data in segments for i in range(0, len(data), 4)}


def metadata_words(path):
    fields = [int(line, 16) for line in path.read_text().split()]
    values = [low | high << 32 for low, high in zip(fields[::2], fields[1::2])]
    num = values[13]
    bases, sizes = values[14:14 + num], values[14 + num:14 + 2 * num]
    words, data = {}, [int(line, 16) for line in path.with_suffix(".data").read_text().split()]
    for base, size in zip(bases, sizes):
        for i in range(0, size, 4):
            words[(base + i) // 4] = data.pop(0)
    check(not data, path, "words of no buffer")
    return words


def left_by(program, threads, expected):
    """The words of device memory that a run of the program leaves, where the vector says what it expects."""
    first, num = min(expected), len(expected)
    status, out, err = karat("run", "--threads", threads, program, "--dump", f"0x{4 * first:x},{4 * num}")
    check(status == 0 and err == "", program, status, err)
    words = [int(w, 16) for line in out.splitlines() if line.startswith("0x") for w in line.split()[1:]]
    return {first + i: w for i, w in enumerate(words)}


def files_of(vector):
    return {f.name: f.read_bytes() for f in vector.iterdir()}


def round_trip(vector, runs=True):
    """All forms of the program are one program; they leave what is expected; from its manifest it is made again."""
    manifest = json.loads((vector / "manifest.json").read_text())
    check(manifest["name"] == vector.name, vector, manifest["name"])
    program = elf_words(vector / "program.elf")
    check(program == hex_words(vector / "program.hex"), vector, "program.hex is another program than program.elf")
    check(program == metadata_words(vector / "program.metadata"), vector, "program.metadata is another program")
    if runs:
        expected = hex_words(vector / "expected.hex")
        for name in ("program.elf", "program.metadata"):
            check(left_by(vector / name, manifest["threads"], expected) == expected, vector, name, "leaves other memory")
    again = here / "again"
    gen("again", vector / "manifest.json", "-o", again)
    check(files_of(vector) == files_of(again / vector.name), vector, "its manifest makes other files")


if args.quick:
    gen("directed", "--threads", 8, "-o", here / "directed")
    gen("random", "--count", 4, "--length", 1000, "--threads", 32, "-o", here / "random")
    gen("random", "--count", 2, "--length", 1000, "--threads", 4, "--races", "--commits", "-o", here / "races")
    for vector in [*rng.sample(sorted((here / "directed").iterdir()), 10), *(here / "random").iterdir()]:
        round_trip(vector)
    print(f"test_gen: {failures} failures")
    sys.exit(1 if failures else 0)

# --- The directed set ---------------------------------------------------------------------------------------------

status, listed, err = karat("gen", "--list")
names = [line.split()[0] for line in listed.splitlines()]
check(status == 0 and err == "" and len(names) == len(set(names)) > 150, "--list", status, err)
reports = []
for threads in (8, rng.choice((1, 2)), rng.choice((4, 16, 32))):
    out = here / f"directed{threads}"
    gen("directed", "--threads", threads, "-o", out)
    check(sorted(v.name for v in out.iterdir()) == sorted(names), "directed:", threads, "threads: other programs than --list has")
    for vector in sorted(out.iterdir()):
        if 100 * rng.random() < SHARE * (0.05 if threads == 8 else 0.01):
            round_trip(vector)
        if threads == 8:
            coverage = here / "coverage" / f"{vector.name}.json"
            coverage.parent.mkdir(exist_ok=True)
            karat("run", "--threads", threads, f"--coverage={coverage}", vector / "program.elf")
            reports.append(coverage)

# Every row and all its operand classes, of all those that can be reached: as coverage has it.
status, report, err = karat("cov", "report", "--format=json", *reports)
groups = {g["name"]: g for g in json.loads(report)["groups"]}
for name in ("instruction", "operand", "pair", "hazard", "config"):
    check(groups[name]["hit"] and not groups[name]["holes"], "the directed set leaves holes in", name, groups[name]["holes"][:4])

# Without it: each instruction of the table is somewhere in a listing.
status, table, err = karat("isa", "--json")
mnemonics = {r["name"]: r["mnemonic"] for r in json.loads(table) if r["unit"] != "prefix" and not r["illegal"] and "v2.02" in r["profiles"]
             and "v2.02" not in r["left_out"]}
LINE = re.compile(r"  ([0-9a-f]{8})  (?:([0-9a-f]{8}) | {9})([0-9a-f]{8})  (\S+)")
listings = {v.name: v / "program.lst" for v in (here / "directed8").iterdir()}
seen = {m[4].split(".aq")[0].split(".rl")[0] for path in listings.values() for m in map(LINE.match, path.read_text().splitlines()) if m}
for name, path in listings.items():  # Each says which rows it is about
    rows = json.loads((path.parent / "manifest.json").read_text())["rows"]
    there = {m[4].split(".aq")[0].split(".rl")[0] for m in map(LINE.match, path.read_text().splitlines()) if m}
    check({mnemonics[r] for r in rows} <= there and bool(rows) == bool(re.match(r"[a-z]+-\d\d-", name)), name, "the rows of its manifest:", rows)
check(len(mnemonics) > 300 and set(mnemonics.values()) <= seen, "not in any listing:", sorted(set(mnemonics.values()) - seen))

# One instruction, one unit.
gen("directed", "--row", "vfmacc.vv", "--threads", 8, "-o", here / "row")
check(sorted(v.name for v in (here / "row").iterdir()) == [f"{part}-vfmacc_vv" for part in ("groups", "numbers", "operands", "raised", "rounding")],
      "--row vfmacc.vv")
gen("directed", "--unit", "amo", "--threads", 8, "-o", here / "unit")
check(len(list((here / "unit").iterdir())) == 2 * sum(r["unit"] == "amo" and not r["illegal"] and "v2.02" in r["profiles"]
                                                      for r in json.loads(table)), "--unit amo")
for vector in [*(here / "row").iterdir(), *(here / "unit").iterdir()][:8]:
    round_trip(vector)

# --- Listings -----------------------------------------------------------------------------------------------------

def llvm_mnemonics(path):
    done = subprocess.run([args.objdump, "-d", "--mattr=+m,+a,+zfinx,+experimental-v,+v", "-M", "no-aliases", path], capture_output=True, text=True)
    return {int(m[1], 16): (int(m[2].replace(" ", ""), 16), m[3])
            for m in re.finditer(r"^\s*([0-9a-f]+): ((?:[0-9a-f]{2} ?){4})\s+(\S+)", done.stdout, re.M)}


compared = 0
for name in ("operands-00-lui", "memory-05-vsse8_v", "atomics", "nested", "hazards-fp"):
    path = listings.get(name) or next(p for n, p in sorted(listings.items()) if n.startswith(name[:9]))
    words, other = elf_words(path.parent / "program.elf"), llvm_mnemonics(path.parent / "program.elf")
    for line in path.read_text().splitlines():
        m = LINE.match(line)
        if not m:
            check(re.fullmatch(r"L\d+:", line), path, "is no line of a listing:", line)
            continue
        at = int(m[1], 16)
        if m[2]:
            check(words[at // 4] == int(m[2], 16), path, line)
            at += 4
        check(words[at // 4] == int(m[3], 16), path, line, "is not in the program")
        if at in other and other[at][1] != "<unknown>" and not m[2]:
            compared += 1
            check(other[at][1] == m[4], path, line, "LLVM says", other[at][1])
check(compared > 500, "of the listings LLVM knows", compared, "instructions")

# --- Scenarios ----------------------------------------------------------------------------------------------------


def depths(vector):
    return [int(d) for d in re.findall(r" depth=(\d+)", (vector / "commits.txt").read_text())]


for depth in (1, 3, 7, 31):
    out = here / "deep"
    gen("directed", "--scenario", "nested", "--depth", depth, "--threads", 32, "--commits", "-o", out)
    # Each level leaves an entry; the last divergence has its waiting path besides.
    check(max(depths(out / "nested")) == depth + 1, "nested: depth", depth, max(depths(out / "nested")))
    round_trip(out / "nested")
trace = (here / "deep" / "nested" / "commits.txt").read_text()
check(trace == karat("run", "--threads", 32, "--trace", here / "deep" / "nested" / "program.elf")[1].rpartition("nested: ")[0],
      "commits.txt is not what karat run --trace prints")
for warps in (1, 9, 32):
    gen("directed", "--scenario", "barriers", "--warps", warps, "--threads", 4, "-o", here / "many")
    round_trip(here / "many" / "barriers")

# --- Random programs ----------------------------------------------------------------------------------------------


def registers_at(program, threads, pc):
    """The registers of each warp before the instruction at pc, from what its steps have written."""
    files, found = {}, {}
    for line in karat("run", "--threads", threads, "--trace", program)[1].splitlines():
        m = re.match(r"\S+ wg=(\d+) warp=(\d+) ([0-9a-f]{8}): .*? \| mask=[0-9a-f]{8}(.*)", line)
        if not m:
            continue
        file = files.setdefault((int(m[1]), int(m[2])), {})
        if int(m[3], 16) == pc:
            found[int(m[1]), int(m[2])] = dict(file)
        for reg, value in re.findall(r" (x\d+)=([0-9a-f]{8})", m[4]):
            file[reg] = int(value, 16)
        for reg, mask, values in re.findall(r" (v\d+)/([0-9a-f]{8})=([0-9a-f,]+)", m[4]):
            lanes = [i for i in range(32) if int(mask, 16) >> i & 1]
            for lane, value in zip(lanes, values.split(",")):
                file[reg, lane] = int(value, 16)
    return found


def longest_fold(text, mnemonic):
    """The registers of the longest run of these instructions, all of one destination; and where it begins."""
    runs = [[]]
    for i, t in enumerate(text):
        names = re.findall(r"[xv]\d+", t) if t.split()[0] == mnemonic else []
        if not names or (runs[-1] and runs[-1][-1][1][0] != names[0]):
            runs.append([])
        if names:
            runs[-1].append((i, names))
    run = max(runs, key=len)
    return {name for _, names in run for name in names}, run[0][0]


def fold_of(vector, program):
    """XOR over the registers that the vector's end names, from their values as the program's trace has them, by address in words; lanes."""
    manifest = json.loads((vector / "manifest.json").read_text())
    lines = [line for line in (vector / "program.lst").read_text().splitlines() if LINE.match(line)]
    text = [re.split(r"  [#{]", line[31:])[0] for line in lines]
    check(sum(t.startswith("endprg") for t in text) == 1, vector, "ends more often than once")
    vectors, first = longest_fold(text, "vxor.vv")
    scalars, _ = longest_fold(text, "xor")
    start = max(i for i, t in enumerate(text[:first]) if t.startswith("vset"))
    m = LINE.match(lines[start + 1])
    place, got = manifest["signature"], {}
    threads, per_group = (int(word, 16) for word in (vector / "program.metadata").read_text().split()[10:14:2])
    for (group, warp), file in registers_at(program, manifest["threads"], int(m[1], 16) + (4 if m[2] else 0)).items():
        base = (place["at"] + (group * per_group + warp) * place["apart"]) // 4
        got[base + 32] = functools.reduce(operator.xor, (file.get(r, 0) for r in scalars))
        for lane in range(threads):
            got[base + lane] = functools.reduce(operator.xor, (file.get((r, lane), 0) for r in vectors))
    return got, threads


def signature_is_the_fold(vector):
    place = json.loads((vector / "manifest.json").read_text())["signature"]
    got, threads = fold_of(vector, vector / "program.elf")
    want = hex_words(vector / "signature.hex")
    check(len(got) % (threads + 1) == 0 and 0 < len(got) <= place["warps"] * (threads + 1), vector, "signature of", len(got), "words")
    before = elf_words(vector / "program.elf")  # A workgroup that ends with its first instructions leaves its words alone
    for first in range(place["at"] // 4, (place["at"] + place["warps"] * place["apart"]) // 4, place["apart"] // 4):
        got.update({first + i: before[first + i] for i in (*range(threads), 32) if first not in got})
    wrong = [f"{4 * a:x}: {want.get(a):x}, folded {w:x}" for a, w in got.items() if want.get(a) != w]
    check(not wrong, vector, "signature", wrong[:3])


for number in range(share_of(20)):
    threads, out = rng.choice((1, 2, 4, 8, 16, 32)), here / f"random{number}"
    options = ["--seed", rng.getrandbits(40), "--threads", threads, "--length", rng.choice((1, 300, 600))]
    for name, low, high in (("--warps", 1, 8 if number else 32), ("--workgroups", 1, 3)):
        if number % 4 == 0 or rng.random() < 0.7:
            options += [name, rng.randint(low, high)]
    races = rng.random() < 0.25
    if rng.random() < 0.3:
        weights = {"kinds": {rng.choice(("plain", "memory", "diamond", "loop", "barrier")): rng.randint(1, 200)},
                   "units": {rng.choice(("alu", "mul", "div", "fp", "fdiv")): rng.randint(1, 9)}}
        (here / "weights.json").write_text(json.dumps(weights))
        options += ["--weights", here / "weights.json"]
    gen("random", *options, *(["--races"] if races else []), "-o", out)
    (vector,) = out.iterdir()
    round_trip(vector, runs=not races)
    check((vector / "signature.hex").exists() == (vector / "expected.hex").exists() == (not races), vector, "races", races)
    if not races and number % 4 == 0 < number:
        signature_is_the_fold(vector)
# Threads without a work-item, in both forms of a program, and made again.
gen("random", "--partial", "--seed", rng.getrandbits(40), "--count", 6, "--length", 300, "--threads", 8, "-o", here / "partial")
partial = sorted((here / "partial").iterdir())
traces = [[karat("run", "--trace", vector / f"program.{form}") for form in ("elf", "metadata")] for vector in partial]
for vector, (elf, metadata) in zip(partial, traces):
    steps = [[line.partition(" wg=")[2] for line in of[1].splitlines() if " wg=" in line] for of in (elf, metadata)]
    check(elf[0] == metadata[0] == 0 and steps[0] and steps[0] == steps[1], vector, "work-items", elf[2], metadata[2])
    gen("again", vector / "manifest.json", "-o", here / "again")
    check(files_of(vector) == files_of(here / "again" / vector.name), vector, "its manifest makes other files")
first = [re.search(r" wg=\d+ warp=0 .*mask=([0-9a-f]{8})", elf[1]) for elf, _ in traces]
check(any(m and m[1] != "000000ff" for m in first), "all threads have a work-item", [m and m[1] for m in first])
gen("random", "--partial", "--seed", 77, "--count", 30, "--length", 60, "--threads", 8, "-o", here / "shapes")
shapes = {tuple(int(n, 16) > 1 for n in (vector / "program.metadata").read_text().split()[34:40:2]) for vector in (here / "shapes").iterdir()}
check(shapes >= {(True, False, False), (True, True, False), (True, True, True)}, "work-items in one to three dimensions", shapes)
gen("random", "--seed", 5, "--count", 3, "--length", 400, "--warps", 2, "--workgroups", 2, "-o", here / "three")
check(sorted(v.name for v in (here / "three").iterdir()) == ["random-5", "random-6", "random-7"], "--count")

# --- Holes ----------------------------------------------------------------------------------------------------------


def holes_of(reports):
    """(the file, {group and names of each hole})"""
    status, out, err = karat("cov", "report", "--format=json", *reports)
    check(status == 0, "karat cov report:", status, err)
    path = here / "holes.json"
    path.write_text(out)
    return path, {(g["name"], *hole) for g in json.loads(out)["groups"] for hole in g["holes"]}


# Without what is about hazards and barriers: cover has to find them again; what it says of the others has to be so.
known = [r for r in reports if not r.name.startswith(("hazards", "collisions", "barriers", "fp", "comb"))]
path, before = holes_of(known)
status, out, err = karat("gen", "cover", path, "--threads", 8, "-o", here / "cover")
check(status == 0 and err == "", "cover:", status, err)
unreached, axes = set(), {g["name"]: g["axes"] for g in groups.values()}
for line in out.splitlines()[:-1]:
    m = re.fullmatch(r"not reached: (\w+): (.*): (.{20,})", line)
    names = m and re.fullmatch(" ".join(f"{re.escape(axis)}=(.*)" for axis in axes[m[1]]), m[2])
    check(names, "cover:", line)
    if names:
        unreached.add((m[1], *names.groups()))
m = re.fullmatch(r"(\d+) holes, (\d+) vectors: (\d+) reached, (\d+) that this device cannot reach, (\d+) left", out.splitlines()[-1])
vectors = sorted((here / "cover").iterdir())
check(m and (int(m[1]), int(m[2]), int(m[3])) == (len(before), len(vectors), len(before) - len(unreached)), "cover:", out.splitlines()[-1])
for vector in vectors:
    coverage = here / "coverage" / f"{vector.name}.json"
    karat("run", "--threads", 8, f"--coverage={coverage}", vector / "program.elf")
    known.append(coverage)
    manifest = json.loads((vector / "manifest.json").read_text())
    left = holes_of([coverage])[1]
    check(manifest["missed"] == [b for b in manifest["for"] if tuple(b) in left], vector, "what its manifest says that it misses")
    if rng.random() < 0.2:
        round_trip(vector)
path, after = holes_of(known)
check(after == unreached, "cover: what it says and what a run of its vectors covers differ:", sorted(after ^ unreached)[:4])
lost = {hole for hole in after if hole[0] in ("hazard", "barrier") and "9 and more" not in hole}
check(len([h for h in before if h[0] == "hazard"]) > 100 and not lost, "cover: not aimed at:", sorted(lost)[:4])

# --- What a core leaves -------------------------------------------------------------------------------------------

vector = here / "three" / "random-5"
check(karat("gen", "compare", vector, vector / "expected.hex")[0] == 0, "compare: the model's own memory")
for name, option in (("expected.hex", []), ("signature.hex", ["--signature"])):
    text = (vector / name).read_text().split()
    places = [i for i, w in enumerate(text) if w[0] != "@"]
    for place in rng.sample(places, 5):
        wrong = list(text)
        wrong[place] = f"{int(text[place], 16) ^ 1 << rng.randrange(32):08x}"
        (here / "wrong.hex").write_text("// a core's\n" + "\n".join(wrong) + "\n")
        status, out, err = karat("gen", "compare", *option, vector, here / "wrong.hex")
        check(status == 1 and f"core {wrong[place]} model {text[place]}" in out and "wrong=1" in out and not err, "compare:", out, err)

# The comparison uses the files written with the manifest.
cut = here / "cut"
shutil.copytree(vector, cut)
for name, option in (("expected.hex", []), ("signature.hex", ["--signature"])):
    whole = (cut / name).read_text()
    (cut / name).write_text(whole[:len(whole) // 18 * 9])
    status, out, err = karat("gen", "compare", *option, cut, vector / "expected.hex")
    check(status == 2 and err.rstrip().endswith(f"{name}: not as it was written with manifest.json") and not out, "compare: cut off:", status, out,
          err)

# The output of a simulator with four states, outside and inside; the last word at an address is the one that $readmemh takes.
text = (vector / "expected.hex").read_text()
for more, status in (("@00000010\nxxxxxxxx 0000zzzz\n", 0), (text.split()[0] + "\n0000000x\n", 1),
                     (text.split()[0] + "\n" + text.split()[1] + "\n", 0),
                     (text.split()[0] + f"\n{int(text.split()[1], 16) ^ 1:08x}\n", 1)):
    (here / "states.hex").write_text(text + more)
    got = karat("gen", "compare", vector, here / "states.hex")
    check(got[0] == status and not got[2], "compare:", more, got)

# An instruction that does something else shows in the signature, where it does in what the registers fold into.
noticed = tried = 0
changes = []
for vector in sorted((here / "three").iterdir()):
    words = elf_words(vector / "program.elf")
    code = sorted(a for a in words if a < 0x90000000 // 4)
    changes += [(vector, words, code, at) for at in rng.sample([a for a in code if words[a] & 0x7f in (0x13, 0x33, 0x57)], 10)]
for vector, words, code, at in changes:
    image = bytearray((vector / "program.elf").read_bytes())
    offset = image.find(b"".join(words[a].to_bytes(4, "little") for a in code[:8])) + 4 * (at - code[0])
    image[offset + 2] ^= 0x10  # Another source, or another immediate: bit 20
    (here / "changed.elf").write_bytes(image)
    first, num = min(hex_words(vector / "signature.hex")), 8192 // 4 * json.loads((vector / "manifest.json").read_text())["signature"]["warps"]
    status, out, err = karat("run", "--threads", 32, "--max-steps", 100000, here / "changed.elf", "--dump", f"0x{4 * first:x},{4 * (num - 512)}")
    if status:
        continue
    dump = [w for line in out.splitlines() if line.startswith("0x") for w in line.split()[1:]]
    (here / "core.hex").write_text(f"@{first:08x}\n" + "\n".join(dump) + "\n")
    tried += 1
    shows = karat("gen", "compare", "--signature", vector, here / "core.hex")[0] == 1
    noticed += shows
    check(shows or fold_of(vector, here / "changed.elf") == fold_of(vector, vector / "program.elf"), vector, "changed at", hex(4 * at))
print(f"test_gen: of {tried} changed programs signatures show {noticed}")
check(tried >= 5 and noticed, "of", tried, "changed programs signatures show", noticed)

# So does an instruction that the directed set is about, all of whose results are another one's, in the memory that it leaves.
PARTS = ("operands", "rounding", "raised")
for row, mask, match, change in (("add", 0xfe00707f, 0x33, 1 << 30), ("fadd_s", 0xfe00007f, 0x53, 1 << 27), ("vadd_vv", 0xfc00707f, 0x57, 2 << 26),
                                 ("vfadd_vv", 0xfc00707f, 0x1057, 2 << 26)):
    about = [v for v in sorted((here / "directed8").iterdir()) if row in json.loads((v / "manifest.json").read_text())["rows"]]
    check({v.name.split("-")[0] for v in about} >= {"operands", "numbers"}, row, "is in", about)
    for directed in (v for v in about if v.name.startswith(PARTS)):
        image = bytearray((directed / "program.elf").read_bytes())
        words = elf_words(directed / "program.elf")
        code = sorted(a for a in words if a < 0x90000000 // 4)
        base = image.find(b"".join(words[a].to_bytes(4, "little") for a in code[:8]))
        results = [a for a in code if words[a] & mask == match and words[a] >> 7 & 31 == (4 if row[0] == "v" else 5)]  # The sums are left out
        for a in results:
            at = base + 4 * (a - code[0])
            image[at:at + 4] = (words[a] ^ change).to_bytes(4, "little")
        (here / "changed.elf").write_bytes(image)
        expected = hex_words(directed / "expected.hex")
        left = left_by(here / "changed.elf", 8, expected)
        (here / "core.hex").write_text(f"@{min(left):08x}\n" + "\n".join(f"{left[a]:08x}" for a in sorted(left)) + "\n")
        check(results and karat("gen", "compare", directed, here / "core.hex")[0] == 1, directed.name,
              f"does not show that {row} is another instruction")

# --- Bad input ----------------------------------------------------------------------------------------------------


# Programs of which the ends are farther apart than a JAL reaches: their warps come to the end.
for seed in (1, 2):
    gen("random", "--length=300000", f"--seed={seed}", "--threads=4", "--warps=1", "-o", here / "far")
    status, out, err = karat("run", "--threads=4", here / "far" / f"random-{seed}" / "program.elf")
    check(status == 0 and (here / "far" / f"random-{seed}" / "program.elf").stat().st_size > 1 << 20, "a long program", seed, status, err)


def bad(text, *arguments):
    """One line with that text, status 2, and nothing is left behind."""
    status, out, err = karat("gen", *arguments)
    check(status == 2 and len(err.splitlines()) == 1 and text in err and not out, arguments, "expected", repr(text), "got", status, repr(err))
    target = here / "bad"
    check(not target.exists() or not any(target.iterdir()), arguments, "left", list(target.rglob("*")) if target.exists() else "")


BAD = ["-o", here / "bad"]
bad("--seed: expected 0 to", "random", "--seed", "abc", *BAD)
bad("--seed: expected 0 to", "random", "--seed=-1", *BAD)
bad("--warps: expected 1 to 32, found '99'", "random", "--warps", "99", *BAD)
bad("--threads: expected 1, 2, 4", "random", "--threads", "3", *BAD)
bad("--length: expected 1 to", "random", "--length", "0", *BAD)
bad("--depth: expected 1 to 64", "directed", "--depth", "65", *BAD)
bad("8 vector registers for a warp: expected 64", "random", "--warps", "8", "--vgprs", "64", *BAD)
bad("expected random, directed", "sideways", *BAD)
bad("expected random, directed", *BAD)
bad("unexpected argument 'more'", "random", "more", *BAD)
bad("expected --output", "random")
bad("no such program: 'nowhere'", "directed", "--scenario", "nowhere", *BAD)
bad("no such program: 'nowhere'", "directed", "--only", "nowhere", *BAD)
bad("--seed goes with random", "directed", "--seed", "3", *BAD)
bad("--depth goes with directed", "random", "--depth", "3", *BAD)
bad("--signature goes with compare", "random", "--signature", *BAD)
bad("no instruction 'vadd.xx': did you mean 'vadd.", "directed", "--row", "vadd.xx", *BAD)
bad("for instruction 'nonesuch'", "directed", "--row", "nonesuch", *BAD)
bad("for instruction 'vlm.v'", "directed", "--row", "vlm.v", *BAD)
bad("for unit 'fpu'", "directed", "--unit", "fpu", *BAD)
bad("expected --row or --unit", "directed", "--row", "vadd.vv", "--unit", "alu", *BAD)
for other in (["--scenario", "nested"], ["--only", "fp"], ["--depth", "3"]):
    bad(f"{other[0]} goes with the whole set", "directed", "--row", "vadd.vv", *other, *BAD)
bad("--length: expected 1 to 1000000", "random", "--length", "1000001", *BAD)
bad("again: expected the manifest", "again", *BAD)
for other in (["--threads", "8"], ["--warps", "2"], ["--commits"]):
    bad(f"{other[0]} goes with random, directed, pages, cover or mutate", "again", vector / "manifest.json", *other, *BAD)
bad("compare: expected a vector's folder", "compare", here)
(here / "plain").write_text("not a folder")
bad("plain/vector", "random", "-o", here / "plain" / "vector")
bad("cannot be made: Not a directory", "random", "-o", here / "plain")
occupied = here / "occupied" / "random-1"
occupied.mkdir(parents=True)
(occupied / "mine.txt").write_text("keep")
bad("occupied/random-1: cannot be replaced", "random", "--length", 10, "-o", here / "occupied")
check(sorted(f.name for f in (here / "occupied").rglob("*")) == ["mine.txt", "random-1"], "an occupied folder was touched")
for weights, text in (('{"kinds": {"plane": 1}}', '"plane": no such kind'), ('{"kinds": {"plain": -1}}', "expected a number from 0"),
                      ('{"kinds": {"plain": "much"}}', "expected a number from 0"), ('{"unit": {}}', '"unit": expected "kinds", "units" or "vary"'),
                      ('{"units": {"mem": 1}}', 'units: "mem": expected alu'), ('{"units": {}}', "leave no unit"), ("[1]", "expected an object"),
                      ('{"kinds": {"plain": 1', "weights.json:1: "), ('{"kinds": 3}', "both objects"),
                      ('{"kinds": {"plain": 1, "plain": 2}}', "duplicate"),
                      (json.dumps({"kinds": dict.fromkeys(json.loads(karat("gen", "--kinds")[1])["kinds"], 0) | {"race": 5}}),
                       "leave no kind of instruction")):
    (here / "weights.json").write_text(weights)
    bad(text, "random", "--weights", here / "weights.json", *BAD)
bad("nowhere.json", "random", "--weights", here / "nowhere.json", *BAD)
manifest = json.loads((vector / "manifest.json").read_text())
directed = json.loads((here / "directed8" / "nested" / "manifest.json").read_text())
for change, text in (({"tool": "karat 0.0"}, "made by karat 0.0"), ({"tool": None}, '"tool" is missing'), ({"threads": 3}, "a power of two"),
                     ({"threads": 64}, '"threads": expected 1 to 32'), ({"kind": "other"}, '"kind": expected random'),
                     ({"seed": "x"}, '"seed": expected'),
                     ({"length": 1 << 32 | 5}, '"length": expected 1 to'), ({"warps": 33}, '"warps": expected 0 to 32'),
                     ({"races": 1}, '"races": expected'),
                     ({"weights": {"kinds": {"plane": 1}}}, "no such kind")):
    (here / "manifest.json").write_text(json.dumps(manifest | change))
    bad(text, "again", here / "manifest.json", *BAD)
for change, text in (({"seed": manifest["seed"] + 1}, "makes another program"),
                     ({"xxh3": {"program.elf": "0123456789abcdef"}}, "makes another program"),
                     ({"xxh3": None}, "expected the hash"), ({"xxh3": {"program.elf": "0123456789abcdeg"}}, "expected the hash")):
    (here / "manifest.json").write_text(json.dumps(manifest | change))
    bad(text, "again", here / "manifest.json", *BAD)
for change, text in (({"index": 100000}, '"index": expected 0 to'), ({"index": 1.5}, '"index": expected'), ({"depth": -1}, '"depth": expected')):
    (here / "manifest.json").write_text(json.dumps(directed | change))
    bad(text, "again", here / "manifest.json", *BAD)
row = json.loads(next((here / "row").glob("*/manifest.json")).read_text())
cover = json.loads(next((here / "cover").glob("*/manifest.json")).read_text())
for change, text in ((row | {"row": "vadd_xx"}, "no such program"), (row | {"part": "memory"}, "no such program"),
                     (row | {"part": 1}, "no such program"),
                     (cover | {"for": []}, "expected an array of bins"), (cover | {"for": {"a": 1}}, "expected an array of bins"),
                     (cover | {"for": [["simt", "pass", "0", "full"], ["simt", "pass"]]}, "entry 1 names no bin")):
    (here / "manifest.json").write_text(json.dumps(change))
    bad(text, "again", here / "manifest.json", *BAD)
(here / "manifest.json").write_text(json.dumps(manifest)[:-9])
bad("manifest.json:1: ", "again", here / "manifest.json", *BAD)
(here / "manifest.json").write_text("[]")
bad('"tool" is missing', "again", here / "manifest.json", *BAD)
for holes, text in (("[]", "expected the output of karat cov report"), ("{", "holes.json:1: "),
                    ('{"groups": 1}', "expected the output of karat cov report"),
                    ('{"groups": {}}', "expected the output of karat cov report"),
                    ('{"groups": ["simt"]}', "holes.json: group 0: expected an object"),
                    ('{"groups": [{"name": "other", "holes": []}]}', 'holes.json: group 0: "name": expected the name of a group'),
                    ('{"groups": [{"name": 1, "holes": []}]}', 'holes.json: group 0: "name": expected the name of a group'),
                    ('{"groups": [{"holes": []}]}', 'holes.json: group 0: "name": expected the name of a group'),
                    ('{"groups": [{"name": "csr", "holes": []}, {"name": "simt", "holes": "abc"}]}',
                     'holes.json: group 1: "holes": expected an array'),
                    ('{"groups": [{"name": "simt", "holes": {}}]}', 'holes.json: group 0: "holes": expected an array'),
                    ('{"groups": [{"name": "simt"}]}', 'holes.json: group 0: "holes": expected an array'),
                    ('{"groups": [{"name": "simt", "holes": ["abc"]}]}', "hole 0 is not a bin"),
                    ('{"groups": [{"name": "simt", "holes": [["a"]]}]}', "hole 0 is not a bin"),
                    ('{"groups": [{"name": "simt", "holes": [["pass", "0", "full"], ["pass", "0"]]}]}', "hole 1 is not a bin"),
                    ('{"groups": [{"name": "simt", "holes": [["pass", "0", 1]]}]}', "hole 0 is not a bin")):
    (here / "holes.json").write_text(holes)
    bad(text, "cover", here / "holes.json", *BAD)
bad("no word in it", "compare", vector, here / "plain2") if (here / "plain2").write_text("// none\n") else None
bad("expected a word in hex", "compare", vector, here / "plain")
bad("is missing", "compare", vector, here / "short") if (here / "short").write_text("@24000000\n00000000\n") else None
bad("nowhere/expected.hex: cannot be opened", "compare", here / "nowhere", here / "short")

print(f"test_gen: {failures} failures")
sys.exit(1 if failures else 0)
