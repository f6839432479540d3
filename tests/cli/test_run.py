"""karat run, disasm and isa on programs made here: what they print, and one line and the right status for what is wrong."""
import argparse
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

from kernelfile import (BARRIER, CODE, DATA, ENDPRG, JOIN, addi, beq, csrr, csrw, elf, lui, lw, sw, vadd_vi,
                        write_elf, write_metadata)

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--karat", required=True, type=pathlib.Path)
args = parser.parse_args()
failures = 0


def check(good, what, *more):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what, *more)


def karat(*arguments):
    done = subprocess.run([args.karat, *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def expect(status, out, *arguments):
    """This output exactly, and nothing on stderr."""
    got = karat(*arguments)
    check(got == (status, out, ""), arguments, got)


def one_line(status, text, *arguments):
    """That status, and one line on stderr with that text."""
    got, out, err = karat(*arguments)
    check(got == status and len(err.splitlines()) == 1 and text in err and err.startswith("karat"), arguments, got, out,
          err)
    return out


folder = tempfile.TemporaryDirectory()
here = pathlib.Path(folder.name)


def program(name, code, **options):
    return write_elf(here / f"{name}.elf", code, **options)


# --- Running ------------------------------------------------------------------------------------------------

# Every warp stores its thread id at DATA + 4 * (first thread of the warp).
STORE = [
    csrr(5, 0x800),  # CSR tid
    lui(6, DATA >> 12),
    addi(7, 5, 0),
    0x00229293,  # slli x5, x5, 2
    0x005302B3,  # add x5, x6, x5
    sw(7, 5, 0),
    ENDPRG,
]
store = program("store", STORE, wg_size=3, wf_size=4, symbols=[("start", CODE, 0)])
expect(0, "store: workgroups=1 warps=3 threads=4 instructions=21\n0x90000000: 00000000 00000000 00000000 00000000\n"
          "0x90000010: 00000004 00000000 00000000 00000000\n0x90000020: 00000008\n",
       "run", store, "--dump", "0x90000001,34")
expect(0, "store: workgroups=1 warps=3 threads=4 instructions=21\n0x90000010: 00000004\n0x90000ffc: 00000000\n",
       "run", store, "--dump", "0x90000010,1", "--dump", "0x90000fff,1")
# By symbol: all of it, a part, from a label to the next symbol; the last label has no end.
named = program("named", STORE, wg_size=3, wf_size=4, symbols=[("out", DATA + 8, 12), ("tail", DATA + 20, 0), ("last", DATA + 32, 0)])
for place, expected in (("out", "0x90000008: 00000000 00000000 00000004"), ("out,5", "0x90000008: 00000000 00000000"),
                        ("tail", "0x90000014: 00000000 00000000 00000000"), ("last,1", "0x90000020: 00000008")):
    expect(0, f"named: workgroups=1 warps=3 threads=4 instructions=21\n{expected}\n", "run", named, "--dump", place)
one_line(2, "--dump: last has no size: expected last,LEN", "run", named, "--dump", "last")
one_line(2, "--dump: expected an address, or a symbol of one of the kernels, found 'ou'", "run", named, "--dump", "ou,4")
one_line(2, "--dump: out,4026531833 is beyond the 32-bit address space", "run", named, "--dump", "out,4026531833")
for wrong in ("0x90000000", "90", "out,0", ",4", "out,", "", "out,4,4"):
    one_line(2, f"--dump: expected ADDRESS,LEN or SYMBOL or SYMBOL,LEN, found '{wrong}'", "run", named, f"--dump={wrong}")
for schedule in ("rr", "warp", "seed=1", "seed=0xffffffffffffffff"):
    for threads in (4, 8, 16, 32):
        expect(0, "store: workgroups=1 warps=3 threads=4 instructions=21\n0x90000010: 00000004\n", "run", store,
               "--schedule", schedule, "--threads", threads, "--dump", "0x90000010,4")
# A sequence shares memory and mappings.
second = write_metadata(here / "second.metadata", buffers=[(CODE, [lui(6, DATA >> 12), lw(5, 6, 16), sw(5, 6, 20),
                                                                   ENDPRG], 64)])
expect(0, "store: workgroups=1 warps=3 threads=4 instructions=21\nsecond: workgroups=1 warps=1 threads=4 instructions=4\n"
          "0x90000014: 00000004\n", "run", store, second, "--dump", "0x90000014,4")
one_line(4, "access to an unmapped address in workgroup 0 warp 0", "run", second)

# Workgroups one by one, several at once, and all kinds of limits: the same outcome.
GROUPS = [csrr(5, 0x808), csrr(6, 0x809), csrr(7, 0x80A), lui(8, DATA >> 12), lw(9, 8, 0), addi(9, 9, 1), sw(9, 8, 0),
          ENDPRG]
groups = program("groups", GROUPS, grid=(3, 2, 2), wg_size=2, wf_size=4)
for options in ((), ("--resident", "12"), ("--warps", "5"), ("--warps", "2"), ("--resident", "5", "--warps", "7"),
                ("--resident", "60000")):
    status, out, err = karat("run", groups, "--schedule", "warp", *options, "--dump", "0x90000000,4")
    check((status, out) == (0, "groups: workgroups=12 warps=24 threads=4 instructions=192\n0x90000000: 00000018\n"),
          options, out, err)

# Deviations by name: off unless asked for, counted where they change a step.
VADD12 = 0x8000808B  # vadd12.vi v1, v1, 2048
signed = program("signed", [VADD12, 0x7FF0808B, ENDPRG], wf_size=2)
plain = "signed: workgroups=1 warps=1 threads=2 instructions=3 undefined=1"
expect(0, plain + "\n", "run", signed)
expect(0, plain + " deviation:vadd12-signed=1\n", "run", signed, "--deviation", "vadd12-signed")
expect(0, "store: workgroups=1 warps=3 threads=4 instructions=21 deviation:vadd12-signed=0\n", "run", store, "--deviation",
       "vadd12-signed")
expect(0, plain + " deviation:simt-order=0\n", "run", signed, "--simt-order", "if-first")
expect(0, plain + "\n", "run", signed, "--simt-order", "if-first", "--simt-order", "smaller-first")
one_line(2, "--deviation: expected the name of a deviation", "run", signed, "--deviation", "simt-order")
one_line(2, "found 'vadd12'", "run", signed, "--deviation", "vadd12")
out = one_line(0, "undefined: lanes differ where one value is taken, first in workgroup 0 warp 0 lane 0 at pc 0x80000004",
               "run", program("differ", [0x5208A0D7, 0x421022D7, 0x421022D7, ENDPRG], wf_size=2))  # vid.v, vmv.x.s twice
check(out == "differ: workgroups=1 warps=1 threads=2 instructions=4 lanes-differ=2\n", out)

# --- Trace, JSON --------------------------------------------------------------------------------------------

traced = program("traced", [lui(5, DATA >> 12), sw(5, 5, 4), vadd_vi(1, 0, 3), JOIN, ENDPRG], wf_size=2)
lines = [
    "traced wg=0 warp=0 80000000: 900002b7  lui x5, 0x90000 | mask=00000003 x5=90000000",
    "traced wg=0 warp=0 80000004: 0052a223  sw x5, 4(x5) | mask=00000003 store.global 0:[90000004]=90000000",
    "traced wg=0 warp=0 80000008: 0201b0d7  vadd.vi v1, v0, 3 | mask=00000003 v1/00000003=00000003,00000003",
    "traced wg=0 warp=0 8000000c: 0000205b  join | mask=00000003 simt=pass next=80000010 depth=0",
    "traced wg=0 warp=0 80000010: 0000400b  endprg | mask=00000003 end",
]
summary = "traced: workgroups=1 warps=1 threads=2 instructions=5 undefined=1\n"
expect(0, "".join(l + "\n" for l in lines) + summary, "run", "--trace", traced)
expect(0, summary, "run", traced, f"--trace={here / 'trace'}")
check((here / "trace").read_text().splitlines() == lines, "trace in a file")
one_line(2, "cannot be written", "run", traced, "--trace=/nonexistent/trace")
expect(0, summary, "run", traced, "--json", here / "summary.json")
check(json.loads((here / "summary.json").read_text()) == {
    "status": 0, "error": None,
    "kernels": [{"name": "traced", "workgroups": 1, "warps": 1, "instructions": 5,
                 "counts": {"x": 1, "v": 1, "simt": 1, "mem": 1, "csr": 0, "barrier": 0, "exit": 1},
                 "warnings": {"lanes-differ": 0, "lds-unwritten": 0, "skipped-prefix": 0, "lds-beyond": 0, "pds-beyond": 0},
                 "undefined": [{"pc": 0x80000008, "class": "v", "register": 0, "uses": 1}],
                 "deviations": {"vadd12-signed": 0, "simt-order": 0, "machine-csrs": 0, "third-operand-apart": 0, "compare-immediate-signed": 0,
                                "usage-too-small": 0, "ended-warps-arrive": 0, "prefix-last-wins": 0, "packed-fma-twice": 0,
                                "bf16-nan-kept": 0, "diverged-warps-arrive": 0}}]}, "JSON")
one_line(2, "cannot be written", "run", traced, "--json", "/nonexistent/summary.json")
one_line(2, "cannot be written", "run", traced, "--trace=/dev/full")

# --- Barriers -----------------------------------------------------------------------------------------------

# Warp 1 stores before the barrier what warp 0 copies after it: right in every order.
EXCHANGE = [
    csrr(5, 0x805),  # CSR wid
    lui(6, DATA >> 12),
    beq(5, 0, 12),
    addi(7, 0, 77),
    sw(7, 6, 0),
    BARRIER,
    lw(8, 6, 0),
    sw(8, 6, 4),
    ENDPRG,
]
exchange = program("exchange", EXCHANGE, wg_size=2, wf_size=4, grid=(2, 1, 1))
for options in (("--schedule", "rr"), ("--schedule", "warp"), ("--schedule", "seed=3"), ("--resident", "2"),
                ("--resident", "2", "--schedule", "warp")):
    expect(0, "exchange: workgroups=2 warps=4 threads=4 instructions=32\n0x90000004: 0000004d\n", "run", exchange,
           *options, "--dump", "0x90000004,4")
alone = program("alone", [csrr(5, 0x805), beq(5, 0, 8), ENDPRG, BARRIER, ENDPRG], wg_size=2, wf_size=4)
one_line(4, "program error:", "run", alone)

# --- Printing -----------------------------------------------------------------------------------------------

# CSR_KNL names the data; at 48 the print buffer's address, at 52 its size.
printing = bytearray(4096)
printing[48:56] = struct.pack("<II", DATA + 256, 64)
printing[256:262] = b"hello\0"
PRINT = [addi(5, 0, 1), csrw(0x80B, 5), csrr(6, 0x80B), lui(7, DATA >> 12), lw(8, 7, 256), sw(6, 7, 0), ENDPRG]
expect(0, "print wg=0 warp=0: hello\nprints: workgroups=1 warps=1 threads=4 instructions=7\n0x90000000: 00000000\n"
          "0x90000100: 6c6c6500\n", "run", program("prints", PRINT, data=bytes(printing), wf_size=4), "--dump",
       "0x90000000,4", "--dump", "0x90000100,4")
printing[256:268] = b"one\n\nthree\n\0"
check(karat("run", program("lines", PRINT, data=bytes(printing), wf_size=4))[1] ==
      "".join(f"print wg=0 warp=0: {line}\n" for line in ("one", "", "three")) +
      "lines: workgroups=1 warps=1 threads=4 instructions=7\n", "every printed line says whose it is")
printing[48:56] = struct.pack("<II", 0x12340000, 64)
one_line(4, "print buffer to read: not mapped, workgroup 0 warp 0", "run", program("prints_nowhere", PRINT, data=bytes(printing), wf_size=4))

# --- Errors by policy ----------------------------------------------------------------------------------------

# x5 = 42; threads 1 to 3 read it after thread 0 has written it on its path.
AUIPC_X6, SETRPC = 0x00000317, 0x0000305B | 6 << 15 | 28 << 20  # setrpc x0, x6, 28
VID_V1, VZERO_V2, VMV_X5 = 0x5208A0D7, 0x5E003157, 0x5E02C1D7  # vid.v v1; vmv.v.i v2, 0; vmv.v.x v3, x5
VBEQ = 0x0000005B | 1 << 20 | 2 << 15 | 12 << 7  # vbeq v1, v2, +12


def paths(own):
    first = [addi(5, 0, 7), VMV_X5] if own else [addi(5, 5, 0), VMV_X5]
    return [addi(5, 0, 42), VID_V1, VZERO_V2, AUIPC_X6, SETRPC, VBEQ, VMV_X5, 0x00C0006F, *first, JOIN, ENDPRG]


kept, written = program("kept", paths(False), wf_size=4), program("written", paths(True), wf_size=4)
for name, file, order, bad in (("kept", kept, "smaller-first", False), ("written", written, "smaller-first", True),
                               ("written", written, "if-first", False)):
    deviation = " deviation:simt-order=1" if order == "if-first" else ""
    line = f"{name}: workgroups=1 warps=1 threads=4 instructions=14{deviation}\n"
    expect(0, line, "run", "--simt-order", order, file)
    if not bad:
        expect(0, line, "run", "--simt-order", order, "--strict=scalars,lds", file)
out = one_line(4, "program error by --strict in workgroup 0 warp 0 at pc 0x80000018 (5e02c1d7  vmv.v.x v3, x5): it reads x5 = 00000007 of "
                  "seq 6 0x80000020 addi x5, x0, 7, which is on another path of the divergence of seq 5 0x80000014 vbeq v1, v2, 0x80000020; "
                  "for lanes 0000000e it was 0000002a", "run", "--strict=scalars", written, "--json", here / "strict.json")
check(json.loads((here / "strict.json").read_text())["status"] == 4 and
      "it reads x5" in json.loads((here / "strict.json").read_text())["error"], "JSON has it too")
unwritten = program("unwritten", [csrr(5, 0x806), lw(6, 5, 0), ENDPRG], wf_size=4)
expect(0, "unwritten: workgroups=1 warps=1 threads=4 instructions=3 lds-unwritten=1\n", "run", unwritten, "--strict=lanes,scalars")
for words in ("lds", "lds,races"):
    one_line(4, "(0002a303  lw x6, 0(x5)): it loads local memory that nothing has written", "run", f"--strict={words}", unwritten)
vmv_x = program("vmv_x", [VID_V1, 0x42102357 & ~(0x1F << 7) | 6 << 7, ENDPRG], wf_size=4)
one_line(4, "the lanes of the register that it moves differ", "run", "--strict=lanes", vmv_x)
# Errors that the records of all warps show: at the second access; at the end, where only that tells; a use of a register that nobody wrote.
ADD_X5_X6 = 0x006282B3
racing = program("racing", [lui(7, DATA >> 12), sw(5, 7, 0), ENDPRG], wf_size=4, wg_size=2)
out = one_line(4, "racing: program error by --strict in workgroup 0 warp 1 at pc 0x80000004 (0053a023  sw x5, 0(x7)): a race on byte 0x90000000: "
                  "workgroup 0 warp 0 seq 1 0x80000004 sw x5, 0(x7) accesses it too, and nothing orders the two",
               "run", "--strict=races,lanes", racing, "--json", here / "races.json", "--record", here / "races.ktr")
check("a race on byte" in json.loads((here / "races.json").read_text())["error"], "JSON has the race")
status, out, err = karat("check", "--strict=races", here / "races.ktr")
check(status == 4 and "a race on byte 0x90000000" in out, "and so has its recording", out, err)
once = program("once", [lui(7, DATA >> 12), ENDPRG], wf_size=4, wg_size=2)
expect(0, "once: workgroups=1 warps=2 threads=4 instructions=4\n", "run", "--strict=races,flags,registers", once)
one_line(4, "unset: program error by --strict in workgroup 0 warp 0 at pc 0x80000000 (006282b3  add x5, x5, x6): ", "run", "--strict=registers",
         program("unset", [ADD_X5_X6, ENDPRG], wf_size=4))
for words in ("", "scalar", "scalars,"):
    one_line(2, f"--strict={words}: expected a list of registers, lanes, lds, races, scalars, flags, lds-size, pds-size",
             "run", f"--strict={words}", kept)

# With vl goes vtype: the trace has both.
vset = program("vset", [addi(11, 0, 3), 0x00C5F957, 0x0D05F457, ENDPRG], wf_size=4)
out = karat("run", "--threads=4", "--trace", vset)[1].splitlines()
check(out[1].endswith("x18=00000000 csr[c20]=00000000 vtype=80000000")
      and out[2].endswith("x8=00000003 csr[c20]=00000003 vtype=000000d0"), "vtype", out)

# --- Program errors -----------------------------------------------------------------------------------------

nothing = program("nothing", [lui(5, 0x12345), 0x00028067], wf_size=4)  # jr x5
one_line(4, "nothing: program error: ", "run", nothing)
one_line(4, " in workgroup 0 warp 0 at pc 0x12345000", "run", nothing)
one_line(4, "at pc 0x80000004 <start+0x4> (ffffffff  .4byte 0xffffffff)", "run",
         program("illegal", [addi(5, 0, 1), 0xFFFFFFFF], symbols=[("start", CODE, 8)]))
out = one_line(4, "misaligned access in workgroup 0 warp 0 lane 0 at pc 0x80000004 (0022a303  lw x6, 2(x5)), address "
                  "0x90000002", "run", program("misaligned", [lui(5, DATA >> 12), lw(6, 5, 2)]), "--dump",
               "0x90000000,4")
check("0x90000000: 00000000\n" in out, "a dump also after an error", out)
status, out, err = karat("run", store.with_name("illegal.elf"), "--json", here / "error.json")
report = json.loads((here / "error.json").read_text())
check(status == 4 and report["status"] == 4 and "illegal" in report["error"], "error in JSON", report)
one_line(4, "(00829073  csrrw x0, vstart, x5): only 0 can be written to vstart", "run", program("vstart", [addi(5, 0, -1), csrw(8, 5), ENDPRG]))
one_line(5, "spin: not finished after 1000 steps", "run", program("spin", [beq(0, 0, 0)]), "--max-steps", "1000")

# --- Bad input and usage ------------------------------------------------------------------------------------

for arguments, text in {
    (): "expected a subcommand",
    ("walk",): "unknown subcommand 'walk'",
    ("--frobnicate",): "unrecognized option '--frobnicate'",
    ("run",): "expected at least one file",
    ("run", "--frobnicate"): "unrecognized option '--frobnicate'",
    ("run", "--threads"): "requires an argument",
    ("run", store, "--threads", "3"): "--threads",
    ("run", store, "--threads", "64"): "--threads",
    ("run", store, "--threads", "0"): "--threads",
    ("run", store, "--threads", "4x"): "--threads",
    ("run", store, "--threads", "-4"): "--threads",
    ("run", store, "--threads", "2"): "needs 4 threads a warp, the device has 2",
    ("run", store, "--warps", "2"): "needs 3 warps a workgroup, the device has 2",
    ("run", store, "--warps", "0"): "--warps",
    ("run", store, "--resident", "x"): "--resident",
    ("run", store, "--schedule", "fast"): "--schedule",
    ("run", store, "--schedule", "seed="): "--schedule",
    ("run", store, "--schedule", "seed=18446744073709551616"): "--schedule",
    ("run", store, "--simt-order", "both"): "--simt-order",
    ("run", store, "--profile", "v2.04"): "--profile",
    ("run", store, "--max-steps", "0"): "--max-steps",
    ("run", store, "--dump", "0x90000000"): "--dump",
    ("run", store, "--dump", "0x90000000,0"): "--dump",
    ("run", store, "--dump", "0xfffffffc,8"): "--dump",
    ("run", store, "--dump", "0x9000000000,4"): "--dump",
    ("run", store, "--dump", "0x50000000,4"): "0x50000000 is not mapped",
    ("run", "/nonexistent/kernel.metadata"): "/nonexistent/kernel.metadata: cannot be opened",
    ("run", here): "cannot be read",
    ("run", "/dev/null"): "/dev/null: it is empty: expected an ELF file or .metadata",
    ("disasm",): "expected words or a file",
    ("disasm", "1", "xyz"): "'xyz'",
    ("disasm", "--pc", "2", "13"): "--pc",
    ("disasm", "--pc", "4", store): "--pc",
    ("disasm", "/nonexistent"): "cannot be opened",
    ("isa", "nope"): "'nope'",
    ("isa", "--profile", "3"): "--profile",
    ("run",): "expected at least one file",
}.items():
    one_line(2, text, *arguments)

for name, options, text in (
    ("elf64", {"machine": 62}, "machine 62"),
    ("object", {"kind": 1}, "relocatable object"),
    ("nolaunch", {"launch": False}, ".karat.launch"),
    ("magic", {"magic": 1}, "magic"),
    ("entry", {"entry": 0x1000}, "entry pc"),
    ("nowarps", {"wg_size": 0}, "warps"),
    ("private", {"pds": (0xF0000000, 0x10000000)}, "private: its buffers cannot be placed"),
):
    one_line(2, text, "run", program(name, STORE, **options))
(here / "wide.elf").write_bytes(b"\x7fELF\x02" + elf(STORE)[5:])
one_line(2, "ELF64", "run", here / "wide.elf")
in_lds = write_metadata(here / "lds.metadata", buffers=[(CODE, [ENDPRG], 64), (0x70000000, [1], 64)])
expect(0, "lds: workgroups=1 warps=1 threads=4 instructions=1\n", "run", in_lds)
# The profile of the ISA: of the files, of the option, and both.
ADDW = 0x00C5053B  # A row of v2.03 alone: x10 and x11 get the sum of x10 and x11, and of x12 and x13
IN_203 = [addi(10, 0, -1), addi(11, 0, 0), addi(12, 0, 1), addi(13, 0, 0), ADDW, lui(5, 0x90000), sw(10, 5, 0), sw(11, 5, 4), ENDPRG]
SUM = "0x90000000: 00000000 00000001\n"
unnamed, old, new = program("unnamed", IN_203), program("old", [ENDPRG], profile="v2.02"), program("new", IN_203, profile="v2.03")
named = write_metadata(here / "named.metadata", buffers=[(CODE, IN_203, 64), (DATA, [], 64)], profile="v2.03")
for arguments in ([new], [named], ["--profile=v2.03", unnamed], ["--profile=v2.03", new], [new, unnamed], [unnamed, new], [named, new]):
    status, out, err = karat("run", "--dump=0x90000000,8", *arguments)
    check(status == 0 and not err and SUM in out, "profile", arguments, status, out, err)
for arguments in ([unnamed], ["--profile=v2.02", unnamed], [old, unnamed]):
    status, out, err = karat("run", *arguments)
    check(status == 4 and "addw of profile v2.03" in err, "no profile", arguments, status, out, err)
VLW, VSW = 0x0000A0AB, 0x8011222B  # Private accesses of v2.02; in v2.03 vlw12d.v v1, 0(v1), whose base is odd, and vlw12d.v v4, -2047(v2)
for word, reason, name in ((VLW, ": a 64-bit address starts at an even register", "vlw.v"), (VSW, "misaligned access", "vsw.v")):
    status, out, err = karat("run", "--profile=v2.03", program("private", [word, ENDPRG]))
    check(status == 4 and reason in err and f"; the word is also {name} (private memory) of " in err and "profile v2.02" in err, name, status, out,
          err)
one_line(2, "karat run: new: its code is for profile v2.03 of the ISA; --profile: v2.02", "run", "--profile=v2.02", new)
one_line(2, "karat run: named: its code is for profile v2.03 of the ISA; --profile: v2.02", "run", "--profile=v2.02", named)
one_line(2, "karat run: old: its code is for profile v2.02 of the ISA; --profile: v2.03", "run", "--profile=v2.03", old)
one_line(2, "karat run: old: its code is for profile v2.02 of the ISA; new: v2.03", "run", new, old)
one_line(2, "strange.elf: note of Karat: expected ISA profile v2.02 or v2.03 or public, found 'v2.04'",
         "run", program("strange", [ENDPRG], profile="v2.04"))
one_line(2, "strange.metadata:1: expected ISA profile v2.02 or v2.03 or public, found 'v2.04'", "run",
         write_metadata(here / "strange.metadata", buffers=[(CODE, [ENDPRG], 64)], profile="v2.04"))
odd = write_metadata(here / "odd.metadata", buffers=[(CODE, [ENDPRG], 64)])
odd.write_text(odd.read_text().replace("80000000", "8000000g", 1))
one_line(2, f"{odd}:1: expected start_addr: a line of exactly 8 hex digits", "run", odd)
odd.with_suffix(".data").write_text("")
write_metadata(here / "ok.metadata", buffers=[(CODE, [ENDPRG], 64)])
(here / "ok.data").write_text("0000400b\n0\n")
one_line(2, f"{here / 'ok.data'}:2: expected the end of the file", "run", here / "ok.metadata")

# --- Help, disassembly, table -------------------------------------------------------------------------------

for arguments in (["--help"], ["run", "--help"], ["check", "--help"], ["disasm", "--help"], ["isa", "--help"]):
    status, out, err = karat(*arguments)
    check(status == 0 and out.startswith("Usage: karat") and not err, arguments, status, out, err)
status, out, err = karat("--version")
check(status == 0 and out.startswith("karat ") and out.count("\n") == 4, "version", out)

expect(0, "0x00000000: 0201b0d7  vadd.vi v1, v0, 3\n0x00000004: ffffffff  .4byte 0xffffffff\n", "disasm", "0201b0d7",
       "0xFFFFFFFF")
# A prefix and its instruction are one line; branch targets count from the instruction.
status, out, err = karat("disasm", "--pc", "0x80000000", "0010200b", "0201b0d7", "0000200b", "00000463", "00000463")
for line, begin in zip(out.splitlines(), ("0x80000000: 0010200b 0201b0d7  vadd.vi v33, v0, 3",
                                          "0x80000008: 0000200b 00000463  beq x0, x0, 0x80000014",
                                          "0x80000010: 00000463  beq x0, x0, 0x80000018"), strict=True):
    check(line.startswith(begin), "prefix", line)
expect(0, "segment: 0x80000000, 8 bytes\nstart:\n0x80000000: 900002b7  lui x5, 0x90000\nend:\n0x80000004: 0000400b  endprg\n",
       "disasm", program("listed", [lui(5, 0x90000), ENDPRG], symbols=[("start", CODE, 4), ("end", CODE + 4, 0)]))
expect(0, "buffer: 0x80000000, 4 bytes\n0x80000000: 0000400b  endprg\n", "disasm",
       write_metadata(here / "code.metadata", buffers=[(CODE, [ENDPRG], 64), (DATA, [1, 2], 64)]))

rows = json.loads(karat("isa", "--json")[1])
check(len(rows) > 100 and len({r["name"] for r in rows}) == len(rows), "rows", len(rows))
for row in rows:
    check(int(row["match"], 16) & ~int(row["mask"], 16) == 0 and row["profiles"] and row["section"], "row", row)
status, out, err = karat("isa")
check(status == 0 and len(out.splitlines()) == len(rows), "isa as text")
(row,) = json.loads(karat("isa", "--json", "vadd.vi")[1])
check((row["name"], row["match"], row["mask"], row["unit"], row["owes"]) ==
      ("vadd_vi", "0x00003057", "0xfc00707f", "alu", ["v"]), row)
check([o["name"] for o in row["operands"]][:2] == ["vd", "vs2"], row["operands"])
v202 = {r["name"] for r in json.loads(karat("isa", "--json", "--profile", "v2.02")[1])}
v203 = {r["name"] for r in json.loads(karat("isa", "--json", "--profile", "v2.03")[1])}
public = {r["name"] for r in json.loads(karat("isa", "--json", "--profile", "public")[1])}
check(v202 | v203 | public == {r["name"] for r in rows}, "profiles")

print("failures:", failures)
sys.exit(failures != 0)
