#!/usr/bin/python3
"""The SystemVerilog test bench says what the Verilator harness says: output, JSON report, exit status, cycles and all, for every
program and for faults of each kind.  And so does `karat check` of what it recorded; bad input gives one line; $finish and
scripts/sv_run give the same exit status; the library shows the functions that the packages import, and no others.

--all: every fault marker that shows on this size of the core.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from test_faults import DEFAULT, STATUS, programs_of
from lockstep import programs_in  # Scripts: test_faults has its path
from test_harnesses import TIMING, run

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FAULTS = ("tie_if_first", "share_moves", "exit_early", "write_enable", "amo_overtaken", "done_never", "barrier_one_group",
          "done_queue_tail", "icache_tag_bit", "pair_pass_early", "result_mask_low", "exit_last_slot")
# The bench cannot know the command, asks for the arguments in an order of its own, and writes another kind of waveform.
RERUN = re.compile(r'(?:SIMULATOR|CORE) ([^"\n]*) \+trace=karat\.(?:fst|vcd)')
passed, failed = 0, 0


def expect(what, wrong):
    """Count a case; wrong has the differences, or nothing."""
    global passed, failed
    passed += not wrong
    failed += bool(wrong)
    if wrong:
        print(f"test_sv: {what}: {wrong}", file=sys.stderr)


def plain(text):
    def rerun(found):
        return " ".join(["CORE", *sorted(set(found[1].split()) - {"+init=zero"}), "+trace"])
    return RERUN.sub(rerun, text).replace("karat-sv: ", "karat-ingot: ")


def same_as_harness(args, status, plusargs):
    """Bits without a reset are 0 in the bench, and it has no description; the harness gets both as options."""
    plusargs = [*plusargs, f"+core={ROOT / 'rtl-wrap' / 'ingot' / 'core202.json'}"]
    harness = run(args.core, [*plusargs, "+init=zero"], args.karat)
    bench, alone = (run(args.sv, [*plusargs, f"+checker-thread={thread}"], args.karat) for thread in (1, 0))
    if "Assertion failed" in harness[1]:  # Where the bench ends, without a verdict
        print("assertion", *plusargs)
        expect(" ".join(plusargs), (bench[0] != -6 or "Assertion failed" not in bench[1] or "karat: " in bench[1]) and str(bench))
        return
    print((bench[1].splitlines() or [""])[-1])
    wrong = [f"status {bench[0]}, expected {status}\n{bench[2]}"] if bench[0] != status or not bench[3] else []
    wrong += [f"karat check: {bench[4]}"] if bench[4] else []
    wrong += [f"with the checker's thread\n{bench[:5]}\nwithout\n{alone[:5]}"] if bench != alone else []
    wrong += [f"{name}: harness\n{plain(one)}\nbench\n{plain(other)}"
              for name, one, other in zip(("status", "standard output", "standard error", "JSON"), map(str, harness), map(str, bench))
              if plain(one) != plain(other)]
    expect(" ".join(plusargs), "\n".join(wrong))


def runs(args):
    programs = programs_in(args.vectors)
    for program in programs:
        same_as_harness(args, 0, [f"+kernel={program}", *TIMING])
    same_as_harness(args, 0, ["+kernel=" + programs_of(args.vectors, "vecadd,printing,vecadd"), "+seed=0x10"])
    same_as_harness(args, 0, [f"+kernel={programs[0]}", "+no-read", "+no-audit", "+latency=1", "+stall=0", "+quiet"])
    same_as_harness(args, 5, [f"+kernel={programs[0]}", "+max-cycles=200"])
    two = f"+kernel={args.vectors / 'alu_int.elf'}"
    same_as_harness(args, 1, [two, "+fault=csrrc_inverts", "+fault=tie_if_first"])
    same_as_harness(args, 1, [two, "+fault=tie_if_first,csrrc_inverts"])
    expected = json.loads((HERE / "expected_faults.json").read_text())
    for name in expected if args.all else FAULTS:
        want = expected[name]
        if "core" not in want:
            same_as_harness(args, STATUS[want["verdict"]], [f"+kernel={programs_of(args.vectors, want['program'])}",
                                                            f"+fault={name}", *want.get("plusargs", DEFAULT)])


def ends(args):
    """Other results of a run than its verdict: exit status by sv_run, waveform, one line for bad input."""
    def call(*command):
        return subprocess.run([str(word) for word in command], capture_output=True, text=True)

    good, nested = f"+kernel={args.vectors / 'vecadd.elf'}", f"+kernel={args.vectors / 'simt_nested.elf'}"
    sv_run = ROOT / "scripts" / "sv_run"
    for status, plusargs in ((0, [good]), (1, [nested, "+fault=tie_if_first"]), (5, [good, "+max-cycles=200"])):
        finish, leave = call(args.sv, *plusargs, "+finish"), call(args.sv, *plusargs)
        verdict = [line for line in leave.stdout.splitlines() if " core=ingot " in line]
        expect(f"+finish {plusargs}", finish.returncode and f"status {finish.returncode}: $finish has none")
        expect(f"+finish {plusargs}", (len(verdict) != 1 or verdict[0] not in finish.stdout) and str(finish))
        done = call(sv_run, args.sv, *plusargs, "+finish")
        expect(f"sv_run {plusargs}", (done.returncode, done.stdout) != (status, finish.stdout) and str(done))
    asserted = [args.sv, f"+kernel={args.vectors / 'icache.elf'}", "+fault=share_moves"]
    for command, text in (([args.sv, "+finish"], "status 0 and no verdict"), (["false"], "status 1 and no verdict"),
                          (asserted, "status -6 and no verdict"), (["/nowhere/simulator"], "No such file"), ([], "expected a command")):
        done = call(sv_run, *command)
        last = (done.stderr.splitlines() or [""])[-1]
        expect(f"sv_run {command}", (done.returncode != 2 or not last.startswith("sv_run: ") or text not in last) and str(done))
    done = call(sv_run, "sh", "-c", '"$@"; exit 7', "sh", args.sv, good)
    expect("sv_run of a simulator that fails", done.returncode != 7 and str(done))

    with tempfile.TemporaryDirectory() as name:
        wave = pathlib.Path(name) / "run.vcd"
        call(args.sv, good, f"+trace={wave}", "+trace-from=100")
        text = wave.read_text() if wave.exists() else ""
        times = [int(line[1:]) for line in text.splitlines() if line.startswith("#")]
        # Three steps of time a cycle.
        expect("waveform", ("$enddefinitions" not in text or " clk " not in text or len(times) < 500 or times[0] < 300) and
               f"times {times[:3]}")
        for text, *plusargs in ((f"{name}: cannot be written", good, f"+trace={name}"),
                                ("/dev/full: not a regular file", good, "+trace=/dev/full"),
                                (f"{name}: cannot be written", good, f"+json={name}"),
                                ("no kernel: expected",), ("bad argument '+kernel='", "+kernel="), ("none.elf", "+kernel=none.elf"),
                                ("latency", good, "+latency=9:2"), ("seed", good, "+seed=x"), ("no_such", good, "+fault=no_such"),
                                ("'+init=zero'", good, "+init=zero"), ("'+seed=2': expected +seed once", good, "+seed=1", "+seed=2"),
                                ("expected +sv39 once", good, "+sv39", "+sv39=1"), ("no MMU", good, "+sv39=1"),
                                ("'+no-assert'", good, "+no-assert"), ("full", good, "+record=/dev/full"),
                                ("go-on", good, "+go-on")):
            done = call(args.sv, *plusargs)
            lines = done.stderr.splitlines()
            good_line = len(lines) == 1 and lines[0].startswith("karat-sv: ") and text in lines[0] and not done.stdout
            expect(f"bad input {plusargs}", (done.returncode != 2 or not good_line) and str(done))
    for word in ("+help", "+faults"):
        done = call(args.sv, word)
        expect(word, (done.returncode or done.stderr or len(done.stdout.splitlines()) < 10) and str(done))


def symbols(args):
    packages = (ROOT / "dpi" / "port" / "gen" / "karat_port_pkg.sv", ROOT / "testbench" / "sv" / "karat_sv_pkg.sv",
                ROOT / "rtl-wrap" / "port" / "karat_wave.sv")
    imported = {name for path in packages for name in re.findall(r'import "DPI-C" function \w+ (\w+)', path.read_text())}
    listed = subprocess.run(["nm", "-D", "--defined-only", args.library], check=True, capture_output=True, text=True).stdout
    shown = {line.split()[-1] for line in listed.splitlines()}
    expect("symbols of the library", not imported or imported ^ shown)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", required=True, help="ingot in the Verilator harness")
    parser.add_argument("--sv", required=True, help="the same in the SystemVerilog test bench")
    parser.add_argument("--library", required=True, help="libkarat_sv")
    parser.add_argument("--karat", required=True)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    parser.add_argument("--all", action="store_true", help="all fault markers")
    args = parser.parse_args()
    runs(args)
    ends(args)
    symbols(args)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
