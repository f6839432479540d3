#!/usr/bin/python3
"""karat locate: for markers whose place is known the true line is among the first suspects, text, JSON and the list of signals agree, and
what cannot be located is refused in one line."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path += [str(ROOT / "scripts"), str(HERE.parent / "vectors")]

import faults  # noqa: E402
from checks import check, end  # noqa: E402

MARKERS = {"sra_logical": "alu_int", "max_unsigned": "alu_int", "write_enable": "alu_int"}  # An arm of a case each, and a line in a loop
FIRST = 3


def run(args, *words):
    return subprocess.run([args.karat, "locate", *map(str, words)], capture_output=True, text=True)


def test_marker(args, folder, marker):
    plusargs = [f"--core={args.core}", f"+kernel={args.vectors / MARKERS[marker.name]}.elf", "+seed=1", f"+fault={marker.name}"]
    waves = folder / "waves.gtkw"
    done = run(args, "--json", f"--wave-list={waves}", *plusargs)
    check(done.returncode == 0 and not done.stderr, f"{marker.name}: status {done.returncode}: {done.stderr}")
    data = json.loads(done.stdout)
    places = [(pathlib.Path(s["file"]).name, s["first"], s["last"]) for s in data["suspects"]]
    true = [i for i, (file, line, last) in enumerate(places) if file == marker.path.name and line <= marker.line <= last]
    check(true and true[0] < FIRST, f"{marker.name}: {marker.path.name}:{marker.line} is not among the first {FIRST} of {places}")
    check(len(places) <= 10 and len(set(places)) == len(places), f"{marker.name}: a list of {len(places)}")
    scores = [s["score"] for s in data["suspects"]]
    check(scores == sorted(scores, reverse=True), f"{marker.name}: the order")
    text = run(args, *plusargs).stdout
    named = [(pathlib.Path(s["file"]).name, str(s["line"])) for s in data["suspects"]]
    check(re.findall(r"^ *\d+  \S*?([^/\s]+):(\d+)  ", text, re.M) == named, f"{marker.name}: the text")
    named = {line for line in waves.read_text().splitlines() if line.startswith("TOP.")}
    check({re.sub(r"\[\d+:0\]$", "", name) for name in named} == {f"TOP.{name}" for s in data["suspects"] for name in s["signals"]},
          f"{marker.name}: the list of signals")
    check(f"[timestart] {data['window'][0]}" in waves.read_text(), f"{marker.name}: the window of the wave")


def test_refused(args, folder):
    kernel = f"+kernel={args.vectors / 'alu_int.elf'}"
    for what, words, said in (("a run that passes", [f"--core={args.core}", kernel], "does not fail"),
                              ("a core without coverage", [f"--core={args.without}", kernel, "+fault=sra_logical"], "COVERAGE"),
                              ("no core", [kernel], "expected --core=HARNESS"),
                              ("a word", [f"--core={args.core}", "alu_int.elf"], "found 'alu_int.elf'"),
                              ("no such core", [f"--core={folder / 'none'}", kernel], "none"),
                              ("a fault that is none", [f"--core={args.core}", kernel, "+fault=none_such"], "none_such")):
        done = run(args, f"--wave-list={folder / 'left'}", *words)
        check(done.returncode == 2 and len(done.stderr.splitlines()) == 1 and said in done.stderr, f"{what}: {done.returncode}: {done.stderr}")
        check(not done.stdout and not (folder / "left").exists(), f"{what}: left over")


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
        test_refused(args, pathlib.Path(name))
    return end()


if __name__ == "__main__":
    sys.exit(main())
