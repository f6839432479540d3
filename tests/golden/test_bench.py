"""scripts/bench: the figures of a loop, which are those of the same build twice, and an error for a loop that there is not.
scripts/bench_growth: as many instructions as asked for, in each form of launch."""
import argparse
import re
import shutil
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    for name in ("bench", "growth", "build", "kernels"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    common = [args.bench, "--build", args.build, "--kernels", args.kernels, "--threads", "4", "--steps", "150"]

    done = subprocess.run([*common, "--against", args.build, "--rate-steps", "20000", "--rounds", "2", "scalar"], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    figure = r" +(\d+\.\d+)"
    counts = 2 if shutil.which("valgrind") else 0
    found = re.fullmatch(r"scalar +4" + figure * (counts + 5), lines[-1]) if lines else None
    if done.returncode or not found:
        sys.exit(f"unexpected output, status {done.returncode}:\n{done.stdout}{done.stderr}")
    # One build, so one count; a step of the model takes more than 20 instructions, and by far less than 10,000.
    values = [float(text) for text in found.groups()]
    if counts and not (values[0] == values[1] and 20 < values[0] < 10_000):
        sys.exit(f"counts of one build: {values[:2]}")

    done = subprocess.run([*common, "nothing"], capture_output=True, text=True)
    if not done.returncode or "no loop nothing" not in done.stderr:
        sys.exit(f"a loop that there is not: status {done.returncode}, {done.stderr}")

    done = subprocess.run([args.growth, "--build", args.build, "--most", "200", "--recorded", "200"], capture_output=True, text=True)
    if shutil.which("time") and "-" in done.stdout:
        sys.exit(f"no memory was measured:\n{done.stdout}")
    rows = re.findall(r"^(\d+) (workgroups|kernels) +(\d+)((?: +(?:\d+\.\d|-)){6})$", done.stdout, re.M)
    if done.returncode or len(rows) != 6:
        sys.exit(f"unexpected output, status {done.returncode}:\n{done.stdout}{done.stderr}")
    for number, what, instructions, figures in rows:
        trips = 200 // 10 // int(number)
        if int(instructions) != int(number) * (11 + 10 * trips) or not all(f == "-" or float(f) > 0 for f in figures.split()):
            sys.exit(f"{number} {what}: {instructions} instructions, {figures}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
