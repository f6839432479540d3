#!/usr/bin/python3
"""RTL coverage: the counters of a core built with COVERAGE, in the run and at its end; their sum, reports and ranks; and who has none."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "cli" / "rtl"), str(ROOT / "scripts")]

import counters  # noqa: E402
import faults  # noqa: E402
import lockstep  # noqa: E402

failed = 0


def check(holds, what):
    global failed
    if not holds:
        failed += 1
        print(f"FAILED: {what}")


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def refused(done, text, what):
    check(done.returncode == 2 and text in done.stderr and done.stderr.count("\n") == 1, f"{what}: {done.returncode} {done.stderr!r}")


def hit(counts):
    return {p for p, count in counts.items() if count}


def test_counts(args, folder):
    """Counters grow; those of a cycle after the end are those of the end; a program reaches the branches of its instructions."""
    done = run(args.core, f"+kernel={args.vectors / 'simt_nested.elf'}", f"+rtl-coverage={folder / 'simt'}", "+rtl-coverage-at=100,400,99999999")
    check(done.returncode == 0 and "karat: PASS" in done.stdout, f"the run passes: {done.stdout} {done.stderr}")
    at = [counters.read(folder / name) for name in ("simt.100", "simt.400", "simt")]
    check(at[0].keys() == at[2].keys() and all(at[0][p] <= at[1][p] <= at[2][p] for p in at[0]), "counters grow")
    check(hit(at[0]) < hit(at[1]) < hit(at[2]), "branches that run later are hit later")
    check(counters.read(folder / "simt.99999999") == at[2], "a cycle after the end has the counters of the end")
    run(args.core, f"+kernel={args.vectors / 'alu_int.elf'}", f"+rtl-coverage={folder / 'alu'}")
    more = hit(counters.read(folder / "alu")) - hit(at[2])
    shift = next(m for path in [ROOT / "rtl-wrap/ingot/ingot_alu.sv"] for m in faults.find_markers(path) if m.name == "srl_long_shift")
    check((shift.path.name, shift.line) in {(pathlib.Path(p.file).name, p.line) for p in more}, "a program of shifts alone reaches their branch")


def test_left_out(folder):
    """What is no design has no points: the probe, the switches of markers."""
    points = counters.read(folder / "alu")
    names = {pathlib.Path(p.file).name for p in points}
    check(not names & {"ingot_probe.sv", "karat_fault_pkg.sv", "karat_port_pkg.sv"}, f"files of the test bench are counted: {sorted(names)}")
    lines = {(pathlib.Path(p.file).name, p.line) for p in points}
    sources = sorted((ROOT / "rtl-wrap" / "ingot").rglob("*.sv"))
    assigns = [m for path in sources for m in faults.find_markers(path) if m.code.strip().startswith("assign ")]
    counted = [m.name for m in assigns if (m.path.name, m.line) in lines]
    check(assigns and not counted, f"assignments are counted where they have a marker: {counted}")


def test_reports(args, folder):
    """Sums by Verilator's own tool, and reports of them that agree."""
    files = [folder / "simt", folder / "alu"]
    check(run(args.karat, "cov", "merge", "--rtl", "-o", folder / "sum", *files).returncode == 0, "merge")
    whole = counters.read(folder / "sum")
    run("verilator_coverage", "--write", folder / "verilator", *files)
    check(whole == counters.read(folder / "verilator"), "merge is not what verilator_coverage makes")
    data = json.loads(run(args.karat, "cov", "report", "--rtl", "--json", *files).stdout)
    check(data["all"]["points"] == len(whole) and data["all"]["hit"] == len(hit(whole)), "the report's sum")
    holes = {(f["file"], *hole) for f in data["files"] for hole in f["holes"]}
    check(holes == {tuple(p) for p in whole if not whole[p]}, "the report's holes")
    ranks = json.loads(run(args.karat, "cov", "rank", "--rtl", "--json", *files).stdout)["files"]
    check(len(ranks) == 2 and ranks[0]["adds"] == ranks[0]["alone"] >= ranks[1]["alone"] and ranks[1]["hit"] == len(hit(whole)) and
          ranks[1]["adds"] == ranks[1]["hit"] - ranks[0]["hit"], f"ranks: {ranks}")
    text = run(args.karat, "cov", "report", "--rtl", "--holes=1", *files).stdout
    with_holes = sum(bool(f["holes"]) for f in data["files"])
    check(re.search(rf"^ +{len(whole)} +{len(hit(whole))} .* all$", text, re.M) and text.count("\nhole ") == with_holes,
          "the report as text")
    run(args.karat, "cov", "report", "--rtl", "--format=html", "-o", folder / "page.html", *files)
    page = (folder / "page.html").read_text()
    check(page.index(data["files"][0]["file"]) < page.index(data["files"][-1]["file"]) and 'class="hole"' in page and "AluSrl" in page, "the page")
    check(run(args.karat, "cov", "report", "--rtl", "--min=100", *files).returncode == 1, "--min")


def test_refused(args, folder):
    kernel = f"+kernel={args.vectors / 'alu_int.elf'}"
    for core in args.without:
        refused(run(core, kernel, f"+rtl-coverage={folder / 'none'}"), "built without coverage", core)
    refused(run(args.core, kernel, "+rtl-coverage-at=5"), "expected +rtl-coverage=FILE, too", "cycles without a file")
    refused(run(args.core, kernel, f"+rtl-coverage={folder / 'none'}", "+rtl-coverage-at=5,5"), "in ascending order", "cycles out of order")
    refused(run(args.core, kernel, f"+rtl-coverage={folder}/no/file"), "no/file", "no folder")
    check(not (folder / "none").exists(), "a run that was refused left a file")
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([args.karat, "cov", "report", "--rtl", folder / "alu"], stdout=full, stderr=subprocess.PIPE, text=True)
    refused(done, "karat cov: standard output: cannot be written: No space left on device", "a full disk")
    (folder / "bad").write_text("# SystemC::Coverage-3\nC 'x' 1\n")
    refused(run(args.karat, "cov", "report", "--rtl", folder / "bad"), "bad:2: ", "a line that is no counter")
    refused(run(args.karat, "cov", "merge", "--rtl", "-o", folder / "none", folder / "page.html"), "page.html:1: no RTL coverage", "another file")
    check(not (folder / "none").exists(), "a merge that failed left a file")


def test_regress(args, folder):
    out = folder / "regress"
    done = run(ROOT / "scripts" / "regress", f"--core={args.core}", f"--karat={args.karat}", f"--rtl-coverage={out}",
               args.vectors / "simt_nested.elf", args.vectors / "alu_int.elf", "--latency=4:20")
    check(done.returncode == 0, f"regress: {done.stdout} {done.stderr}")
    check(hit(counters.read(out)) == hit(counters.read(folder / "sum")), "regress: branches of all runs")


def test_streams(args, folder):
    """The same runs have the same sum, however many are made at once."""
    sums = []
    for jobs in (1, 2):
        out = folder / f"streams{jobs}"
        done = run(ROOT / "scripts" / "streams", f"--core={args.core}", f"--karat={args.karat}", f"--rtl-coverage={out}", "--runs=3",
                   "--length=100", f"--jobs={jobs}", f"--keep={folder / 'kept'}")
        check(done.returncode == 0, f"streams: {done.stdout} {done.stderr}")
        sums.append(counters.read(out))
    check(sums[0] == sums[1] and len(hit(sums[0])) > 100, f"streams: the sums of one and two at once: {sums[0].total()} {sums[1].total()}")


def test_gathered(args, folder):
    """Files of runs are added up and removed as soon as they are many."""
    out = folder / "gathered"
    gatherer = lockstep.RtlCoverage(argparse.Namespace(rtl_coverage=out, karat=args.karat))
    gatherer.AT_ONCE = 2
    for name in ("simt", "alu", "simt"):
        pathlib.Path(gatherer.plusargs()[0].partition("=")[2]).write_bytes((folder / name).read_bytes())
        check(gatherer.gather() and len(list(pathlib.Path(gatherer.folder.name).iterdir())) < 2, "files are kept")
    check(gatherer.gather(end=True) and counters.read(out) == counters.merge([folder / name for name in ("simt", "alu", "simt")]), "the sum of three")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", required=True, help="a core with coverage")
    parser.add_argument("--without", nargs="*", default=[], help="cores without")
    parser.add_argument("--karat", required=True)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        test_counts(args, folder)
        test_left_out(folder)
        test_reports(args, folder)
        test_refused(args, folder)
        test_regress(args, folder)
        test_streams(args, folder)
        test_gathered(args, folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
