#!/usr/bin/python3
"""How well karat locate finds fault markers, which a seed draws, or the defects of the public Verilog core: in how many lists the line at fault is
among the first 1, 3, 5 and 10, and how many lines are read until it comes (EXAM: of all lines that can be suspects).

A suspect counts where its lines have one at fault. Three baselines make the same suspects of the same run, in another order: as a seed draws
them, from the files at fault; by Ochiai's measure on whole runs, the failing one against ten others; by the distance in the backward slice alone.
The others are programs with the same fault as far as they pass; of the public core, where none passes, programs of other defects.
"""
import argparse
import collections
import concurrent.futures
import importlib.machinery
import json
import math
import pathlib
import random
import re
import statistics
import sys
import tempfile

from test_faults import DEFAULT, HERE, ROOT, programs_of

sys.path[:0] = [str(ROOT / "cli" / "rtl"), str(ROOT / "scripts")]

import design as designs  # noqa: E402
import evidence  # noqa: E402
import experiments  # noqa: E402
import faults  # noqa: E402
import ranking  # noqa: E402

OTHERS = "vecadd alu_int simt_nested mem_widths muldiv fp_arith csr_ops barrier_lds regext atomics".split()
FIRST = (1, 3, 5, 10)


# places: (file's name, first line, last) of each line at fault; others: plusargs of other programs
Fault = collections.namedtuple("Fault", "name places plusargs others")


def markers(args):
    expected = json.loads((HERE / "expected_faults.json").read_text())
    found = [m for path in sorted((ROOT / "rtl-wrap" / "ingot").rglob("*.sv")) for m in faults.find_markers(path) if "core" not in expected[m.name]]
    random.Random(args.seed).shuffle(found)
    for marker in found[1::2] if args.held_out else found:
        want, fault = expected[marker.name], f"+fault={marker.name}"
        yield Fault(marker.name, [(marker.path.name, marker.line, marker.last)],
                    [f"+kernel={programs_of(args.vectors, want['program'])}", *want.get("plusargs", DEFAULT), fault],
                    [[f"+kernel={programs_of(args.vectors, other)}", *DEFAULT, fault] for other in OTHERS])


def defects(args):
    """Those of docs/ventus.md with the lines at fault, by the programs of vectors/ventus, of one SM."""
    script = importlib.machinery.SourceFileLoader("ventus_defects", str(ROOT / "scripts" / "ventus_defects")).load_module()
    page = (ROOT / "docs" / "ventus.md").read_text().partition("\n## The Chisel core")[0]
    places = {}
    for number, entry in re.findall(r"^- \*\*(\d+)\.(.*?)(?=^- \*\*|^#|\Z)", page, re.M | re.S):
        named = re.findall(r"`([\w./]+\.s?v)`\s+\(([^)]*)\)", entry)
        places[int(number)] = [(pathlib.Path(file).name, int(first), int(last or first)) for file, lines in named
                               for first, last in re.findall(r"\b(\d+)(?: to (\d+))?", re.sub(r"`[^`]*`", "", lines))]
    rows = []
    for source in sorted((ROOT / "vectors" / "ventus").glob("*.S")):
        text, number = source.read_text(), source.stem.partition("-")[0]
        if "\n// defect:" in text and not script.WHOLE.search(text) and places.get(int(number)):
            kernels = [args.vectors / "ventus" / f"{name}.elf" for name in (*script.AFTER.findall(text), source.stem)]
            rows.append((source.stem, int(number), [f"+kernel={','.join(map(str, kernels))}", *script.OPTIONS]))
    for name, number, plusargs in rows:
        others = [other for _, another, other in rows if another != number]
        yield Fault(name, places[number], plusargs, random.Random(name).sample(others, len(OTHERS)))


def whole_runs(args, fault):
    """Points that ran: in the failing run, and in each other one."""
    runs = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for plusargs in (fault.plusargs, *fault.others):
            verdict = evidence.Core(args.core, args.karat, plusargs).run(folder, f"+rtl-coverage={folder / 'c'}", "+max-cycles=200000")["verdict"]
            if not runs or args.defects or verdict == "PASS":
                runs.append({point for point, count in evidence.read_counts(folder / "c", {}).items() if count})
    return runs[0], runs[1:]


class Whole(ranking.Ranking):
    """Plain Ochiai."""
    runs = (set(), [])

    def score(self, statement, point, taker, distance):
        failing, passing = self.runs
        return 1 / math.sqrt(1 + sum(point in ran for ran in passing)) if point in failing else 0


class Slice(ranking.Ranking):
    def score(self, statement, point, taker, distance):
        return -math.inf if distance is None else -distance


def at_fault(entry, fault):
    return any(pathlib.Path(entry.file).name == file and entry.line <= last and entry.last >= first for file, first, last in fault.places)


def place_of(entries, fault):
    """The number of the first suspect at fault, infinite where there is none, and the lines read until then as a share of all."""
    read = found = 0
    for number, e in enumerate(entries, 1):
        if not found and at_fault(e, fault):
            found, until = number, read + e.last - e.line + 1
        read += e.last - e.line + 1
    return (found, until / read) if found else (math.inf, 1.0)


def judge(args, plan, fault):
    found = evidence.collect(evidence.Core(args.core, args.karat, fault.plusargs))
    ranked = ranking.Ranking(plan, *found)
    entries = ranked.entries()
    more = {}
    if args.mutants:
        ranked.effects = experiments.effects(evidence.Core(args.mutants, args.karat, fault.plusargs), ranked)
        more["with mutants"] = place_of(ranked.entries(), fault)
    own = [e for e in entries if pathlib.Path(e.file).name in {file for file, _, _ in fault.places}]
    random.Random(fault.name).shuffle(own)
    whole = Whole(plan, *found)
    whole.runs = whole_runs(args, fault)
    return {"karat locate": place_of(entries, fault), **more, "random line of the unit": place_of(own, fault),
            "Ochiai of whole runs": place_of(whole.entries(), fault), "backward slice": place_of(Slice(plan, *found).entries(), fault)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", required=True, help="a core with coverage and markers")
    parser.add_argument("--mutants", metavar="HARNESS", help="one with mutants and markers: the list of karat locate --mutants as well")
    parser.add_argument("--karat", required=True)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    parser.add_argument("--defects", action="store_true", help="the core is karat-ventus of 4 threads: the defects of docs/ventus.md, not markers")
    parser.add_argument("--seed", type=int, default=5252, help="draws the markers (5252, by which the weights of ranking.py were chosen)")
    parser.add_argument("--held-out", action="store_true", help="every second one alone: of seed 5252 those that the weights were not chosen on")
    parser.add_argument("--count", type=int, help="so many (20 markers, all defects)")
    parser.add_argument("--skip", type=int, default=0, help="the first so many are left out (0)")
    parser.add_argument("--jobs", type=int, default=1, help="runs at once (1)")
    args = parser.parse_args()
    chosen = list(defects(args) if args.defects else markers(args))[args.skip:]
    chosen = chosen[:args.count or (len(chosen) if args.defects else 20)]
    plan, rows = designs.Design(f"{args.core}.xml"), []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for fault, row in zip(chosen, pool.map(lambda fault: judge(args, plan, fault), chosen)):
            rows.append(row)
            file, line, _ = fault.places[0]
            print(f"{fault.name:26} {f'{file}:{line}':28} " + " ".join(f"{row[how][0]:6}" for how in row), flush=True)
    what = f"{len(rows)} programs of defects" if args.defects else f"seed {args.seed}, {len(rows)} markers"
    print(f"\n{what:26}" + "".join(f"  top {n:2}" for n in FIRST) + "  EXAM, median")
    for how in rows[0]:
        shares = "".join(f"  {100 * sum(row[how][0] <= n for row in rows) / len(rows):4.0f} %" for n in FIRST)
        print(f"{how:26}{shares}  {100 * statistics.median(row[how][1] for row in rows):.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
