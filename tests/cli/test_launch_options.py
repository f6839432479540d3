#!/usr/bin/python3
"""Launches of an ELF file on the command line (docs/run.md): `karat launch` writes a .metadata and .data that run with the same commits; the
metadata buffer and argument buffer are as documented; first contents of local memory; and bad input is one line, and nothing written.

The kernel is vectors/debug/mix.S, assembled here.
"""
import argparse
import pathlib
import struct
import subprocess
import sys
import tempfile

from kernelfile import ENDPRG, addi, csrr, lui, lw, sw, write_metadata

FLAGS = ["-target", "riscv32", "-march=rv32ima_zfinx_zve32f", "-mno-relax"]
CSR_KNL = 0x803
KERNEL = ["--kernel=mix", "--grid=3,2", "--workgroup=8,2", "--print=64", "--arg=file:{0}/in.bin", "--arg=buffer:384", "--arg=buffer:384",
          "--arg=u32:-2", "--arg=f32:1.5", "--arg=local:100"]


class Test:
    def __init__(self, karat, folder):
        self.karat, self.folder, self.cases, self.failed = karat, folder, 0, 0

    def check(self, good, what, *more):
        self.cases += 1
        if not good:
            self.failed += 1
            print("test_launch_options:", what, *more, file=sys.stderr)

    def run(self, *words):
        return subprocess.run([self.karat, *map(str, words)], capture_output=True, text=True)


def read_pair(path):
    """Fields, and the words of each buffer by its base."""
    lines = path.read_text().split()
    fields = [int(high + low, 16) for low, high in zip(lines[::2], lines[1::2])]
    # A part of the last warp: dimensions, and work-items of grid and workgroup, are there, too.
    items = fields[13:23] if len(fields) != 14 + 3 * fields[13] else []
    fields[13:13 + len(items)] = []
    num = fields[13]
    bases, sizes, rooms = (fields[14 + num * i:14 + num * (i + 1)] for i in range(3))
    words = [int(word, 16) for word in path.with_suffix(".data").read_text().split()]
    buffers, at = {}, 0
    for base, size in zip(bases, sizes):
        buffers[base] = words[at:at + (size + 3) // 4]
        at += (size + 3) // 4
    return fields[:14], bases, rooms, buffers, len(words) - at, items


def same_commits(t, elf, threads, *more):
    options = ["--threads", threads, *(word.format(t.folder) for word in KERNEL), *more]
    # Of the same name as the ELF file, which a trace begins with.
    out = t.folder / f"of{threads}" / "mix.metadata"
    out.parent.mkdir(exist_ok=True)
    done = t.run("launch", elf, *options, "-o", out)
    t.check(done.returncode == 0 and "argument 1: 0x" in done.stdout and "argument 5: 0x7ffff000, 100 bytes of local memory\n" in done.stdout, done)
    live = t.run("run", elf, *options, "--trace", "--dump-arg=1")
    written = t.run("run", out, "--threads", threads, "--trace")
    t.check(live.returncode == 0 and live.stdout.count(" wg=") > 400, live)
    text = "".join(line for line in live.stdout.splitlines(True) if not line.startswith("0x"))
    t.check(text == written.stdout, f"{threads} threads: other commits", written.stderr, written.stdout[:300], text[:300])
    return out


def as_documented(t, out, threads, base):
    fields, bases, rooms, buffers, rest, items = read_pair(out)
    t.check(items == ([2, 24, 4, 1, 8, 2, 1, 0, 0, 0] if 16 % threads else []), "work-items", items)
    warps = (16 + threads - 1) // threads
    knl, pds = fields[7], fields[12]
    want = [0x80000000, 0, 3, 2, 1, threads, warps, knl, 0x1000, 0x1000, 64, 64, pds, 10]
    t.check(fields == want and rest == 0, "fields", fields, want, rest)
    pages = [base, base + 0x1000, base + 0x2000, 0x7ffff000, base + 0x3000]
    t.check(bases[:5] == pages, "the arguments' buffers, and the argument buffer", [hex(b) for b in bases])
    private = 6 * warps * threads * 0x1000
    t.check(pds == base + 0x4000 and rooms[bases.index(pds)] == private and not buffers[pds], "private memory", hex(pds))
    t.check(knl == pds + private + 0x1000 and bases[-2:] == [knl - 0x1000, knl], "print buffer and metadata buffer", hex(knl))
    value, = struct.unpack("<I", struct.pack("<f", 1.5))
    t.check(buffers[base + 0x3000] == [base, base + 0x1000, base + 0x2000, 0xfffffffe, value, 0x7ffff000], "argument buffer")
    words = buffers[knl]
    entry = words[0]
    t.check(words == [entry, base + 0x3000, 2, 24, 4, 1, 8, 2, 1, 0, 0, 0, knl - 0x1000, 64, 0, 0] and 0x80000000 < entry < 0x80001000,
            "metadata buffer", words)
    t.check(buffers[base] == [n * 0x01010101 for n in range(96)] and not any(buffers[base + 0x1000]), "contents")


def local_buffers(t):
    """Each workgroup finds a local buffer's first contents, and adds to them; a kernel after it finds zeros. Recordings say so."""
    out = 0x90001000
    code = [lui(5, 0x7ffff), lw(6, 5, 0), csrr(7, 0x808), addi(6, 6, 1), sw(6, 5, 0), lui(8, out >> 12)]
    code += [7 << 20 | 8 << 15 | 8 << 7 | 0x33] * 4 + [sw(6, 8, 0), ENDPRG]  # add x8, x8, x7: a word for each workgroup
    kernels = [write_metadata(t.folder / f"local{n}.metadata", wf_size=1, grid=(3, 1, 1), knl=out,
                              buffers=[(0x80000000, code, 4096), (out, [0], 4096)] + ([(0x7ffff000, [0x1230], 4096)] if n == 0 else []))
               for n in range(2)]
    for names, word in (([kernels[0]], "00001231"), (kernels, "00000001"), ([*kernels, kernels[0]], "00001231")):
        ktr = t.folder / "local.ktr"
        done = t.run("run", *names, "--resident=1", f"--dump={out:#x},12", f"--record={ktr}")
        t.check(done.returncode == 0 and f"0x{out:08x}: {word} {word} {word}\n" in done.stdout, names, done)
        done = t.run("check", ktr)
        t.check(done.returncode == 0 and f" warps={3 * len(names)} " in done.stdout, "karat check:", done)


def bad_input(t, elf):
    out = t.folder / "never.metadata"
    for options, want in (
            ([], "expected a section .karat.launch"),
            (["--grid=2"], "--kernel: expected the kernel's symbol too"),
            (["--kernel=none"], "expected a symbol none, the kernel to launch"),
            (["--kernel=mix", "--grid=1,0"], "--grid: expected X[,Y[,Z]], each 1 or more, found '1,0'"),
            (["--kernel=mix", "--workgroup=x"], "--workgroup: expected X[,Y[,Z]]"),
            (["--kernel=mix", "--workgroup=1024,1024"], "expected workgroups of at most 1024 warps"),
            (["--kernel=mix", "--arg=u32:0x100000000"],
             "--arg: expected buffer:SIZE, file:PATH, u32:V, f32:V or local:SIZE, found 'u32:0x100000000'"),
            (["--kernel=mix", "--arg=f32:one"], "found 'f32:one'"),
            (["--kernel=mix", "--arg=buffer:0"], "found 'buffer:0'"),
            (["--kernel=mix", f"--arg=file:{t.folder}/absent"], "absent"),
            (["--kernel=mix", "--arg=local:0x10000000"], "argument 0: expected local memory that fits"),
            (["--kernel=mix", "--arg=buffer:0x80000000"], "argument 0: expected buffers that fit into the 32-bit address space"),
            (["--kernel=mix", "--base=0x1001"], "--base: expected an address of 32 bits, a multiple of 4096"),
            (["--kernel=mix", "--sgprs=65"], "--sgprs: expected a number from 0 to 64"),
            (["--kernel=mix", "--pds=0x40000000", "--grid=2"], "expected private memory that fits")):
        for command in (["launch", "-o", out], ["run"]):
            done = t.run(*command, elf, *options)
            t.check(done.returncode == 2 and done.stderr.count("\n") == 1 and want in done.stderr and not done.stdout and
                    not out.exists() and not out.with_suffix(".data").exists(), want, done)
    for dump, want in (("4", "expected an argument that is a buffer or a file, found 4, which is a value"), ("6", "expected one of the 6 arguments"),
                       ("5:x", "found 5, which is local memory"), ("1:", "expected N or N:FILE")):
        done = t.run("run", elf, "--threads=8", *(word.format(t.folder) for word in KERNEL), f"--dump-arg={dump}")
        t.check(done.returncode == 2 and done.stderr.count("\n") == 1 and "--dump-arg: " in done.stderr and want in done.stderr, want, done)
    done = t.run("run", elf, elf, "--kernel=mix")
    t.check(done.returncode == 2 and "--kernel: expected one file to launch, found 2" in done.stderr, done)


def assemble(t, args, name, notes, code):
    """A program of these lines, with its launch."""
    source, obj, elf = (t.folder / f"{name}.{suffix}" for suffix in ("S", "o", "elf"))
    source.write_text(f'#include "karat.inc"\n{notes}\n.text\n.globl _start\n_start:\nKERNEL _start, threads=4\n{code}\nendprg\n')
    subprocess.run([args.clang, *FLAGS, "-I", args.sources, "-c", source, "-o", obj], check=True)
    subprocess.run([args.lld, "-T", args.sources / "karat.ld", obj, "-o", elf], check=True)
    return elf


def pages(t, args):
    """Changes of pages: by the macro, and kept by karat launch."""
    changes = ("0xc0000000:alias=0x80000000", "0xc0000000:no-write+global@0")
    elf = assemble(t, args, "paged", "\n".join(f'PAGE "{change}"' for change in changes), "lui a0, 0xc0000\nlw a1, 0(a0)\nsw a1, 4(a0)")
    out = t.folder / "paged.metadata"
    done = t.run("launch", elf, "--threads=4", "-o", out)
    t.check(done.returncode == 0 and out.read_text().splitlines()[:2] == [f"// page {change}" for change in changes], done)
    for file in (elf, out):
        done = t.run("run", "--threads=4", file)
        t.check(done.returncode == 4 and "store of 0xc0000004: page is not writable, level 0" in done.stderr, file, done)


def profiles(t, elf, args):
    """The profile of the ISA: of the option, or of the ELF file's note; the .metadata names it in its first line, and runs as it says."""
    named = assemble(t, args, "named", "PROFILE v2.03", "addw a0, a2, a4")
    kernel = ["--threads=4", *(word.format(t.folder) for word in KERNEL)]
    for file, options, profile in ((named, [], "v2.03"), (named, ["--profile=v2.03"], "v2.03"), (elf, [*kernel, "--profile=v2.02"], "v2.02"),
                                   (elf, [*kernel, "--profile=v2.03"], "v2.03"), (elf, kernel, None)):
        out = t.folder / "profile.metadata"
        done = t.run("launch", file, *options, "-o", out)
        lines = out.read_text().splitlines()
        t.check(done.returncode == 0 and lines[0] == (f"// ISA profile {profile}" if profile else "80000000"), file, options, done, lines[0])
        done = t.run("run", "--threads=4", out)
        t.check(done.returncode == 0 and not done.stderr, file, options, "runs", done)
        other = "v2.02" if profile == "v2.03" else "v2.03"
        done = t.run("run", "--threads=4", f"--profile={other}", out)
        said = f"karat run: profile: its code is for profile {profile} of the ISA; --profile: {other}\n" if profile else ""
        t.check((done.returncode, done.stderr) == (2 if profile else 0, said), file, options, done)
        out.unlink()
    for options, want in ((["--profile=v2.02"], "named: its code is for profile v2.03 of the ISA; --profile: v2.02"),
                          (["--profile=v2.2"], "--profile: expected v2.02 or v2.03 or public, found 'v2.2'")):
        done = t.run("launch", named, *options, "-o", out)
        t.check(done.returncode == 2 and done.stderr.count("\n") == 1 and want in done.stderr and not out.exists(), options, done)


def field(t, folder):
    if not (folder / "ldsbuf.metadata").exists():
        print(f"{folder}: absent, its inputs are left out")
        return
    done = t.run("run", folder / "ldsbuf.metadata")
    t.check((done.returncode, done.stdout) == (0, "ldsbuf: workgroups=1 warps=1 threads=4 instructions=1\n"), done)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--karat", required=True)
    parser.add_argument("--sources", required=True, type=pathlib.Path)
    parser.add_argument("--field", required=True, type=pathlib.Path)
    parser.add_argument("--clang", required=True)
    parser.add_argument("--lld", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        t = Test(args.karat, pathlib.Path(name))
        obj, elf = (t.folder / f"mix.{end}" for end in ("o", "elf"))
        subprocess.run([args.clang, *FLAGS, "-I", args.sources, "-c", args.sources / "debug" / "mix.S", "-o", obj], check=True)
        subprocess.run([args.lld, "-T", args.sources / "karat.ld", obj, "-o", elf], check=True)
        (t.folder / "in.bin").write_bytes(b"".join(bytes([n]) * 4 for n in range(96)))
        for threads in (1, 8, 16, 32):
            as_documented(t, same_commits(t, elf, threads), threads, 0x90001000)
        as_documented(t, same_commits(t, elf, 4, "--base=0xa0000000"), 4, 0xa0000000)
        local_buffers(t)
        bad_input(t, elf)
        pages(t, args)
        profiles(t, elf, args)
        field(t, args.field)
    print(f"{t.cases - t.failed} passed, {t.failed} failed")
    return 1 if t.failed else 0


if __name__ == "__main__":
    sys.exit(main())
