"""The programs of the field folder, on the model and, where --core names one, in lockstep: what is right for each is in its README."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--field", required=True, type=pathlib.Path)
parser.add_argument("--source", required=True, type=pathlib.Path, help="vectors/, with karat.inc and karat.ld")
parser.add_argument("--clang", required=True)
parser.add_argument("--lld", required=True)
parser.add_argument("--core", help="a harness of eight threads, with ingot's fault markers")
args = parser.parse_args()
if not args.field.is_dir():
    print(f"skipped: no field folder at {args.field}")
    sys.exit(77)
work = tempfile.TemporaryDirectory()
TMP = pathlib.Path(work.name)
FLAGS = ["-target", "riscv32", "-march=rv32ima_zfinx_zve32f", "-mno-relax"]
runs = failures = 0


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def program(name):
    object_file, elf = (TMP / f"{name.replace('/', '-')}{suffix}" for suffix in (".o", ".elf"))
    if not elf.exists():
        for command in ([args.clang, *FLAGS, "-I", args.source, "-c", args.field / f"{name}.S", "-o", object_file],
                        [args.lld, "--discard-locals", "-T", args.source / "karat.ld", object_file, "-o", elf]):
            status, output = run(*command)
            assert status == 0, output
    return elf


def expect(status, pattern, *command):
    global runs, failures
    runs += 1
    got, output = run(*command)
    if got != status or not re.search(pattern, output):
        failures += 1
        print("FAILED:", *command, f"\nstatus {got}, expected {status} and '{pattern}':\n{output}")


def on_the_model():
    karat = [args.karat, "run", "--threads", "4"]
    expect(0, r"vmadd\.vx v33, x9, v34 .* v33/0000000f=00000016,00000016,00000016,00000016", *karat, "--trace", program("tied"))
    # Every workgroup finds the buffer in its LDS.
    expect(0, "instructions=1", *karat, args.field / "ldsbuf.metadata")
    expect(4, r"ended while others of its workgroup are at a barrier", *karat, program("eb"))
    record = TMP / "eb.ktr"
    expect(0, r" deviation:ended-warps-arrive=[1-9]", *karat, "--deviation", "ended-warps-arrive", "--record", record, program("eb"))
    expect(0, r"karat: PASS .* deviation:ended-warps-arrive=[1-9]", args.karat, "check", record)
    # The second run of a list finds its .bss as the first one did.
    bss = program("bss")
    out = run(args.karat, "run", "--trace", bss, bss)[1]
    loaded = re.findall(r" lw x6, 0\(x5\) .* x6=([0-9a-f]{8})", out)
    if loaded != ["00000000"] * 2:
        expect(0, "two loads of 0", args.karat, "run", "--trace", bss, bss)
    for name in ("vsetrd", "lds_pages"):
        expect(0, f"{name}: workgroups=1", args.karat, "run", program(name))
    expect(4, "CSR_PRINT", args.karat, "run", program("noknl"))


def csr_programs():
    """The values that their lines say."""
    for source in sorted((args.field / "csr").glob("*.S")):
        values = re.findall(r"^\s*csr\w+ +(x\d+),.*// ([0-9a-f]+)$", source.read_text(), re.M)
        yield source.stem, program(f"csr/{source.stem}"), values


def csrs():
    karat = [args.karat, "run", "--threads", "4", "--trace"]
    said = 0
    for name, elf, values in csr_programs():
        if name == "v":
            expect(4, r"\(00829073  csrrw x0, vstart, x5\): only 0 can be written to vstart\n", *karat, elf)
            continue
        expect(0, "instructions=", *karat, elf)
        for reg, value in values:
            expect(0, rf" csrr\w+ {reg}, .* {reg}={int(value, 16):08x}\b", *karat, elf)
        said += len(values)
        for word, vtype in (("00c5f957", "80000000"), ("7d05f957", "80000000"), ("0d05f457", "000000d0")) if name == "vset" else ():
            expect(0, rf": {word}  vsetvli .* vtype={vtype}\n", *karat, elf)
        for reg, failed in (("x6", 1), ("x9", 0), ("x11", 1), ("x15", 1)) if name == "sc" else ():
            expect(0, rf" sc\.w {reg}, .* {reg}={failed:08x}\b", *karat, elf)
    assert said > 10, "the values in the comments of csr/"
    # Words that are no instructions here are named.
    words = args.field / "mma_mix/w.txt"
    for word in words.read_text().split():
        expect(0, rf": {word}  \.4byte 0x{word}  # tensor mma of mixed precision of newer Ventus code", args.karat, "disasm", words)


def in_lockstep():
    bss = program("bss")
    expect(0, "karat: PASS ", args.core, f"+kernel={bss},{bss}")
    for name, elf, _ in csr_programs():
        expect(4 if name == "v" else 0, "only 0 can be written to vstart" if name == "v" else "karat: PASS ", args.core, f"+kernel={elf}")
    expect(0, "karat: PASS ", args.core, f"+kernel={program('tied')}")
    for name, fault in (("vsetrd", "vset_rd_not_extended"), ("lds_pages", "lds_pages_alike"), ("ldsfull3", "lds_count_two_ports")):
        expect(0, "karat: PASS ", args.core, f"+kernel={program(name)}", "+quiet")
        expect(1, "karat: MISMATCH ", args.core, f"+kernel={program(name)}", f"+fault={fault}", "+quiet")


on_the_model()
csrs()
if args.core:
    in_lockstep()
print(f"runs: {runs} failures: {failures}")
sys.exit(failures != 0)
