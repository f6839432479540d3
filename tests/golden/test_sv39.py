"""The model's SV39 walk against an independent one: random tables with every kind of defect, addresses of all kinds.

KARAT_SEED repeats a run; KARAT_SV39_WALKS sets the number of walks.
"""
import argparse
import collections
import os
import random
import subprocess
import sys

from sv39_walker import FETCH, LOAD, STORE, walk

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--walks", required=True, help="the program sv39_walks")
args = parser.parse_args()

SEED = int(os.environ.get("KARAT_SEED", "39"), 0)
WALKS = int(os.environ.get("KARAT_SV39_WALKS", "150000"))
PAGES = 96  # Pages of tables

# --- Tables ------------------------------------------------------------------------------------------------------------------


def draw_entry(r, tables):
    kind = r.random()
    if kind < 0.42:  # Names a table
        pte = r.choice(tables) >> 12 << 10 | 1 | r.choice((0, 0, 0x20, 0x300))
    elif kind < 0.45:
        pte = r.getrandbits(44) << 10 | 1
    elif kind < 0.95:  # A leaf, of a size that it is aligned to
        frame = r.getrandbits(44) >> r.choice((0, 9, 18)) << r.choice((0, 9, 18, 18)) & (1 << 44) - 1
        pte = frame << 10 | r.choice((0xcf, 0xcf, 0xc7, 0xc3, 0xcb, 0xc9, r.getrandbits(10) | 1))
    else:
        pte = r.getrandbits(64)
    if r.random() < 0.08:  # One defect
        pte ^= 1 << r.choice((0, 1, 2, 3, 4, 6, 7, 10, 18, 19, 27, r.randrange(54, 64), r.randrange(64)))
    return pte


def draw_tables(r):
    """Places of tables anywhere in 56 bits, most of them pages of some 32 bits, none in the LDS window."""
    places = set()
    while len(places) < PAGES:
        page = r.getrandbits(r.choice((20, 20, 20, 26, 44)))
        if page and not 0x70000 <= page < 0x80000:
            places.add(page << 12)
    return sorted(places)


def draw_virt(r):
    kind = r.random()
    if kind < 0.03:
        return r.getrandbits(64)
    if kind < 0.06:  # One bit of the upper part is wrong
        virt = r.getrandbits(38) | r.choice((0, 2**64 - 2**38))
        return virt ^ 1 << r.randrange(38, 64)
    return r.getrandbits(38) | r.choice((0, 2**64 - 2**38))


def main():
    r = random.Random(SEED)
    tables = draw_tables(r)
    memory, commands = {}, ["names"]
    for table in tables:
        entries = [draw_entry(r, tables) for _ in range(512)]
        memory.update((table + 8 * i, pte) for i, pte in enumerate(entries))
        commands.append(f"map {table:x} 1000")
        commands.append(f"put {table:x} " + " ".join(f"{pte:x}" for pte in entries))
    queries = []
    for _ in range(WALKS):
        root = r.choice(tables) if r.random() < 0.98 else r.getrandbits(44) << 12
        queries.append((root, draw_virt(r), r.randrange(3)))
    commands += (f"walk {root:x} {virt:x} {use}" for root, virt, use in queries)
    done = subprocess.run([args.walks], input="\n".join(commands) + "\n", capture_output=True, text=True)
    lines = done.stdout.splitlines()
    if done.returncode or len(lines) < WALKS:
        sys.exit(f"{args.walks}: status {done.returncode}, {len(lines)} lines: {done.stderr}")
    names, answers = lines[:-WALKS], lines[-WALKS:]
    seen = collections.Counter()
    for (root, virt, use), answer in zip(queries, answers):
        reason, level, *rest = answer.split()
        got = (names[int(reason)], int(level), *(int(text, 16) for text in rest))
        expected = walk(memory, root, virt, use)
        if got != expected:
            sys.exit(f"KARAT_SEED={SEED}: root {root:#x} virt {virt:#x} use {use}: {got}, expected {expected}")
        seen[got[0], got[1], use] += 1
    for reason in names:
        levels = {"address is not canonical": [2], "no leaf entry": [0], "misaligned superpage": [1, 2]}.get(reason, [0, 1, 2])
        uses = {"page is not executable": [FETCH], "page is not readable": [LOAD], "page is not writable": [STORE],
                "D is clear": [STORE]}.get(reason, [FETCH, LOAD, STORE])
        for level in levels:
            for use in uses:
                if WALKS >= 100000 and seen[reason, level, use] < 5:
                    sys.exit(f"only {seen[reason, level, use]} walks with '{reason}' at level {level}, use {use}")
    print(f"{WALKS} walks agree:", ", ".join(f"{reason} {sum(n for key, n in seen.items() if key[0] == reason)}" for reason in names))


main()
