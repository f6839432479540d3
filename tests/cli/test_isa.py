"""karat isa: its formats agree with each other, and its notes are complete.

The words of the encodings, the anchors and the deviations are read from where they are settled: docs/decisions.md,
docs/isa-notes.md and karat run's own list of deviations."""
import argparse
import json
import pathlib
import re
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--docs", required=True, type=pathlib.Path)
args = parser.parse_args()
failures = 0


def check(good, what, *more):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what, *more)


def isa(*arguments):
    done = subprocess.run([args.karat, "isa", *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def out_of(*arguments):
    status, out, err = isa(*arguments)
    check(status == 0 and not err, arguments, status, err)
    return out


markdown = out_of("--markdown")

rows = json.loads(out_of("--json"))
decisions = json.loads(out_of("--decisions", "--json"))
by_name = {row["name"]: row for row in rows}
live = [row for row in rows if not row["illegal"]]

# --- Rows: encodings, syntax, definitions -----------------------------------------------------------------------

for row in rows:
    match, mask, at, used = int(row["match"], 16), int(row["mask"], 16), 31, {}
    sizes = {o["name"]: o["bits"] - o.get("shift", 0) for o in row["operands"] if o["bits"]}
    for field in row["fields"]:
        high, low, text = field["high"], field["low"], field["text"]
        width = high - low + 1
        check(high == at and low >= 0 and width > 0, row["name"], "a gap at bit", at)
        at = low - 1
        bits = (1 << width) - 1
        if re.fullmatch("[01]+", text):
            check(len(text) == width and mask >> low & bits == bits and match >> low & bits == int(text, 2), row["name"], field)
            continue
        name = text.partition("[")[0]
        used[name] = used.get(name, 0) + width
        check(mask >> low & bits == 0 and name in sizes, row["name"], field)
    check(at == -1 and used == sizes, row["name"], "operands", used, sizes)
    words = re.findall(r"\w+", row["syntax"][len(row["mnemonic"]):])
    check(row["syntax"].startswith(row["mnemonic"]), row["syntax"])
    check(set(words) - {"v0", "t"} <= {o["name"] for o in row["operands"]}, row["syntax"])
    check(row["chapter"], f"row {row['name']}: no chapter of golden/isa/chapters.def asks for it")
    check(row["illegal"] == (row["chapter"] == "left_out") == (row["semantic"] == "left_out"), row["name"], row["chapter"])
    check(row["definition"] and (args.docs.parent / "golden" / "exec" / row["file"]).exists(),
          f"semantic {row['semantic']}: golden/isa/gen_definitions.py finds no definition in golden/exec")
# Their meanings, from the specifications.
for name, syntax, definition in (
    ("vsub_vx", "vsub.vx vd, vs2, rs1[, v0.t]", "vd[i] = s2 - s1"),
    ("vle32_v", "vle32.v vd, (base)[, v0.t]", None),
    ("sw", "sw rs2, offset12s(rs1)", None),
    ("vadc_vim", "vadc.vim vd, vs2, simm5, v0", "vd[i] = s2 + s1 + m"),
    ("and", "and rd, rs1, rs2", "rd = s1 & s2"),
    ("mul", "mul rd, rs1, rs2", "rd = s1 * s2"),
    ("bgeu", "bgeu rs1, rs2, target12", "if (s1 >= s2) jump"),
    ("vblt", "vblt vs2, vs1, target12", "lane i takes the else path if (S)s2 < (S)s1"),
    ("amoor_w", "amoor.w[.aqrl] rd, rs2, (base)", "s1 = memory; memory = s1 | s2; rd = s1"),
    ("fence", "fence pred, succ", None),
    ("endprg", "endprg", None),
):
    check(by_name[name]["syntax"] == syntax, by_name[name]["syntax"], "expected", syntax)
    check(definition in (None, by_name[name]["definition"]), by_name[name]["definition"], "expected", definition)


def encoding(name):
    return " ".join(field["text"] for field in by_name[name]["fields"])


for name, fields in (("vmv_x_s", "0100001 vs2 00000 010 rd 1010111"),
                     ("sw", "offset12s[11:5] rs2 rs1 010 offset12s[4:0] 0100011"),
                     ("beq", "target12[12] target12[10:5] rs2 rs1 000 target12[4:1] target12[11] 1100011"),
                     ("vadd_vi", "000000 vm vs2 simm5 011 vd 1010111"),
                     ("join", "0000000 00000 00000 010 00000 1011011"),
                     ("regexti", "imm10_5 x2 xd 00000 011 00000 0001011"),
                     ("lr_w", "00010 aqrl 00000 base 010 rd 0101111")):
    check(encoding(name) == fields, name, encoding(name), "expected", fields)

# --- Decisions: every one of the pages is in decisions.def, and the other way round ---------------------------------

pages = {name: (args.docs / name).read_text() for name in ("decisions.md", "isa-notes.md")}
anchors = [(page, anchor) for page, text in pages.items() for anchor in re.findall(r'<a id="([^"]+)"></a>', text)]
check(len(set(anchors)) == len(anchors), "anchors twice on a page")
listed = [(d["page"], d["id"]) for d in decisions]
check(len({d["id"] for d in decisions}) == len(decisions), "ids twice in decisions.def")
for page, anchor in sorted(set(anchors) - set(listed)):
    check(False, f'docs/{page}: decision "{anchor}" has no line in golden/isa/decisions.def')
for page, anchor in sorted(set(listed) - set(anchors)):
    check(False, f'golden/isa/decisions.def: docs/{page} has no anchor <a id="{anchor}"></a>')
for page, text in pages.items():
    # A decision is a bullet, or a row of a table: all of them have an anchor.
    for number, line in enumerate(text.splitlines(), 1):
        header = line.startswith(("| instruction |", "| question |", "|---"))
        if line.startswith(("- ", "| ")) and not header:
            check(line[2:].startswith('<a id="'), f'docs/{page}:{number}: a decision without <a id="..."></a>:', line[:60])
for decision in decisions:
    check((decision["reach"] == "rows") == bool(decision["rows"]), decision["id"], decision["reach"],
          "the selector in golden/isa/decisions.def matches no row")
    check(decision["text"] and not decision["text"].endswith("."), decision["id"], "text")
every = [d["id"] for d in decisions if d["reach"] == "every"]
for row in rows:
    want = [d["id"] for d in decisions if row["name"] in d["rows"] or d["reach"] == "every"]
    check(sorted(row["decisions"] + row["deviations"]) == sorted(want), row["name"], "decisions")
    check(set(row["deviations"]) <= {d["id"] for d in decisions if d["deviation"]}, row["name"])
# The encodings on the page are those of the rows that the decision names.
lines = re.findall(r'^\| <a id="(enc-[\w-]+)"></a>[^|]*\| *([0-9a-f, ]+) / ([0-9a-f]{8}) *\|', pages["decisions.md"], re.M)
compared = 0
for anchor, matches, mask in lines:
    (decision,) = [d for d in decisions if d["id"] == anchor]
    if decision["reach"] == "later":
        continue
    table = sorted((by_name[n]["match"][2:], by_name[n]["mask"][2:]) for n in decision["rows"])
    page = sorted((m, mask) for m in matches.replace(",", " ").split())
    good = set(page) <= set(table) if anchor == "enc-zeroes" else page == table
    check(good, anchor, "page", page, "table", table)
    compared += len(page)
check(compared >= 35, "encodings compared with docs/decisions.md", compared)
# Deviations by the names that the model has.
header = (args.docs.parent / "golden" / "include" / "karat" / "isa.h").read_text()
names = {n.lower().replace("_", "-") for n in re.findall(r"\bKARAT_DEV_(\w+) *=", header)}
check(names == {d["id"] for d in decisions if d["deviation"]}, "deviations", names)
# Pages that an engineer looks up.
for name, some in (("vmv_x_s", {"vmv-x-s", "vmv-x-s-lmul2", "vtype", "lmul2"}), ("vblt", {"simt-compare", "simt-push"}),
                   ("vsub12_vi", {"enc-vsub12", "unsigned-imm12"}), ("vftta_vv", {"tensor", "prefix-third", "floating-point"}),
                   ("vlw_v", {"private-address", "lane-base", "enc-private-load"}), ("ecall", {"fence"}),
                   ("vslideup_vx", {"left-out"}), ("vmsleu_vi", {"unsigned-compare", "regexti-sign", "masks"}),
                   ("lr_w", {"scalar-access", "regpair-amo", "reservations"}), ("vsetvli", {"vsetvl-x0-x0", "vtype"})):
    check(some <= set(by_name[name]["decisions"]), name, by_name[name]["decisions"])
check("vtype" not in by_name["vslideup_vx"]["decisions"] and "tensor" not in by_name["vfadd_vv"]["decisions"], "too many")
check(by_name["vadd12_vi"]["deviations"] == ["usage-too-small", "vadd12-signed"] and by_name["add"]["deviations"] == ["usage-too-small"],
      "deviations of rows")

# --- Markdown: every row once, every link leads somewhere, no line too long --------------------------------------------------------------

# A line of an entry that is wrapped begins with two spaces.
unwrapped = markdown.replace("\n  ", " ")
check(all(len(line) <= 150 for line in markdown.splitlines()), "columns of Markdown", max(markdown.splitlines(), key=len))
for row in rows:
    entries = [line for line in unwrapped.splitlines() if line.startswith(f'- <a id="{row["name"]}"></a>')]
    check(len(entries) == 1, row["name"], "entries in Markdown", len(entries))
    for line in entries:
        definition, _, facts = line.partition("<br> ")
        facts = facts.split("; ")
        check(f'</a>`{row["syntax"]}`' in definition and facts[0].endswith(f'`, {row["match"][2:]} / {row["mask"][2:]}'), line)
        partly = f', left out in {",".join(row["left_out"])}' if row["left_out"] and not row["illegal"] else ""
        origin = f'; {",".join(row["profiles"])}{partly}; {row["section"]}'
        check(re.search(re.escape(origin) + r"($|; (\[|deviation \[))", line), line)
        if not row["illegal"]:
            check(facts[1:4] == [",".join(row["owes"]) or "-", row["unit"], row["policy"]], line)
            check(row["definition"] in definition, line)
ids = set(re.findall(r'<a id="([^"]+)"></a>', markdown))
for page, anchor in re.findall(r"\]\(([\w.-]*)#([^)]+)\)", markdown):
    known = anchor in ids if not page else (page, anchor) in anchors
    check(known, f"--markdown: a link that leads nowhere: {page}#{anchor}")
for path in set(re.findall(r"\]\((\.\./[^)]+)\)", markdown)):
    check((args.docs / path).exists(), "--markdown: no such file", path)
# A row's decisions are in its own cell or at the head of its chapter.
sections = dict(re.findall(r'<a id="chapter-(\w+)"></a>\n(.*?)(?=\n<a id="(?:chapter-|all-))', markdown, re.S))
for row in rows:
    section = sections[row["chapter"]]
    head, _, entries = section.replace("\n  ", " ").partition('\n- <a id="')
    (line,) = [line for line in entries.splitlines() if line.removeprefix('- <a id="').startswith(f'{row["name"]}"></a>')]
    for decision in row["decisions"] + row["deviations"]:
        check(decision in every or (f"[{decision}](" in head) != (f"[{decision}](" in line), row["name"], decision)

# --- Options ----------------------------------------------------------------------------------------------------------

check(out_of("--format=json") == out_of("--json") == out_of("-f", "json"), "--format=json")
check(out_of("--format", "markdown") == markdown and out_of("--format=text") == out_of(), "--format")
check(len(out_of("--profile", "v2.03").splitlines()) == sum("v2.03" in r["profiles"] for r in rows), "--profile")
for name, profile, other in (("regpair", "v2.03", "v2.02,public"), ("pre_m_32", "v2.02", "v2.03")):
    status, _, err = isa("--profile", profile, name)
    check(status == 2 and err == f"karat isa: '{name}' is in profile {other} only\n", name, status, err)
card = out_of("vmv.x.s")
for text in ("vmv.x.s rd, vs2\n", "0100001 vs2 00000 010 rd 1010111", "42002057/fe0ff07f", "owes       x;", "section    4.1",
             "vmv-x-s ", "vmv-x-s-lmul2", "isa-notes.md"):
    check(text in card, "card", text, card)
check("  vadd12-signed " in out_of("vadd12.vi") and "  usage-too-small " in card.replace("deviations", " ") and "vadd12-signed" not in card,
      "deviations of a card")
# Widths, spans and rows that one profile leaves out, from the documents.
for name, widths, spans, left_out in (
    ("add", [32, 64], ["own"] * 3, []),
    ("addw", [64], ["own"] * 3, []),
    ("ld", [], ["own", "address"], []),
    ("amoadd_d", [], ["own", "own", "address"], []),
    ("vlw12d_v", [], ["own", "address"], []),
    ("vadd_vv", [8, 16, 32, 64], ["own"] * 3, []),
    ("vmseq_vx", [8, 16, 32, 64], ["mask", "own", "own"], []),
    ("vmand_mm", [32], ["own"] * 3, []),
    ("vfadd_vv", [16, 32, 64], ["own"] * 3, []),
    ("vfexp_v", [32], ["own"] * 2, []),
    ("vwadd_vv", [8, 16, 32], ["twice", "own", "own"], ["v2.02", "public"]),
    ("vwsubu_wx", [8, 16, 32], ["twice", "twice", "own"], ["v2.02", "public"]),
    ("vfncvt_f_f_w", [16, 32], ["own", "twice"], ["v2.02", "public"]),
    ("vfncvt_x_f_w", [8, 16, 32], ["own", "twice"], ["v2.02", "public"]),
    ("vslideup_vx", [], ["own"] * 3, ["v2.02", "v2.03", "public"]),
    ("ecall", [], [], ["v2.02", "v2.03", "public"]),
    ("mma_m8n8k16_row_row_f32_f16_f16_f32", [32], ["two"] * 3, []),  # 128 halves and 64 words, of 32 lanes
):
    row = by_name[name]
    have = (row["widths"], [o["span"] for o in row["operands"] if "span" in o], row["left_out"])
    check(have == (widths, spans, left_out), name, have, "expected", (widths, spans, left_out))
for name, texts, absent in (
    ("vwadd.wv", ("(left out in v2.02,public: an illegal instruction there)", "widths     8, 16 or 32 bits by SEW\n",
                  "operands   vd twice the width, vs2 twice the width, vs1 twice the width\n"), ("by pair",)),
    ("vfadd.vv", ("widths     16 or 32 bits by SEW, 64 by pair\n",), ("operands ", "left out in")),
    ("addw", ("widths     64 bits\n",), ("operands ",)),
    ("add", ("widths     32 bits, 64 by pair\n",), ("operands ",)),
    ("vmflt.vf", ("operands   vd a mask\n",), ()),
    ("sd", ("operands   rs1 a 64-bit address\n",), ("widths ",)),
    ("ecall", ("(left out: an illegal instruction)",), ("widths ",)),
):
    card = out_of(name)
    for text in texts:
        check(text in card, "card", name, text, card)
    for text in absent:
        check(text not in card, "card", name, "not", text, card)
check(sum("(left out in v2.02,public)" in line for line in out_of().splitlines()) == sum(r["left_out"] == ["v2.02", "public"] for r in rows) > 30,
      "left out in v2.02 and public")
check("; 8, 16 or 32 bits by SEW; vd twice the width; v2.02,v2.03,public, left out in v2.02,public; " in unwrapped, "widths in Markdown")
check("left out" in out_of("ecall") and "defined" not in out_of("ecall"), "card of a row that is left out")
part = out_of("--markdown", "vmv.x.s", "join")
check([n for n in by_name if f'<a id="{n}"></a>' in part] == [n for n in by_name if n in ("vmv_x_s", "join")], part)
check([d["id"] for d in json.loads(out_of("--decisions", "--json", "join"))] ==
      [d["id"] for d in decisions if "join" in d["rows"] or d["reach"] == "every"], "--decisions NAME")
check(len(re.findall("^(?:decision |deviation) ", out_of("--decisions"), re.M)) == len(decisions), "--decisions")
for arguments, text in ((("--format=xml",), "'xml'"), (("--decisions", "--markdown"), "--decisions"), (("nope",), "'nope'")):
    status, out, err = isa(*arguments)
    check(status == 2 and not out and len(err.splitlines()) == 1 and text in err, arguments, status, out, err)

print(f"{len(rows)} rows ({len(live)} not left out), {len(decisions)} decisions and deviations, {compared} encodings compared")
print("failures:", failures)
sys.exit(failures != 0)
