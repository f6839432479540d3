#!/usr/bin/python3
"""How well karat locate finds fault markers or mutants, which a seed draws, or the defects of the public cores: in how many lists the line at fault
is among the first 1, 3, 5, 10, 20 and 50, and how many lines are read until it comes (EXAM: of all lines that can be suspects).

A mutant is judged on the first program that fails with it: of OTHERS, those that most markers need, or NUM_RANDOM random ones. One that none
shows does not count. A suspect counts where its lines have one at fault. Three baselines make the same suspects of the same run, in another
order: as a seed draws them, from the files at fault; by Ochiai's measure on whole runs, the failing one against ten others; by the distance in
the backward slice alone. The others are programs with the same fault as far as they pass; of the public core, where none passes, programs of
other defects.
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
import subprocess
import sys
import tempfile

from test_faults import DEFAULT, HERE, ROOT, make_pages, programs_of

sys.path[:0] = [str(ROOT / "cli" / "rtl"), str(ROOT / "scripts")]

import design as designs  # noqa: E402
import evidence  # noqa: E402
import experiments  # noqa: E402
import faults  # noqa: E402
import locate  # noqa: E402
import ranking  # noqa: E402

OTHERS = "vecadd alu_int simt_nested mem_widths muldiv fp_arith csr_ops barrier_lds regext atomics".split()
NUM_DIRECTED, NUM_RANDOM = 20, 4
FILE = r"[\w./]+\.(?:s?v|scala)"  # As docs/ventus.md names it
FIRST = (1, 3, 5, 10, 20, 50)

# places: (file's name, first line, last) of each line at fault; tries: plusargs of programs, of which the first that fails counts; others: of
# programs for the baseline; mutant: that is the fault
Fault = collections.namedtuple("Fault", "name places tries others mutant", defaults=[None])


def on(args, programs, fault, plusargs=DEFAULT):
    return [[f"+kernel={programs_of(args.vectors, program, args.pages)}", *plusargs, fault] for program in programs]


def markers(args, expected):
    found = [m for path in sorted((ROOT / "rtl-wrap" / "ingot").rglob("*.sv")) for m in faults.find_markers(path)]
    found = [m for m in found if expected[m.name].get("core") == args.size]
    make_pages(args, (expected[m.name]["program"] for m in found))
    wanted = [expected[m.name] for m in found]
    for m, want in zip(found, wanted):
        more = [other for other in wanted if other["program"] != want["program"]]
        others = random.Random(m.name).sample(more, len(OTHERS)) if args.size else [{"program": name} for name in OTHERS]
        own, *others = (on(args, [w["program"]], f"+fault={m.name}", w.get("plusargs", DEFAULT)) for w in (want, *others))
        yield Fault(m.name, [(m.path.name, m.line, m.last)], own, [plusargs for plusargs, in others])


def mutants(args, expected):
    most = collections.Counter(want["program"] for want in expected.values() if not {"core", "plusargs"} & set(want)).most_common(NUM_DIRECTED)
    subprocess.run([args.karat, "gen", "random", f"--count={NUM_RANDOM}", f"--seed={args.seed}", f"--threads={args.threads}", "--length=1000",
                    f"--output={args.pages}"], check=True)
    random_ones = [str(path.with_suffix("")) for path in sorted(args.pages.glob("*/program.elf"))]
    programs = [*dict.fromkeys([*OTHERS, *(name for name, _ in most)]), *random_ones]
    for m in sorted((m for line in experiments.mutants_of(args.of_mutants).values() for m in line), key=lambda m: m.number):
        fault = f"+mutant={m.number}"
        yield Fault(f"{m.number}.{m.kind}", [(pathlib.Path(m.file).name, m.line, m.line + m.before.count("\n"))], on(args, programs, fault),
                    on(args, OTHERS, fault), m)


def failing(args, fault):
    """The plusargs of the first program that fails; None where none does."""
    for plusargs in fault.tries if len(fault.tries) > 1 else ():
        with tempfile.TemporaryDirectory() as name:
            try:
                done = evidence.Core(args.faulty, args.karat, plusargs).run(pathlib.Path(name), "+max-cycles=200000")
            except evidence.EvidenceError:  # It died
                continue
        if done["verdict"] in ("MISMATCH", "HANG", "PROGRAM ERROR"):
            return plusargs
    return None if len(fault.tries) > 1 else fault.tries[0]


def defects(args, _):
    """Those of docs/ventus.md with the lines at fault, by the programs of vectors/ventus, of one SM."""
    script = importlib.machinery.SourceFileLoader("ventus_defects", str(ROOT / "scripts" / "ventus_defects")).load_module()
    page, _, chisel = (ROOT / "docs" / "ventus.md").read_text().partition("\n## The Chisel core")
    begin, places = r"\*\*(C?\d+)(?:\.|\*\*)", {}
    entries = re.findall(f"{begin}(.*?)(?={begin}|^#|\\Z)", chisel if args.defects == "chisel" else page, re.M | re.S)
    for number, entry, _ in entries:
        plain = re.sub(r"`([^`]*)`", lambda quoted: quoted[0] if re.fullmatch(FILE, quoted[1]) else "", entry)
        named = re.findall(rf"`({FILE})`\s+\(([^)]*)\)", plain)
        places[number] = [(pathlib.Path(file).name, int(first), int(last or first)) for file, lines in named
                          for first, last in re.findall(r"\b(\d+)(?: to (\d+))?", lines)]
    rows = []
    for source in sorted((ROOT / "vectors" / "ventus").glob("*.S")):
        text, number = source.read_text(), re.sub(r"(?<!\d)0+", "", source.stem.partition("-")[0])
        number = number if number in places else next((other for other, entry, _ in entries if source.stem in entry), None)
        if f"\n// {'chisel' if args.defects == 'chisel' else 'defect'}:" in text and not script.WHOLE.search(text) and places.get(number):
            kernels = [args.vectors / "ventus" / f"{name}.elf" for name in (*script.AFTER.findall(text), source.stem)]
            rows.append((source.stem, number, [f"+kernel={','.join(map(str, kernels))}", *script.OPTIONS]))
    for name, number, plusargs in rows:
        others = [other for _, another, other in rows if another != number]
        yield Fault(name, places[number], [plusargs], random.Random(name).sample(others, len(OTHERS)))


def whole_runs(args, fault, plusargs):
    """Points that ran: in the failing run, and in each other one."""
    runs = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for own in (plusargs, *fault.others):
            verdict = evidence.Core(args.faulty, args.karat, own).run(folder, f"+rtl-coverage={folder / 'c'}", "+max-cycles=200000")["verdict"]
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


def places_of(entry):
    """Those of a suspect: in Scala where the core is elaborated Chisel."""
    scala = [(pathlib.Path(file).name, line, line) for file, line in locate.origins(entry.file, entry.line, entry.last)]
    return scala or [(pathlib.Path(entry.file).name, entry.line, entry.last)]


def at_fault(entry, fault):
    return any(own == file and begin <= last and end >= first for own, begin, end in places_of(entry) for file, first, last in fault.places)


def place_of(entries, fault):
    """The number of the first suspect at fault, infinite where there is none, and the lines read until then as a share of all."""
    read = found = 0
    for number, e in enumerate(entries, 1):
        if not found and at_fault(e, fault):
            found, until = number, read + e.last - e.line + 1
        read += e.last - e.line + 1
    return (found, until / read) if found else (math.inf, 1.0)


def is_experiment(m, fault):
    """Whether a mutant changes what a mutant at fault has left of the core: it is not that one, nor one of the same expression that has no effect
    beside it."""
    if not fault or (m.file, m.line, m.before) != (fault.file, fault.line, fault.before):
        return True
    return m.number > fault.number or m.number != fault.number and m.kind in ("negated", "never", "always")


def judge(args, plan, fault):
    """(place, share) by each way; None of a fault that no program shows."""
    plusargs = failing(args, fault)
    if not plusargs:
        return None
    found = evidence.collect(evidence.Core(args.faulty, args.karat, plusargs))
    ranked = ranking.Ranking(plan, *found)
    entries = locate.distinct(ranked.entries())
    more = {}
    if args.mutants:
        tried = experiments.effects(evidence.Core(args.mutants, args.karat, plusargs), ranked)
        outcomes = {place: [o for o in effect.outcomes if is_experiment(o[0], fault.mutant)] for place, effect in tried.items()}
        ranked.effects = {place: experiments.Effect(left) for place, left in outcomes.items() if left}
        more["with mutants"] = place_of(locate.distinct(ranked.entries()), fault)
    unit = fault._replace(places=[(file, 0, math.inf) for file, _, _ in fault.places])
    own = [e for e in entries if at_fault(e, unit)]
    random.Random(fault.name).shuffle(own)
    whole = Whole(plan, *found)
    whole.runs = whole_runs(args, fault, plusargs)
    baselines = {"Ochiai of whole runs": whole, "backward slice": Slice(plan, *found)}
    return {"karat locate": place_of(entries, fault), **more, "its file alone": place_of(entries, unit),
            "random line of the unit": place_of(own, fault),
            **{how: place_of(locate.distinct(other.entries()), fault) for how, other in baselines.items()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", required=True, help="a core with coverage and markers")
    parser.add_argument("--mutants", metavar="HARNESS", help="one with mutants and markers: the list of karat locate --mutants as well")
    parser.add_argument("--size", help="the core's, of those in expected_faults.json, whose markers are taken (those of the default size)")
    parser.add_argument("--threads", type=int, default=8, help="threads per warp of the core (8)")
    parser.add_argument("--of-mutants", metavar="HARNESS", help="one with mutants and coverage: they are the faults in place of the markers")
    parser.add_argument("--karat", required=True)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    parser.add_argument("--defects", choices=("verilog", "chisel"),
                        help="those of docs/ventus.md, not markers; the core is karat-ventus of 4 threads, or karat-ventus_chisel_sm of 8")
    parser.add_argument("--seed", type=int, default=5252, help="draws the faults (5252, by which the weights of ranking.py were chosen)")
    parser.add_argument("--held-out", action="store_true", help="every second one alone: of seed 5252 those that the weights were not chosen on")
    parser.add_argument("--count", type=int, help="so many (20 markers, all defects)")
    parser.add_argument("--skip", type=int, default=0, help="the first so many are left out (0)")
    parser.add_argument("--jobs", type=int, default=1, help="runs at once (1)")
    args = parser.parse_args()
    args.faulty = args.of_mutants or args.core
    plan, rows = designs.Design(f"{args.core}.xml"), []
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        args.pages = pathlib.Path(name)
        draw = defects if args.defects else mutants if args.of_mutants else markers
        drawn = list(draw(args, json.loads((HERE / "expected_faults.json").read_text())))
        if not args.defects:
            random.Random(args.seed).shuffle(drawn)
        drawn = (drawn[1::2] if args.held_out else drawn)[args.skip:]
        drawn = drawn[:args.count or (len(drawn) if args.defects else 20)]
        for fault, row in zip(drawn, pool.map(lambda fault: judge(args, plan, fault), drawn)):
            rows += [row] if row else []
            file, line, _ = fault.places[0]
            print(f"{fault.name:26} {f'{file}:{line}':28} " + (" ".join(f"{row[how][0]:6}" for how in row) if row else "not shown"), flush=True)
    what = f"{len(drawn)} defects" if args.defects else f"seed {args.seed}, {len(drawn)} faults"
    print(f"\n{what}, {len(rows)} of them shown" + "".join(f"  top {n:2}" for n in FIRST) + "  EXAM, median")
    for how in rows[0]:
        shares = "".join(f"  {100 * sum(row[how][0] <= n for row in rows) / len(rows):4.0f} %" for n in FIRST)
        print(f"{how:26}{shares}  {100 * statistics.median(row[how][1] for row in rows):.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
