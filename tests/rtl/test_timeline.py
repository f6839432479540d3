#!/usr/bin/python3
"""karat timeline: both formats against the records of the recording, which the Python package reads: each instruction with its
issue and completion, each warp, wait at a barrier and depth; no slices of a track overlap unless one contains the other; windows;
packed and damaged files; memory."""
import argparse
import collections
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(TESTS / "cli"), str(TESTS / "vectors")]
from checks import check, end, one_line, run  # noqa: E402
from recording import CONSTANT, read, write_twice  # noqa: E402

FIRST, TRACKS = 65536, 4096  # First track, and tracks of a slot
parser = argparse.ArgumentParser()
for name in ("--karat", "--vectors"):
    parser.add_argument(name, type=pathlib.Path, required=True)
parser.add_argument("--core", action="append", default=[])
args = parser.parse_args()


class Oracle:
    """What a recording says, of warps as (sm, slot, epoch)."""

    def __init__(self, path):
        self.insns, self.warps, self.waits, self.depths, self.accesses = {}, {}, [], [], collections.Counter()
        live, waiting, last, self.end = {}, {}, {}, 0
        for r in read(path):
            self.end = max(self.end, r["cycle"])
            if r["record"] in ("tick", "object"):
                continue
            kind, cycle = r["record"], r["cycle"]
            place = r["sm"], r["slot"]
            warp = *place, r["epoch"]
            insn = *warp, r.get("seq")
            if kind == "launch":
                self.warps[warp] = [cycle, None, r["workgroup"], r["warp"]]
                live[place] = warp
                self.depths.append((cycle, warp, 0))
            elif kind == "issue":
                self.insns[insn] = [cycle, cycle, r["pc"], r["mask"]]
                last[warp] = insn
            elif kind == "exit":
                self.warps[warp][1] = cycle
                self.insns[last[warp]][1] = max(cycle, self.insns[last[warp]][1])
                live.pop(place)
            elif kind == "barrier" and r["action"] == CONSTANT["BARRIER_RELEASE"]:
                for slot in range(64):
                    if r["warps"] >> slot & 1:
                        warp, insn, arrived = waiting.pop((r["sm"], slot))
                        self.waits.append((arrived, cycle, warp))
                        self.insns[insn][1] = max(cycle, self.insns[insn][1])
            elif kind in ("barrier", "write", "pair", "mem", "access", "simt", "csr"):
                if kind == "barrier":
                    waiting[place] = warp, insn, cycle
                elif insn in self.insns:
                    self.insns[insn][1] = max(cycle, self.insns[insn][1])
                if kind == "simt":
                    self.depths.append((cycle, warp, r["depth"]))
                if kind in ("mem", "access"):
                    self.accesses[r["sm"], cycle] += 1
        for warp in self.warps.values():
            warp[1] = self.end if warp[1] is None else warp[1]


def timeline(ktr, *options):
    done = run(args.karat, "timeline", ktr, *options)
    check(done.returncode == 0, "status", done.returncode, done.stderr)
    return done.stdout


def slices(events, category):
    return [e for e in events if e["ph"] == "X" and (e["cat"] == category if isinstance(category, str) else e["cat"] not in category)]


def check_nesting(events):
    """Slices of a track are apart, or one contains the other."""
    tracks = collections.defaultdict(list)
    for e in events:
        if e["ph"] == "X":
            check(e["dur"] >= 0 and e["ts"] >= 0, "a slice", e)
            tracks[e["pid"], e["tid"]].append((e["ts"], -e["dur"], e))
    for track, list_ in tracks.items():
        ends = []
        for ts, minus, e in sorted(list_, key=lambda x: x[:2]):
            while ends and ends[-1] <= ts:
                ends.pop()
            check(not ends or ts - minus <= ends[-1], "slices of a track overlap", track, e)
            ends.append(ts - minus)


def slot_of(e):
    return (e["tid"] - FIRST) // TRACKS


def steps(events, name, pid):
    return [(e["ts"], e["args"]["value"]) for e in events if e["ph"] == "C" and e["name"] == name and e["pid"] == pid]


def key(e):
    """An instruction's slice: SM, slot and seq, and its pc and mask."""
    return e["pid"] - 1, slot_of(e), e["args"]["seq"], e["ts"], e["ts"] + e["dur"] - 1, int(e["args"]["pc"], 16), int(e["args"]["mask"], 16)


def check_perfetto(ktr, oracle):
    whole = json.loads(timeline(ktr))
    events = whole["traceEvents"]
    check_nesting(events)
    insns = slices(events, ("warp", "barrier", "memory"))
    expected = sorted((sm, slot, seq, first, last, pc, mask) for (sm, slot, _, seq), (first, last, pc, mask) in oracle.insns.items())
    check(sorted(map(key, insns)) == expected, "instructions:", len(insns), len(expected))
    check(all((e["tid"] - FIRST) % TRACKS for e in insns), "an instruction on the track of warps")
    warps = sorted((e["pid"] - 1, slot_of(e), e["args"]["epoch"], e["ts"], e["ts"] + e["dur"], e["name"]) for e in slices(events, "warp"))
    check(warps == sorted((*warp, first, last, f"workgroup {g} warp {w}") for warp, (first, last, g, w) in oracle.warps.items()), "warps:", warps[:4])
    waits = sorted((e["ts"], e["ts"] + e["dur"], e["pid"] - 1, slot_of(e)) for e in slices(events, "barrier"))
    check(waits == sorted((first, last, sm, slot) for first, last, (sm, slot, _) in oracle.waits), "waits:", waits[:4])
    depths = sorted((e["ts"], e["pid"] - 1, e["name"], e["args"]["value"]) for e in events if e["ph"] == "C" and e["name"].endswith("depth"))
    check(depths == sorted((cycle, sm, f"slot {slot} depth", depth) for cycle, (sm, slot, _), depth in oracle.depths), "depths:", depths[:4])
    for sm in {warp[0] for warp in oracle.warps}:
        flight = steps(events, "in flight", sm + 1)
        check(flight[-1][1] == 0 and max(v for _, v in flight) == max(
            sum(first <= cycle <= last for (s, *_), (first, last, *_) in oracle.insns.items() if s == sm) for cycle, _ in flight), "in flight", sm)
        accesses = steps(events, "accesses", sm + 1)
        check({cycle: v for cycle, v in accesses if v} == {cycle: n for (s, cycle), n in oracle.accesses.items() if s == sm}, "accesses", sm)
    named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    check({(e["pid"], e["tid"]) for e in events if e["ph"] == "X"} == named, "tracks without names, or the reverse")
    return insns


def check_kanata(ktr, oracle):
    """By the rules of the format: cycles go on, an instruction is in one stage at a time, and retires once."""
    lines = timeline(ktr, "--format=kanata").splitlines()
    check(lines[0] == "Kanata\t0004", "the first line", lines[:1])
    cycle, at, began, retired, ids, texts = None, {}, {}, {}, {}, {}
    for line in lines[1:]:
        what, *rest = line.split("\t")
        if what == "C=":
            cycle = int(rest[0])
        elif what == "C":
            check(int(rest[0]) > 0, "time stands", line)
            cycle += int(rest[0])
        elif what == "I":
            check(rest[0] not in ids, "an instruction twice", line)
            ids[rest[0]], began[rest[0]] = (int(rest[2]), int(rest[1])), cycle
        elif what == "L":
            texts.setdefault(rest[0], []).append(rest[2])
        elif what == "S":
            check(rest[0] in ids and rest[0] not in at and rest[0] not in retired, "a stage in a stage", line)
            at[rest[0]] = rest[2]
        elif what == "E":
            check(at.pop(rest[0], None) == rest[2], "the end of another stage", line)
        elif what == "R":
            check(rest[0] in ids and rest[0] not in at and rest[0] not in retired and int(rest[1]) == len(retired), "a retirement", line)
            retired[rest[0]] = cycle
        else:
            check(False, "a line of no kind", line)
    found = sorted((*ids[n], began[n], retired[n] - 1) for n in retired)
    expected = sorted((sm << 8 | slot, seq, first, last) for (sm, slot, _, seq), (first, last, *_) in oracle.insns.items())
    check(found == expected and not at, "instructions:", len(found), len(expected))
    check(all(len(t) == 2 and re.match("[0-9a-f]{8}: [a-z]", t[0]) for t in texts.values()), "labels")


def check_windows(ktr, oracle, insns):
    cycles = sorted(first for first, *_ in oracle.insns.values())
    a, b = cycles[len(cycles) // 3], cycles[len(cycles) // 2]
    for options, wanted in (((f"--cycles={a}:{b}",), lambda e: a <= e["ts"] <= b), (("--seq=3:9",), lambda e: 3 <= e["args"]["seq"] <= 9),
                            (("--warp=0.0", "--seq=0:9"), lambda e: e["args"]["warp"] == "0.0" and e["args"]["seq"] <= 9)):
        events = json.loads(timeline(ktr, *options))["traceEvents"]
        check_nesting(events)
        got = sorted(key(e) for e in slices(events, ("warp", "barrier", "memory")))
        check(got and got == sorted(key(e) for e in insns if wanted(e)), "a window", options, len(got))
    for e in slices(json.loads(timeline(ktr, f"--cycles={a}:{b}"))["traceEvents"], "warp"):
        check(a <= e["ts"] <= e["ts"] + e["dur"] <= b + 1, "a warp beyond the window", e)


def check_files(ktr, folder):
    whole = timeline(ktr).encode()
    for name, unpack in (("a.json", bytes), ("a.json.gz", gzip.decompress)):
        out = folder / name
        done = run(args.karat, "timeline", ktr, "-o", out)
        check(done.returncode == 0 and not done.stdout and unpack(out.read_bytes()) == whole, "-o", name, done)
    out = folder / "a.json.zst"
    timeline(ktr, "-o", out)
    check(run(args.karat, "disasm", out).returncode == 2 and out.read_bytes()[:4] == b"\x28\xb5\x2f\xfd", "zstd")
    one_line(2, "named as an output and for another purpose", run(args.karat, "timeline", ktr, "-o", ktr))
    one_line(2, "cannot be written", run(args.karat, "timeline", ktr, "-o", folder / "none" / "a"))
    one_line(2, "expected perfetto or kanata", run(args.karat, "timeline", ktr, "--format=xml"))
    one_line(2, "two cycles in order", run(args.karat, "timeline", ktr, "--cycles=9:3"))
    one_line(2, "two numbers in order", run(args.karat, "timeline", ktr, "--seq=9"))
    empty = run(args.karat, "timeline", ktr, "--seq=4000000000:4000000001")
    check(empty.returncode == 0 and "no instruction is in the window" in empty.stderr and json.loads(empty.stdout), "an empty window", empty)
    # The records twice: the second time, cycles go back.
    write_twice(ktr, folder / "twice.ktr")
    one_line(2, "not in the order of their cycles", run(args.karat, "timeline", folder / "twice.ktr"))
    # A damaged block, and a recording that was cut off.
    data = bytearray(ktr.read_bytes())
    data[len(data) // 2] ^= 0x40
    (folder / "bad.ktr").write_bytes(data)
    one_line(2, "bad.ktr", run(args.karat, "timeline", folder / "bad.ktr", "-o", folder / "bad.json"))
    check(not (folder / "bad.json").exists(), "a file of a damaged recording")
    (folder / "cut.ktr").write_bytes(ktr.read_bytes()[:-40])
    check(json.loads(timeline(folder / "cut.ktr"))["otherData"]["cut"] == "yes", "cut off")


def check_memory(folder):
    """A long recording in less memory than its instructions have."""
    limit = 32 << 20  # Bytes
    run(args.karat, "gen", "random", "--threads=4", "--warps=8", "--length=50000", "--seed=1", f"--output={folder / 'long'}")
    done = run(args.karat, "run", "--threads=4", f"--record={folder / 'long.ktr'}", *(folder / "long").glob("*/*.elf"))
    check(done.returncode == 0, "a long recording", done)
    for form in ("perfetto", "kanata"):
        done = run("prlimit", f"--data={limit}", args.karat, "timeline", f"--format={form}", "-o", folder / form, folder / "long.ktr")
        check(done.returncode == 0, "a long recording's timeline", done)


def record(folder):
    """Recordings of a core, where there is one, and of the model."""
    for i, core in enumerate(args.core):
        for program in ("simt_nested", "barrier_lds"):
            ktr = folder / f"{program}{i}.ktr"
            done = run(core, f"+kernel={args.vectors / program}.elf", f"+record={ktr}", "+quiet")
            check(done.returncode == 0, "a recording", done)
            yield ktr
    for program, threads in (("simt_nested", 4), ("public/matmul_gelu", 32)):
        ktr = folder / f"model{threads}.ktr"
        done = run(args.karat, "run", f"--threads={threads}", f"--record={ktr}", args.vectors / f"{program}.elf")
        check(done.returncode == 0, "a recording", done)
        yield ktr


with tempfile.TemporaryDirectory() as name:
    for ktr in record(pathlib.Path(name)):
        oracle = Oracle(ktr)
        count = int(re.search(r" instructions=(\d+) ", run(args.karat, "check", ktr).stdout)[1])
        check(len(oracle.insns) == count, "the oracle's instructions", len(oracle.insns), count)
        insns = check_perfetto(ktr, oracle)
        check_kanata(ktr, oracle)
        check_windows(ktr, oracle, insns)
        print(ktr.name, "instructions:", count, "waits:", len(oracle.waits), "accesses:", sum(oracle.accesses.values()))
    check_files(ktr, pathlib.Path(name))
    check_memory(pathlib.Path(name))
sys.exit(end())
