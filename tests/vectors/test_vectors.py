#!/usr/bin/python3
"""Runs the directed programs on the model alone and compares what they leave in memory with expected.py.

    test_vectors.py --karat PATH --vectors DIR [--threads 4,8,16,32] [PROGRAM ...]
"""

import argparse
import os
import re
import struct
import subprocess
import sys

from elftools.elf.elffile import ELFFile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import expected  # noqa: E402

SHOW = 8  # differing words that are printed for each place


def symbols(path):
    with open(path, "rb") as f:
        table = ELFFile(f).get_section_by_name(".symtab")
        return {s.name: (s["st_value"], s["st_size"]) for s in table.iter_symbols() if s.name}


def run(karat, elf, threads, places, options):
    """Run the program; returns (error text or None, {address: word})."""
    command = [karat, "run", "--threads", str(threads), *options]
    for address, size in places:
        command += ["--dump", f"0x{address:08x},{size}"]
    done = subprocess.run(command + [elf], capture_output=True, text=True)
    if done.returncode:
        return f"exit status {done.returncode}: {(done.stderr + done.stdout).strip()[:2000]}", {}
    memory = {}
    for line in done.stdout.splitlines():
        m = re.match(r"0x([0-9a-f]+): *((?:[0-9a-f]{8} *)+)$", line)
        if m:
            for i, word in enumerate(m[2].split()):
                memory[int(m[1], 16) + 4 * i] = int(word, 16)
    return None, memory


def where(name, offset):
    """Where a word of out is, for programs that store rows."""
    return f"row {offset // 128} thread {offset % 128 // 4}" if name == "out" else ""


def check(karat, directory, program, threads, options):
    """Returns (list of complaints, number of words compared)."""
    elf = os.path.join(directory, program + ".elf")
    table = symbols(elf)
    complaints, places = [], []
    for place, content in expected.PROGRAMS[program](threads).items():
        if isinstance(place, str):
            if place not in table:
                return [f"no symbol '{place}'"], 0
            address, size = table[place]
            if size != len(content):
                complaints.append(f"{place} has {size} bytes, expected.py says {len(content)}")
            places.append((place, address, content))
        else:
            places.append((f"0x{place:08x}", place, content))
    error, memory = run(karat, elf, threads, [(a, len(c)) for _, a, c in places], options)
    if error:
        return complaints + [error], 0
    words = 0
    for name, address, content in places:
        bad = []
        for offset in range(0, len(content), 4):
            want = struct.unpack_from("<I", content, offset)[0]
            got = memory.get(address + offset)
            words += 1
            if got != want:
                shown = "nothing" if got is None else f"{got:08x}"
                bad.append(f"{name}+0x{offset:x} {where(name, offset)}: expected {want:08x}, got {shown}")
        complaints += bad[:SHOW]
        if len(bad) > SHOW:
            complaints.append(f"{name}: {len(bad) - SHOW} more words differ")
    return complaints, words


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--karat", required=True, help="the karat command")
    parser.add_argument("--vectors", required=True, help="folder of the assembled programs")
    parser.add_argument("--threads", default="4,8,16,32", help="threads per warp, several with commas")
    parser.add_argument("--option", action="append", default=[], help="a further option for karat run")
    parser.add_argument("programs", nargs="*", help="programs (all)")
    args = parser.parse_args()

    programs = args.programs or sorted(expected.PROGRAMS)
    built = {f[:-4] for f in os.listdir(args.vectors) if f.endswith(".elf")}
    failed = total = 0
    if not args.programs and built != set(programs):
        print(f"assembled programs and expected.py differ: {', '.join(sorted(built ^ set(programs)))}")
        failed += 1
    for program in programs:
        for threads in map(int, args.threads.split(",")):
            if program not in built:
                continue
            complaints, words = check(args.karat, args.vectors, program, threads, args.option)
            total += 1
            if complaints:
                failed += 1
                print(f"{program} with {threads} threads: FAIL")
                for c in complaints:
                    print(f"    {c}")
            else:
                print(f"{program} with {threads} threads: {words} words as expected")
    if not total:
        print("nothing was run")
    print(f"{total} runs, {failed} failures")
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
