#!/usr/bin/python3
"""A row that lacks something is refused: by the build, or by the tests.

    test_table.py --source DIR --library PATH --rows FILE... [--cc COMPILER]

Puts one bad row at a time into a copy of golden/isa/ventus.def and does there what the build does: compiles the table
(table.c), runs gen_index on it, compiles the dispatch table (fetch.c) and links it with libkarat_golden; then test_isa,
linked with that table. Each bad row has to be refused at the step that is there for it, with a message that names what is
wrong. A row that lacks nothing but a test passes all that; then test_rows, linked with that table, has to fail and name it,
given the rows that test_step and test_qemu executed (FILE...). The unchanged table has to pass everything, so the copy is as
good as the real one. Exits with 77 (skipped) where a FILE is missing.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
GOOD = dict(
    id="injected",
    mnemonic='"injected"',
    match="0x0000007f",  # An opcode that the ISA does not use
    mask="0x0000707f",
    operands="(RD, RS1, IMM12)",
    semantic="add",
    owes="X",
    policy="EXACT",
    unit="ALU",
    widths="PLAIN",
    set="ALL",
    section='"test"',
)
TABLE, INDEX, DISPATCH, LINK = "the table's compilation", "gen_index", "the dispatch table", "linking"
ISA, ROWS = "test_isa", "test_rows"
# A change of the good row, the step that has to refuse it, and what its message has to contain
BAD = [
    ("no semantic of that name", dict(semantic="nowhere"), LINK, "karat_sem_nowhere"),
    ("an empty semantic", dict(semantic=""), LINK, "karat_sem_"),
    ("completions of no known kind", dict(owes="SOMETHING"), TABLE, "OWES_SOMETHING"),
    ("no completions", dict(owes=""), TABLE, "OWES_"),
    ("no policy of that name", dict(policy="ROUGHLY"), TABLE, "KARAT_ROUGHLY"),
    ("no policy", dict(policy=""), TABLE, "KARAT_"),
    ("no unit of that name", dict(unit="CAVE"), TABLE, "KARAT_UNIT_CAVE"),
    ("no unit", dict(unit=""), TABLE, "KARAT_UNIT_"),
    ("no widths of that name", dict(widths="BROAD"), TABLE, "W_BROAD"),
    ("no widths", dict(widths=""), TABLE, "W_"),
    ("no set of profiles", dict(set=""), TABLE, "SET_"),
    ("no set of that name", dict(set="V203"), TABLE, "SET_V203"),
    ("no operand of that kind", dict(operands="(RD, RS9, IMM12)"), TABLE, "KARAT_OP_RS9"),
    ("a column missing", dict(section=None), TABLE, "ROW"),
    ("the same id twice", dict(id="addi"), TABLE, "addi"),
    ("an overlap", dict(match="0x00000013"), INDEX, "injected and addi overlap"),
    ("an overlap of a part", dict(mask="0x0000007f", match="0x00000013"), INDEX, "injected and addi overlap"),
    ("match beyond mask", dict(match="0x0000107f", mask="0x0000607f"), INDEX, "match has bits outside mask"),
    ("bits of no field", dict(operands="(RD, IMM12)"), INDEX, "belong to no field"),
    ("bits of two fields", dict(operands="(RD, RS1, RS2, IMM12)"), INDEX, "overlaps fixed bits or another operand"),
    ("operands over fixed bits", dict(mask="0x0000f07f"), INDEX, "overlaps fixed bits or another operand"),
    ("a write that it does not owe", dict(owes="NOTHING"), ISA, "owes_agrees_with_operands"),
    ("an access that it does not owe", dict(unit="MEM"), ISA, "owes_agrees_with_operands"),
    ("a width that the documents do not have", dict(widths="PAIR"), ISA, "widths_are_those_of_the_decisions"),
    ("a pair that the documents do not have", dict(operands="(RD, RS1A, IMM12)"), ISA, "pairs_are_those_of_the_decisions"),
    ("a profile that leaves it out", dict(set="WIDTHS"), ISA, "legal_by_profile"),
    ("a mnemonic that another has", dict(mnemonic='"add"'), ISA, "rows_are_found_by_name"),
    ("no section", dict(section='""'), ISA, "owes_agrees_with_operands"),
    ("no test", dict(), ROWS, "injected: never executed by a test"),
]
# Rows of other_isas.def, and what the message of gen_index has to contain.
ELSEWHERE = [
    ('KNOWN("mine", "another ISA", 0x00000013, 0x0000707f, NO_PREFIX)', "mine of another ISA overlaps addi of ventus.def"),
    ('KNOWN("mine", "another ISA", 0x00000002, 0x0000007f, ALL)', "mine of another ISA overlaps prefix of ventus.def"),
    ('OVERLAP("mine", "another ISA", 0x0000007f, 0x0000007f, PREFIX)', "mine of another ISA overlaps no row of ventus.def"),
    ('OVERLAP("mine", "another ISA", 0x00000002, 0x0000007f, ALL)', "mine of another ISA overlaps no row of ventus.def"),
    ('OVERLAP("mine", "another ISA", 0xc4002057, 0xfc00707f, NO_WIDTHS)', "mine of another ISA overlaps no row of ventus.def"),
    ('BLOCK("mine", "another ISA", 0x00000100, 0x0000007f, ALL)', "match has bits outside mask"),
]


class Refused(Exception):
    pass


def run(step, *command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        raise Refused(step, done.stdout + done.stderr)
    return done.stdout


def row_text(row):
    return "\nROW(" + ", ".join(value for value in row.values() if value is not None) + ")\n"


def build(options, work, text, last, elsewhere=""):
    """The steps of golden/CMakeLists.txt for a table, then the tests; raises Refused.  Stops after the step named last."""
    golden = work / "golden"
    isa = golden / "isa"
    shutil.copy(options.source / "golden/isa/ventus.def", isa)
    with open(isa / "ventus.def", "a") as f:
        f.write(text)
    shutil.copy(options.source / "golden/isa/other_isas.def", isa)
    with open(isa / "other_isas.def", "a") as f:
        f.write(elsewhere)
    cc = [options.cc, "-std=c11", "-O0", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", golden / "include", "-I", golden / "inline",
          "-I", isa]
    run(TABLE, *cc, "-c", isa / "table.c", "-o", work / "table.o")
    run(TABLE, *cc, isa / "gen_index.c", work / "table.o", "-o", work / "gen_index")
    (work / "isa_index.c").write_text(run(INDEX, work / "gen_index"))
    run(DISPATCH, *cc, "-c", golden / "core/fetch.c", "-o", work / "fetch.o")
    # The dispatch table names a function for every row; the library has those that exist.
    (work / "main.c").write_text("extern int karat_fetch(void); int main(void) { return !karat_fetch; }\n")
    sanitize = ["-fsanitize=address,undefined"] if options.sanitize else []
    run(LINK, *cc, "-Wno-error", *sanitize, work / "main.c", work / "fetch.o", work / "table.o", work / "isa_index.c",
        isa / "isa.c", isa / "disasm.c", options.library, "-o", work / "link")
    if last == LINK:
        return ""
    tests = options.source / "tests/golden"
    if last == ISA or not text:
        run(ISA, *cc, "-D_POSIX_C_SOURCE=200809L", "-I", tests.parent, *sanitize, tests / "test_isa.c", tests / "prefix_spec.c", tests / "support.c",
            work / "table.o", work / "isa_index.c", isa / "isa.c", isa / "disasm.c", options.library, "-lcmocka", "-o",
            work / "test_isa")
        for test in sorted({message for *_, step, message in BAD if step == ISA}):
            run(ISA, work / "test_isa", test)
    run(ROWS, *cc, options.source / "tests/golden/test_rows.c", work / "table.o", work / "isa_index.c", isa / "isa.c", "-o",
        work / "test_rows")
    return run(ROWS, work / "test_rows", *options.rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--library", required=True, type=pathlib.Path)
    parser.add_argument("--rows", required=True, nargs="+", type=pathlib.Path)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--sanitize", action="store_true", help="the library needs the sanitizers' run time")
    options = parser.parse_args()
    for path in options.rows:
        if not path.exists():
            print(f"skipped: no {path} (the test that writes it did not run to its end)")
            return SKIPPED
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        shutil.copytree(options.source / "golden", work / "golden")
        try:
            print("unchanged:", build(options, work, "", ROWS).splitlines()[-1])
        except Refused as refused:
            print("FAILED: the unchanged table is refused by", *refused.args)
            return 1
        for what, change, step, message in BAD:
            try:
                build(options, work, row_text({**GOOD, **change}), step)
                print(f"FAILED: a row with {what} is accepted")
                failures += 1
            except Refused as refused:
                by, said = refused.args
                if by != step or message not in said:
                    print(f"FAILED: a row with {what}: refused by {by}, expected {step} with '{message}':\n{said[:1500]}")
                    failures += 1
                else:
                    print(f"a row with {what}: refused by {step}")
        for row, message in ELSEWHERE:
            try:
                build(options, work, "", INDEX, "\n" + row + "\n")
                print(f"FAILED: {row} is accepted")
                failures += 1
            except Refused as refused:
                by, said = refused.args
                if by != INDEX or message not in said:
                    print(f"FAILED: {row}: refused by {by}, expected '{message}':\n{said[:1500]}")
                    failures += 1
    print(f"{len(BAD)} bad rows, {len(ELSEWHERE)} of other_isas.def, failures: {failures}")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
