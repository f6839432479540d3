#!/usr/bin/python3
"""Launches on the command line: kernels of the compiler's calling convention with arguments of every kind, against values computed here;
the same as .metadata and .data; the published launches made again, byte for byte; what is wrong with a launch, in one line."""
import argparse
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

from kernelfile import CODE, ENDPRG, JOIN, addi, branch, write_elf, write_metadata

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--vectors", required=True, type=pathlib.Path)
parser.add_argument("--kernels", required=True, type=pathlib.Path)
parser.add_argument("--field", required=True, type=pathlib.Path)
args = parser.parse_args()
failures = runs = 0
folder = tempfile.TemporaryDirectory()
here = pathlib.Path(folder.name)
kernels = args.vectors / "launch" / "kernels.elf"


def check(good, what, *more):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what, *more)


def karat(*arguments):
    global runs
    runs += 1
    done = subprocess.run([args.karat, *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def one_line(text, *arguments, status=2):
    got, out, err = karat(*arguments)
    check(got == status and err.count("\n") == 1 and text in err, arguments, got, out, err)


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


def words(values):
    return struct.pack(f"<{len(values)}I", *(v & 0xFFFFFFFF for v in values))


def bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


# --- Results of kernels ---------------------------------------------------------------------------------------------------------

A = [i / 4 - 7 for i in range(96)]
B = [1000 - i * i for i in range(96)]
(here / "a").write_bytes(floats(A))
(here / "b").write_bytes(floats(B))
IN = [i * i * 77 + 1 for i in range(64)]
(here / "in").write_bytes(words(IN))
VECADD = ("--kernel", "vecadd", "--arg", f"file:{here / 'a'}", "--arg", f"file:{here / 'b'}", "--arg", "buffer:384")
SCALE = ("--kernel", "scale", "--arg", "f32:-0.75", "--arg", "u32:-2", "--arg", "buffer:256")
REVERSE = ("--kernel", "reverse", "--arg", "local:64", "--arg", f"file:{here / 'in'}", "--arg", "buffer:256")
RUNS = [  # Launch, its grid and threads, and what its argument 2 holds at the end
    (VECADD, 6, 16, floats([x + y for x, y in zip(A, B)])),
    (SCALE, 4, 16, words([bits(-0.75 * i) - 2 for i in range(64)])),
    (REVERSE, 4, 16, words([IN[16 * g + 15 - i] for g in range(4) for i in range(16)])),
]
for launch, groups, size, expected in RUNS:
    for threads in (4, 8, 16):
        shape = ("--grid", groups, "--workgroup", size, "--threads", threads)
        for more in ((), ("--schedule", "seed=5"), ("--resident", 2), ("--base", 0xA0000000)):
            (here / "out").write_text("older")
            got = karat("run", *launch, *shape, *more, "--dump-arg", f"2:{here / 'out'}", kernels)
            check(got[0] == 0 and got[2] == "", launch, shape, more, got)
            check((here / "out").read_bytes() == expected, launch[1], shape, more)
    # The launch as files.
    status, out, err = karat("launch", *launch, *shape, "-o", here / "made.metadata", kernels)
    check(status == 0 and err == "" and out.splitlines()[-1].startswith("argument 2: 0x9000"), "launch", status, out, err)
    traces = []
    for command in ((*launch, *shape, kernels), (here / "made.metadata",)):
        status, out, err = karat("run", "--trace", *command)
        check(status == 0 and err == "", command, err)
        traces.append([line.split(" ", 1)[1].split("|")[1] for line in out.splitlines() if "|" in line])
    check(traces[0] == traces[1] and len(traces[0]) > 100, "commits of the files", launch[1])

# Hexadecimal; a kernel of one warp is the default; .bss is 0 in every run of a list.
count = ("--kernel", "count", "--arg", "buffer:6", "--threads", "4")
check(karat("run", *count, "--dump-arg", "0", kernels) ==
      (0, "kernels: workgroups=1 warps=1 threads=4 instructions=17\n0x90001000: 00000001 0000\n", ""), "hexadecimal")
for name, base in (("first", 0x90000000), ("second", 0xA0000000)):
    check(karat("launch", *count, "--base", base, "-o", here / f"{name}.metadata", kernels)[0] == 0, name)
status, out, err = karat("run", here / "first.metadata", here / "second.metadata", here / "second.metadata", "--dump",
                         "0x90001000,4", "--dump", "0xa0000000,4")
check(status == 0 and out.splitlines()[-2:] == ["0x90001000: 00000001", "0xa0000000: 00000001"], "counts", out, err)

# The driver's work: the metadata buffer, the argument buffer, the list.
status, out, err = karat("launch", *SCALE, "--grid", "3,2", "--workgroup", "8,2,1", "--threads", 4, "--print", "8192", "--lds", "0x200",
                         "--pds", "64", "--sgprs", 32, "--vgprs", 0, "-o", here / "m.metadata", kernels)
fields = [int(w, 16) for w in (here / "m.metadata").read_text().split()]
check(fields[1::2] == [0] * len(fields[1::2]), "high words")
fields = fields[::2]
data = [int(w, 16) for w in (here / "m.data").read_text().split()]
num = fields[13]
bases, sizes, allocs = (fields[14 + k * num:14 + (k + 1) * num] for k in range(3))
check(fields[:13] == [CODE, 0, 3, 2, 1, 4, 4, fields[7], 0x200, 64, 32, 0, fields[12]], "header", fields)
image = bases.index(CODE)
check(bases[:2] == [0x90001000, 0x90002000] and image == 2 and bases[3] == 0x90000000, "order", list(map(hex, bases)))
check(allocs[image] == 0x10000000 and allocs[num - 3] == 6 * 16 * 64 and bases[num - 3] == fields[12], "sizes", allocs)
knl = data[-16:]
symbols = {s.split()[2]: int(s.split()[0], 16) for s in subprocess.run(["nm", kernels], capture_output=True, text=True).stdout.splitlines()}
check(bases[-1] == fields[7] and knl == [symbols["scale"], 0x90002000, 3, 24, 4, 1, 8, 2, 1, 0, 0, 0, bases[-2], 8192, 0, 0], "metadata buffer",
      list(map(hex, knl)))
check(data[64:67] == [bits(-0.75), 0xFFFFFFFE, 0x90001000] and sizes[:2] == [256, 12], "arguments", data[64:67])
# No arguments: no argument buffer.
check(karat("launch", "--kernel", "count", "-o", here / "none.metadata", kernels)[0] == 0, "no argument")
check((here / "none.data").read_text().split()[-15] == "00000000", "no argument buffer")

# --- Words ----------------------------------------------------------------------------------------------------------------------

# The image as $readmemh has it: segments of the ELF file, several words a line, addresses in words. The kernel is named by its address.
elf = kernels.read_bytes()
phoff, phnum = struct.unpack_from("<I", elf, 28)[0], struct.unpack_from("<H", elf, 44)[0]
hexfile = here / "image.hex"
with open(hexfile, "w") as f:
    for kind, offset, addr, _, filesz, memsz, _, _ in (struct.unpack_from("<8I", elf, phoff + 32 * i) for i in range(phnum)):
        if kind == 1:
            contents = (elf[offset:offset + filesz] + bytes(memsz - filesz)).ljust((memsz + 3) // 4 * 4, b"\0")
            image_words = [f"{w:08X}" for w in struct.unpack(f"<{len(contents) // 4}I", contents)]
            f.write(f"/* segment */ @{addr // 4:X}\n")
            f.write("".join(" ".join(image_words[i:i + 4]) + " // words\n" for i in range(0, len(image_words), 4)))
for launch, groups, size, expected in RUNS:
    address = ("--kernel", hex(symbols[launch[1]]), *launch[2:], "--grid", groups, "--workgroup", size, "--threads", 8)
    for image_file in (hexfile, kernels):
        (here / "out").write_text("older")
        got = karat("run", *address, "--dump-arg", f"2:{here / 'out'}", image_file)
        check(got[0] == 0 and got[2] == "" and (here / "out").read_bytes() == expected, "words", launch[1], image_file, got)
for address in ("0x90000000", "0x80000002", "0x1", "8x", "99999999999"):
    one_line("expected ", "run", "--kernel", address, kernels)
one_line("expected kernel 0x80000002 at a multiple of 4", "run", "--kernel", "0x80000002", hexfile)

# Alone they are one warp from the first word on, at 0x80000000 without an address: for run, check and whatever takes kernels.
plain = here / "plain.vmem"
plain.write_bytes(b"\xef\xbb\xbf" + f"{addi(5, 0, 7):08X} // a comment\n/* two\nlines */ {ENDPRG:08x}".encode())
status, out, err = karat("run", "--trace", "--threads", 4, plain)
check(status == 0 and err == "" and f" 80000000: {addi(5, 0, 7):08x}  addi x5, x0, 7 | mask=0000000f x5=00000007\n" in out, "words alone", out, err)
check(karat("run", "--record", here / "plain.ktr", plain)[0] == 0 and karat("check", here / "plain.ktr")[1].startswith("karat: PASS "), "recorded")
log = here / "plain.log"
log.write_text(f"sm 0 warp 0 0x80000000 0x{addi(5, 0, 7):08x} x  5  00000007\nsm 0 warp 0 0x80000004 0x{ENDPRG:08x} endprg\n")
status, out, err = karat("check", "--threads", 4, log, plain)
check(status == 0 and "karat: PASS " in out and " program=plain " in out, "a log with words", out, err)
for text, message in (("13 x", ":1: expected words of up to 8 hex digits, found 'x'"), ("", "it is empty"), ("// none", "found none"),
                      ("@0 13 13 @1 13", "expected one word for each address, found two for 0x00000004"),
                      (":10000000", ":1: expected words of up to 8 hex digits, found ':10000000'")):
    (here / "wrong.mem").write_text(text)
    one_line(f"wrong.mem{message}" if message[0] == ":" else message, "run", here / "wrong.mem")

# --- Errors of a launch -------------------------------------------------------------------------------------------------------

RUN = ("run", kernels)
one_line("--kernel: expected the kernel's symbol too", *RUN, "--grid", "2")
one_line("expected a symbol nothing, the kernel to launch", *RUN, "--kernel", "nothing")
one_line("expected kernel counter at a multiple of 4 in an executable segment, found it at 0x90000000", *RUN, "--kernel", "counter")
one_line("expected one file to launch, found 2", *RUN, kernels, "--kernel", "count")
one_line("found none; or on the command line", *RUN)
one_line("the command line describes its launch", "run", here / "m.metadata", "--kernel", "count")
for option, values in (("--grid", ("0", "1,2,3,4", "1,", "", "x", "-1", "4294967296")), ("--workgroup", ("0", "1,2,3,4")),
                       ("--arg", ("buffer:", "buffer:0", "buffer:-1", "local:0", "file:", "u32:", "u32:0x100000000", "u32:-2147483649", "f32:",
                                  "f32:1x", "f32: 1", "i32:1", "")),
                       ("--base", ("4095", "0x100000000")), ("--sgprs", ("65",)), ("--vgprs", ("257",))):
    for value in values:
        one_line(f"{option}: expected ", *RUN, "--kernel", "count", f"{option}={value}")
one_line("No such file", *RUN, "--kernel", "count", "--arg", f"file:{here / 'absent'}")
(here / "empty").write_bytes(b"")
one_line("expected a file that is not empty, argument 1", *RUN, "--kernel", "count", "--arg", "u32:1", "--arg", f"file:{here / 'empty'}")
one_line("argument 0: expected buffers that fit", *RUN, "--kernel", "count", "--arg", "buffer:0x80000000")
one_line("argument 1: expected local memory that fits", *RUN, "--kernel", "count", "--arg", "local:0x8000000", "--arg", "local:0x8000000")
one_line("expected private memory that fits into the 32-bit address space: 0x10000000 bytes for each of 32 threads of each of 1 workgroups",
         *RUN, "--kernel", "count", "--pds", "0x10000000")
one_line("0x1000 bytes for each of 32 threads of each of 65536 workgroups", *RUN, "--kernel", "count", "--grid", "70000", "--pds-slots", "65536")
one_line("at most 1024 warps", *RUN, "--kernel", "count", "--workgroup", "1025", "--threads", "1")
one_line("fewer than 2^32", *RUN, "--kernel", "count", "--grid", "65536,65536")
one_line("fewer than 2^32", *RUN, "--kernel", "count", "--workgroup", "65536,65536")
one_line("--dump-arg: expected one of the 1 arguments of the launch, found 1", *RUN, *count, "--dump-arg", "1")
one_line("found 0, which is a value", *RUN, "--kernel", "count", "--arg", "u32:1", "--dump-arg", "0")
one_line("found 0, which is local memory", *RUN, "--kernel", "count", "--arg", "local:1", "--dump-arg", "0")
for value in ("", "x", "0:", "-1", "0;f"):
    one_line("--dump-arg: expected N or N:FILE", *RUN, *count, f"--dump-arg={value}")
one_line("named as an output and for another purpose", *RUN, *VECADD, "--dump-arg", f"2:{here / 'a'}")
check((here / "a").read_bytes() == floats(A), "an argument's file is not written over")
one_line("expected --output=FILE", "launch", kernels, "--kernel", "count")
(here / "a.metadata").write_bytes(floats(A))
one_line("named as an output and for another purpose", "launch", "--kernel", "count", "--arg", f"file:{here / 'a.metadata'}", "-o",
         here / "a.metadata", kernels)
check((here / "a.metadata").read_bytes() == floats(A), "an argument's file is not written over")
one_line("expected a name that ends in .metadata", "launch", *VECADD, "-o", here / "a.txt", kernels)
check(not (here / "a.txt").exists() and not (here / "a.data").exists(), "nothing is written")
one_line("expected a symbol nosuch", "launch", "--kernel", "nosuch", "-o", here / "b.metadata", kernels)
status, out, err = karat(*RUN, "--kernel", "count", "--arg", "buffer:4", "--workgroup", "6", "--threads", "4")
check(status == 0 and not err and " warps=2 " in out, "a part of a warp", out, err)
# Work-items: ragged grids, with the threads that start, and what cannot be.
PART = (*RUN, "--kernel", "count", "--arg", "buffer:4", "--threads", "4", "--trace", "--resident", "2")
status, out, err = karat(*PART, "--workgroup", "3,3", "--items", "5,4", "--offset", "0,7", "--pds-slots", "2")
masks = [re.search(rf" wg={g} warp={w} .*mask=([0-9a-f]*)", out) for g in range(4) for w in range(3)]
check(status == 0 and [m and int(m[1], 16) for m in masks] == [15, 15, 1, 11, 13, None, 7, None, None, 3, None, None] and " warps=7 " in out, "masks",
      status, out[-300:], err)
one_line("expected work-items of the grid in its last workgroup", *PART, "--workgroup", "3", "--items", "5", "--grid", "3")
one_line("expected X[,Y[,Z]], each 1 or more, found '0'", *PART, "--items", "0")
one_line("expected a number from 0 to 65536, found '65537'", *PART, "--pds-slots", "65537")
# A grid whose private memory does not fit by workgroup has it by resident slot.
status, out, err = karat("launch", *RUN[1:], "--kernel", "count", "--arg", "buffer:4", "--grid", "50000", "-o", here / "large.metadata")
check(status == 0 and "// slots of private memory: 8192" in (here / "large.metadata").read_text(), "private memory of a large grid", out, err)
status, out, err = karat("run", here / "large.metadata")
check(status == 0 and " warps=50000 " in out, "a large grid", out, err)
for text in ("0", "65537", "x", "1 "):
    slots = write_metadata(here / "slots.metadata", buffers=[(CODE, [ENDPRG], 64)])
    slots.write_text(f"// slots of private memory: {text}\n" + slots.read_text())
    status, out, err = karat("run", slots)
    check(status == 2 and "slots.metadata:1: expected 1 to 65536 slots of private memory" in err, "slots", text, err)
for name, end, said in (("none", 4, "at 0xa0000000 is in no buffer"), ("zero", 4, "at 0x00000000 is in no buffer"), ("covered", 0, ""),
                        ("short", 0, "0x400 bytes at 0x90000f00, runs over buffer 1 (base 0x90000000, 0x1000 bytes)")):
    if (args.field / "pds_unmapped").exists():
        status, out, err = karat("run", args.field / "pds_unmapped" / f"{name}.metadata")
        check(status == end and err.count("note: ") == bool(said) and said in err, "private memory", name, status, err)

# --- .metadata as it is found -------------------------------------------------------------------------------------------------

odd = write_metadata(here / "odd.metadata", buffers=[(CODE, [ENDPRG], 64)])
odd.write_text(odd.read_text().replace("\n", "\n\n", 1) + "00000000\n")
status, out, err = karat("run", odd)
check(status == 0 and err.count("\n") == 1 and "note: " in err and "1 blank line" in err and "1 spare word" in err, "said", err)
# Local buffers: what every workgroup finds, whatever the one before it has stored there.
LW_T0, SW_T1 = 0x0002A303, 0x0062A023  # lw x6, 0(x5); sw x6, 0(x5)
local = write_metadata(here / "local.metadata", grid=(2, 1, 1), buffers=[
    (CODE, [0x800002B7, addi(5, 5, -16), LW_T0, addi(6, 6, 1), SW_T1, ENDPRG], 64), (0x7FFFFFF0, [41], 16)])
status, out, err = karat("run", "--trace", local)
check(status == 0 and out.count("x6=00000029") == 2 and "lds-unwritten" not in out, "first contents", out, err)
status, out, err = karat("run", write_metadata(here / "edge.metadata", buffers=[(0x80001000, [ENDPRG], 64), (0x7FFFFFF0, [41], 32)],
                                               start=0x80001000))
check(status == 2 and "buffer 1 (base 0x7ffffff0, 0x20 bytes)" in err, "across the edge", err)
if (args.field / "ldsbuf.metadata").exists():
    check(karat("run", args.field / "ldsbuf.metadata")[0] == 0, "ldsbuf of the field")
else:
    print(f"{args.field}: not there, ldsbuf is left out")

# More local memory than is declared: counted, and an error by the strict word; local buffers are declared, too.
for size, beyond in ((0x100, 0), (0xFC, 1), (0, 0)):
    for offset, more in ((0xFC, beyond), (0x0FFFFFF0, 0), (0x0FFFFFF4, 1 if size else 0)):
        uses = write_metadata(here / "uses.metadata", lds_size=size, buffers=[
            (CODE, [0x700002B7 + (offset + 0x800 >> 12 << 12), addi(5, 5, offset & 0xFFF), 0x0052A023, ENDPRG], 64), (0x7FFFFFF0, [0], 16)])
        out = karat("run", uses)[1]
        check(out.endswith(f" lds-beyond={more}\n" if more else "instructions=4\n"), "local memory", size, offset, out)
        status, out, err = karat("run", "--strict=lds-size", uses)
        check(status == (4 if more else 0) and ("local memory that the launch does not declare" in err) == bool(more), "by word", size, offset, err)

# --- Deviations ---------------------------------------------------------------------------------------------------------------

BARRIER = 0x0400400B
early = write_elf(here / "early.elf", [0x805022F3, 0x00029463, BARRIER, ENDPRG], wg_size=2, wf_size=4)  # Warp 1 ends, warp 0 waits
small = write_elf(here / "small.elf", [addi(20, 0, 5), addi(21, 20, 1), ENDPRG], wf_size=4, regs=(16, 8))
# Lane 0 goes to the JOIN, then the others to the barrier: vid.v v1; auipc x5; setrpc x0, x5, 0x14; vmv.v.i v2, 0; vbeq v2, v1, 8
apart = write_elf(here / "apart.elf", [0x5208A0D7, 0x00000297, 0x0142B05B, 0x5E003157, branch(0, 1, 2, 8) & ~0x7F | 0x5B, BARRIER, JOIN, ENDPRG],
                  wg_size=2, wf_size=4)
for program, deviation, uses in ((early, "ended-warps-arrive", 1), (small, "usage-too-small", 2), (apart, "diverged-warps-arrive", 2)):
    check(karat("run", program)[0] == 4, program, "is a program error")
    for schedule in ("rr", "warp", "seed=1", "seed=2"):
        status, out, err = karat("run", program, "--schedule", schedule, "--deviation", deviation, "--record", here / "r.ktr")
        check(status == 0 and f" deviation:{deviation}={uses}\n" in out, deviation, schedule, out, err)
        # The checker, with a core that does so: a pass with the description, and without it a program error.
        status, out, err = karat("check", "--quiet", here / "r.ktr")
        check(status == 0 and "PASS" in out and f" deviation:{deviation}={uses} " in out, deviation, out, err)
        (here / "core.json").write_text('{"core": "model"}')
        status, out, err = karat("check", "--quiet", "--core", here / "core.json", here / "r.ktr")
        check(status == 4 and "PROGRAM ERROR" in out, deviation, "not described", out, err)
    status, out, err = karat("run", write_elf(here / "none.elf", [addi(1, 0, 5), BARRIER, ENDPRG], wg_size=2), "--deviation", deviation)
    check(status == 0 and f" deviation:{deviation}=0\n" in out, deviation, "does not matter", out, err)

# --- The published launches ---------------------------------------------------------------------------------------------------


def one_segment(code, symbol, entry):
    """An ELF file of a code buffer alone."""
    names, strings = b"\0.text\0.symtab\0.strtab\0.shstrtab\0", b"\0" + symbol.encode() + b"\0"
    table = bytes(16) + struct.pack("<IIIBBH", 1, entry, 4, 0x12, 0, 1)
    blobs = [code, table, strings, names]
    offsets, at = [], 52 + 32
    for blob in blobs:
        offsets.append(at)
        at += len(blob)
    out = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 2, 243, 1, CODE, 52, at, 0, 52, 32, 1, 40, 5, 4)
    out += struct.pack("<8I", 1, offsets[0], CODE, CODE, len(code), len(code), 5, 4096) + b"".join(blobs) + bytes(40)
    for i, (name, kind, link, size) in enumerate(((b".text", 1, 0, 0), (b".symtab", 2, 3, 16), (b".strtab", 3, 0, 0), (b".shstrtab", 3, 0, 0))):
        out += struct.pack("<10I", names.index(name), kind, 0, CODE * (i == 0), offsets[i], len(blobs[i]), link, 0, 4, size)
    return out


def published(metadata):
    """Make that launch again, from its code, arguments and shape alone."""
    fields = [int(w, 16) for w in metadata.read_text().split()][::2]
    data = words([int(w, 16) for w in metadata.with_suffix(".data").read_text().split()])
    num = fields[13]
    bases, sizes = fields[14:14 + num], fields[14 + num:14 + 2 * num]
    contents, at = {}, 0
    for base, size in zip(bases, sizes):
        contents[base] = data[at:at + size]
        at += (size + 3) // 4 * 4
    knl = struct.unpack("<16I", contents[fields[7]])
    program = here / "published.elf"
    program.write_bytes(one_segment(contents[CODE], "kernel", knl[0]))
    command = ["--kernel", "kernel", "--threads", fields[5], "--grid", ",".join(map(str, fields[2:2 + knl[2]])), "--workgroup",
               ",".join(map(str, knl[6:6 + knl[2]]))]
    for i, word in enumerate(struct.unpack(f"<{len(contents[knl[1]]) // 4}I", contents[knl[1]])):
        if word in contents:
            (here / f"arg{i}").write_bytes(contents[word])
        command += ["--arg", f"file:{here / f'arg{i}'}" if word in contents else f"u32:{word:#x}"]
    return program, command


if args.kernels.exists():
    made = sorted(m for pattern in ("vecadd/*", "matadd/*", "nn/*") for m in args.kernels.glob(f"{pattern}/*.metadata"))
    check(len(made) == 10, "published launches", len(made))
    for metadata in made:
        program, command = published(metadata)
        check(karat("launch", *command, "-o", here / "again.metadata", program)[0] == 0, metadata)
        for suffix in (".metadata", ".data"):
            check((here / "again").with_suffix(suffix).read_text().split() == metadata.with_suffix(suffix).read_text().split(), metadata, suffix)
        status, out, err = karat("check", *command, metadata.with_suffix(".log"), program)
        check(status == 0 and err == "" and "karat: PASS " in out, "register log of", metadata, out, err)
else:
    print(f"{args.kernels}: not there, the published launches are left out")

print("runs:", runs, "failures:", failures)
sys.exit(failures != 0)
