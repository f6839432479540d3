#!/usr/bin/python3
"""Generate the C header and the SystemVerilog of the retire port from records.py: package, interface and monitor.

Usage: gen_port.py OUTDIR           write the files into OUTDIR
       gen_port.py --check OUTDIR   exit 1 and name the file when one in OUTDIR is out of date
"""
import argparse
import pathlib
import sys

import jinja2

import records

HERE = pathlib.Path(__file__).resolve().parent


def c_type(bits):
    return {4: "uint8_t", 8: "uint8_t", 16: "uint16_t", 32: "uint32_t", 64: "uint64_t"}[bits]


def c_count(bits, count):
    return count // 2 if bits == 4 else count


def layout(fields):
    """Check natural alignment and return the record's size in bytes."""
    offset = 0
    for name, bits, count, _ in fields:
        unit = max(bits, 8) // 8
        if offset % unit:
            raise SystemExit(f"records.py: field {name} at byte {offset} is not aligned to {unit}")
        offset += bits * count // 8
    if offset % 8:
        raise SystemExit(f"records.py: record size {offset} is not a multiple of 8")
    return offset


def render(template, **extra):
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE), trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, undefined=jinja2.StrictUndefined)
    env.globals.update(c_type=c_type, c_count=c_count)
    recs = [dict(kind=k, name=n, sender=s, when=w, fields=f, size=layout(records.HEADER + f))
            for k, n, s, w, f in records.RECORDS]
    return env.get_template(template).render(
        records=recs, header=records.HEADER, constants=records.CONSTANTS, version=records.VERSION,
        of_probe=[r for _, name, *_ in records.of_probe() for r in recs if r["name"] == name],
        retire_ways=records.RETIRE_WAYS, max_thread=records.MAX_THREAD, max_size=max(r["size"] for r in recs), **extra)


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
