#!/usr/bin/python3
"""The JSON reports of all kinds of failure are what docs/report.schema.json says, and it says nothing more.

The programs are tests of the checker: they write the first reports of each kind into the folder that KARAT_REPORTS names. The schema
must be one, describe each field, and be closed: every object lists its fields and admits no others. Every kind of failure that it lists
must occur, and so must every field.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(TESTS), str(TESTS.parent / "dpi" / "port")]
import records  # noqa: E402
from schema import judge  # noqa: E402

problems = []


def check(good, *what):
    if not good:
        problems.append(" ".join(str(w) for w in what))
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--schema", required=True, type=pathlib.Path)
    parser.add_argument("programs", nargs="+", metavar="PROGRAM", help="a test that writes reports")
    args = parser.parse_args()
    schema = json.loads(args.schema.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        for number, program in enumerate(args.programs):
            own = pathlib.Path(folder, str(number))
            own.mkdir()
            done = subprocess.run([program], env={**os.environ, "KARAT_REPORTS": str(own)}, capture_output=True, text=True, errors="replace")
            check(done.returncode == 0, program, "failed\n" + done.stdout + done.stderr)
        reports = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(pathlib.Path(folder).glob("*/*.json"))]
    kinds = {report.get("failure", {}).get("kind", "none") for report in reports}
    verdicts = {report["verdict"] for report in reports}
    listed = set(schema["$defs"]["kind"]["enum"])
    listed.remove("not enough memory") # test_dpi_no_memory.c
    check(kinds - {"none"} == listed, "kinds without a report or not listed:", sorted((kinds - {"none"}) ^ listed))
    check(verdicts == set(schema["properties"]["verdict"]["enum"]), "verdicts:", sorted(verdicts))
    fields = {record.name.lower(): {field.name for field in record.fields} for record in records.RECORDS}
    shown = {(f["kind"], *f["records"], ":", *f["fields"]) for f in (report["failure"] for report in reports if "failure" in report)}
    for kind, *about in shown:
        split = about.index(":")
        own = set().union(*(fields.get(name, {None}) for name in about[:split]))
        check(None not in own and own.issuperset(about[split + 1:]), kind, "is shown by", *about, "which no record has")
    waits = {row[1:row.index(":")] for row in shown if row[0] == "no progress"}
    check(waits >= {("write", "pair"), ("launch",)}, "a HANG waits for", sorted(waits))
    strays = [f for f in (report.get("failure", {}) for report in reports) if f.get("kind") == "record of a warp that is not there"]
    check(all(f["records"] == [f["record"]["kind"]] for f in strays), "a record of no warp is shown by another")
    used, tried = judge(schema, [(report.get("failure", {}).get("kind", "none"), report) for report in reports], check, "report")
    for problem in problems[:20]:
        print(f"test_report_schema: {problem}", file=sys.stderr)
    print(f"{len(reports)} reports of {len(kinds)} kinds, {used} fields, {tried} tried without; {len(problems)} problems")
    return 1 if problems or not reports else 0


if __name__ == "__main__":
    sys.exit(main())
