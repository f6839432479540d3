"""Mutants as experiments: what small changes of a line do to a failing run.

The harness is that of karat_add_core(... MUTABLE), whose mutants (testbench/mutable.py) +mutant=N switches on. One of the line at fault often
changes what is wrong at the place of the failure, or lets the run go on beyond it. One of another line changes nothing, or breaks what was right.
"""
import collections
import concurrent.futures
import json
import math
import os
import pathlib
import tempfile

import evidence

LINES, EACH = 300, 5  # The most suspicious lines, and mutants of each
KINDS = ("always", "never", "operator", "zero", "number", "inverted", "negated", "bit")  # In this order
ALIKE = 2  # Of a kind
AFTER = 1500  # Cycles that a run may go on beyond the failure, or without a record
OUTCOMES = {"beyond": "{} let the run go on beyond the failure", "other": "{} change what is wrong",
            "once": "{} let it go on or change what is wrong with this timing seed alone", "same": "{} change nothing",
            "alike": "{} fail earlier, at an instruction of the same name", "earlier": "{} fail earlier", "hang": "{} hang"}
# Weights of a line's score, chosen on markers (tests/rtl/locate_score.py): where a mutant did that, and where none did anything (some: in between).
WEIGHTS, NOTHING = {"beyond": 50, "other": 100, "alike": 5}, 0.1

Mutant = collections.namedtuple("Mutant", "number file line kind before after")


class Effect:
    def __init__(self, outcomes):
        self.outcomes = sorted(outcomes, key=lambda o: list(OUTCOMES).index(o[1]))
        did = collections.Counter(outcome for _, outcome in outcomes)
        self.weight = math.prod(weight for outcome, weight in WEIGHTS.items() if did[outcome]) * NOTHING ** (did["same"] / len(outcomes))
        best, outcome = self.outcomes[0]
        example = f" ('{best.after}' for '{best.before}')" if outcome == "beyond" else ""
        self.text = f"of {len(outcomes)} mutants " + ", ".join(text.format(did[o]) + example * (o == outcome)
                                                              for o, text in OUTCOMES.items() if did[o])


def mutants_of(harness):
    """The mutants of a harness, by file and line."""
    path = pathlib.Path(f"{harness}.mutants.json")
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise evidence.EvidenceError(f"no {path}, which the build of karat_add_core(... MUTABLE) leaves beside the core") from None
    found = collections.defaultdict(list)
    for number, row in enumerate(rows, 1):
        found[row["file"], row["line"]].append(Mutant(number, **row))
    return found


def chosen(mutants):
    """Some of a line's mutants, of many kinds."""
    found, kinds = [], collections.Counter()
    for m in sorted(mutants, key=lambda m: KINDS.index(m.kind)):
        kinds[m.kind] += 1
        if kinds[m.kind] <= ALIKE and len(found) < EACH:
            found.append(m)
    return found


def about(failure):
    return failure.get("kind"), evidence.name_of(failure.get("instruction", {}).get("text", ""))


def outcome(failure, first):
    """What a run's failure is in comparison with that of the run without a mutant."""
    if not failure:
        return "beyond"
    if failure.get("where") == first.get("where"):
        return "same" if all(failure.get(key) == first.get(key) for key in ("kind", "detail", "lanes")) else "other"
    if failure.get("kind") == "no progress":
        return "hang"
    if failure["cycle"] > first["cycle"]:
        return "beyond"
    return "alike" if about(failure) == about(first) else "earlier"


def effects(core, ranked):
    """The Effect of the mutants of the most suspicious lines, by file and line."""
    def failure(cycles, *more):
        with tempfile.TemporaryDirectory() as folder:
            try:
                return core.run(pathlib.Path(folder), f"+hang={AFTER}", f"+max-cycles={max(0, cycles) + AFTER}", *more).get("failure")
            except evidence.EvidenceError:  # It died
                return {"cycle": 0}

    def with_it(mutant, own, first):
        return outcome(failure(first["cycle"], f"{given}{mutant.number}", *own), first)

    def tried(mutant):
        did = with_it(mutant, *timings[0])
        return "once" if did in ("beyond", "other") and any(with_it(mutant, *timing) != did for timing in timings[1:]) else did

    given = next((f"{word}," for word in core.plusargs if word.startswith("+mutant=")), "+mutant=")
    if given.count(",") > 1:
        raise evidence.EvidenceError(f"{given[:-1]}: expected one mutant, as others are tried beside it")
    longest = 4 * ranked.failure["cycle"] + 20000
    timings = [((), failure(longest) or ranked.failure)]
    for own in [(f"+seed={seed}",) for seed in evidence.SEEDS]:
        again = failure(longest, *own)
        if again and again.get("kind") == ranked.failure["kind"]:
            timings.append((own, again))
    mutants = mutants_of(core.core)
    lines = sorted(ranked.lines(), key=lambda found: -found[0])[:LINES]
    picked = [m for _, s, _, _ in lines for m in chosen(mutants.get((s.file, s.line), ()))]
    found = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for m, did in zip(picked, pool.map(tried, picked)):
            found[m.file, m.line].append((m, did))
    return {place: Effect(rows) for place, rows in found.items()}
