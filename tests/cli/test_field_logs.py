"""The logs of the field folder, with their programs: register logs are equal up to where they end, Chisel logs pass."""
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
args = parser.parse_args()
if not args.field.is_dir():
    print(f"skipped: no field folder at {args.field}")
    sys.exit(77)
work = tempfile.TemporaryDirectory()
TMP = pathlib.Path(work.name)
FLAGS = ["-target", "riscv32", "-march=rv32ima_zfinx_zve32f", "-mno-relax"]
failures = 0


def check(good, what, *more):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what, *more)


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def program(name):
    object_file, elf = (TMP / f"{name.replace('/', '-')}{suffix}" for suffix in (".o", ".elf"))
    if not elf.exists():
        for command in ([args.clang, *FLAGS, "-I", args.source, "-c", args.field / f"{name}.S", "-o", object_file],
                        [args.lld, "--discard-locals", "-T", args.source / "karat.ld", object_file, "-o", elf]):
            status, _, err = run(*command)
            assert status == 0, err
    return elf


# Name, program, status, equal steps (None: all), what is said of the log
for name, source, status, steps, words in (
        ("byte", "byte", 0, 4, "bytes of one digit"), ("deep", "deep", 0, 147, "vectors as words of 32 words with the mask"),
        ("trap", "trap", 4, 1, ", traps;"), ("oldsimt", "dj", 0, 3, "SIMT state on lines of its own"),
        ("vec", "vec", 0, None, ""), ("ooo", "ooo", 0, None, ""), ("dj2", "dj", 0, None, "")):
    got, out, err = run(args.karat, "check", args.field / f"{name}.log", program(source))
    check(got == status and not err and words in out.splitlines()[0] and (steps is None or f"instructions={steps} " in out), name, got, out, err)
    if name == "trap":
        check("ends in trap_illegal_instruction at pc 0x80000004, tval 0x2e1110d7" in out and "illegal instruction: " in out, name, out)

# A prefix before a prefix: an error that says so; by the deviation the last one counts, in the run and in a log that has a line for each.
nested = program("nested/n")
got, out, err = run(args.karat, "run", "--threads=4", nested)
check(got == 4 and "a prefix before a prefix" in err and err.count("\n") == 1, "nested", got, out, err)
got, out, err = run(args.karat, "run", "--threads=4", "--deviation=prefix-last-wins", "--trace", nested)
check(got == 0 and " v33/0000000f=00000005,00000006,00000007,00000008" in out and " deviation:prefix-last-wins=1\n" in out, "nested", got, out, err)
log = TMP / "nested.log"
lines = [("5208a0d7", "c8_vstart 0x00000000 e32 m1 l4 v1  0000000f 0x00000003 00000002 00000001 00000000 "), ("0010200b", ""), ("0010300b", ""),
         ("0212b0d7", "c8_vstart 0x00000000 e32 m1 l4 v33  0000000f 0x00000008 00000007 00000006 00000005 "), ("0000400b", "")]
log.write_text("".join(f"core   0: 0x{0x80000000 + 4 * i:08x} (0x{word}) x\ncore   0: 3 0x{0x80000000 + 4 * i:08x} (0x{word}) {said}\n"
                       for i, (word, said) in enumerate(lines)))
got, out, err = run(args.karat, "check", "--partial", log, nested)
check(got == 4 and "what      a prefix before a prefix\n" in out, "nested.log", got, out, err)
got, out, err = run(args.karat, "check", "--partial", "--deviation=prefix-last-wins", log, nested)
check(got == 0 and " deviation:prefix-last-wins=1" in out, "nested.log", got, out, err)

# Private memory of simulators that give all workgroups one base, and beyond a thread's bytes.
private = args.field / "pds_log"
for name, source, said in (("p", "p", "one base for all workgroups"), ("q", "q", "one base for all workgroups"), ("apart", "p", "")):
    got, out, err = run(args.karat, "check", private / f"{name}.log", program(f"pds_log/{source}"))
    check(got == 0 and "PASS" in out and said in out + err and ("private memory" in out + err) == bool(said), "pds_log", name, got, out, err)
over = program("pds_overflow/o")
got, out, err = run(args.karat, "run", over)
check(got == 0 and out.endswith(" pds-beyond=4\n"), "pds_overflow", out, err)
got, out, err = run(args.karat, "run", "--strict=pds-size", over)
check(got == 4 and "beyond the bytes of a thread that the launch declares" in err, "pds_overflow, strict", out, err)
got, out, err = run(args.karat, "run", "--record", TMP / "over.ktr", over)
got, out, err = run(args.karat, "check", "--strict=pds-size", TMP / "over.ktr")
check(got == 4 and "beyond the bytes of a thread" in out, "pds_overflow, checked", out, err)

# Marks, upper-case digits, and lines of other programs: read, and counted where they are text; refused where that is wanted.
forms = args.field / "text_forms"
for name, number, first in (("good", 0, 0), ("bom", 0, 0), ("up", 0, 0), ("case", 0, 0), ("glue", 1, 5), ("mix", 1, 5),
                            ("warn", 1, 1), ("stamp", 10, 1)):
    log = forms / f"{name}.log"
    got, out, err = run(args.karat, "check", log, forms / "f.elf")
    said = f"which is passed over: {number}, the first is line {first}\n"
    check(got == 0 and not err and "PASS" in out and "instructions=5 " in out and (said in out) == (number > 0), name, got, out, err)
    got, out, err = run(args.karat, "check", "--strict-lines", log, forms / "f.elf")
    check((got, err) == ((2, f"karat check: {log}:{first}: expected a line of a register log\n") if number else (0, "")), name, got, out, err)

# Files of $readmemh are listed, and run: the first two do not end.
for name, words in (("c", "900002b7"), ("d", "900002b7 5208a157 962131d7"), ("p", "900002b7 5208a157 962131d7 0000400b")):
    got, out, err = run(args.karat, "disasm", args.field / "vmem" / f"{name}.vmem")
    check(got == 0 and [l.split()[1] for l in out.splitlines()] == words.split(), name, got, out, err)
    got, out, err = run(args.karat, "run", "--trace", args.field / "vmem" / f"{name}.vmem")
    ran = re.findall(r"^\S+ wg=0 warp=0 [0-9a-f]{8}: ([0-9a-f]{8})  ", out, re.M)
    check(got == (0 if name == "p" else 4) and ran == words.split(), name, "run", got, out, err)

print(f"{failures} failures")
sys.exit(failures != 0)
