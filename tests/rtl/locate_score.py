#!/usr/bin/python3
"""How well karat locate finds fault markers, or mutants, which a seed draws: in how many lists the line at fault is among the first 1, 3, 5 and
10, and how many lines are read until it comes (EXAM: of all lines that can be suspects).

A mutant is judged on the first program that fails with it: of OTHERS, those that most markers need, or NUM_RANDOM random ones. One that none
shows does not count. A suspect counts where its lines have one of the fault's. Three baselines make the same suspects of the same run, in
another order: as a seed draws them, from the fault's own file; by Ochiai's measure on whole runs, the failing one against ten programs with the
same fault as far as they pass; by the distance in the backward slice alone.
"""
import argparse
import collections
import concurrent.futures
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

from test_faults import DEFAULT, HERE, ROOT, make_pages, programs_of

sys.path[:0] = [str(ROOT / "cli" / "rtl"), str(ROOT / "scripts")]

import design as designs  # noqa: E402
import evidence  # noqa: E402
import experiments  # noqa: E402
import faults  # noqa: E402
import ranking  # noqa: E402

OTHERS = "vecadd alu_int simt_nested mem_widths muldiv fp_arith csr_ops barrier_lds regext atomics".split()
NUM_DIRECTED, NUM_RANDOM = 20, 4
FIRST = (1, 3, 5, 10)

Fault = collections.namedtuple("Fault", "name plusarg path line last want")  # want: of expected_faults.json, None where that is not known


def markers_of(expected, size):
    found = [m for path in sorted((ROOT / "rtl-wrap" / "ingot").rglob("*.sv")) for m in faults.find_markers(path)]
    return [Fault(m.name, f"+fault={m.name}", m.path, m.line, m.last, expected[m.name]) for m in found if expected[m.name].get("core") == size]


def mutants_of(core):
    found = sorted((m for line in experiments.mutants_of(core).values() for m in line), key=lambda m: m.number)
    return [Fault(f"{m.number}.{m.kind}", f"+mutant={m.number}", pathlib.Path(m.file), m.line, m.line + m.before.count("\n"), None) for m in found]


def programs_for_mutants(args, expected, folder):
    most = collections.Counter(want["program"] for want in expected.values() if not {"core", "plusargs"} & set(want)).most_common(NUM_DIRECTED)
    subprocess.run([args.karat, "gen", "random", f"--count={NUM_RANDOM}", f"--seed={args.seed}", f"--threads={args.threads}", "--length=1000",
                    f"--output={folder}"], check=True)
    return [*dict.fromkeys([*OTHERS, *(name for name, _ in most)]), *(str(path.with_suffix("")) for path in sorted(folder.glob("*/program.elf")))]


def shown(args, fault):
    """The program that fails with a mutant, as an entry of expected_faults.json; None where there is none."""
    with tempfile.TemporaryDirectory() as name:
        verdict = pathlib.Path(name) / "v.json"
        for program in args.programs:
            verdict.unlink(missing_ok=True)
            subprocess.run([args.faulty, f"+kernel={programs_of(args.vectors, program, args.pages)}", *DEFAULT, fault.plusarg, "+quiet",
                            "+max-cycles=200000", f"+json={verdict}"], capture_output=True)
            if verdict.exists() and json.loads(verdict.read_text())["verdict"] in ("MISMATCH", "HANG", "PROGRAM ERROR"):
                return {"program": program}
    return None


def whole_runs(args, fault, want):
    """Points that ran: in the failing run, and in each other program that passes."""
    failing, passing = set(), []
    with tempfile.TemporaryDirectory() as name:
        file, verdict = pathlib.Path(name) / "c", pathlib.Path(name) / "v.json"
        for program in [want["program"], *OTHERS]:
            plusargs = want.get("plusargs", DEFAULT) if program == want["program"] else DEFAULT
            subprocess.run([args.faulty, f"+kernel={programs_of(args.vectors, program, args.pages)}", *plusargs, fault.plusarg, "+quiet",
                            "+max-cycles=200000", f"+rtl-coverage={file}", f"+json={verdict}"], capture_output=True)
            ran = {point for point, count in evidence.read_counts(file, {}).items() if count}
            if program == want["program"]:
                failing = ran
            elif json.loads(verdict.read_text())["verdict"] == "PASS":
                passing.append(ran)
    return failing, passing


class Whole(ranking.Ranking):
    """Plain Ochiai."""
    runs = (set(), [])

    def score(self, statement, point, distance):
        failing, passing = self.runs
        return 1 / math.sqrt(1 + sum(point in ran for ran in passing)) if point in failing else 0


class Slice(ranking.Ranking):
    def score(self, statement, point, distance):
        return -math.inf if distance is None else -distance


def place_of(entries, fault):
    """The number of the fault's suspect, infinite where there is none, and the lines read until then as a share of all."""
    read = found = 0
    for number, e in enumerate(entries, 1):
        if not found and pathlib.Path(e.file).name == fault.path.name and e.line <= fault.last and e.last >= fault.line:
            found, until = number, read + e.last - e.line + 1
        read += e.last - e.line + 1
    return (found, until / read) if found else (math.inf, 1.0)


def judge(args, plan, fault):
    """(place, share) by each way; None of a mutant that no program shows."""
    want = fault.want or shown(args, fault)
    if not want:
        return None
    plusargs = [f"+kernel={programs_of(args.vectors, want['program'], args.pages)}", *want.get("plusargs", DEFAULT), fault.plusarg]
    found = evidence.collect(evidence.Core(args.faulty, args.karat, plusargs))
    ranked = ranking.Ranking(plan, *found)
    entries = ranked.entries()
    more = {}
    if args.mutants:
        ranked.effects = experiments.effects(evidence.Core(args.mutants, args.karat, plusargs), ranked)
        more["with mutants"] = place_of(ranked.entries(), fault)
    own = [e for e in entries if pathlib.Path(e.file).name == fault.path.name]
    random.Random(fault.name).shuffle(own)
    whole = Whole(plan, *found)
    whole.runs = whole_runs(args, fault, want)
    return {"karat locate": place_of(entries, fault), **more, "random line of the unit": place_of(own, fault),
            "Ochiai of whole runs": place_of(whole.entries(), fault), "backward slice": place_of(Slice(plan, *found).entries(), fault)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", required=True, help="a core with coverage and markers")
    parser.add_argument("--mutants", metavar="HARNESS", help="one with mutants and markers: the list of karat locate --mutants as well")
    parser.add_argument("--size", help="the core's, of those in expected_faults.json, whose markers are taken (those of the default size)")
    parser.add_argument("--threads", type=int, default=8, help="threads per warp of the core (8)")
    parser.add_argument("--of-mutants", metavar="HARNESS", help="one with mutants and coverage: they are the faults in place of the markers")
    parser.add_argument("--karat", required=True)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=5252, help="draws the faults (5252, by which the weights of ranking.py were chosen)")
    parser.add_argument("--held-out", action="store_true", help="every second one alone: of seed 5252 those that the weights were not chosen on")
    parser.add_argument("--count", type=int, default=20, help="so many (20)")
    parser.add_argument("--skip", type=int, default=0, help="the first so many are left out (0)")
    parser.add_argument("--jobs", type=int, default=1, help="runs at once (1)")
    args = parser.parse_args()
    if args.mutants and args.of_mutants:
        parser.error("one mutant at a time: --mutants is of markers")
    expected = json.loads((HERE / "expected_faults.json").read_text())
    drawn = mutants_of(args.of_mutants) if args.of_mutants else markers_of(expected, args.size)
    args.faulty = args.of_mutants or args.core
    random.Random(args.seed).shuffle(drawn)
    drawn = (drawn[1::2] if args.held_out else drawn)[args.skip:args.skip + args.count]
    plan, rows = designs.Design(f"{args.core}.xml"), []
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        args.pages = pathlib.Path(name)
        make_pages(args, (fault.want["program"] for fault in drawn if fault.want))
        args.programs = programs_for_mutants(args, expected, pathlib.Path(name)) if args.of_mutants else []
        for fault, row in zip(drawn, pool.map(lambda f: judge(args, plan, f), drawn)):
            rows += [row] if row else []
            print(f"{fault.name:26} {fault.path.name + ':' + str(fault.line):28} " +
                  (" ".join(f"{row[how][0]:6}" for how in row) if row else "not shown"), flush=True)
    print(f"\nseed {args.seed}, {len(drawn)} faults, {len(rows)} of them shown" + "".join(f"  top {n:2}" for n in FIRST) + "  EXAM, median")
    for how in rows[0]:
        shares = "".join(f"  {100 * sum(row[how][0] <= n for row in rows) / len(rows):4.0f} %" for n in FIRST)
        print(f"{how:26}{shares}  {100 * statistics.median(row[how][1] for row in rows):.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
