#!/usr/bin/python3
"""karat SUBCOMMAND --json: what it prints is what docs/results.schema.json says, which says nothing more, and agrees with the text; each
subcommand that prints results has the option; errors stay one line on standard error, without any JSON."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(TESTS), str(TESTS / "vectors"), str(TESTS.parent / "cli" / "campaign")]

import register_log  # noqa: E402
from checks import check, end  # noqa: E402
from kernelfile import CODE, ENDPRG, addi, bne, write_elf  # noqa: E402
from schema import judge  # noqa: E402
import buckets  # noqa: E402
import store  # noqa: E402

DOCS = TESTS.parent / "docs"
# Its results are files (timeline), or answers on a terminal.
WITHOUT = {"debug", "timeline", "help"}
ELSEWHERE = {"check", "locate"}  # Have tests of their own
LONG = 4  # Items of a list that are looked at

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--vectors", required=True, type=pathlib.Path)
parser.add_argument("--clang", required=True)
args = parser.parse_args()
karat_file = args.karat.resolve()
folder = tempfile.TemporaryDirectory()
here = pathlib.Path(folder.name)
documents, subcommands = [], set()


def test(good, *what):
    check(good, " ".join(map(str, what)))
    return good


def cut(value):
    """Long lists are cut; all items of a list have one schema."""
    if isinstance(value, dict):
        return {key: cut(sub) for key, sub in value.items()}
    if isinstance(value, list):
        return [cut(sub) for sub in (value if len(value) <= 2 * LONG else value[:LONG] + value[-LONG:])]
    return value


def karat(*words, status=0):
    done = subprocess.run([karat_file, *map(str, words)], capture_output=True, text=True, cwd=here)
    test(done.returncode == status, *words, f"status {done.returncode}:", done.stdout[-500:], done.stderr)
    return done


def results(name, *words, status=0, file=None, whole=False):
    """The JSON of a command, which is of that name in the schema. file: it goes there."""
    done = karat(*words, status=status)
    found = json.loads((here / file).read_text() if file else done.stdout)
    if isinstance(found, dict) and not file and "notes" in found:
        test((found["error"] is None) == (not done.stderr) and (found["error"] or "") in done.stderr, name, "error", found["error"], done.stderr)
    documents.append((" ".join(map(str, words)), {name: found if whole else cut(found)}))
    subcommands.add(words[0])
    return found


# --- Runs --------------------------------------------------------------------------------------------------------------

args.vectors = args.vectors.resolve()
vecadd = args.vectors / "vecadd.elf"
results("run", "run", "--threads=8", "--json=run.json", vecadd, args.vectors / "undefined_regs.elf", file="run.json")
spin = write_elf(here / "spin.elf", [addi(5, 5, 1), 0xFFDFF06F, ENDPRG])
results("run", "run", "--max-steps=100", "--json=run.json", spin, status=5, file="run.json")

kernel = write_elf(here / "kernel.elf", [ENDPRG], launch=False, symbols=[("mix", CODE, 4)])
words = ("launch", kernel, "--kernel=mix", "--arg=buffer:384", "--arg=u32:7", "--arg=local:100", "--output=mix.metadata")
launched = results("launch", *words, "--json")
said = karat(*words).stdout
test(said == "".join(f"argument {b['argument']}: 0x{b['address']:08x}, {b['bytes']} bytes{' of local memory' * b['local']}\n"
                     for b in launched["buffers"]) and said.count("\n") == 2, "launch:", said, launched)

# --- Logs --------------------------------------------------------------------------------------------------------------

two = register_log.program(here / "two.elf")
lines = register_log.whole().lines
(here / "two.log").write_text("\n".join(lines) + "\n")
imported = results("import", "import", "--json", "-o", "two.ktr", "two.log", two)
counted = int(re.search(r" records=(\d+)", karat("check", "--records", "--quiet", "two.ktr").stdout + f" records={imported['records']}")[1])
test(imported["complete"] and imported["warps"] == 4 and imported["kernels"] == 1 and counted == imported["records"], "import:", imported)
(here / "cut.log").write_text("\n".join(lines[:len(lines) // 2]) + "\nnothing\n")
imported = results("import", "import", "--json", "--partial", "--strict-lines", "-o", "two.ktr", "cut.log", two)
test(not imported["complete"] and imported["notes"][-1].startswith("partial: cut.log:"), "import --partial:", imported)

# --- Programs ----------------------------------------------------------------------------------------------------------

(here / "odd.S").write_text(".globl a\na: jal ra, b\n nop\nc: j c\n regext x0, x0, x0, x0, 1\n vadd.vi v1, v2, 3\n flw f1, 0(a0)\n .byte 1, 2\n"
                            .replace(" regext x0, x0, x0, x0, 1\n", " .4byte 0x0010200b\n").replace(" flw f1, 0(a0)\n", " .4byte 0x00052087\n"))
subprocess.run([args.clang, "-target", "riscv32", "-march=rv32ima_zfinx_zve32f", "-mno-relax", "-c", "odd.S", "-o", "odd.o"], cwd=here, check=True)
parts = results("disasm", "disasm", "--json", "odd.o", whole=True)["parts"]
text = karat("disasm", "odd.o").stdout
insns = [line for part in parts for line in part["lines"] if "word" in line]
test([f"0x{i['address']:08x}: " + (f"{i['prefix']:08x} " if "prefix" in i else "") + f"{i['word']:08x}  " for i in insns] ==
     re.findall(r"^0x[0-9a-f]{8}: (?:[0-9a-f]{8} )+ ", text, re.M) and len(insns) == 5 and
     all(i["text"].split()[0] in text for i in insns), "disasm:", insns, text)
results("disasm", "disasm", "--json", "00000013")
results("disasm", "disasm", "--json", vecadd)

generated = results("gen", "gen", "directed", "--json", "--row=add", "--output=vectors")
test(generated["vectors"] and set(generated["vectors"]) == {f"vectors/{path.name}" for path in (here / "vectors").iterdir()}, "gen:", generated)
listed = results("gen --list", "gen", "--list", "--json", whole=True)
test([p["name"] for p in listed["programs"]] == [line.split()[0] for line in karat("gen", "--list").stdout.splitlines()], "gen --list")
weights = results("gen --kinds", "gen", "--kinds", "--json")["weights"]
test(weights.keys() == json.loads(karat("gen", "--kinds").stdout).keys(), "gen --kinds:", weights)
vector = here / generated["vectors"][0]
memory = (vector / "expected.hex").read_text()
(here / "same.hex").write_text(memory)
results("gen compare", "gen", "compare", "--json", vector, "same.hex")
digits = re.search(r"^[0-9a-f]{8}$", memory, re.M)
(here / "wrong.hex").write_text(memory[:digits.start()] + f"{int(digits[0], 16) ^ 1:08x}" + memory[digits.end():])
compared = results("gen compare", "gen", "compare", "--json", vector, "wrong.hex", status=1)
test(compared["wrong"] == 1 and compared["first"]["core"] == compared["first"]["model"] ^ 1, "gen compare:", compared)
has_vadd = f"--test={karat_file} disasm {{}} | grep -q vadd && exit 1"
shrunk = results("shrink", "shrink", "--json", "--threads=8", "--output=small.elf", has_vadd, vecadd)
test(shrunk["finished"] and shrunk["instructions"] <= shrunk["before"] and shrunk["test_status"] == 1, "shrink:", shrunk)

# --- Coverage, instructions, tools -------------------------------------------------------------------------------------

karat("run", "--threads=8", "--coverage=one.cov", vecadd)
karat("run", "--threads=8", "--coverage=two.cov", args.vectors / "alu_int.elf")
report = results("cov report", "cov", "report", "--json", "--hits", "one.cov")
results("cov report", "cov", "report", "--json", "one.cov", "two.cov")
results("cov rank", "cov", "rank", "--json", "one.cov", "two.cov")
holes = [{"name": g["name"], "holes": g["holes"][:1]} for g in report["groups"]]
(here / "holes.json").write_text(json.dumps({"groups": holes}))
cover = results("gen", "gen", "cover", "--json", "--threads=8", "--output=covered", "holes.json")["cover"]
test(cover["holes"] == sum(len(g["holes"]) for g in holes) == cover["reached"] + len(cover["not_reached"]), "gen cover:", cover)
results("isa", "isa", "--json", "vadd.vv", "vmacc.vv", "regext", "lw", "vfexp.v", "barrier", "vle32.v", "00052087", "02310c5b")
results("isa --decisions", "isa", "--json", "--decisions")
results("isa --elsewhere", "isa", "--json", "--elsewhere")
there = subprocess.run([karat_file, "doctor"], capture_output=True).returncode
doctor = results("doctor", "doctor", "--json", status=there, whole=True)
test(doctor["ready"] == (not there) and {job["job"] for job in doctor["jobs"]} >= {"lockstep", "python", "cocotb"}, "doctor:", doctor)

# --- Campaigns ---------------------------------------------------------------------------------------------------------

for number, folder_name in enumerate(("now", "before")):
    (here / folder_name).mkdir()
    campaign = store.Store(here / folder_name, new=True)
    campaign.set(name=folder_name, began=f"2026-01-0{2 - number}", plan='{"check": {}}')
    for run, verdict in ((1, "PASS"), (2, "MISMATCH")):
        campaign.do("insert into runs(run, core, program, seed, fault, plusargs, verdict, instructions, records) "
                    "values (?, 'c', 'p', 1, '', '[]', ?, 10, 40)", (run, verdict))
    if not number:
        campaign.do("insert into buckets(bucket, name, leader, members, signature) values (1, 'wrong', 2, 1, '{}')")
        campaign.do(f"insert into failures(run, bucket, {', '.join(buckets.WEIGHTS)}) values (2, 1, {', '.join('?' * len(buckets.WEIGHTS))})",
                    ["[]" if name in buckets.LISTS else "" for name in buckets.WEIGHTS])
    campaign.commit()
    campaign.close()
found = results("campaign query", "campaign", "query", "now", "select verdict, seed from runs order by run", "--json")
test(found == {"columns": ["verdict", "seed"], "rows": [["PASS", 1], ["MISMATCH", 1]]}, "campaign query:", found)
found = results("campaign query, summary", "campaign", "query", "now", "--json")
test(found["counts"]["failed"] == 1 and found["buckets"][0]["failure"] == "wrong", "campaign query:", found)
found = results("campaign compare", "campaign", "compare", "now", "before", "--json")
test(found == {"changes": [{"state": "new", "failure": "wrong", "here": 1, "there": 0}]}, "campaign compare:", found)

# --- All of them, and errors -------------------------------------------------------------------------------------------

help_text = karat("--help").stdout.partition("Subcommands:")[2]
everything = set(re.findall(r"^  ([a-z][a-z-]*) +\S", help_text, re.M))
test({name for name in everything if "--json" in karat(name, "--help").stdout} == everything - WITHOUT == subcommands | ELSEWHERE,
     "subcommands without --json, or without a test of it:", sorted(everything - WITHOUT ^ (subcommands | ELSEWHERE)))
for words in (("launch", "none.elf", "--kernel=a", "-o", "a.metadata"), ("import", "-o", "a.ktr", "two.log", "none.elf"),
              ("disasm", "none.elf"), ("gen", "directed", "--row=none", "-o", "none"), ("gen", "compare", "none", "none.hex"),
              ("shrink", "none.elf", "-o", "a.elf", "--test=false {}"),
              ("doctor", "surgery"), ("cov", "report", "none.cov"), ("isa", "vad.vv"), ("campaign", "query", "none")):
    done = karat(*words, "--json", status=2)
    test(not done.stdout and done.stderr.count("\n") == 1 and done.stderr.startswith(f"karat {words[0]}: "), "errors:", done)

schemas = {name: json.loads((DOCS / name).read_text()) for name in ("results.schema.json", "report.schema.json")}
used, tried = judge(schemas["results.schema.json"], documents, test, "results", schemas)
print(f"{len(documents)} documents, {used} fields, {tried} tried without")
sys.exit(end())
