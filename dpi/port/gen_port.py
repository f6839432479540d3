#!/usr/bin/python3
"""Generate the C header and the SystemVerilog of the retire port from records.py: package, interface and monitor.

Usage: gen_port.py OUTDIR           write the files into OUTDIR
       gen_port.py --check OUTDIR   exit 1 and name the file when one in OUTDIR is out of date
"""
import argparse
import pathlib
import sys
import textwrap

import jinja2

import records

HERE = pathlib.Path(__file__).resolve().parent
COLUMNS = 110
NO_BREAK = "\0"  # A space at which no line ends
MARKS = {"c": ("/* ", " * ", " */"), "sv": ("// ", "// ", "")}  # Before the first line of a comment, before the others, after the last


def c_type(bits):
    return {4: "uint8_t", 8: "uint8_t", 16: "uint16_t", 32: "uint32_t", 64: "uint64_t"}[bits]


def c_count(bits, count):
    return count // 2 if bits == 4 else count


def layout(fields):
    """Check natural alignment and return the record's size in bytes."""
    offset = 0
    for field in fields:
        unit = max(field.bits, 8) // 8
        if offset % unit:
            raise SystemExit(f"records.py: field {field.name} at byte {offset} is not aligned to {unit}")
        offset += field.bits * field.count // 8
    if offset % 8:
        raise SystemExit(f"records.py: record size {offset} is not a multiple of 8")
    return offset


def alike(record):
    """The kinds that are records of the same. They begin with the same fields: code for one takes those of any."""
    base = record.like or record.name
    kinds = [r for r in records.RECORDS if base in (r.name, r.like)]
    ends = [[field.name for field in r.fields].index("mask") for r in kinds] if len(kinds) > 1 else []
    if len({tuple((f.name, f.bits) for f in r.fields[:end + 1]) for r, end in zip(kinds, ends)}) > 1:
        raise SystemExit(f"records.py: {record.name}: expected the fields of {base} up to mask")
    return kinds


def wrong(field):
    """When a field's value is one that the port does not define, in C; empty: any value is defined, or the handler of the record judges it."""
    family = records.FAMILIES.get(field.legal)
    if field.legal is None or field.legal in records.NOT_CHECKED:
        return ""
    if isinstance(field.legal, int):
        test = f"r->{field.name} > {field.legal}"
    elif family is None:
        test = field.legal
    elif field.legal in records.FLAGS:
        test = f"r->{field.name} & ~{hex(sum(value for _, value, _ in family))}u"
    elif [value for _, value, _ in family] != list(range(len(family))):
        raise SystemExit(f"records.py: field {field.name}: expected the values of {field.legal} to go up from 0")
    else:
        test = f"r->{field.name} > KARAT_{family[-1][0]}"
    return f"{field.only} && {test}" if field.only else test


def checks(record):
    """Name and wrong() of each field that has wrong values."""
    return [(field.name, wrong(field)) for field in record.fields if wrong(field)]


def called():
    return [r for r in records.RECORDS if any(like.calls for like in alike(r))]


def having(name, place):
    """The kinds with a field of that name, which is in the same place in all."""
    kinds = [r for r in records.RECORDS if name in [field.name for field in r.fields]]
    for r in kinds:
        if r.fields[place].name != name:
            raise SystemExit(f"records.py: {r.name}: expected {name} as field {place}")
    return kinds


def mask(kinds):
    return hex(sum(1 << r.kind for r in kinds)) + "u"


def note(language, text, indent=0):
    """A comment of as many lines as it needs."""
    first, others, end = (mark.replace(" ", NO_BREAK) for mark in MARKS[language])
    lines = textwrap.wrap(text + end, COLUMNS, initial_indent=" " * indent + first, subsequent_indent=" " * indent + others,
                          break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace(NO_BREAK, " ")


def noted(language, indent, code, text):
    """A declaration with its comment: beside it, or above it where both have no room in a line."""
    if not text:
        return " " * indent + code
    text = text[0].upper() + text[1:]
    line = " " * indent + code + (" " if language == "c" else "  ") + note(language, text).replace("\n", " ")
    return line if len(line) <= COLUMNS else note(language, text, indent) + "\n" + " " * indent + code


def render(template):
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE), trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, undefined=jinja2.StrictUndefined)
    env.globals.update(note=note, noted=noted, c_type=c_type, c_count=c_count, checks=checks, alike=alike, called=called, having=having,
                       mask=mask)
    size = {r.name: layout(records.HEADER + r.fields) for r in records.RECORDS}
    return env.get_template(template).render(
        records=records.RECORDS, size=size, header=records.HEADER, constants=records.CONSTANTS, version=records.VERSION,
        of_probe=records.of_probe(), retire_ways=records.RETIRE_WAYS, max_thread=records.MAX_THREAD, max_size=max(size.values()))


def main():
    parser = argparse.ArgumentParser(description="Generate the retire port's C and SystemVerilog definitions.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("outdir", type=pathlib.Path)
    args = parser.parse_args()
    stale = []
    for template in sorted(HERE.glob("*.in")):
        name = template.stem
        text = render(template.name)
        path = args.outdir / name
        if not args.check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(str(path))
    for path in stale:
        print(f"{path}: out of date; run dpi/port/gen_port.py {args.outdir}", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
