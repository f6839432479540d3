#!/usr/bin/python3
"""karat shrink: what is left of programs that 'fail' where a made-up predicate holds, and with --core, of programs that find faults.

A predicate is an instruction with a result, taken from the program's trace. The shrunk program still has it, runs, reads no register that
it has not written, and is the same whenever it is made, also by a run that was killed or interrupted and gone on with.
"""
import argparse
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

from checks import check, end, one_line, run
from recount import LINE, Table

# Faults, and how many instructions are left at most of a random program that finds them; ENDPRG is one.
FAULTS = {"tie_if_first": 12, "regext_x2": 8, "simm5_sign": 6}
MOST = 12  # Instructions that make any result

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--core", type=pathlib.Path, help="karat-ingot of 8 warps and 8 threads")
parser.add_argument("--seed", type=int, default=1, help="of the first program (1)")
parser.add_argument("--programs", type=int, default=4, help="how many (4)")
parser.add_argument("--length", type=int, default=150, help="instructions of each (150)")
args = parser.parse_args()
karat = str(args.karat.absolute())
THREADS = 8


def trace(program):
    done = run(karat, "run", f"--threads={THREADS}", "--trace", program)
    check(done.returncode == 0 and not done.stderr, "does not run", program, done.stderr)
    return done.stdout


def shrink(program, out, test, *more):
    return run(karat, "shrink", f"--threads={THREADS}", f"--output={out}", f"--test={test}", *more, program)


def instructions(done):
    match = re.search(r": (\d+) instructions of (\d+), status \d+, \d+ tests\n$", done.stdout)
    check(done.returncode == 0 and match and not done.stderr, "no result", done)
    return int(match[1]) if match else 0


def defined(table, text):
    """Registers that are read and that nothing has written, one a line of the trace."""
    wrong, written = [], {}
    for line in text.splitlines():
        match = LINE.match(line)
        if not match:
            continue
        known = written.setdefault((match[1], match[2]), {("x", 0)})
        row, (_, more) = table.decode(int(match[5], 16)), table.extensions(match[4] and int(match[4], 16))
        for operand in row.registers:
            up = {"src1": "x1", "src2": "x2", "src3": "x3"}.get(operand["role"])
            number = row.field(int(match[5], 16), operand["name"]) | more.get(up, 0) << 5
            if up and (operand["class"], number) not in known:
                wrong.append(line)
        known |= {(c, int(n)) for c, n in re.findall(r" ([xv])(\d+)(?:/[0-9a-f]{8})?=", match[7])}
    return wrong


def in_row(text, mnemonic, value):
    """Whether the trace has that instruction with that result."""
    return re.search(rf"  {re.escape(mnemonic)} .*\| mask=[0-9a-f]{{8}} x\d+={value}( |$)", text, re.M)


with tempfile.TemporaryDirectory() as name:
    here = pathlib.Path(name)
    table = Table(karat)
    print(f"programs: seeds from {args.seed}")
    done = run(karat, "gen", "random", f"--count={args.programs}", f"--seed={args.seed}", f"--length={args.length}", f"--threads={THREADS}",
               "--warps=2",
               "--vgprs=1024", f"--output={here}")
    check(done.returncode == 0, done)
    programs = sorted(here.glob("*/program.elf"))
    last = None
    for program in programs:
        rng = random.Random(f"{args.seed} {program.parent.name}")
        lines = re.findall(r"[0-9a-f]{8}  (?!auipc|jal|xor )(\S+) .*\| mask=[0-9a-f]{8} x\d+=([0-9a-f]{8})(?: |$)", trace(program), re.M)
        mnemonic, value = rng.choice(lines)  # No pc, and nothing of a signature, which all instructions make
        test = (f"! {shlex.quote(karat)} run --threads {THREADS} --trace {{}} | "
                f"grep -qE {shlex.quote(f'  {re.escape(mnemonic)} .*[|] mask=[0-9a-f]+ x[0-9]+={value}( |$)')}")
        out = here / f"{program.parent.name}.elf"
        done = shrink(program, out, test)
        left = instructions(done)
        text = trace(out)
        check(in_row(text, mnemonic, value), out, mnemonic, value, "is gone")
        check(0 < left <= MOST, f"{program.parent.name}: {mnemonic} with {value}: {left} instructions left", text)
        check(not defined(table, text), "reads what nothing has written", defined(table, text))
        check(not list(here.glob("*.journal")) and not list(here.glob("*.try.elf")), "files are left over")
        print(f"{program.parent.name}: {mnemonic} with {value}: {done.stdout.strip().rpartition('/')[2]}")
        last = program, test, out, done.stdout
    # A matrix product of profile public keeps what writes its operands, and nothing else.
    (here / "weights.json").write_text('{"kinds": {"matrix": 100}}')
    public = "--profile=public", "--threads=32"
    run(karat, "gen", "random", f"--seed={args.seed}", "--length=600", "--warps=1", "--workgroups=1", f"--weights={here / 'weights.json'}", *public,
        f"--output={here / 'public'}")
    product = next((here / "public").glob("*/program.elf"))
    found = re.search(r"  (mma\S+) .*\| mask=ffffffff v\d+/ffffffff=(\S+)", run(karat, "run", *public, "--trace", product).stdout)
    same = f"  {re.escape(found[1])} .*[|] mask=ffffffff v[0-9]+/ffffffff={found[2]}( |$)"
    done = run(karat, "shrink", *public, f"--output={here / 'product.elf'}", f"--test=! {shlex.quote(karat)} run {' '.join(public)} --trace {{}} | "
               f"grep -qE {shlex.quote(same)}", product)
    left = instructions(done)
    text = run(karat, "run", *public, "--trace", here / "product.elf").stdout
    check(re.search(same, text, re.M) and 0 < left <= 40, "a matrix product", found[1], left, text)
    print(f"{found[1]}: {done.stdout.strip().rpartition('/')[2]}")
    # Again, killed and interrupted at some test.
    program, test, out, said = last
    first, wanted = out.read_bytes(), said.partition(":")[2]
    for signal, status in (("INT", 5), ("TERM", 5), ("KILL", -9)):
        count = here / "count"
        count.write_text("")
        limited = f"echo >> {count}; if [ $(wc -l < {count}) = 25 ]; then kill -{signal} $PPID; sleep 0.1; fi; {test}"
        out.unlink(missing_ok=True)
        done = shrink(program, out, limited)
        check(done.returncode == status, signal, done)
        if status == 5:
            one_line(5, "--resume goes on", done)
        check(out.exists() and in_row(trace(out), mnemonic, value), signal, "the smallest so far is there, and fails")
        one_line(2, "of another program, test or version", shrink(program, out, test, "--resume"))
        done = shrink(program, out, limited, "--resume")
        check(done.stdout.partition(":")[2] == wanted and out.read_bytes() == first, signal, "another end", done, wanted)
        check(len(count.read_text()) < 25 + int(wanted.split()[-2]), signal, "tests are not made twice", len(count.read_text()))
    # A journal that says otherwise than the tests did.
    count.write_text("")
    shrink(program, out, limited.replace("-KILL", "-INT"))
    journal = out.with_suffix(".elf.journal")
    head, said = journal.read_text().split("\n", 1)
    check("0" in said, "the journal", said)
    journal.write_text(head + "\n" + said.replace("0", "1"))
    one_line(2, "does not fail", shrink(program, out, limited.replace("-KILL", "-INT"), "--resume"))
    done = shrink(program, out, test)
    check(done.stdout.partition(":")[2] == wanted and out.read_bytes() == first, "deterministic", done, wanted)
    done = shrink(out, here / "again.elf", test)
    check(instructions(done) == instructions(shrink(program, out, test)), "nothing more to take away", done)
    # A name of any characters is one word of the test, in whatever quotes it is there.
    odd = here / "two words, \u00fc, it's $HOME `pwd` \"\\.elf"
    for word in ("{}", '"{}"', "'{}'"):
        done = shrink(program, odd, f"set -- {word}; " + test.replace("{}", '"$1"'))
        check(done.returncode == 0 and odd.read_bytes() == first, f"an odd name as {word}", done)
    # Bad input.
    one_line(2, "the test does not fail", shrink(program, out, "true {}"))
    one_line(2, f"{here}/none {{}}: the test cannot be run", shrink(program, out, f"{here}/none {{}}"))
    one_line(2, "the test ends with status 2", shrink(program, out, "test -e {} && exit 2"))
    one_line(2, "the test cannot be run", shrink(program, out, "test -e {} && exit 126"))
    one_line(2, "named as an output and for another purpose", shrink(program, program, test))
    one_line(2, "the test takes too long", shrink(program, out, "sleep 5; false {}", "--timeout=1"))
    one_line(2, "expected a command with {}", shrink(program, out, "false"))
    one_line(2, "expected a program, --test=COMMAND and --output=FILE", run(karat, "shrink", program))
    one_line(2, "--threads: expected", shrink(program, out, test, "--threads=3"))
    one_line(2, "nothing to resume", shrink(program, here / "none.elf", test, "--resume"))
    one_line(2, "cannot be written", shrink(program, here / "none" / "x.elf", test))
    one_line(2, "none.elf", shrink(here / "none.elf", out, test))
    out.with_suffix(".elf.journal").write_text("")
    one_line(2, "of another program, test or version", shrink(program, out, test, "--resume"))
    # Programs that find a fault of the core.
    for fault in FAULTS if args.core else ():
        command = f"{shlex.quote(str(args.core.absolute()))} +kernel={{}} +hang=2000 +quiet"
        for seed in range(1, 50):
            done = run(karat, "gen", "random", f"--seed={seed}", "--length=1000", f"--threads={THREADS}", "--warps=4", "--vgprs=1024",
                       f"--output={here}")
            program = here / f"random-{seed}" / "program.elf"
            if run("sh", "-c", f"{command.replace('{}', str(program))} +fault={fault}").returncode:
                break
        done = shrink(program, out, f"{command} +fault={fault}")
        left = instructions(done)
        check(0 < left <= FAULTS[fault], fault, left, trace(out))
        # The small program does nothing that the first one does not do: no undefined registers, no local memory that nothing has written.
        strict = ",".join(k for k in ("registers", "lds") if run("sh", "-c", f"{command.replace('{}', str(program))} +strict={k}").returncode == 0)
        check("registers" in strict, fault, program, "reads undefined registers")
        again = run("sh", "-c", f"{command.replace('{}', str(out))} +fault={fault} +strict={strict}")
        check(again.returncode == int(re.search(r"status (\d+)", done.stdout)[1]), fault, "another verdict", again)
        again = run("sh", "-c", f"{command.replace('{}', str(out))} +strict={strict}")
        check(again.returncode == 0, fault, "what is left fails without it", again)
        print(f"{fault} (seed {seed}): {done.stdout.strip().rpartition('/')[2]}")
sys.exit(end())
