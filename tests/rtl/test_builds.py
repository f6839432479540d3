#!/usr/bin/python3
"""The same record stream gives the same verdict, report and JSON, byte for byte: live, and judged again by each build of
`karat check`.

Recorded are runs that pass, the first fault marker of each kind of failure, a program error, runs that end early, and one that
goes on after its verdict; damaged and cut-off recordings give the same in every build. --all: every fault marker that shows on
this size of the core.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from test_faults import DEFAULT, STATUS, programs_of
from test_harnesses import judge_again, record
from test_input import jump_into_nothing

HERE = pathlib.Path(__file__).resolve().parent


def cases(args, folder):
    """(exit status, plusargs) of each run."""
    def kernel(names):
        return "+kernel=" + programs_of(args.vectors, names)
    yield 0, [kernel("vecadd,printing,simt_nested"), "+seed=3", "+latency=1:60", "+stall=40"]
    yield 0, [kernel("fp_exp"), "+no-audit"]
    yield 0, [kernel("undefined_regs")]
    yield 4, [f"+kernel={jump_into_nothing(args.vectors / 'vecadd.elf', folder)}"]
    yield 5, [kernel("vecadd"), "+max-cycles=200"]
    yield 1, [kernel("simt_nested"), "+fault=tie_if_first", "+go-on", "+max-cycles=4000"]
    seen = set()
    for name, want in json.loads((HERE / "expected_faults.json").read_text()).items():
        kind = want["kind"], want["verdict"] == "HANG" and want.get("detail")
        if "core" not in want and (args.all or kind not in seen):
            seen.add(kind)
            yield STATUS[want["verdict"]], [kernel(want["program"]), f"+fault={name}", *want.get("plusargs", DEFAULT)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", required=True)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    parser.add_argument("--all", action="store_true", help="all fault markers")
    parser.add_argument("builds", nargs="+", metavar="NAME=BUILD", help="executables that are `karat check`")
    args = parser.parse_args()
    builds = [build.split("=", 1) for build in args.builds]
    passed, failed = 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for status, plusargs in cases(args, folder):
            done, path, trace, live = record(args.core, plusargs, folder)
            print((live[1].splitlines() or [""])[-1][:100])
            wrong = [f"status {done.returncode}, expected {status}: {done.stderr}"] if done.returncode != status or not live[2] else []
            for build, check in builds:
                differs = judge_again([check], path, trace, live)
                wrong += [f"{build}: {differs}"] if differs else []
            passed, failed = passed + (not wrong), failed + bool(wrong)
            for text in wrong:
                print(f"test_builds: {' '.join(plusargs)}: {text}", file=sys.stderr)

        whole = trace.read_bytes()
        half = len(whole) // 2
        for what, content in (("cut off", whole[:half]), ("damaged", whole[:half] + bytes([whole[half] ^ 1]) + whole[half + 1:])):
            trace.write_bytes(content)
            said = {(done.returncode, done.stdout, done.stderr) for done in
                    (subprocess.run([check, trace], capture_output=True, text=True) for _, check in builds)}
            good = len(said) == 1 and all(status in (2, 5) for status, *_ in said)
            passed, failed = passed + good, failed + (not good)
            if not good:
                print(f"test_builds: {what}: {said}", file=sys.stderr)
    print(f"{len(builds)} builds: {', '.join(build for build, _ in builds)}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
