#!/usr/bin/python3
"""Scenarios of stimulus that compilers do not make: the kind is in the program as it runs on the model, by its trace."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from share import profiles_of  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()
print(f"test_gen_unusual: seed {args.seed}")
folder = tempfile.TemporaryDirectory(prefix="karat-unusual-")
failures = 0


def check(good, *what):
    global failures
    if not good:
        failures += 1
        print("FAILED:", *what)


def steps(name, profile, threads, *options):
    """(warp, mnemonic, operands, registers before it) of each step of the scenario; registers are those of its warp.
    With options: of a random program of that name."""
    out = pathlib.Path(folder.name) / f"{profile}-{threads}"
    kind = ["random", *options] if options else ["directed", "--scenario", name]
    done = subprocess.run([args.karat, "gen", *kind, f"--profile={profile}", f"--threads={threads}", "--commits", "-o", out],
                          capture_output=True, text=True)
    check((done.returncode, done.stdout, done.stderr) == (0, "", ""), name, profile, threads, done)
    if done.returncode:
        return
    files = {}
    for line in (out / name / "commits.txt").read_text().splitlines():
        m = re.match(r"\S+ wg=(\d+) warp=(\d+) [0-9a-f]{8}:[ 0-9a-f]*  (\S+) ?(.*?) \| mask=[0-9a-f]{8}(.*)", line)
        if not m:
            continue
        file = files.setdefault((int(m[1]), int(m[2])), {"x0": 0})
        yield int(m[2]), m[3], re.split(r"[ ,()]+", m[4].strip(")")), file
        for reg, value in re.findall(r" (x\d+)=([0-9a-f]{8})", m[5]):
            file[reg] = int(value, 16)
        for reg, mask, values in re.findall(r" (v\d+)/([0-9a-f]{8})=([0-9a-f,]+)", m[5]):
            lanes = [i for i in range(32) if int(mask, 16) >> i & 1]
            file[reg] = {**file.get(reg, {}), **{lane: int(v, 16) for lane, v in zip(lanes, values.split(","))}}


def ignored_bits(profile, threads):
    jumps, shifts, csrs, vtypes = set(), set(), set(), set()
    for _, name, operands, file in steps("ignored_bits", profile, threads):
        if name == "jalr":
            jumps.add((file[operands[2]] & 1, int(operands[1]) & 1))
        elif re.search("sll|srl|sra", name):
            amount = file.get(operands[2], 0)
            amount = amount[0] if isinstance(amount, dict) else amount
            if amount > 31:
                shifts.add(name)
        elif name == "csrrw" and file[operands[2]] >> 8:
            csrs.add(operands[1])
        elif name == "vsetvl" and file[operands[2]] >> 8:
            vtypes.add(file[operands[2]])
    check({(1, 0), (0, 1)} <= jumps, "odd targets", profile, jumps)
    check({"sll", "srl", "sra", "vsll.vv", "vsll.vx", "vsrl.vv", "vsrl.vx", "vsra.vv", "vsra.vx"} <= shifts, "shifts", profile, shifts)
    check({"fflags", "frm", "fcsr", "vxsat", "vxrm", "vcsr", "rpc"} <= csrs, "CSRs", profile, csrs)
    check(len(vtypes) >= 3, "vtypes", profile, vtypes)


def sub_words(profile, threads):
    """Bytes that a store of part of a word has left alone are loaded: by the same lanes and by others."""
    store, seen = None, set()
    for _, name, operands, file in steps("sub_words", profile, threads):
        if name.startswith(("vsb12", "vsh12")):
            store = name[2], int(operands[1]), operands[2]
        elif store and name.startswith(("vlb", "vlh")):
            size, at = {"b": 1, "h": 2}[store[0]], store[1]
            if not at <= int(operands[1]) < at + size:
                seen.add((store[0], at, "same" if file[operands[2]] == file[store[2]] else "other"))
    want = {(kind, at, who) for kind, ats in (("b", range(4)), ("h", (0, 2))) for at in ats for who in ("same", "other")}
    check(seen == want, "parts of words", profile, want - seen)


def binades(profile, threads):
    """Each instruction has met the lowest and the highest binade in each lane alone, the other lanes ordinary."""
    met = {}
    for _, name, operands, file in steps("binades", profile, threads):
        if not name.startswith("vf"):
            continue
        for reg in operands[1:]:
            values = file.get(reg)
            if not isinstance(values, dict):
                continue
            powers = {lane: v >> 23 & 255 for lane, v in values.items()}
            odd = [lane for lane, power in powers.items() if power in (1, 254)]
            if len(odd) == 1 and all(power == 127 for lane, power in powers.items() if lane != odd[0]):
                met.setdefault(name, set()).add((odd[0], powers[odd[0]]))
    check({"vfadd.vv", "vfmul.vv", "vfmacc.vv", "vfdiv.vv", "vfsqrt.v", "vfexp.v"} <= met.keys(), "instructions", profile, sorted(met))
    for name, places in met.items():
        check(places == {(lane, power) for lane in range(threads) for power in (1, 254)}, "places", profile, threads, name)


def csr_exchange(profile, threads):
    """After a warp has written a CSR, others read theirs before it is written again."""
    writer, read = {}, {}
    for warp, name, operands, _ in steps("csr_exchange", profile, threads):
        if name == "csrrw":
            writer.setdefault(operands[1], warp)
        elif name == "csrrs" and operands[1] in writer and warp != writer[operands[1]]:
            read.setdefault(operands[1], set()).add(warp)
    for csr in ("fflags", "frm", "fcsr", "vxsat", "vxrm", "vcsr", "mscratch", "rpc"):
        check(len(read.get(csr, ())) == 3, "readers of", csr, profile, read.get(csr))
    check(len(set(writer.values())) == 4, "writers", profile, writer)


def both_memories(profile, threads):
    """One instruction stores to local memory by some lanes and to device memory by others; one loads so."""
    kinds = set()
    for _, name, operands, file in steps("far_apart", profile, threads):
        if name in ("vsw12.v", "vlw12.v"):
            kinds.add((name, len({address >> 28 for address in file[operands[2]].values()})))
    check({("vsw12.v", 2), ("vlw12.v", 2)} <= kinds, "both memories", profile, kinds)


def loop_exits(profile, threads):
    """Each lane alone leaves the loop, at a branch of its own; the stack gets as deep as the warp is wide."""
    for _ in steps("staggered", profile, threads):
        pass
    trace = (pathlib.Path(folder.name) / f"{profile}-{threads}" / "staggered" / "commits.txt").read_text()
    masks = re.findall(r" vbeq .*? \| mask=([0-9a-f]{8})", trace)
    deepest = max(int(depth) for depth in re.findall(r" depth=(\d+)", trace))
    check({int(mask, 16) for mask in masks} >= {1 << lane for lane in range(threads)}, "loop exits", profile, threads, masks)
    check(deepest >= threads, "depth of loop exits", profile, threads, deepest)


def random_kinds(profile, seed):
    """With weights of their own, odd targets and parts of words are in a random program."""
    weights = pathlib.Path(folder.name) / "weights.json"
    weights.write_text(json.dumps({"kinds": {"sub_word": 200, "odd_jump": 50}}))
    odd, store, others = 0, None, 0
    for _, name, operands, file in steps(f"random-{seed}", profile, 8, "--seed", str(seed), "--length", "600", "--warps", "1", "--workgroups",
                                         "1", "--weights", str(weights)):
        if name == "jalr":
            odd += (file[operands[2]] + int(operands[1])) & 1
        elif name.startswith(("vsb12", "vsh12")):
            store = int(operands[1])
        elif store is not None and name.startswith(("vlb12", "vlbu12", "vlh12", "vlhu12")):
            others += int(operands[1]) != store and int(operands[1]) >> 2 == store >> 2
    check(odd > 3 and others > 10, "random", profile, seed, odd, others)


def matrices(seed):
    """Matrix products are in random programs where warps have 32 threads, all with a work-item; many results are numbers, and many are the C of
    the next product."""
    weights = pathlib.Path(folder.name) / "weights.json"
    weights.write_text(json.dumps({"kinds": {"matrix": 200}}))
    more = "--length", "1500", "--warps", "1", "--workgroups", "1", "--weights", str(weights)
    for threads, options, usable in ((32, [], True), (16, [], False), (32, ["--wf-size=31"], False), (32, ["--partial"], False)):
        seed += 1
        products = numbers = chained = 0
        before = None  # Its name and its first result
        for _, name, operands, file in steps(f"random-{seed}", "public", threads, "--seed", str(seed), *more, *options):
            if before:
                infinity, half = (0x7C00, 0xFFFF) if ".f16.f16.f16.f16" in before[0] else (0x7F800000, 0xFFFFFFFF)
                numbers += sum(v & half & ~(half + 1 >> 1) < infinity for v in file[before[1]].values()) > 16
                before = None
            if name.startswith("mma."):
                products += 1
                chained += file.get("last") == operands[0]
                file["last"], before = operands[0], (name, operands[0])
        check((products > 20 and numbers > products // 4 and chained > products // 8) if usable else products == 0,
              "matrices", seed, threads, options, products, numbers, chained)


def lane_csrs(seed):
    """csrr.v reads all ids of lanes, whose offsets and sizes the metadata buffer has."""
    weights = pathlib.Path(folder.name) / "weights.json"
    weights.write_text(json.dumps({"kinds": {"csr": 400}}))
    for options in ([], ["--partial"]):
        seed += 1
        for _ in steps(f"random-{seed}", "public", 32, "--seed", str(seed), "--length", "3000", "--warps", "2", "--workgroups", "3", "--weights",
                       str(weights), *options):
            pass
        trace = (pathlib.Path(folder.name) / "public-32" / f"random-{seed}" / "commits.txt").read_text()
        read = {}
        for csr, values in re.findall(r"  csrr[.]v v\d+, (\w+) .*?[|] mask=[0-9a-f]{8} v\d+/[0-9a-f]{8}=([0-9a-f,]+)", trace):
            read.setdefault(csr, set()).update(int(v, 16) for v in values.split(","))
        ids = {f"{kind}_{d}" for kind in ("gid", "lid") for d in "xyz"} | {"gid"}
        check(ids < read.keys() and sum(len(read[csr]) > 1 for csr in ids & read.keys()) >= 3 and
              any(value >> 16 for d in "xyz" for value in read[f"gid_{d}"]), "CSRs of lanes", seed, options, sorted(read))


lane_csrs(args.seed)
matrices(args.seed)
for profile in profiles_of(args.karat):
    random_kinds(profile, args.seed)
    for threads in (4, 32):
        for scenario in (ignored_bits, sub_words, binades, csr_exchange, both_memories, loop_exits):
            scenario(profile, threads)
print(f"test_gen_unusual: {failures} failures")
raise SystemExit(failures > 0)
