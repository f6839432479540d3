#!/usr/bin/python3
"""docs/core.schema.json takes the core descriptions that the checker takes, and no others; it names every instruction that may
approximate and every deviation."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

WHY = "defect 12 of the core"
GOOD = [
    {"core": "x"},
    {"core": "a-core_2.0", "ulp": {}, "deviations": {}},
    {"core": "x" * 31, "ulp": {"vfexp.v": 0}},
    {"core": "x", "ulp": {"vfexp_v": 65536}}, {"core": "x", "ulp": {"mma": 4, "vsin.approx.f32": 1}},
    {"core": "x", "deviations": {"vadd12-signed": WHY}},
    {"core": "x", "deviations": {"machine-csrs": WHY}},
    {"core": "x", "deviations": {"machine-csrs": {"core": WHY, "isa": WHY, "seen": WHY, "is": "bug"}}},
    {"core": "x", "deviations": {"machine-csrs": {"core": WHY, "isa": WHY, "seen": WHY, "is": "design"}}},
    {"core": "x", "deviations": {"simt-order": WHY}, "simt_order": "if-first"},
    {"core": "x", "deviations": {"simt-order": WHY, "vadd12-signed": WHY}, "simt_order": "else-first"},
    {"core": "x", "profile": "v2.02"}, {"core": "x", "profile": "v2.03"},
    {"core": "x", "absent": {}}, {"core": "x", "absent": {"tensor": WHY, "fp": WHY}},
    {"core": "x", "known": {}}, {"core": "x", "known": {"div-7": "wrong value written, vfdiv.v[vf] *", "x=1": "wrong operand read, lw"}},
    {"core": "x", "known": {str(number): "wrong operand read, lw" for number in range(64)}},
]
BAD = [
    {}, [], 7, "core",
    {"core": ""}, {"core": "two words"}, {"core": "x" * 32}, {"core": 1}, {"core": None}, {"core": "h\u00e9"},
    {"core": "x", "ulps": {}}, {"core": "x", "Core": "x"},
    {"core": "x", "ulp": 1}, {"core": "x", "ulp": ["vfexp.v"]}, {"core": "x", "ulp": {"vfexp.v": -1}},
    {"core": "x", "ulp": {"vfexp.v": 65537}}, {"core": "x", "ulp": {"vfexp.v": "1"}}, {"core": "x", "ulp": {"vfexp.v": 0.5}},
    {"core": "x", "ulp": {"vfexp.v": True}}, {"core": "x", "ulp": {"vfadd.vv": 1}}, {"core": "x", "ulp": {"nothing": 1}},
    {"core": "x", "ulp": {"mma.m8n8k8.row.row.f16.f16.f16.f16": 1}},
    {"core": "x", "deviations": ["vadd12-signed"]}, {"core": "x", "deviations": {"vadd12-signed": ""}},
    {"core": "x", "deviations": {"machine-csrs": {"core": WHY, "isa": WHY, "seen": WHY}}},
    {"core": "x", "deviations": {"machine-csrs": {"core": WHY, "isa": WHY, "seen": WHY, "is": "Bug"}}},
    {"core": "x", "deviations": {"machine-csrs": {"core": " ", "isa": WHY, "seen": WHY, "is": "bug"}}},
    {"core": "x", "deviations": {"machine-csrs": {"core": WHY, "seen": WHY, "is": "bug"}}},
    {"core": "x", "deviations": {"machine-csrs": {"core": WHY, "isa": WHY, "seen": WHY, "is": "bug", "more": WHY}}},
    {"core": "x", "deviations": {"vadd12-signed": True}}, {"core": "x", "deviations": {"vadd12": WHY}},
    {"core": "x", "deviations": {"simt-order": WHY}}, {"core": "x", "simt_order": "if-first"},
    {"core": "x", "deviations": {"vadd12-signed": WHY}, "simt_order": "if-first"},
    {"core": "x", "deviations": {"simt-order": WHY}, "simt_order": "smaller-first"},
    {"core": "x", "deviations": {"simt-order": WHY}, "simt_order": 1},
    {"core": "x", "profile": "v2.04"}, {"core": "x", "profile": 2.02}, {"core": "x", "profile": ""}, {"core": "x", "profile": ["v2.02"]},
    {"core": "x", "absent": ["fp"]}, {"core": "x", "absent": {"alu": WHY}}, {"core": "x", "absent": {"fp": " "}}, {"core": "x", "absent": {"fp": {}}},
    {"core": "x", "known": "*"}, {"core": "x", "known": {"all": "*"}}, {"core": "x", "known": {"all": "wrong value written"}},
    {"core": "x", "known": {"all": "wrong value written, *"}}, {"core": "x", "known": {"": "wrong operand read, lw"}},
    {"core": "x", "known": {"two words": "wrong operand read, lw"}}, {"core": "x", "known": {"a": None}},
    {"core": "x", "known": {str(number): "wrong operand read, lw" for number in range(65)}},
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--schema", required=True, type=pathlib.Path)
    parser.add_argument("--loader", required=True, help="the program that loads a description and reports its errors")
    parser.add_argument("--karat", required=True)
    parser.add_argument("descriptions", nargs="+", type=pathlib.Path, help="of the tree's cores")
    args = parser.parse_args()
    schema = json.loads(args.schema.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    problems = []

    def check(good, *what):
        if not good:
            problems.append(" ".join(map(str, what)))

    cases = [(value, True) for value in GOOD] + [(value, False) for value in BAD]
    cases += [(json.loads(path.read_text(encoding="utf-8")), True) for path in args.descriptions]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "core.json"
        for value, good in cases:
            path.write_text(json.dumps(value, indent=1), encoding="utf-8")
            done = subprocess.run([args.loader, path], capture_output=True, text=True)
            check(validator.is_valid(value) == good, "schema:", value)
            check(done.returncode == (0 if good else 2), "loader:", value, done.returncode, done.stdout, done.stderr)
            check(good or (done.stdout.count("\n") == 1 and f"{path}:" in done.stdout), "one line:", value, repr(done.stdout))
    def isa(*options):
        return json.loads(subprocess.run([args.karat, "isa", "--json", *options], capture_output=True, text=True, check=True).stdout)

    rows = [row for row in isa() if row["policy"] == "ulp"]
    check({profile for row in isa() for profile in row["profiles"]} == set(schema["properties"]["profile"]["enum"]), "profiles")
    check({name for row in rows for name in (row["name"], row["mnemonic"])} | {"mma"} == set(schema["properties"]["ulp"]["propertyNames"]["enum"]),
          "instructions that approximate")
    named = {d["id"] for d in isa("--decisions") if d["deviation"]}
    check(named == set(schema["properties"]["deviations"]["properties"]), "deviations", named)
    for problem in problems[:20]:
        print(f"test_core_schema: {problem}", file=sys.stderr)
    print(f"{len(cases)} descriptions; {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
