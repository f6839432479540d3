"""scripts/bench: the instructions of a loop, which are those of the same build twice, its columns of rates, and an error for a loop that
there is not.
scripts/bench_growth: as many instructions as asked for, in each form of launch.

Nothing here depends on the time that something takes: the rates are made up, and the times of bench_growth may be 0."""
import argparse
import importlib.machinery
import pathlib
import re
import shutil
import subprocess
import sys


def check_columns(script):
    """Rates of two builds, as they are and as large as those of runs that take no time."""
    sys.path.insert(0, str(script.parent))
    sys.dont_write_bytecode = True
    bench = importlib.machinery.SourceFileLoader("bench", str(script)).load_module()
    args = argparse.Namespace(count=False, rounds=3, rate_steps=1)
    for factor in (1e6, 1e13):
        loop = bench.Loop("scalar", 4)
        loop.rates = lambda builds, steps, rounds: [[3 * factor, 1 * factor], [2 * factor, 2 * factor], [1 * factor, 4 * factor]]
        found = bench.line(loop, ["this", "that"], args).split()
        if [float(text) for text in found[2:5]] != [3 * factor * 1e-6, 4 * factor * 1e-6, 1] or len(found) != 7:
            sys.exit(f"columns of rates: {found}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("bench", "growth", "build", "kernels"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    check_columns(pathlib.Path(args.bench))
    common = [args.bench, "--build", args.build, "--kernels", args.kernels, "--threads", "4", "--steps", "150", "--rounds", "0"]

    done = subprocess.run([*common, "--against", args.build, "scalar"], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    counts = 2 if shutil.which("valgrind") else 0
    found = re.fullmatch(r"scalar +4" + r" +(\d+\.\d+)" * counts, lines[-1]) if lines else None
    if done.returncode or not found:
        sys.exit(f"unexpected output, status {done.returncode}:\n{done.stdout}{done.stderr}")
    # One build, so one count; a step of the model takes more than 20 instructions, and by far less than 10,000.
    values = [float(text) for text in found.groups()]
    if counts and not (values[0] == values[1] and 20 < values[0] < 10_000):
        sys.exit(f"counts of one build: {values}")

    done = subprocess.run([*common, "nothing"], capture_output=True, text=True)
    if not done.returncode or "no loop nothing" not in done.stderr:
        sys.exit(f"a loop that there is not: status {done.returncode}, {done.stderr}")

    done = subprocess.run([args.growth, "--build", args.build, "--most", "200", "--recorded", "200"], capture_output=True, text=True)
    if shutil.which("time") and "-" in done.stdout:
        sys.exit(f"no memory was measured:\n{done.stdout}")
    rows = re.findall(r"^(\d+) (workgroups|kernels) +(\d+)(?: +(?:\d+\.\d|-)){6}$", done.stdout, re.M)
    if done.returncode or len(rows) != 6:
        sys.exit(f"unexpected output, status {done.returncode}:\n{done.stdout}{done.stderr}")
    for number, what, instructions in rows:
        trips = 200 // 10 // int(number)
        if int(instructions) != int(number) * (11 + 10 * trips):
            sys.exit(f"{number} {what}: {instructions} instructions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
