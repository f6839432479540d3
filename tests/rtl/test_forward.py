#!/usr/bin/python3
"""A core that forwards what it has loaded before it is written, where warps race: recordings of ingot with those WRITEs later, judged with all
that the core provides and with less, are no mismatch; where READ reports what was used, they pass."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

LESS = ("", "order", "mem", "amo-data", "read", "order,read", "mem,read")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("core", "karat", "forward"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    parser.add_argument("--threads", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--random", type=int, default=12, help="programs of `karat gen random --races`")
    args = parser.parse_args()
    problems = []
    later = passed = incomplete = 0
    print(f"seed {args.seed}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        programs = sorted((args.vectors / "races").glob("*.elf"))
        for seed in range(args.seed, args.seed + args.random):
            out = folder / str(seed)
            subprocess.run([args.karat, "gen", "random", "--races", f"--threads={args.threads}", f"--seed={seed}", "--length=150",
                            "--warps=3", "--workgroups=3", "--vgprs=512", f"--output={out}"], check=True, capture_output=True)
            programs += out.glob("*/program.elf")
        for number, program in enumerate(programs):
            trace, changed = folder / "run.ktr", folder / "forward.ktr"
            run = subprocess.run([args.core, f"+kernel={program}", f"+seed={args.seed + number}", "+quiet", f"+record={trace}"],
                                 capture_output=True, text=True)
            if run.returncode:
                continue # A vector that is to be no PASS
            for percent in (100, 30):
                seed = args.seed * 1000 + number
                later += int(subprocess.run([args.forward, f"--percent={percent}", str(seed), trace, changed], check=True,
                                            capture_output=True, text=True).stdout)
                for less in LESS:
                    without = [f"--without={less}"] if less else []
                    done = subprocess.run([args.karat, "check", *without, changed], capture_output=True, text=True)
                    passed += done.returncode == 0
                    incomplete += done.returncode == 5
                    if done.returncode != 0 and (done.returncode != 5 or not less):
                        problems.append(f"{program} {percent}% seed {seed} without {less}:\n{done.stdout}{done.stderr}")
    print(f"{later} writes came later; {passed} passed, {incomplete} were incomplete")
    if later < 1000:
        problems.append(f"{later} writes came later: too few")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
