#!/usr/bin/python3
"""karat gen pages: each program ends with the page fault that it is about, or to its end, from each of its files and in any layout; what
the model reports is what an independent walker finds in the tables; and the set fills the coverage groups of translation."""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
from sv39_walker import FETCH, LOAD, STORE, walk  # noqa: E402
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from share import SHARE  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--tables", required=True, type=pathlib.Path, help="the program space_tables")
parser.add_argument("--profile", default="v2.02")
parser.add_argument("--threads", type=int, default=8)
parser.add_argument("--one-in", type=int, default=1, help="other layouts, .metadata, and the walker's results, of one of so many programs")
parser.add_argument("--programs", type=int, default=0, help="only so many programs, without coverage of the whole set; 0: all")
args = parser.parse_args()
args.one_in *= max(1, 100 // SHARE)
SEED = int(os.environ.get("KARAT_SEED", "1"), 0)
GROUPS = ("translated", "fetched", "crossing", "rights", "flags", "alias", "fault", "unfetched")
REASONS = ("not canonical", "no table", "invalid", "reserved", "no leaf", "misaligned", "not readable", "not writable", "not executable",
           "not accessed", "not dirty")
LEVELS, TOUCHES, BY = ("4K", "2M", "1G"), ("load", "store", "lr", "sc", "amo"), ("scalar", "vector", "private")
failures = 0


def check(good, what, *more):
    global failures
    if not good:
        failures += 1
        print(f"FAILED: KARAT_SEED={SEED}:", what, *(str(m)[:2000] for m in more))


def run(*command, status=None):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    check(status is None or done.returncode == status, command, done.returncode, done.stderr)
    return done


folder = tempfile.TemporaryDirectory()
here = pathlib.Path(folder.name)

# --- Tables, as the walker reads them ----------------------------------------------------------------------------------------


class Tables(dict):
    """The entries; those that are 0 are left out of the listing."""

    def __init__(self, seed, file):
        super().__init__()
        lines = run(args.tables, "-" if seed is None else seed, file, args.threads, status=0).stdout.splitlines()
        self.root = int(lines[0], 16)
        self.pages = set()
        for line in lines[1:]:
            base, *entries = line.split()
            self.pages.add(int(base, 16))
            for entry in entries:
                number, _, value = entry.partition("=")
                self[int(base, 16) + 8 * int(number, 16)] = int(value, 16)

    def __contains__(self, addr):
        return addr & ~4095 in self.pages

    def __missing__(self, addr):
        return 0


FAULT = re.compile(r"page fault in workgroup 0 warp \d+(?: lane (?P<lane>\d+))? at pc (?P<pc>0x[0-9a-f]+).*: (?P<use>fetch|load|store) of "
                   r"(?P<virt>0x[0-9a-f]+): (?P<reason>[^,]+)(?:, level (?P<level>\d), entry (?P<entry>0x[0-9a-f]+) at (?P<at>0x[0-9a-f]+))?"
                   r"(?:, physical address (?P<phys>0x[0-9a-f]+))?$")
seen = collections.Counter()


def check_fault(name, seed, tables, expected, text):
    m = FAULT.search(text.strip())
    if not m:
        check(False, name, seed, "no page fault", text)
        return
    virt, number = int(m["virt"], 16), (FETCH, LOAD, STORE)[("fetch", "load", "store").index(m["use"])]
    check((m["reason"], m["use"], virt, int(m["level"] or 2)) ==
          (expected["reason"], expected["use"], int(expected["virt"], 16), expected["level"]), name, seed, expected, text)
    seen[expected["reason"], expected["level"], m["use"]] += 1
    if not tables:
        return
    reason, level, phys, addr, pte = walk(tables, tables.root, virt, number)
    reported = (m["reason"], int(m["level"] or 2), int(m["phys"] or "0", 16), int(m["at"] or "0", 16), int(m["entry"] or "0", 16))
    check(reported == (reason, level, phys, addr, pte), name, seed, "the walker:", (reason, level, hex(phys), hex(addr), hex(pte)), text)


ACCESS = re.compile(r"\b\d+:\[([0-9a-f]+)(?:@([0-9a-f]+))?\]")


def check_accesses(name, seed, tables, trace):
    """Each physical address in the trace; local memory is not translated."""
    moved = 0
    for virt, phys in ACCESS.findall(trace):
        virt, phys = int(virt, 16), int(phys or virt, 16)
        if 0x70000000 <= virt < 0x80000000:
            check(virt == phys, name, seed, hex(virt), hex(phys))
            continue
        found = walk(tables, tables.root, virt, LOAD)
        check(found[0] == "no fault" and found[2] == phys, name, seed, hex(virt), hex(phys), found)
        moved += virt != phys
    return moved


# --- The set -----------------------------------------------------------------------------------------------------------------

options = [f"--threads={args.threads}", f"--profile={args.profile}"]
names = [line.split()[0] for line in run(args.karat, "gen", "pages", "--list", *options, status=0).stdout.splitlines()]
check(len(names) == len(set(names)) and len(names) > 200, "names", len(names))
vectors = here / "set"
named = [name for name in names if not name.startswith("fault-")]
if args.programs:
    others = names[len(named):]
    names = named + others[SEED % len(others)::-(-len(others) // args.programs)]
    for name in names:
        run(args.karat, "gen", "pages", f"--only={name}", "-o", vectors, *options, status=0)
else:
    run(args.karat, "gen", "pages", "-o", vectors, *options, status=0)
faults = 0
for number, name in enumerate(names):
    path = vectors / name
    manifest = json.loads((path / "manifest.json").read_text())
    check(manifest["kind"] == "pages" and manifest["pages"], name, manifest)
    whole = number % args.one_in == SEED % args.one_in or number < len(named)
    memory = None
    for seed, file in [(None, "program.elf")] + ([(None, "program.metadata"), (4 * SEED + 1, "program.elf"), (4 * SEED, "program.elf")]
                                                 if whole else []):
        tables = Tables(seed, path / file) if whole else None
        trace = here / "trace"
        data = f"--dump=0x90000000,{4 * sum(not line.startswith('@') for line in (path / 'expected.hex').open())}"
        done = run(args.karat, "run", path / file, *options, *([] if seed is None else [f"--sv39={seed}"]), f"--trace={trace}", data,
                   f"--coverage={path}/cov.json" if seed is None and file.endswith("elf") else "--max-steps=100000",
                   status=4 if manifest["fault"] else 0)
        if manifest["fault"]:
            check_fault(name, seed, tables, manifest["fault"], done.stderr)
        moved = not tables or check_accesses(name, seed, tables, trace.read_text())
        check(moved or seed is None or ".global" not in trace.read_text(), name, seed, "no address has moved")
        words = re.findall(r"\b[0-9a-f]{8}\b", re.sub(r"0x[0-9a-f]+:", "", done.stdout))
        if manifest["fault"] is None or manifest["fault"]["virt"] != "0x80000000":
            check(words == [line.strip() for line in (path / "expected.hex").open() if not line.startswith("@")], name, seed, "memory")
    faults += manifest["fault"] is not None
    if not name.startswith("fault-") or name.startswith("fault-bit-"):
        continue
    # It hits the one bin of its name.
    reason, level, *rest = next((r, *name.removeprefix(f"fault-{r.replace(' ', '-')}-").split("-", 2)) for r in REASONS
                                if name.startswith(f"fault-{r.replace(' ', '-')}-"))
    hits = json.loads((path / "cov.json").read_text())["hits"]
    at = REASONS.index(reason) * 3 + LEVELS.index(level)
    expected = {"fault": [], "unfetched": [at * 3 + 2 * (rest[1] == "next-page"), 1]} if rest[0] == "fetch" else \
        {"fault": [(at * 5 + TOUCHES.index(rest[0])) * 3 + BY.index(rest[1]), 1], "unfetched": []}
    check({group: hits[group] for group in expected} == expected, name, expected, hits["fault"], hits["unfetched"])

# --- Made again, and taken apart ---------------------------------------------------------------------------------------------

again = names[-1 - SEED % 50]
run(args.karat, "gen", "again", vectors / again / "manifest.json", "-o", here / "again", status=0)
for file in ("program.elf", "program.metadata", "manifest.json"):
    check((vectors / again / file).read_bytes() == (here / "again" / again / file).read_bytes(), again, file)

# --- Coverage ----------------------------------------------------------------------------------------------------------------

if not args.programs:
    run(args.karat, "cov", "merge", "-o", here / "all.json", *vectors.glob("*/cov.json"), status=0)
    report = json.loads(run(args.karat, "cov", "report", "--format=json", here / "all.json", status=0).stdout)
    groups = {group["name"]: group for group in report["groups"]}
    for name in GROUPS:
        check(groups[name]["hit"] == groups[name]["bins"] - groups[name]["excluded"] > 0, "coverage", name, groups[name]["holes"])
    for seed in range(SEED, SEED + 3):  # Address spaces of three kernels, one after the other
        kernels = [vectors / name / "program.elf" for name in ("permissions", "crossing", "aliases")]
        run(args.karat, "run", *kernels, *options, f"--sv39={seed}", f"--coverage={here}/space-{seed}.json", status=0)
    run(args.karat, "cov", "merge", "-o", here / "spaces.json", *here.glob("space-*.json"), status=0)
    spaces = json.loads(run(args.karat, "cov", "report", "--format=json", here / "spaces.json", status=0).stdout)["groups"]
    check(next(group for group in spaces if group["name"] == "space")["hit"] == 4, "address spaces of several kernels", spaces[-1])
    # Each fault bin has a program of its own.
    bits = sum(name.startswith("fault-bit-") for name in names)  # Each of a bin that a fault of its kind hits
    check(faults == groups["fault"]["hit"] + groups["unfetched"]["hit"] + 6 + bits and bits == 50, "faults", faults, bits)

print(f"{args.profile}: {len(names)} programs, {faults} faults:", dict(seen))
sys.exit(1 if failures else 0)
