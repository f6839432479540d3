#!/usr/bin/python3
"""karat locate: for markers whose place is known the true line is among the first suspects, text, JSON and the waveform agree, scripts
say the same, and what cannot be located is refused in one line."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path += [str(ROOT / "scripts"), str(HERE.parent / "vectors"), str(ROOT / "cli" / "rtl")]

import design as designs  # noqa: E402
import evidence  # noqa: E402
import faults  # noqa: E402
import locate  # noqa: E402
import ranking  # noqa: E402
from checks import check, end  # noqa: E402

# The line's place in the list of alu_int, at most: an arm of a case comes first, a line in a loop, which always runs, later.
MARKERS = {"sra_logical": 1, "max_unsigned": 1, "write_enable": 4}


def run(args, *words):
    return subprocess.run([args.karat, "locate", *map(str, words)], capture_output=True, text=True)


def test_marker(args, folder, marker):
    plusargs = [f"--core={args.core}", f"+kernel={args.vectors / 'alu_int.elf'}", "+seed=1", f"+fault={marker.name}"]
    waves = folder / "waves.fst"
    done = run(args, "--json", f"--wave={waves}", *plusargs)
    check(done.returncode == 0 and not done.stderr, f"{marker.name}: status {done.returncode}: {done.stderr}")
    data = json.loads(done.stdout)
    places = [(pathlib.Path(s["file"]).name, s["first"], s["last"]) for s in data["suspects"]]
    true = [i for i, (file, line, last) in enumerate(places) if file == marker.path.name and line <= marker.line <= last]
    check(true and true[0] < MARKERS[marker.name], f"{marker.name}: {marker.path.name}:{marker.line} is not among the first of {places}")
    check(len(places) <= 10 and len(set(places)) == len(places), f"{marker.name}: a list of {len(places)}")
    check(not any(file.endswith("_bind.sv") for file, _, _ in places), f"{marker.name}: a line that connects the probe is in {places}")
    scores = [s["score"] for s in data["suspects"]]
    check(scores == sorted(scores, reverse=True), f"{marker.name}: the order")
    text = run(args, *plusargs, "+max-cycles=90000", "+trace=none.fst", "+trace-from=5", "+continue", "+quiet").stdout  # As of a "rerun"
    named = [(pathlib.Path(s["file"]).name, str(s["line"])) for s in data["suspects"]]
    check(re.findall(r"^ *\d+  \S*?([^/\s]+):(\d+)  ", text, re.M) == named, f"{marker.name}: the text")
    signals = list(dict.fromkeys(name for s in data["suspects"] for name in s["signals"]))
    save = waves.with_suffix(".gtkw").read_text()
    named = re.findall(r"^(?:TOP|tile\.core\.ingot)\.([^\n]*?)(?:\[\d+:\d+\])?$", save.split("-named signals\n")[1], re.M)
    places = [next((i for i, signal in enumerate(signals) if re.match(re.escape(signal) + r"(?![\w$])", name)), None) for name in named]
    check(len(set(places)) > len(signals) / 2 and None not in places and places == sorted(places), f"{marker.name}: {named} are not of {signals}")
    check(f"[timestart] {10 * data['window'][0]}\n" in save and waves.stat().st_size, f"{marker.name}: the window of the waveform")
    check(waves.with_suffix(".surf.ron").exists(), f"{marker.name}: no save file of Surfer")


def test_assertions(args, folder):
    """No assertion can be a suspect. From the signals of one that fails the slice begins, and a window as early has the reset in it."""
    statements = designs.Design(f"{args.core}.xml").statements
    wide = [(s.file, s.line, s.last) for s in statements if s.kind == "contassign" and s.last - s.line > 30]
    check(not wide, f"assignments of many lines, which are not those of the source: {wide[:3]}")
    lines = {(s.file, s.line) for s in statements}
    texts = {(file, number): pathlib.Path(file).read_text().splitlines()[number - 1] for file, number in lines}
    check(len(texts) > 1000 and not any("assert property" in text for text in texts.values()), f"assertions of {len(texts)} lines")
    done = run(args, f"--core={args.core}", f"+kernel={args.vectors / 'icache.elf'}", "+seed=1", "+fault=icache_owner")
    check("ingot_icache.sv" in done.stdout.split("\n")[1] and "0 steps before the assertion" in done.stdout, f"of an assertion: {done.stdout}")
    core = evidence.Core(args.core, args.karat, [f"+kernel={args.vectors / 'barrier_lds.elf'}", "+seed=1", "+fault=dispatch_wid"])
    first = evidence.collect(core)[1][0]
    core.run(folder, f"+rtl-coverage={folder / 'c'}", "+rtl-coverage-at=0")
    reset = {point for point, count in evidence.read_counts(folder / "c.0", core.keys).items() if count}
    check(first.issue < evidence.BEFORE and reset, f"not as early as the reset: cycle {first.issue}, {len(reset)} points")
    check(reset <= first.before, f"of the reset {len(reset - first.before)} of {len(reset)} points are not there")


def test_setters(args):
    """Flags that vfexp.v has set wrong are seen when csrrwi reads them, in the second kernel: numbers of instructions begin anew in each."""
    kernels = ",".join(str(args.vectors / f"{name}.elf") for name in ("alu_int", "fp_exp"))
    done = run(args, f"--core={args.core}", f"+kernel={kernels}", "+seed=1", "+fault=exp_nan_invalid").stdout
    check(re.match(r"wrong value written: csrrwi .*; vfexp\.v may have set it\n", done), f"what has set the flags: {done}")
    check("r.x.special.flags.nv = x.is_snan;" in done, f"the line at fault: {done}")


def test_design():
    """A name through an array of instances is found, and an assignment has the counter of the block that takes its value."""
    design = designs.Design.__new__(designs.Design)
    signal = designs.Signal("top.g[1].u", "value")
    inner = designs.Scope(signal.path)
    inner.names["value"] = signal
    design.instances = {signal.path: inner}
    element = xml.Element("varxref", name="value", dotted="g__BRA__1__KET__.u")
    check(design.place(element, designs.Scope("top.probe")) == signal, "a name through an array of instances")
    register, wire, source = (designs.Place(designs.Signal("top", name), 0, 1) for name in ("register", "wire", "source"))
    point = designs.Point("top", 3, 1)
    taker, assignment = designs.Statement("a.v", 4, 4, "assigndly", "top", point, ()), designs.Statement("a.v", 9, 9, "contassign", "top", None, ())
    taker.writes, taker.reads, assignment.writes, assignment.reads = [register], [wire], [wire], [source]
    design.writers = {register.signal: [(register, taker)], wire.signal: [(wire, assignment)]}
    found = designs.slice_back(design, [register])
    check(found == {taker: (0, point), assignment: (1, point)}, f"counters in a slice: {found}")


def test_score():
    """A signal that a statement reads twice counts once."""
    ranked = ranking.Ranking.__new__(ranking.Ranking)
    point = designs.Point("top", 3, 1)
    ranked.failing, ranked.windows, ranked.relevance, ranked.known = [None], [None], {"top": 1}, {point: ((0, 0), (1, 0))}
    scores = []
    for times in (1, 2):
        statement = designs.Statement("a.v", 4, 4, "assign", "top", point, ())
        statement.reads = times * [designs.Place(designs.Signal("top", "a"), 0, 1)] + [designs.Place(designs.Signal("top", "b"), 0, 1)]
        scores.append(ranked.score(statement, point, None, 1))
    check(scores[0] == scores[1] > 0, f"scores of one signal and another, the first once and twice: {scores}")


ELABORATED = """\
  wire a = b & c;	// src/main/scala/chisel3/util/Mux.scala:50:70, core/A.scala:10:{5,7}, :12:9, B.scala:3:1
  wire d =
    b
    | c;	// src/main/scala/chisel3/util/Mux.scala:50:70
    .in (b),
    .out (c & d)	// @[core/A.scala 7:5 9:2]
  always @(posedge clock)	// step 3: of case 4:
"""


def test_origins(folder):
    """Lines of elaborated Chisel are those of Scala that firtool names, also at the end of their statement; copies of them are listed once, lines
    of Chisel's library once in each instance."""
    file = folder / "elaborated.sv"
    file.write_text(ELABORATED)
    found = [[f"{name}:{line}" for name, line in locate.origins(str(file), *lines)] for lines in ((1, 1), (2, 2), (5, 5), (6, 6), (7, 7), (1, 4))]
    first, library = ["core/A.scala:10", "core/A.scala:12", "B.scala:3"], ["src/main/scala/chisel3/util/Mux.scala:50"]
    check(found == [first, library, [], ["core/A.scala:7", "core/A.scala:9"], [], first], f"places in Scala: {found}")
    entry = ranking.Suspect(1, str(file), 1, 4, 1, None, None, None, [], None)
    library = [entry._replace(at=2, signals=[(f"{name}.d", 1)]) for name in ("u_a", "u_a", "u_b")]
    plain = [entry._replace(at=at) for at in (5, 7)]
    found = locate.distinct([entry, *library, *plain, entry._replace(score=0)])
    check(found == [entry, library[0], library[2], *plain], f"suspects without copies: {found}")
    ranked = ranking.Ranking.__new__(ranking.Ranking)
    ranked.failure = {"kind": "wrong value written"}
    text = locate.text([entry], ranked)
    check("wire a = b & c;\n    A.scala:10, 12; B.scala:3; " in text, f"a suspect in Scala: {text}")


# Mutant 1 mends what +fault= has broken, mutant 3 does with one timing seed, the others change nothing.
MUTABLE = """#!/usr/bin/python3
import os, sys
mends = "+mutant=1" in sys.argv or {{"+mutant=3", "+seed=1"}} <= {{*sys.argv}}
own = [word for word in sys.argv[1:] if not word.startswith(("+mutant=", "+fault=") if mends else "+mutant=")]
os.execv({core!r}, [{core!r}, *own])
"""


def test_mutants(args, folder):
    """A line of which a mutant lets the run go on comes first. One of which it does so with one timing seed alone gains nothing, and loses as
    the other changes nothing, but less than one of which none changes anything."""
    plusargs = [f"--core={args.core}", f"+kernel={args.vectors / 'alu_int.elf'}", "+seed=1", "+fault=sra_logical"]
    before = json.loads(run(args, "--json", *plusargs).stdout)["suspects"]
    mutable = folder / "mutable"
    mutable.write_text(MUTABLE.format(core=args.core))
    mutable.chmod(0o755)
    rows = [{"file": before[i]["file"], "line": before[i]["line"], "kind": "operator", "before": "a < b", "after": "a <= b"} for i in (3, 0, 1, 1)]
    mutable.with_name("mutable.mutants.json").write_text(json.dumps(rows))
    done = run(args, "--json", f"--mutants={mutable}", *plusargs)
    after = json.loads(done.stdout)["suspects"] if done.returncode == 0 else []
    check(after and [s["line"] for s in after][:1] == [before[3]["line"]], f"the first of {after}: {done.stderr}")
    check([s["mutants"] for s in after][:1] == [[{"number": 1, **rows[0], "run": "beyond"}]], f"its mutants: {after[:1]}")
    check({m["number"]: m["run"] for s in after for m in s["mutants"]}.get(3) == "once", f"mutants: {after}")
    gained = [{s["line"]: s["score"] for s in after}.get(before[i]["line"], 0) / before[i]["score"] for i in (3, 1, 0)]
    check(gained[0] > 10 and 0.5 > gained[1] > 2 * gained[2], f"so much more suspicious than before: {gained}")
    text = run(args, f"--mutants={mutable}", *plusargs).stdout
    check("of 1 mutants 1 let the run go on beyond the failure ('a <= b' for 'a < b')" in text, f"the text: {text}")


def test_scripts(args, folder):
    """regress --locate and bug_report name the suspects of the same run; of a core without coverage none."""
    program, fault = args.vectors / "alu_int.elf", "+fault=sra_logical"
    faulty = {}
    for core in (args.core, args.without):
        faulty[core] = folder / pathlib.Path(core).name
        faulty[core].write_text(f'#!/bin/sh\nexec "{core}" "$@" {fault}\n')
        faulty[core].chmod(0o755)
        if core == args.core:
            faulty[core].with_name(faulty[core].name + ".xml").symlink_to(f"{core}.xml")
    listed = run(args, f"--core={args.core}", f"+kernel={program}", "+seed=1", "+latency=2:20", fault).stdout
    reported = run(args, f"--core={args.core}", f"+kernel={program}", fault, "+hang=2000").stdout
    for core, there in ((args.core, True), (args.without, False)):
        done = subprocess.run([ROOT / "scripts" / "regress", f"--core={faulty[core]}", f"--karat={args.karat}", "--locate", program],
                              capture_output=True, text=True)
        check(done.returncode == 1 and listed.count("\n") > 2 and (listed in done.stderr) == there, f"regress --locate: {done.stderr}")
        out = folder / f"bugs-{there}"
        done = subprocess.run([ROOT / "scripts" / "bug_report", f"--out={out}", f"--karat={args.karat}", "--no-shrink", "--only=1",
                               f"--core={core}", "--", f"+kernel={program}", fault, "+max-cycles=2000000"], capture_output=True, text=True)
        check(done.returncode == 0, f"bug_report: {done.stderr}")
        page = next(out.glob("*/README.md"))
        check(("## Suspects in the RTL" in page.read_text() and reported in page.read_text()) == there, f"bug_report: the page of {core}")
        check(page.with_name("suspects.txt").exists() == there and (not there or page.with_name("suspects.txt").read_text() == reported),
              f"bug_report: suspects.txt of {core}")


def test_refused(args, folder):
    kernel = f"+kernel={args.vectors / 'alu_int.elf'}"
    for what, words, said in (("a run that passes", [f"--core={args.core}", kernel], "does not fail"),
                              ("a core without coverage", [f"--core={args.without}", kernel, "+fault=sra_logical"], "COVERAGE"),
                              ("no mutants", [f"--core={args.core}", f"--mutants={args.core}", kernel, "+fault=sra_logical"], "MUTABLE"),
                              ("no core", [kernel], "expected --core=HARNESS"),
                              ("two mutants", [f"--core={args.core}", f"--mutants={args.core}", kernel, "+fault=sra_logical", "+mutant=1,2"],
                               "expected one mutant"),
                              ("a word", [f"--core={args.core}", "alu_int.elf"], "found 'alu_int.elf'"),
                              ("no such core", [f"--core={folder / 'none'}", kernel], "none"),
                              ("a fault that is none", [f"--core={args.core}", kernel, "+fault=none_such"], "none_such")):
        done = run(args, f"--wave={folder / 'left.fst'}", *words)
        check(done.returncode == 2 and len(done.stderr.splitlines()) == 1 and said in done.stderr, f"{what}: {done.returncode}: {done.stderr}")
        check(not done.stdout and not list(folder.glob("left*")), f"{what}: left over")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", required=True, help="a core with coverage")
    parser.add_argument("--without", required=True, help="one without")
    parser.add_argument("--karat", required=True)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    args = parser.parse_args()
    markers = {m.name: m for path in (ROOT / "rtl-wrap" / "ingot").rglob("*.sv") for m in faults.find_markers(path)}
    with tempfile.TemporaryDirectory() as name:
        for marker in MARKERS:
            test_marker(args, pathlib.Path(name), markers[marker])
        test_assertions(args, pathlib.Path(name))
        test_setters(args)
        test_design()
        test_score()
        test_origins(pathlib.Path(name))
        test_mutants(args, pathlib.Path(name))
        test_scripts(args, pathlib.Path(name))
        test_refused(args, pathlib.Path(name))
    return end()


if __name__ == "__main__":
    sys.exit(main())
