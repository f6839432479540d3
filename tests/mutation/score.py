#!/usr/bin/python3
"""How many mutants the fast suite kills.

Every test runs once without a mutant: it has to pass, and says which mutants' places it executes. A mutant then meets only the tests
that come by its place, quick ones and those that have killed most in that file first, until one fails, crashes, or takes far longer
than without the mutant: that one has killed it. A mutant that no test executes has survived.

Survivors that are proven equivalent do not count: by a compiler that makes the same code of them (compiled.py), or in equivalent.json,
each with its proof. An entry there that a test kills all the same is wrong, and an error.

--tests says what each test costs, and what it has killed first: where the suite has become too slow.

Usage: score.py --programs NAME,NAME... [--tests] [--floor PERCENT] [--json FILE] [--equivalent FILE] [--source DIR --commands FILE]
                [--file NAME=PATH]... [--only N,N...] DIR   (of mutate.py, with bin/)
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
from mutate import AREAS, KINDS, in_words, key_of

# The arguments of programs that have some, and a test that is left out where one is long and not of what is mutated.
ARGUMENTS = {
    "test_arguments": ["{kernel}", "{scratch}"],
    "test_verdicts": ["{verdicts}"],
    "test_no_memory": ["{kernel}", "{scratch}"],
    "test_qemu": ["{guest}"],
    "test_qemu64": ["{guest64}"],
    "fuzz_model": ["--words", "30000", "--jobs", "1", "--min-count", "0"],
}
LEFT_OUT = {"test_step": "forgeries_do_no_harm", "test_isa": "disassembly_stays_in_its_buffer", "test_report": "damaged_tables"}
# A slice of what the tests draw.
SLICE = {"KARAT_SEED": "1", "KARAT_CHECK_SHARE": "2", "KARAT_LITMUS_NUM": "100", "KARAT_ISA_WORDS": "20000", "KARAT_ISA_TRIPS": "100",
         "KARAT_ISA_PREFIXED": "40", "KARAT_QEMU_SCALAR": "4000", "KARAT_QEMU_CONTROL": "3000",
         "KARAT_QEMU_MEMORY": "3000", "KARAT_QEMU_FLOAT": "4000", "KARAT_QEMU_VECTOR": "9000", "KARAT_QEMU_VECTOR_MEMORY": "3000",
         "KARAT_QEMU64_SCALAR": "1000", "KARAT_QEMU64_BRANCH": "500", "KARAT_QEMU64_AMO": "500", "KARAT_QEMU64_VECTOR": "13000",
         "KARAT_QEMU64_FLOAT": "2000", "KARAT_COMPOSE": "1000", "KARAT_SLICES": "2",
         "CMOCKA_TEST_ABORT": "1",
         "MALLOC_MMAP_THRESHOLD_": "33554432", "MALLOC_TRIM_THRESHOLD_": "268435456"}  # no pages back and forth
PATIENCE = 10  # times as long as without the mutant
BUDGET = 5.0  # CPU seconds that the suite may take


class Test:
    def __init__(self, program, name, command, scratch):
        self.program, self.name, self.command = program, name, command
        self.scratch = scratch  # where it leaves what a crash keeps it from deleting
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
        asleep = threading.Timer(20 * limit + 20, process.kill)  # no CPU time passes where it waits for ever
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
        names = [html.unescape(n) for n in re.findall(r'<testcase name="([^"]*)"', run.stdout)] or [None]  # not all have cmocka in them
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
        some = [m for m in mutants if group in ("all", m[title])]
        fates = collections.Counter(m["fate"] for m in some)
        counted = len(some) - fates["equivalent"]
        if some:
            lines.append(f"{group:28} {len(some):7} {fates['killed']:7} {fates['equivalent']:11} {fates['survived']:8}"
                         f"  {100 * fates['killed'] / max(counted, 1):5.1f} %")
    return "\n".join(lines)


def table_of_tests(tests, mutants):
    kills = collections.Counter(m["test"] for m in mutants)
    lines = [f"{'test':60} seconds  killed"]
    lines += [f"{str(t):60} {t.seconds:7.2f} {kills[str(t)]:7}" for t in sorted(tests, key=lambda t: -t.seconds)]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="Mutation score of Karat's C.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--programs", required=True, help="the suite, with commas")
    parser.add_argument("--floor", type=float, default=0.0, help="percent that have to be killed of those not equivalent")
    parser.add_argument("--json", type=pathlib.Path, help="write every mutant and its fate there")
    parser.add_argument("--equivalent", type=pathlib.Path)
    parser.add_argument("--source", type=pathlib.Path, help="the repository, and")
    parser.add_argument("--commands", type=pathlib.Path, help="compile_commands.json: let compilers prove survivors equivalent")
    parser.add_argument("--file", action="append", default=[], metavar="NAME=PATH", help="a file that a test of the suite wants")
    parser.add_argument("--tests", action="store_true", help="print the cost of each test")
    parser.add_argument("--only", help="numbers of mutants, with commas")
    parser.add_argument("--quick", action="store_true", help="trust equivalent.json instead of running its entries")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    drawn = json.loads((args.folder / "mutants.json").read_text(encoding="utf-8"))
    mutants = drawn["mutants"]
    if args.only:
        wanted = {int(n) for n in args.only.split(",")}
        mutants = [m for m in mutants if m["number"] in wanted]
    proven = {key_of(e): e["reason"] for e in json.loads(args.equivalent.read_text(encoding="utf-8"))} if args.equivalent else {}
    with tempfile.TemporaryDirectory() as scratch:
        tests, suite = list_tests(args.folder, args.programs.split(","), dict(f.split("=", 1) for f in args.file) | {"scratch": scratch})
        find_reached(tests, pathlib.Path(scratch), args.jobs)
        print(f"{len(mutants)} mutants of {drawn['sites']} sites, seed {drawn['seed']}; left out by rule: "
              f"{in_words(drawn['left_out'])}; {len(tests)} tests, {suite:.1f} s without a mutant"
              f"{'' if suite < BUDGET else f': more than the {BUDGET:g} s that it should take'}", flush=True)
        kills, believed = collections.Counter(), set(proven) if args.quick else set()

        def fate(mutant):
            return ("believed", None) if key_of(mutant) in believed else judge(mutant, tests, kills)

        for mutant, (how, test) in zip(mutants, pool_map(fate, mutants, args.jobs)):
            mutant["how"], mutant["test"] = how, test
            if test is None and key_of(mutant) not in proven:
                print(f"    {mutant['number']} lives ({how})", flush=True)
        if args.commands:
            compiled = Compiled(args.source.resolve(), args.commands)
            lives = [m for m in mutants if m["test"] is None and key_of(m) not in proven]
            for mutant, compiler in zip(lives, pool_map(compiled.proves, lives, args.jobs)):
                if compiler:
                    proven[key_of(mutant)] = f"{compiler} makes the same code of it."
    wrong = []
    for mutant in mutants:
        reason = proven.get(key_of(mutant))
        killed = mutant["test"] is not None
        mutant["fate"] = "killed" if killed else "equivalent" if reason else "survived"
        if reason and killed:
            wrong.append(mutant)
        elif reason:
            mutant["reason"] = reason
    for mutant in mutants:
        if mutant["fate"] == "killed":
            continue
        print(f"\n{mutant['fate']} ({mutant['how']}): {mutant['number']} {mutant['file']}:{mutant['line']} {mutant['function']}, "
              f"{mutant['kind']}\n    - {mutant['before']}\n    + {mutant['after']}")
        if "reason" in mutant:
            print(f"    {mutant['reason']}")
    print("\n" + table("area", list(AREAS), mutants))
    print("\n" + table("file", sorted({m["file"] for m in mutants}), mutants))
    print("\n" + table("kind", list(KINDS), mutants))
    if args.tests:
        print("\n" + table_of_tests(tests, mutants))
    counted = [m for m in mutants if m["fate"] != "equivalent"]
    score = 100 * sum(m["fate"] == "killed" for m in counted) / max(len(counted), 1)
    if args.json:
        args.json.write_text(json.dumps({"seed": drawn["seed"], "sites": drawn["sites"], "suite_seconds": round(suite, 2),
                                         "score": round(score, 2), "mutants": mutants}, indent=1) + "\n", encoding="utf-8")
    for mutant in wrong:
        print(f"score.py: equivalent.json has mutant {mutant['number']} of {mutant['file']} {mutant['function']}, which {mutant['test']} "
              "kills", file=sys.stderr)
    if score < args.floor:
        print(f"score.py: {score:.1f} % killed, {args.floor:g} % wanted", file=sys.stderr)
    sys.exit(bool(wrong) or score < args.floor)


if __name__ == "__main__":
    main()
