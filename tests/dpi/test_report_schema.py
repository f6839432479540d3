#!/usr/bin/python3
"""The JSON reports of all kinds of failure are what docs/report.schema.json says, and it says nothing more.

The programs are tests of the checker: they write the first reports of each kind into the folder that KARAT_REPORTS names. The schema
must be one, describe each field, and be closed: every object lists its fields and admits no others. Every kind of failure that it lists
must occur, and so must every field.
"""
import argparse
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

problems = []


def check(good, *what):
    if not good:
        problems.append(" ".join(str(w) for w in what))
    return good


def resolve(root, schema):
    return root["$defs"][schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema


def objects(schema, path="report"):
    """All subschemas, with a name for each."""
    yield path, schema
    for name, sub in schema.get("properties", {}).items():
        yield from objects(sub, f"{path}.{name}")
    for name, sub in schema.get("$defs", {}).items():
        yield from objects(sub, f"$defs.{name}")
    if "items" in schema:
        yield from objects(schema["items"], path + "[]")


def closed(root):
    for path, schema in objects(root):
        if schema.get("type") == "object":
            check(schema.get("additionalProperties") is False, path, "admits fields that it does not list")
            check(schema.get("properties"), path, "lists no fields")
            check(set(schema.get("required", [])) <= set(schema["properties"]), path, "requires fields that it does not list")
        if path != "report" and not path.endswith("[]"):
            check(schema.get("description") or "$ref" in schema, path, "is not described")


def walk(root, schema, value, path, used):
    """Which fields of the schema a report has: their paths go into used."""
    schema = resolve(root, schema)
    if isinstance(value, dict):
        for key, sub in value.items():
            used.add(f"{path}.{key}")
            walk(root, schema["properties"][key], sub, f"{path}.{key}", used)
    elif isinstance(value, list):
        for sub in value:
            walk(root, schema["items"], sub, path + "[]", used)


def fields(root, schema, path):
    schema = resolve(root, schema)
    for key, sub in schema.get("properties", {}).items():
        yield f"{path}.{key}"
        yield from fields(root, sub, f"{path}.{key}")
    if "items" in schema:
        yield from fields(root, schema["items"], path + "[]")


def without_each_field(root, schema):
    """The schema with one field missing, for each field: the path of the field, and that schema."""
    for path, sub in list(objects(schema)):
        for name in list(sub.get("properties", {})):
            kept = sub["properties"].pop(name)
            required = sub.get("required")
            if required:
                sub["required"] = [r for r in required if r != name]
            yield f"{path}.{name}", schema
            sub["properties"][name] = kept
            if required:
                sub["required"] = required


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--schema", required=True, type=pathlib.Path)
    parser.add_argument("programs", nargs="+", metavar="PROGRAM", help="a test that writes reports")
    args = parser.parse_args()
    schema = json.loads(args.schema.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    closed(schema)
    with tempfile.TemporaryDirectory() as folder:
        for number, program in enumerate(args.programs):
            own = pathlib.Path(folder, str(number))
            own.mkdir()
            done = subprocess.run([program], env={**os.environ, "KARAT_REPORTS": str(own)}, capture_output=True, text=True, errors="replace")
            check(done.returncode == 0, program, "failed\n" + done.stdout + done.stderr)
        reports = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(pathlib.Path(folder).glob("*/*.json"))]
    validator = jsonschema.Draft202012Validator(schema)
    used, kinds, verdicts, with_field = set(), set(), set(), {}
    for report in reports:
        kind = report.get("failure", {}).get("kind", "none")
        kinds.add(kind)
        verdicts.add(report["verdict"])
        error = next(validator.iter_errors(report), None)
        if check(not error, f"{kind}: {error and '.'.join(map(str, error.path))}: {error and error.message}"):
            own = set()
            walk(schema, schema, report, "report", own)
            used |= own
            for path in own:
                with_field.setdefault(path.rsplit(".", 1)[1], []).append(report)
    listed = set(schema["$defs"]["kind"]["enum"])
    listed.remove("not enough memory") # test_dpi_no_memory.c
    check(kinds - {"none"} == listed, "kinds without a report or not listed:", sorted((kinds - {"none"}) ^ listed))
    check(verdicts == set(schema["properties"]["verdict"]["enum"]), "verdicts:", sorted(verdicts))
    missing = set(fields(schema, schema, "report")) - used
    check(not missing, "fields that no report has:", ", ".join(sorted(missing)))
    # It would be noticed if the schema lacked any of its fields.
    tried = 0
    for path, poorer in without_each_field(schema, copy.deepcopy(schema)):
        tried += 1
        poor = jsonschema.Draft202012Validator(poorer)
        some = with_field.get(path.rsplit(".", 1)[1], [])  # the name alone: a path in $defs is none of a report's
        check(any(not poor.is_valid(report) for report in some), path, "can be left out of the schema unnoticed")
    for problem in problems[:20]:
        print(f"test_report_schema: {problem}", file=sys.stderr)
    print(f"{len(reports)} reports of {len(kinds)} kinds, {len(used)} fields, {tried} tried without; {len(problems)} problems")
    return 1 if problems or not reports else 0


if __name__ == "__main__":
    sys.exit(main())
