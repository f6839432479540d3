#!/usr/bin/python3
"""Which mutants the fast suite does not notice: prints them, for a person to read. No floor, no list of excuses.

Every test runs once without a mutant: it has to pass, and says which mutants' places it executes. A mutant then meets only the tests
that come by its place, quick ones and those that have killed most in that file first, until one fails, crashes, or takes far longer
than without the mutant: that one has killed it. A mutant that no test executes has survived. Survivors of which a compiler makes the
same code (compiled.py) are the program itself, and do not count.

--tests says what each test costs, and what it has killed first: where the suite has become too slow.

Usage: score.py --programs NAME,NAME... --source DIR --commands FILE [--tests] [--json FILE] [--file NAME=PATH]... DIR
       (of mutate.py, with bin/)
"""
import argparse
import collections
import concurrent.futures
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

from compiled import Compiled
from mutate import AREAS

# The arguments of programs that have some, and a test that is left out where one is long and not of what is mutated.
ARGUMENTS = {
    "test_arguments": ["{kernel}", "{scratch}"],
    "test_verdicts": ["{verdicts}"],
    "test_no_memory": ["{kernel}", "{scratch}"],
    "test_qemu": ["{guest}"],
    "test_qemu64": ["{guest64}"],
    "fuzz_model": ["--profile", "all", "--words", "30000", "--jobs", "1", "--min-count", "0"],
}
LEFT_OUT = {"test_step": "forgeries_do_no_harm", "test_isa": "disassembly_stays_in_its_buffer", "test_report": "damaged_tables"}
# A slice of what the tests draw.
SLICE = {"KARAT_SEED": "1", "KARAT_CHECK_SHARE": "2", "KARAT_LITMUS_NUM": "100", "KARAT_ISA_WORDS": "20000", "KARAT_ISA_TRIPS": "100",
         "KARAT_ISA_PREFIXED": "40", "KARAT_QEMU_SCALAR": "4000", "KARAT_QEMU_CONTROL": "3000",
         "KARAT_QEMU_MEMORY": "3000", "KARAT_QEMU_FLOAT": "4000", "KARAT_QEMU_VECTOR": "9000", "KARAT_QEMU_VECTOR_MEMORY": "3000",
         "KARAT_QEMU64_SCALAR": "1000", "KARAT_QEMU64_BRANCH": "500", "KARAT_QEMU64_AMO": "500", "KARAT_QEMU64_VECTOR": "13000",
         "KARAT_QEMU64_FLOAT": "2000", "KARAT_COMPOSE": "1000", "KARAT_SLICES": "2",
         "CMOCKA_TEST_ABORT": "1",
         "MALLOC_MMAP_THRESHOLD_": "33554432", "MALLOC_TRIM_THRESHOLD_": "268435456"}  # No pages back and forth
PATIENCE = 10  # Times as long as without the mutant
BUDGET = 5.0  # CPU seconds that the suite may take


class Test:
    def __init__(self, program, name, command, scratch):
        self.program, self.name, self.command = program, name, command
        self.scratch = scratch  # Where it leaves what a crash keeps it from deleting
        self.seconds, self.reached = 0.0, frozenset()

    def __str__(self):
        return f"{self.program}.{self.name}" if self.name else self.program

    def run(self, mutant=0, reached=None):
        """(exit status, CPU seconds)"""
        limit = int(PATIENCE * self.seconds) + 2 if mutant else 120
        environment = dict(os.environ, **SLICE, KARAT_MUTANT=str(mutant), KARAT_MUTANT_SECONDS=str(limit))
        if self.name:
            environment["KARAT_MUTANT_TEST"] = self.name
        if reached:
            environment["KARAT_MUTANT_REACHED"] = str(reached)
        process = subprocess.Popen(self.command, env=environment, cwd=self.scratch, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        asleep = threading.Timer(20 * limit + 20, process.kill)  # No CPU time passes where it waits for ever
        asleep.start()
        _, status, usage = os.wait4(process.pid, 0)
        asleep.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, usage.ru_utime + usage.ru_stime


def list_tests(folder, programs, files):
    """Runs the suite as it is. (its tests, CPU seconds)"""
    tests, before = [], os.times()
    for program in programs:
        command = [str(folder.resolve() / "bin" / program)] + [a.format(**files) for a in ARGUMENTS.get(program, [])]
        environment = dict(os.environ, **SLICE, KARAT_MUTANT_LEFT_OUT=LEFT_OUT.get(program, ""), CMOCKA_MESSAGE_OUTPUT="xml")
        run = subprocess.run(command, env=environment, cwd=files["scratch"], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, check=False)
        if run.returncode != 0:
            sys.exit(f"score.py: {program} fails without a mutant\n{run.stdout}")
        names = [html.unescape(n) for n in re.findall(r'<testcase name="([^"]*)"', run.stdout)] or [None]  # Some programs have no cmocka in them
        tests += [Test(program, name, command, files["scratch"]) for name in dict.fromkeys(names)]
    after = os.times()
    return tests, after.children_user + after.children_system - before.children_user - before.children_system


def pool_map(function, items, jobs):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(function, items)


def find_reached(tests, scratch, jobs):
    """Runs every test by itself."""
    def one(numbered):
        number, test = numbered
        path = scratch / f"reached{number}"
        status, test.seconds = test.run(reached=path)
        if status != 0 or not path.exists():
            sys.exit(f"score.py: {test} fails by itself (status {status})")
        test.reached = frozenset(int(line) for line in path.read_text(encoding="ascii").split())

    list(pool_map(one, enumerate(tests), jobs))


def judge(mutant, tests, kills):
    """(fate, which test); kills: how many each test has killed, by file"""
    meets = sorted((t for t in tests if mutant["number"] in t.reached), key=lambda t: t.seconds / (1 + kills[mutant["file"], t]))
    for test in meets:
        status, seconds = test.run(mutant["number"])
        if status != 0:
            kills[mutant["file"], test] += 1
            return "hangs" if seconds >= int(PATIENCE * test.seconds) + 2 else "crashes" if status < 0 else "fails", str(test)
    return ("survives" if meets else "not reached"), None


def table(title, groups, mutants):
    lines = [f"{title:28} mutants  killed  equivalent  survive   score"]
    for group in groups + ["all"]:
        some = collections.Counter(m["fate"] for m in mutants if group in ("all", m[title]))
        counted = some.total() - some["equivalent"]
        if some:
            lines.append(f"{group:28} {some.total():7} {some['killed']:7} {some['equivalent']:11} {some['survived']:8}"
                         f"  {100 * some['killed'] / max(counted, 1):5.1f} %")
    return "\n".join(lines)


def table_of_tests(tests, mutants):
    kills = collections.Counter(m["test"] for m in mutants)
    lines = [f"{'test':60} seconds  killed"]
    lines += [f"{str(t):60} {t.seconds:7.2f} {kills[str(t)]:7}" for t in sorted(tests, key=lambda t: -t.seconds)]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="Mutants of Karat's C that the tests do not notice.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--programs", required=True, help="the suite, with commas")
    parser.add_argument("--source", type=pathlib.Path, required=True, help="the repository")
    parser.add_argument("--commands", type=pathlib.Path, required=True, help="compile_commands.json: for what compilers say of survivors")
    parser.add_argument("--file", action="append", default=[], metavar="NAME=PATH", help="a file that a test of the suite wants")
    parser.add_argument("--tests", action="store_true", help="print the cost of each test")
    parser.add_argument("--json", type=pathlib.Path, help="write every mutant and its fate there")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    drawn = json.loads((args.folder / "mutants.json").read_text(encoding="utf-8"))
    mutants = drawn["mutants"]
    with tempfile.TemporaryDirectory() as scratch:
        tests, suite = list_tests(args.folder, args.programs.split(","), dict(f.split("=", 1) for f in args.file) | {"scratch": scratch})
        find_reached(tests, pathlib.Path(scratch), args.jobs)
        print(f"{len(mutants)} mutants of {drawn['sites']} sites, seed {drawn['seed']}; {len(tests)} tests, {suite:.1f} s without a mutant"
              f"{'' if suite < BUDGET else f': more than the {BUDGET:g} s that it should take'}", flush=True)
        kills = collections.Counter()
        for mutant, (how, test) in zip(mutants, pool_map(lambda m: judge(m, tests, kills), mutants, args.jobs)):
            mutant["how"], mutant["test"], mutant["fate"] = how, test, "killed" if test else "survived"
            if not test:
                print(f"    {mutant['number']} lives ({how})", flush=True)
    compiled = Compiled(args.source.resolve(), args.commands)
    lives = [m for m in mutants if not m["test"]]
    for mutant, compiler in zip(lives, pool_map(compiled.proves, lives, args.jobs)):
        if compiler:
            mutant["fate"], mutant["how"] = "equivalent", f"{compiler} makes the same code of it"
    for mutant in lives:
        print(f"\n{mutant['fate']} ({mutant['how']}): {mutant['number']} {mutant['file']}:{mutant['line']} {mutant['function']}, "
              f"{mutant['kind']}\n    - {mutant['before']}\n    + {mutant['after']}")
    print("\n" + table("area", list(AREAS), mutants))
    print("\n" + table("file", sorted({m["file"] for m in mutants}), mutants))
    if args.tests:
        print("\n" + table_of_tests(tests, mutants))
    if args.json:
        args.json.write_text(json.dumps({"seed": drawn["seed"], "sites": drawn["sites"], "suite_seconds": round(suite, 2),
                                         "mutants": mutants}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
