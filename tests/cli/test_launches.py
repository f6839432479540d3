#!/usr/bin/python3
"""Random launches: grids and workgroups of one to three dimensions with ragged edges, private memory by workgroup, by resident slot and with one
base. Which threads start, and their ids, are calculated here from the numbers alone; the model has to agree, its recording has to pass, and with
--harness so has a core in lockstep. The kernel stores, for each thread that runs, its number and 1, after it has been in private memory; with --ids
the thread's ids, too, as csrr.v reads them (profile public)."""
import argparse
import ctypes
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE, OUT, KNL, PRIVATE = 0x80000000, 0x90000000, 0x90100000, 0xa0000000
PDS = 16  # Bytes a thread
KERNEL = """
#include "karat.inc"
.globl _start
_start:
    csrr    x5, CSR_KNL
    lw      x6, 4(x5)           // workgroups in x
    lw      x7, 8(x5)           // and in y
    lw      x8, 0(x5)           // the results
    csrr    x9, CSR_GDZ
    mul     x9, x9, x7
    csrr    x10, CSR_GDY
    add     x9, x9, x10
    mul     x9, x9, x6
    csrr    x10, CSR_GDX
    add     x9, x9, x10         // the workgroup's number
    csrr    x11, CSR_NUMW
    csrr    x12, CSR_NUMT
    mul     x11, x11, x12
    mul     x9, x9, x11
    csrr    x10, CSR_TID
    add     x9, x9, x10         // the number of the warp's first thread in the grid
    vid.v   v1
    vadd.vx v1, v1, x9
    vadd.vi v2, v1, 1
    vmv.v.x v3, x0
    vsw.v   v2, 12(v3)
    barrier x0, x0, 0
    vlw.v   v4, 12(v3)
    vsll.vi v1, v1, 2
    vadd.vx v1, v1, x8
    vsw12.v v4, 0(v1)
"""
IDS, AT_IDS = 7, 0x80000  # Words of a thread, from there on
STORE_IDS = """
    li      x7, AT_IDS
    vsub.vx v1, v1, x8
    vsll.vi v1, v1, 3
    vadd.vx v1, v1, x8
    vadd.vx v1, v1, x7
    .set    i, 0
    .rept   IDS
    csrr.v  v6, CSR_GID_X + i
    vsw12.v v6, 4 * i(v1)
    .set    i, i + 1
    .endr
"""


class Launch:
    """A launch that was drawn, and what has to come of it."""

    def __init__(self, draw, threads, warps):
        while True:
            self.threads = draw.choice([n for n in (1, 2, 4, 8, 16, 32) if n <= threads])
            dims = draw.randint(1, 3)
            self.local = [draw.randint(1, (24, 6, 3)[dims - 1]) if i < dims else 1 for i in range(3)]
            self.grid = [draw.randint(1, (6, 3, 2)[dims - 1]) if i < dims else 1 for i in range(3)]
            x, y, z = self.local
            self.warps = -(-x * y * z // self.threads)
            if self.warps <= warps:
                break
        self.size = [(g - 1) * n + draw.randint(1, n) for g, n in zip(self.grid, self.local)]
        self.first = [draw.randint(0, 100) for _ in range(3)]
        self.slots = draw.choice((0, 1, draw.randint(2, 6)))
        self.groups = self.grid[0] * self.grid[1] * self.grid[2]
        self.each = self.threads * self.warps

    def items(self, group):
        """(thread of the workgroup, local ids, global ids) of the threads that start."""
        place = (group % self.grid[0], group // self.grid[0] % self.grid[1], group // self.grid[0] // self.grid[1])
        thread = 0
        for z in range(self.local[2]):
            for y in range(self.local[1]):
                for x in range(self.local[0]):
                    at = [p * n + i for p, n, i in zip(place, self.local, (x, y, z))]
                    if all(a < s for a, s in zip(at, self.size)):
                        yield thread, [x, y, z], [a + f for a, f in zip(at, self.first)]
                    thread += 1

    def results(self):
        words = [0] * (self.groups * self.each)
        for group in range(self.groups):
            for thread, _, _ in self.items(group):
                words[group * self.each + thread] = group * self.each + thread + 1
        return words

    def ids(self):
        """Of each thread: global ids, the linear one, and local ids."""
        words = [0] * (self.groups * self.each * 8)
        for group in range(self.groups):
            for thread, local, ids in self.items(group):
                x, y, z = (a - f for a, f in zip(ids, self.first))
                at = 8 * (group * self.each + thread)
                words[at:at + IDS] = [*ids, (z * self.size[1] + y) * self.size[0] + x, *local]
        return words

    def warps_that_start(self):
        return sum(len({thread // self.threads for thread, _, _ in self.items(group)}) for group in range(self.groups))

    def write(self, path, code, profile):
        private = (self.slots or self.groups) * self.each * PDS
        knl = [OUT, self.grid[0], self.grid[1], *self.size, *self.local, *self.first]
        buffers = [(CODE, code, 0x1000), (OUT, [], 0x100000), (KNL, knl, 0x1000), (PRIVATE, [], private)]
        fields = [CODE, 0, *self.grid, self.threads, self.warps, KNL, 0, PDS, 32, 32, PRIVATE, 3, *self.size, *self.local, *self.first, len(buffers),
                  *(b[0] for b in buffers), *(4 * len(b[1]) for b in buffers), *(b[2] for b in buffers)]
        slots = f"// slots of private memory: {self.slots}\n" if self.slots else ""
        path.write_text(profile + slots + "".join(f"{field:08x}\n00000000\n" for field in fields))
        path.with_suffix(".data").write_text("".join(f"{word:08x}\n" for b in buffers for word in b[1]))


class Test:
    def __init__(self, args, folder):
        self.args, self.folder, self.failures = args, folder, 0
        self.code = self.assemble()

    def check(self, good, *what):
        if not good:
            self.failures += 1
            print("FAILED:", *what)

    def run(self, *command):
        return subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=self.folder)

    def assemble(self):
        ids = STORE_IDS.replace("AT_IDS", str(AT_IDS)).replace("IDS", str(IDS)) if self.args.ids else ""
        head, start, rest = KERNEL.partition(".globl _start\n")
        (self.folder / "k.S").write_text(head + ("PROFILE public\n.text\n" if ids else "") + start + rest + ids + "endprg\n")
        for command in ((self.args.clang, "-target", "riscv32", "-march=rv32ima_zfinx_zve32f", "-mno-relax", "-I", ROOT / "vectors", "-c", "k.S"),
                        (self.args.lld, "-T", ROOT / "vectors" / "karat.ld", "k.o", "-o", "k.elf")):
            done = self.run(*command)
            assert done.returncode == 0, done.stderr
        listing = self.run(self.args.karat, "disasm", "k.elf").stdout
        return [int(word, 16) for word in re.findall(r"^0x[0-9a-f]{8}: ([0-9a-f]{8})", listing, re.M)]

    def library_ids(self, path, launch):
        """The library's masks and ids, of every thread."""
        kernel = self.library.karat_kernel_load(str(path).encode(), None, None)
        local, ids = (ctypes.c_uint32 * 3)(), (ctypes.c_uint32 * 3)()
        for group in range(launch.groups):
            expected = {thread: (a, b) for thread, a, b in launch.items(group)}
            for thread in range(launch.each):
                warp, lane = divmod(thread, launch.threads)
                mask = self.library.karat_kernel_mask(kernel, launch.threads, group, warp)
                found = self.library.karat_kernel_thread(kernel, launch.threads, group, warp, lane, local, ids)
                if not (found == (thread in expected) == (mask >> lane & 1) and (not found or (list(local), list(ids)) == expected[thread])):
                    self.check(False, path.name, "ids of workgroup", group, "thread", thread, found, hex(mask), list(local), list(ids))
                    return
        self.library.karat_kernel_free(kernel)

    def launch(self, name, launch):
        path = self.folder / f"{name}.metadata"
        launch.write(path, self.code, "// ISA profile public\n" if self.args.ids else "")
        places = [(OUT, launch.results())] + ([(OUT + AT_IDS, launch.ids())] if self.args.ids else [])
        what = (name, vars(launch))
        if self.library:
            self.library_ids(path, launch)
        resident = ["--resident", str(min(launch.slots or 4, launch.groups))]
        dumps = [f"--dump={at:#x},{4 * len(words)}" for at, words in places]
        done = self.run(self.args.karat, "run", *resident, "--record", f"{name}.ktr", *dumps, path)
        words = [int(w, 16) for line in done.stdout.splitlines() if line.startswith("0x") for w in line.split()[1:]]
        expected = [word for _, words in places for word in words]
        self.check(done.returncode == 0 and f" warps={launch.warps_that_start()} " in done.stdout, "run:", *what, done.stdout, done.stderr)
        self.check(words == expected, "results:", *what, words, expected)
        done = self.run(self.args.karat, "check", f"{name}.ktr")
        self.check(done.returncode == 0 and "PASS" in done.stdout, "check:", *what, done.stdout, done.stderr)
        if self.args.harness:
            done = self.run(self.args.harness, f"+kernel={path}", f"+memory={name}.memory")
            self.check(done.returncode == 0 and "PASS" in done.stdout, "core:", *what, done.stdout, done.stderr)
            memory = (self.folder / f"{name}.memory").read_bytes()
            pages = {int.from_bytes(memory[i:i + 8], "little"): memory[i + 8:i + 4104] for i in range(0, len(memory), 4104)}
            for at, words in places:
                stored = b"".join(pages.get(at + i, bytes(4096)) for i in range(0, 4 * len(words), 4096))[:4 * len(words)]
                self.check(stored == b"".join(w.to_bytes(4, "little") for w in words), "the core's memory:", hex(at), *what)

    def all(self):
        seed, self.library = self.args.seed, None
        if self.args.library:
            self.library = ctypes.CDLL(self.args.library)
            self.library.karat_kernel_load.restype = ctypes.c_void_p
            self.library.karat_kernel_mask.restype = ctypes.c_uint32
            self.library.karat_kernel_thread.restype = ctypes.c_bool
            for function in ("load", "mask", "thread", "free"):
                names = {"load": [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p], "mask": [ctypes.c_void_p] + [ctypes.c_uint32] * 3,
                         "thread": [ctypes.c_void_p] + [ctypes.c_uint32] * 4 + [ctypes.c_void_p] * 2, "free": [ctypes.c_void_p]}
                getattr(self.library, f"karat_kernel_{function}").argtypes = names[function]
        print(f"seed {seed}")
        draw = random.Random(seed)
        for i in range(self.args.launches):
            self.launch(f"l{i}", Launch(draw, self.args.threads, self.args.warps))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("karat", "harness", "library", "clang", "lld"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--ids", action="store_true", help="read by csrr.v, too")
    parser.add_argument("--threads", type=int, default=32, help="of a warp, at most")
    parser.add_argument("--warps", type=int, default=8, help="of a workgroup, at most")
    parser.add_argument("--launches", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for name in ("karat", "harness", "library"):
        if getattr(args, name):
            setattr(args, name, str(pathlib.Path(getattr(args, name)).resolve()))
    with tempfile.TemporaryDirectory() as folder:
        test = Test(args, pathlib.Path(folder))
        test.all()
    print(f"{args.launches} launches, {test.failures} failures")
    return test.failures != 0


if __name__ == "__main__":
    sys.exit(main())
