#!/usr/bin/python3
"""The score of the checker: fault markers and mutants of ingot, which of them are found, how soon, and how well they are named.

A marker is tried with its program of expected_faults.json.  A mutant is tried with every program of vectors/, those first
that found most mutants of its file, then with other timings and random programs, until one finds it.  One that none finds has
to be in equivalent_mutants.json, with the reason why no program can; one that is not there is distinguished by what its runs
show: "survives" where it has an effect of any kind, else "open", with timing alone or nothing at all that differs.

Both are tried with the core's own assertions off, so that the checker alone judges; what it does not find then is tried once
more with assertions ("assertion").

What finds a fault is then run to its end and recorded, and compared with recordings of runs without the fault: first_effect
says, without model and checker, which instruction showed an architectural effect first.  From there to the verdict so many
instructions were issued ("distance"), and the report named that instruction ("named") or it did not.
"""
import argparse
import collections
import concurrent.futures
import itertools
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading

from test_faults import DEFAULT, HERE, ROOT, core_of, make_pages, markers, programs_of, status_of

sys.path.insert(0, str(ROOT / "scripts"))

from lockstep import READS_UNDEFINED, executable, positive, programs_in  # noqa: E402

FOUND = ("MISMATCH", "HANG", "PROGRAM ERROR", "BAD INPUT")  # the last: a record that no core could mean
# Of a fault that makes a warp wait long, a low bound for hangs shows it; no program of vectors/ waits as long without one.
TIMINGS = [["+seed=1", "+latency=2:20", "+hang=5000"], ["+seed=1", "+latency=1", "+stall=0", "+hang=1024"],
           ["+seed=2", "+latency=1:4", "+stall=50", "+hang=5000"], ["+seed=3", "+latency=1:200", "+stall=0", "+hang=5000"]]
CLEAN_SEEDS = 3  # recordings without the fault: they allow for what depends on time
NUM_STREAMS = 16


class Program:
    """Kernels and plusargs to run them with."""

    def __init__(self, name, kernels, plusargs, asserts=False):
        self.name, self.kernels = name, kernels
        self.plusargs = [*plusargs, *([] if asserts or "+no-assert" in plusargs else ["+no-assert"])]
        self.hang = int(next((p for p in plusargs if p.startswith("+hang=")), "+hang=100000").removeprefix("+hang="))
        self.races = "races/" in name or name == READS_UNDEFINED  # what its warps do depends on time

    def __str__(self):
        return " ".join([self.name, *(p for p in self.plusargs if p not in [*TIMINGS[0], "+no-assert"])])

    def with_assertions(self):
        return Program(self.name, self.kernels, [p for p in self.plusargs if p != "+no-assert"], True)


class Bench:
    """A core with faults, and its runs without."""

    def __init__(self, core, args):
        self.core, self.args = core, args
        self.clean, self.lock = {}, threading.Lock()
        self.folder = tempfile.TemporaryDirectory(prefix="karat-score-")

    def run(self, program, fault=None, record=None, plusargs=(), limit=None):
        """A finished run's verdict as JSON; {"verdict": "CRASH"} where the simulator gave up."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "verdict.json"
            command = [self.core, f"+kernel={program.kernels}", f"+json={path}", "+quiet", *program.plusargs, *plusargs]
            command += [f"+max-cycles={limit}"] if limit else []
            command += [f"+fault={fault}"] if fault else []
            command += [f"+record={record}", "+go-on"] if record else []
            done = subprocess.run(command, capture_output=True, text=True, errors="replace")
            if path.exists():
                return json.loads(path.read_text())
            return {"verdict": "CRASH", "line": (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[0]}

    def without_fault(self, program):
        """Verdict of the program's run without a fault, which has to be what it should be; made once."""
        with self.lock:
            future = self.clean.get(str(program))
            if not future:
                future = self.clean[str(program)] = concurrent.futures.Future()
                mine = True
            else:
                mine = False
        if mine:
            data = self.run(program)
            if data["verdict"] == ("PROGRAM ERROR" if status_of(program.name) else "PASS"):
                future.set_result(data)
            else:  # whoever waits for it ends, too
                future.set_exception(SystemExit(f"fault_score: {program} without a fault: {data['verdict']} {data.get('line', '')}"))
        return future.result()

    def limit(self, program):
        """Cycles after which a faulty run is given up: a HANG shows before."""
        return 4 * self.without_fault(program)["cycles"] + program.hang + 30_000

    def recordings(self, program):
        """Recordings of the program without a fault, at several timings."""
        files = []
        for seed in range(CLEAN_SEEDS):
            other = Program(program.name, program.kernels, [*program.plusargs, *([f"+seed={100 + seed}"] if seed else [])])
            path = pathlib.Path(self.folder.name) / f"{str(other).replace(' ', '_').replace(':', '-').replace('/', '-')}.ktr"
            with self.lock:
                if not path.exists():
                    self.run(other, record=path, limit=self.clean[str(program)].result()["cycles"] * 20 + 100_000)
            files.append(path)
        return files

    def measure(self, program, fault):
        """The verdict of a whole run, and what first_effect says of it."""
        self.without_fault(program)
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / "faulty.ktr"
            data = self.run(program, fault, trace, limit=self.limit(program))
            if data["verdict"] == "CRASH":
                return data, None
            if program.races:
                return data, None
            done = subprocess.run([self.args.first_effect, f"--verdict={data['counts']['records']}", trace, *self.recordings(program)],
                                  capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"fault_score: {fault} in {program}: {done.stderr}")
            return data, json.loads(done.stdout)


def names_it(where, effect, instruction):
    """Whether what a report names is the instruction of an effect: the first by time, or in the warp's program."""
    if any(where[key] != effect[key] for key in ("kernel", "workgroup", "warp")):
        return False
    places = {effect["seq"], effect["earliest"]}
    if effect["missing"] and effect["what"] in ("pc", "word or mask"):  # a warp that goes no further stops after an instruction
        places |= {place - 1 for place in places}
    return where["seq"] in places if instruction else effect["seq"] < 0


def judge(data, effects):
    """Distance and naming of a verdict: the part of a row that says how good it was.

    named is None where the verdict came before any effect and names none (a launch, an allocation, the protocol), or
    where there is no effect at all."""
    failure = data.get("failure", {})
    where = failure.get("where")
    row = {"distance": None, "distance_all": None, "effect": None, "named": None}
    if not effects:
        return row
    first, first_read = effects["first"], effects["first_read"]
    row.update(distance=first["by_warp"] if first else 0, distance_all=first["by_all"] if first else 0)
    shown = first_read or first
    if shown:
        row["effect"] = {key: shown[key] for key in ("what", "missing", "kernel", "workgroup", "warp", "seq", "earliest", "record")}
    if not shown or shown["record"] > data["counts"]["records"]:
        return row
    # A missing record has no time: each warp that misses something first counts, and the first record that is wrong.
    candidates = [first_read, first, *([effects["wrong"]] + [e for e in effects["warps"] if e["missing"]] if shown["missing"] else [])]
    row["named"] = bool(where) and any(e and names_it(where, e, "instruction" in failure) for e in candidates)
    return row


def end_of(data):
    """What the end of a run says: two runs that end alike have the same."""
    failure = data.get("failure", {})
    return data.get("verdict"), failure.get("kind"), failure.get("detail"), failure.get("instruction", {}).get("seq")


def row_of(bench, name, file, line, marker_kind, program=None):
    """A fault with the program that finds it, where there is one."""
    data, effects = bench.measure(program, name) if program else ({}, None)
    failure = data.get("failure", {})
    found = data.get("verdict") in FOUND and end_of(data) != end_of(bench.without_fault(program))
    return {"name": name, "file": file, "line": line, "marker_kind": marker_kind, "program": program and str(program),
            "kernels": program and program.kernels, "plusargs": program and program.plusargs,
            "verdict": data.get("verdict", "PASS"), "kind": failure.get("kind", ""),
            "instruction": failure.get("instruction", {}).get("text", ""), "where": failure.get("where"),
            "detail": failure.get("detail", ""), "by": program and ("assertion" if "+no-assert" not in program.plusargs else "checker"),
            "caught": found, **judge(data, effects)}


def try_marker(args, benches, marker, want):
    program = Program(want["program"], programs_of(args.vectors, want["program"], args.pages), want.get("plusargs", DEFAULT))
    for program in (program, program.with_assertions()):
        row = row_of(benches[core_of(args, want)], marker.name, marker.path.name, marker.line, marker.kind, program)
        if row["caught"]:
            break
    return row


class Suite:
    """The programs for mutants, in the order in which they are tried: first what found most mutants of the same file, then
    what found most for the time that it takes."""

    def __init__(self, args, bench, expected):
        self.bench = bench
        names = [p.stem for p in programs_in(args.vectors) if p.stem != READS_UNDEFINED]
        names += sorted({want["program"] for want in expected.values() if "," in want["program"]})  # several kernels, one after the other
        names.append(",".join(["vecadd"] * 12))
        streams = self.streams(args) if args.stages > len(TIMINGS) else []
        self.stages = [[Program(name, programs_of(args.vectors, name), timing) for name in names] for timing in TIMINGS]
        self.stages.append([Program(p.stem, str(p), TIMINGS[i % len(TIMINGS)]) for i, p in enumerate(streams)])
        late = [f"races/{p.stem}" for p in sorted((args.vectors / "races").glob("*.elf"))] + [READS_UNDEFINED]
        self.stages.append([Program(name, programs_of(args.vectors, name), timing) for timing in TIMINGS for name in late])
        self.hits, self.lock = collections.Counter(), threading.Lock()

    @staticmethod
    def streams(args):
        args.streams.mkdir(parents=True, exist_ok=True)
        subprocess.run([args.karat, "gen", "random", f"--count={NUM_STREAMS}", "--threads=8", "--vgprs=1024", "--length=1000",
                        f"--output={args.streams}"], check=True)
        return [(args.streams / f"random-{seed}" / "program.elf").rename(args.streams / f"random{seed}.elf") for seed in range(1, NUM_STREAMS + 1)]

    def order(self, file, stages):
        for stage in self.stages[:stages]:
            with self.lock:
                hits = dict(self.hits)
            cost = {p: self.bench.without_fault(p)["cycles"] + 1000 for p in stage}
            programs = sorted(stage, key=lambda p: (-hits.get((file, p.name), 0), -(1 + hits.get(p.name, 0)) / cost[p]))
            yield from programs

    def found(self, file, program):
        with self.lock:
            self.hits[file, program.name] += 1
            self.hits[program.name] += 1


def try_mutant(args, bench, suite, mutant, excuse):
    """Run a mutant until something finds it."""
    place = mutant["name"], mutant["file"], mutant["line"], mutant["kind"]
    more = {"excuse": excuse and excuse["class"], "strange": [], "runs": 0, "other_cycles": 0}
    programs = itertools.chain(suite.order(mutant["file"], 1 if excuse else args.stages),
                               [] if excuse or args.stages < 9 else (p.with_assertions() for p in suite.stages[0]))
    for program in programs:
        data = bench.run(program, mutant["name"], limit=bench.limit(program))
        if data["verdict"] == "CRASH":
            return {**row_of(bench, *place), **more, "verdict": "CRASH", "detail": data["line"]}
        if data["verdict"] in FOUND:
            suite.found(mutant["file"], program)
            return {**row_of(bench, *place, program), **more}
        clean = bench.without_fault(program)
        counts = clean["counts"]
        more["runs"] += 1
        more["other_cycles"] += data["cycles"] != clean["cycles"]
        if data["verdict"] != "PASS" or any(data["counts"][k] != counts[k] for k in ("instructions", "x", "v", "simt", "csr", "adopted")):
            more["strange"].append(f"{program}: {data['line']}")
    if not excuse and args.stages > 2:  # is there an effect that the checker does not see?
        for program in suite.stages[0]:
            _, effects = bench.measure(program, mutant["name"])
            if effects and effects["first"]:
                more["strange"].append(f"{program}: architectural effect, no verdict: {json.dumps(effects['first'])}")
            more["other_cycles"] += bool(effects) and not effects["same"]
    return {**row_of(bench, *place), **more}


def why_open(row):
    """For a mutant that no run finds: the proof in its runs that it has done nothing; else None."""
    if row["caught"] or row["excuse"] or row["strange"] or row["verdict"] == "CRASH":
        return None
    if row["other_cycles"]:
        return f"TIMING ALONE: no architectural effect in {row['runs']} runs, other cycles in {row['other_cycles']}"
    return f"NO TRACE: every record of the recorded runs the same, in the same cycle; the same cycles in all {row['runs']} runs"


def excuses_of(mutants):
    """The reviewed reasons by mutant's name, and those of mutants that this seed, or these sources, do not have."""
    entries = json.loads((HERE / "equivalent_mutants.json").read_text())
    exact = {(e["file"], e["before"], e["after"], e["ordinal"]): e for e in entries}
    any_change = {(e["file"], e["before"]): e for e in entries if e["after"] == "*"}
    found = {}
    for m in mutants:
        reason = exact.get((m["file"], m["before"], m["after"], m["ordinal"])) or any_change.get((m["file"], m["before"]))
        if reason:
            found[m["name"]] = reason
    return found, [e for e in entries if e["after"] != "*" and e not in found.values()]


def percent(part, whole):
    return f"{part} of {whole}" + (f" ({100 * part / whole:.1f} %)" if whole else "")


def summarise(rows, title):
    """Lines: how many were found, how soon, how well named."""
    caught = [r for r in rows if r["caught"]]
    lines = [f"{title}: {percent(len(caught), len(rows))} found, {sum(r['by'] == 'assertion' for r in caught)} of them by assertions alone"]
    distances = [r["distance"] for r in caught if r["distance"] is not None]
    everyone = [r["distance_all"] for r in caught if r["distance_all"] is not None]
    if distances:
        spread = collections.Counter("0" if d == 0 else "1" if d == 1 else "2-9" if d < 10 else "10 and more" for d in distances)
        lines.append(f"  instructions of the warp from first effect to verdict: median {statistics.median(distances):.0f}, "
                     + ", ".join(f"{k}: {spread[k]}" for k in ("0", "1", "2-9", "10 and more"))
                     + f"; of all warps: median {statistics.median(everyone):.0f}")
    judged = [r for r in caught if r["named"] is not None]
    lines.append("  the report names the instruction, warp or launch that went wrong first: "
                 f"{percent(sum(r['named'] for r in judged), len(judged))}; "
                 f"{len(caught) - len(judged)} were found before there was one")
    return lines


def by_group(rows, key, title):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row[key]].append(row)
    lines = [f"{title:24}  faults  found  not needed  open  survive"]
    for name, group in sorted(groups.items()):
        caught = sum(r["caught"] for r in group)
        excused = sum(not r["caught"] and bool(r["excuse"]) for r in group)
        left = sum(bool(why_open(r)) for r in group)
        lines.append(f"{name:24} {len(group):7} {caught:6} {excused:11} {left:5} {len(group) - caught - excused - left:8}")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", required=True, type=executable, help="the core of the default size, with its markers")
    parser.add_argument("--other", action="append", default=[], metavar="SIZE=CORE", help="one of another size, as 2sm8w4t=PATH")
    parser.add_argument("--mutants", type=executable, help="karat-ingot-mutants; without it, markers alone")
    parser.add_argument("--list", type=pathlib.Path, help="its mutants.json")
    parser.add_argument("--first-effect", required=True, type=executable)
    parser.add_argument("--karat", required=True, type=executable)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    parser.add_argument("--streams", type=pathlib.Path, help="folder for random programs")
    parser.add_argument("--threads", type=positive, default=8, help="of the cores for the programs of karat gen pages (8)")
    parser.add_argument("--json", type=pathlib.Path, help="write all rows to this file")
    parser.add_argument("--stages", type=positive, default=9, help="how many stages of programs to try: two for a first look")
    parser.add_argument("--jobs", type=positive, default=2, help="runs at once (2)")
    parser.add_argument("faults", nargs="*", help="only these")
    args = parser.parse_args()
    if args.mutants and not (args.list and args.streams):
        parser.error("--mutants wants --list and --streams")
    expected = json.loads((HERE / "expected_faults.json").read_text())
    known = [m for m in markers(args.core) if core_of(args, expected[m.name]) and (not args.faults or m.name in args.faults)]
    mutants = json.loads(args.list.read_text())["mutants"] if args.mutants else []
    excuses, stale = excuses_of(mutants)
    mutants = [m for m in mutants if not args.faults or m["name"] in args.faults]
    rows = []
    with tempfile.TemporaryDirectory(prefix="karat-pages-") as folder, \
            concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:  # each waits for a process of its own
        args.pages = pathlib.Path(folder)
        make_pages(args, (expected[m.name]["program"] for m in known))
        benches = {core: Bench(core, args) for core in {core_of(args, expected[m.name]) for m in known}}
        futures = [pool.submit(try_marker, args, benches, m, expected[m.name]) for m in known]
        if mutants:
            bench = Bench(args.mutants, args)
            suite = Suite(args, bench, expected)
            # Those that can be found come first: they show which programs find most.
            order = sorted(mutants, key=lambda m: m["name"] in excuses)
            futures += [pool.submit(try_mutant, args, bench, suite, m, excuses.get(m["name"])) for m in order]
        for future in concurrent.futures.as_completed(futures):
            row = future.result()
            rows.append(row)
            print(f"{row['name']:27} {row['file'] + ':' + str(row['line']):26} {row['marker_kind']:14} {row['program'] or '-':16} {row['verdict']:9} "
                  f"{row['kind']:40} distance {row['distance']} named {row['named']} {row['instruction']}"
                   f"{' (by an assertion)' * (row['by'] == 'assertion')}", flush=True)
    is_mutant = {m["name"] for m in mutants}
    rows.sort(key=lambda r: r["name"])
    marked, mutated = [r for r in rows if r["name"] not in is_mutant], [r for r in rows if r["name"] in is_mutant]
    print()
    texts = {m["name"]: m for m in mutants}
    undetected = [r for r in mutated if not r["caught"] and not r["excuse"]]
    survivors = [r for r in undetected if not why_open(r)]
    contradicted = [r for r in mutated if r["caught"] and r["excuse"]]
    for row in rows:
        if row["caught"] and row["named"] is False:
            print(f"not named: {row['name']} in {row['program']}: report {row['kind']} {row['where']}, first effect {row['effect']}")
    for row in rows:
        if row["caught"] and row["distance"]:
            print(f"later: {row['name']} in {row['program']}: {row['distance']} instructions of its warp, {row['distance_all']} of all, "
                  f"after {row['effect']}")
    for row in mutated:
        if not row["caught"] and row["excuse"]:
            print(f"{row['excuse']}: {row['name']} {row['file']}:{row['line']}: {excuses[row['name']]['reason']}")
    for row in sorted(undetected, key=lambda r: not why_open(r)):
        m = texts[row["name"]]
        print(f"{why_open(row) or 'SURVIVES'}: {row['name']} {row['file']}:{row['line']} {row['detail']}\n    {m['before']}\n    {m['after']}")
        for line in row["strange"]:
            print(f"    {line}")
    for row in contradicted:
        print(f"FOUND, though equivalent_mutants.json says {row['excuse']}: {row['name']} in {row['program']}: {row['kind']}")
    for key, title in (("marker_kind", "kind"), ("file", "unit")):
        print()
        print("\n".join(by_group(mutated, key, title)))
    print()
    needed = [r for r in mutated if r["caught"] or not r["excuse"]]
    for group, title in ((marked, "markers"), (needed, "mutants that are not proven equivalent"), (marked + needed, "all")):
        print("\n".join(summarise(group, title)))
    if args.json:
        args.json.write_text(json.dumps({"rows": rows, "mutants": mutants}, indent=1) + "\n")
    missed = [r for r in marked if not r["caught"]]
    if args.mutants and stale:
        print(f"{len(stale)} reasons of equivalent_mutants.json are for mutants that were not drawn")
    return 1 if survivors or contradicted or missed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
