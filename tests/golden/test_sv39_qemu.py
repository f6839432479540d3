"""The model's SV39 translations against qemu-system-riscv64, as far as a core in S-mode has the same rules: a bare program makes the
accesses. Left out are A and D, which QEMU sets by itself, and U. Exits with 77 where the emulator, clang or lld is missing.

KARAT_QEMU_SYSTEM names the emulator (qemu-system-riscv64, package qemu-system-misc), KARAT_SEED repeats a run, KARAT_SV39_WALKS sets the
number of accesses.
"""
import argparse
import collections
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--walks", required=True, help="the program sv39_walks")
parser.add_argument("--clang", required=True)
parser.add_argument("--lld", required=True)
args = parser.parse_args()

SEED = int(os.environ.get("KARAT_SEED", "39"), 0)
ACCESSES = int(os.environ.get("KARAT_SV39_WALKS", "100000"))
EMULATOR = os.environ.get("KARAT_QEMU_SYSTEM", "qemu-system-riscv64")
HERE = pathlib.Path(__file__).parent
LIST, TABLES, FILL, FILL_END, RAM_END = 0x81000000, 0x83000000, 0x84000000, 0x88000000, 0x88000000  # As in sv39_guest.S
NOWHERE = 1 << 36  # Above are no devices either
PAGES = 64
BITS_U = 1 << 4
NONE = 255
PAGE_FAULT, ACCESS_FAULT = (12, 13, 15), (1, 5, 7)  # Causes for a fetch, a load, a store

for tool in (EMULATOR, args.clang, args.lld):
    if not shutil.which(tool):
        print(f"skipped: cannot run {tool}")
        sys.exit(77)


def draw_entry(r, tables):
    kind = r.random()
    if kind < 0.45:
        pte = r.choice(tables) >> 12 << 10 | r.choice((1, 1, 0x21, 0x301))
    elif kind < 0.48:
        pte = NOWHERE + (r.getrandbits(12) << 12) >> 2 | 1
    elif kind < 0.96:
        base = r.choice((r.randrange(FILL, FILL_END, 4096), r.randrange(FILL, FILL_END, 2 << 20), 0x80000000, NOWHERE))
        pte = base >> 2 | r.choice((0xCF, 0xCF, 0xC7, 0xC3, 0xCB, 0xC9))
    else:
        pte = r.getrandbits(64) | 0xC0
    if r.random() < 0.1:
        pte ^= 1 << r.choice((0, 1, 2, 3, 6, 7, 10, 18, 19, 27, r.randrange(54, 64)))
    return pte


def draw_virt(r):
    """Half of the addresses are in the fill where a page of 1 GiB is at the beginning of memory."""
    virt = r.getrandbits(38) | r.choice((0, 2**64 - 2**38))
    if r.random() < 0.5:
        virt = virt >> 30 << 30 | r.randrange(FILL, FILL_END) & (1 << 30) - 1
    if r.random() < 0.04:
        virt ^= 1 << r.randrange(38, 64)
    return virt & ~7


def main():
    r = random.Random(SEED)
    tables = [TABLES + 4096 * i for i in range(PAGES)]
    entries = {table: [draw_entry(r, tables) for _ in range(512)] for table in tables}
    accesses = [(r.choice(tables), draw_virt(r), r.randrange(3)) for _ in range(ACCESSES)]
    commands = ["names", f"map {TABLES:x} {4096 * PAGES:x}"]
    commands += (f"put {table:x} " + " ".join(f"{pte:x}" for pte in entries[table]) for table in tables)
    commands += (f"walk {root:x} {virt:x} {use}" for root, virt, use in accesses)
    walks = subprocess.run([args.walks], input="\n".join(commands) + "\n", capture_output=True, text=True, check=True).stdout.splitlines()
    names, walks = walks[:-ACCESSES], walks[-ACCESSES:]
    asked, seen = [], collections.Counter()
    for (root, virt, use), walk in zip(accesses, walks):
        reason, level, phys, _, entry = walk.split()
        name, phys, entry = names[int(reason)], int(phys, 16), int(entry, 16)
        if name in ("A is clear", "D is clear") or entry & BITS_U and name != "entry is not valid":
            continue
        if name != "no fault":  # For an entry outside of memory QEMU has a page fault, too; the specification wants an access fault
            expected = PAGE_FAULT[use], 1, 0
        elif FILL <= phys < FILL_END:
            expected = NONE, 0, phys // 8
        elif phys >= NOWHERE:
            expected = ACCESS_FAULT[use], 1, 0
        else:
            continue
        asked.append((root, virt, use, expected, name))
        seen[name, use] += 1
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        guest, table_file, list_file, answers = (folder / name for name in ("guest.elf", "tables", "list", "answers"))
        subprocess.run([args.clang, "-target", "riscv64", "-march=rv64ia", "-mabi=lp64", "-mno-relax", "-nostdlib", "-static",
                        f"--ld-path={shutil.which(args.lld)}", "-Wl,-Ttext=0x80000000", HERE / "sv39_guest.S", "-o", guest], check=True)
        table_file.write_bytes(b"".join(struct.pack("<512Q", *entries[table]) for table in tables))
        list_file.write_bytes(struct.pack("<Q", len(asked)) + b"".join(
            struct.pack("<3Q", 8 << 60 | root >> 12, virt, use) for root, virt, use, _, _ in asked))
        subprocess.run([EMULATOR, "-machine", "virt", "-m", f"{RAM_END - 0x80000000 >> 20}", "-display", "none", "-monitor", "none",
                        "-serial", f"file:{answers}", "-bios", guest, "-device", f"loader,file={table_file},addr={TABLES:#x},force-raw=on",
                        "-device", f"loader,file={list_file},addr={LIST:#x},force-raw=on"], check=True)
        data = answers.read_bytes()
    if len(data) != 6 * len(asked):
        sys.exit(f"{len(data) // 6} answers for {len(asked)} accesses")
    for (root, virt, use, expected, name), (cause, is_addr, found) in zip(asked, struct.iter_unpack("<BBI", data)):
        got = (cause, 0, found) if cause == NONE else (cause, is_addr, 0)
        if got != expected:
            sys.exit(f"KARAT_SEED={SEED}: root {root:#x} virt {virt:#x} use {use}: the model has '{name}', cause, address and place "
                     f"{expected}; QEMU has {got}")
    left_out = {"A is clear", "D is clear"}
    for name in set(names) - left_out:
        if not any(seen[name, use] for use in range(3)):
            sys.exit(f"no access with '{name}'")
    print(f"{len(asked)} accesses agree with QEMU:",
          ", ".join(f"{name} {sum(seen[name, use] for use in range(3))}" for name in names if name not in left_out))


main()
