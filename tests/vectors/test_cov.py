#!/usr/bin/python3
"""Coverage: what karat run counts is what a recount from its trace finds (recount.py); merging, the reports, and one line for
what is wrong."""
import argparse
import gzip
import html.parser
import itertools
import json
import pathlib
import re
import sys
import tempfile
import urllib.parse

from checks import check, end, one_line, run
from recount import Recount, Table

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
import browser
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from share import SHARE, share_of, some  # noqa: E402

PROGRAMS = ("barrier_lds", "compare_merge", "csr_ops", "few_threads", "fp_flags", "fp_groups", "hazards", "lmul2", "mem_elements",
            "mem_widths", "private", "regext", "regpair", "simt_nested_rpc", "vsetvl")

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--vectors", required=True, type=pathlib.Path, help="folder of the directed programs")
parser.add_argument("--random", type=int, default=2, help="random programs for each number of threads (2)")
parser.add_argument("--seed", type=int, default=1, help="of the first one (1)")
args = parser.parse_args()

def karat(*arguments):
    return run(args.karat, *arguments)


def report(*arguments):
    done = karat("cov", "report", "--format=json", *arguments)
    check(done.returncode == 0 and not done.stderr, arguments, done)
    return json.loads(done.stdout)


def hits_of(*files):
    """Hits by group and names."""
    return {(g["name"], *names): times for g in report("--hits", *files)["groups"] for names, times in g["hits"]}


folder = tempfile.TemporaryDirectory()
here = pathlib.Path(folder.name)
table = Table(args.karat)


def cover(program, lanes, name):
    path = here / f"{name}.json"
    done = karat("run", f"--threads={lanes}", f"--coverage={path}", program)
    check(done.returncode == 0, program, done)
    return path


# --- Against the trace --------------------------------------------------------------------------------------

print(f"random programs: seeds from {args.seed}")
programs = [(args.vectors / f"{name}.elf", 8) for name in some(PROGRAMS)]
for threads in (4, 32):
    done = karat("gen", "random", f"--count={share_of(args.random)}", f"--seed={args.seed}", "--length=400", f"--threads={threads}",
                 f"--output={here / str(threads)}")
    check(done.returncode == 0, "gen", done)
    programs += [(path, threads) for path in sorted((here / str(threads)).glob("*/program.elf"))]
seen = set()
for number, (program, threads) in enumerate(programs):
    found = Recount(table, args.karat, program, threads)
    wrong = found.differences(report("--hits", cover(program, threads, number)))
    check(not wrong, f"{program} with {threads} threads", *wrong[:10])
    seen |= {group for group, hits in found.hits.items() if hits}
check(SHARE < 100 or seen == {"instruction", "operand", "pair", "number", "rounding", "memory", "simt", "hazard", "barrier"}, "groups", seen)
print(f"{len(programs)} programs, {len(seen)} groups counted again")

# --- Merging ------------------------------------------------------------------------------------------------

a, b, c = (here / f"{number}.json" for number in (0, 1, 2))
ab, bc, left, right, back, twice = (here / f"{name}.json" for name in ("ab", "bc", "left", "right", "back", "twice"))
for out, files in ((ab, (a, b)), (bc, (b, c)), (left, (ab, c)), (right, (a, bc)), (back, (c, b, a)), (twice, (a, a))):
    done = karat("cov", "merge", f"--output={out}", *files)
    check(done.returncode == 0 and not done.stdout and not done.stderr, "merge", done)
ones = [report(path) for path in (a, b, c)]
check(hits_of(left) == hits_of(right) == hits_of(back) == hits_of(a, b, c), "merging in any order counts the same")
for path in (left, right, back):
    merged = report(path)
    check((merged["runs"], merged["steps"]) == (3, sum(r["steps"] for r in ones)), "runs and steps", merged["runs"], merged["steps"])
check(hits_of(twice) == {names: 2 * times for names, times in hits_of(a).items()}, "merged twice counts twice")
check(report(twice)["all"] == ones[0]["all"], "and covers the same")
check(set(hits_of(left)) == set().union(*map(hits_of, (a, b, c))), "the union of the bins")
# The curve: a point for the first run, and one for each merge.
curve = report(left)["curve"]
check(curve == [*report(ab)["curve"], [3, merged["steps"], report(left)["all"]["hit"]]] and len(curve) == 3, "curve", curve)
check(curve[0] == [1, ones[0]["steps"], ones[0]["all"]["hit"]], "its beginning", curve)
check(report(a, b, c)["curve"] == curve, "report merges as merge does")
# A count stays where it ends.
full = json.loads(a.read_text())
full["hits"]["instruction"][1] = 0xFFFFFFFF
(here / "full.json").write_text(json.dumps(full))
check(max(hits_of(here / "full.json", a).values()) == 0xFFFFFFFF, "saturation")

# --- Reports ------------------------------------------------------------------------------------------------

whole = report("--hits", left)
total = {"bins": 0, "excluded": 0, "hit": 0}
for group in whole["groups"]:
    covered = {tuple(names) for names, _ in group["hits"]}
    holes = {tuple(names) for names in group["holes"]}
    check(not covered & holes and len(covered) == group["hit"] and len(holes) == group["bins"] - group["excluded"] - group["hit"],
          group["name"], "bins are hit, holes or excluded")
    check(sum(group["excluded_by"].values()) == group["excluded"] and all(group["excluded_by"].values()), group["name"],
          "each excluded bin by a rule")
    check(all(len(names) == len(group["axes"]) for names in covered | holes), group["name"], "axes")
    total = {key: total[key] + group[key] for key in total}
check(all(whole["all"][key] == total[key] for key in total), "sums", total, whole["all"])
text = karat("cov", "report", left).stdout
for group in whole["groups"]:
    values = [group["bins"], group["excluded"], group["hit"], group["bins"] - group["excluded"] - group["hit"]]
    check(re.search(rf"^{group['name']} +{' +'.join(map(str, values))} +{group['percent']:.2f} %$", text, re.M), "text", group["name"])
    for rule, bins in group["excluded_by"].items():
        check(re.search(rf"^excluded +{bins} of {group['name']}: {re.escape(rule)}$", text, re.M), "text", group["name"], rule)
check("\nhole " not in text and re.search(rf"^after +3 runs, +{whole['steps']} steps: +{whole['all']['hit']} bins hit$", text, re.M), "text", text)
few = karat("cov", "report", "--holes=2", left).stdout
for group in whole["groups"]:
    listed = re.findall(rf"^hole {group['name']}: (.*)$", few, re.M)
    expected = [" ".join(f"{axis}={name}" for axis, name in zip(group["axes"], names)) for names in group["holes"][:2]]
    check(listed == expected, "--holes", listed, expected)


# --- The page -----------------------------------------------------------------------------------------------

class Page(html.parser.HTMLParser):
    """Balanced, and nothing from elsewhere."""

    def __init__(self, source):
        super().__init__()
        self.open, self.wrong, self.cells = [], [], []
        self.feed(source)
        self.wrong += self.open

    def handle_starttag(self, tag, attrs):
        if tag in ("link", "img", "iframe", "object", "embed", "base"):
            self.wrong.append(tag)
        self.wrong += [f"{k}={v}" for k, v in attrs if k in ("src", "data", "action") or (k == "href" and not v.startswith("#"))]
        if tag not in ("meta", "br", "rect", "polyline", "input"):
            self.open.append(tag)
        if tag == "tr":
            self.cells.append([])

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}>")

    def handle_data(self, data):
        if "td" in self.open:
            self.cells[-1].append(data)


def report_in(source):
    """What the page has for its scripts."""
    return json.loads(re.search("<script type='application/json' id='data'>(.*?)</script>", source)[1])


def without_bins(report):
    """A report, and that of a page, but for the bins and the names of points."""
    groups = [{key: group[key] for key in ("name", "about", "bins", "excluded", "hit", "percent", "excluded_by")} for group in report["groups"]]
    axes = [[axis["name"] if isinstance(axis, dict) else axis for axis in group["axes"]] for group in report["groups"]]
    return {key: report[key] for key in ("runs", "steps", "all", "curve")}, groups, axes


def states_in(source):
    """By group: the names of its holes, and of its hits, from what the page has for its scripts."""
    found = {}
    for group in report_in(source)["groups"]:
        axes, states = group["axes"], [ord(character) - ord("?") for character in group["states"]]
        sets = found[group["name"]] = (set(), set(), set())
        number = 0
        for first in range(axes[0]["size"]):
            for second in range(axes[1]["size"]):
                names = []
                for k, axis in enumerate(axes):
                    before = first * axes[1]["size"] + second if k > 1 else first
                    names.append(axis["names"][int(axis["which"][before]) if "which" in axis else 0])
                for rest in itertools.product([names[0][first]], [names[1][second]], *names[2:]):
                    sets[states[number // 3] >> 2 * (number % 3) & 3].add(rest)
                    number += 1
    return found


def same_bins(source, whole):
    """The page has the holes and hits of the report as JSON."""
    states = states_in(source)
    check(list(states) == [group["name"] for group in whole["groups"]], "html: groups", list(states))
    for group in whole["groups"]:
        holes, hits, excluded = states[group["name"]]
        check(holes == {tuple(names) for names in group["holes"]}, "html: holes", group["name"])
        check(hits == {tuple(names) for names, _ in group["hits"]}, "html: hits", group["name"])
        check(len(excluded) == group["excluded"], "html: excluded", group["name"])


page = here / "page.html"
done = karat("cov", "report", "--format=html", f"--output={page}", left)
check(done.returncode == 0 and not done.stdout, "html", done)
source = page.read_text()
check(len(source) < 1000000, "html: size", len(source))
same_bins(source, whole)
parsed = Page(source)
check("files" not in report_in(source), "html: one file has no ranks")
check(without_bins(report_in(source)) == without_bins(whole), "html: the report")
# Without scripts: the report as text.
check(re.search("<noscript><pre>(.*?)</pre>", source, re.S)[1] == karat("cov", "report", left).stdout, "html: without scripts")
check(not parsed.wrong and "://" not in source and "url(" not in source and "@import" not in source, "html", parsed.wrong)


def sums_shown():
    """Sums, curve and rules as Chromium shows them."""
    dom = browser.page(page)
    cells = Page(re.sub("<noscript>.*?</noscript>", "", dom, flags=re.S)).cells
    for group in whole["groups"]:
        values = [group["name"], *map(str, (group["bins"], group["excluded"], group["hit"], group["bins"] - group["excluded"] - group["hit"])),
                  f"{group['percent']:.2f} %"]
        check(values in cells, "html", values)
        for rule, bins in group["excluded_by"].items():
            check(f"<li>{bins} excluded: {html.escape(rule, quote=False)}</li>" in dom, "html: a rule", rule)
    points = re.search(r'<polyline [^>]*points="([^"]*)"', dom).group(1).split()
    check(len(points) == 1 + len(whole["curve"]) and points[-1].startswith("670.0,"), "html: a point of the curve for each of the report's", points)
    for label in ("instructions executed", "bins hit", str(whole["steps"]), str(whole["all"]["bins"] - whole["all"]["excluded"])):
        check(re.search(f"<text [^>]*>{label}</text>", dom), "html: the curve's axes", label)


def ranks_shown(source):
    """The files as Chromium shows them."""
    (here / "ranks.html").write_text(source)
    cells = Page(browser.page(here / "ranks.html")).cells
    for number, (path, adds, hit, alone) in enumerate(order, 1):
        row = [str(number), str(adds), str(hit), f"{100 * hit / (ranks['all']['bins'] - ranks['all']['excluded']):.2f} %", str(alone), path]
        check((row in cells) == (adds > 0), "html: ranks", row)


def shown(view, find, sort, holes):
    """Rows of the matrix, and the number of holes found, as Chromium shows them."""
    fragment = "#" + urllib.parse.urlencode({"view": view, "find": find, "sort": sort, "holes": holes})
    dom = browser.page(page, fragment)
    table = re.search(r'<table id="matrix">(.*?)</table>', dom)[1]
    rows = [re.findall(r"<t[dh][^>]*>([^<]*)", row) for row in re.findall(r"<tr>(.*?)</tr>", table)]
    return rows, int(re.search(r'id="found">(\d+) holes<', dom)[1])


def counted(group, axis):
    """The same from the report as JSON: row and column to "hit/all"."""
    cells = {}
    for hit, bins in ((1, [names for names, _ in group["hits"]]), (0, group["holes"])):
        for names in bins:
            cell = cells.setdefault((names[0], names[axis]), [0, 0])
            cell[0] += hit
            cell[1] += 1
    return cells


if browser.CHROMIUM and SHARE == 100:
    sums_shown()
    groups = {group["name"]: group for group in whole["groups"]}
    rows, found = shown("", "vadd", "operand", "operand: mask=full|mask=single vadd")
    by_instruction = [group for group in whole["groups"] if group["axes"][0] == "instruction"]
    check([title.rstrip(" \u25bc") for title in rows[0]] == ["instruction", *(group["name"] for group in by_instruction)], "matrix: head", rows[0])
    expected = {names[0] for names in groups["instruction"]["holes"] if "vadd" in names[0]}
    check({row[0] for row in rows[1:]} == expected != set(), "matrix: rows", rows)
    for row in rows[1:]:
        for group, cell in zip(by_instruction, row[1:]):
            hit = sum(names[0] == row[0] for names, _ in group["hits"])
            every = hit + sum(names[0] == row[0] for names in group["holes"])
            check(cell == (f"{hit}/{every}" if every else ""), "matrix", row[0], group["name"], cell)
    holes = [int(b) - int(a) for a, b in (row[2].split("/") for row in rows[1:])]
    check(holes == sorted(holes, reverse=True), "matrix: sorted by holes", rows)
    expected = sum(names[2] in ("full", "single") and "vadd" in names[0] for names in groups["operand"]["holes"])
    check(found == expected > 0, "holes found", found, expected)
    rows, found = shown("pair.class 1", "vfm", "instruction", "")
    cells = counted(groups["pair"], 1)
    check(len(rows) > 10 and [row[0] for row in rows[1:]] == sorted(row[0] for row in rows[1:]), "matrix: sorted by name", rows)
    for row in rows[1:]:
        for title, cell in zip(rows[0][1:], row[1:]):
            there = [cells[row[0], point] for point in title.split(" / ") if (row[0], point) in cells]
            check(cell == (f"{there[0][0]}/{there[0][1]}" if there else ""), "matrix of a group", row[0], title, cell, there)
    check(found == sum(len(group["holes"]) for group in whole["groups"]), "all holes", found)
    print("sums, matrix, sorting and search were seen in Chromium")
else:
    print("SKIPPED in part: the page itself needs chromium")

# --- What each file adds ------------------------------------------------------------------------------------

files = [here / f"{number}.json" for number in range(len(programs))][-6:]
bins = {str(path): set(hits_of(path)) for path in files}
order, seen_bins = [], set()
for _ in files:
    best = max((path for path in bins if path not in {name for name, *_ in order}), key=lambda path: len(bins[path] - seen_bins))
    order.append((best, len(bins[best] - seen_bins), len(seen_bins | bins[best]), len(bins[best])))
    seen_bins |= bins[best]
done = karat("cov", "rank", "--json", *files)
check(done.returncode == 0 and not done.stderr, "rank", done)
ranks = json.loads(done.stdout)
check([(r["file"], r["adds"], r["hit"], r["alone"]) for r in ranks["files"]] == order, "rank: greedy", ranks["files"], order)
check(ranks["all"] == report(*files)["all"] and ranks["all"]["hit"] == order[-1][2], "rank: all", ranks["all"])
text = karat("cov", "rank", *files).stdout.splitlines()
check([(line.split()[-1], int(line.split()[0]), int(line.split()[1]), int(line.split()[4])) for line in text[1:]] == order, "rank: text", text)
done = karat("cov", "rank", twice, a, a)
check([line.split()[0] for line in done.stdout.splitlines()[1:]] == [str(ones[0]["all"]["hit"]), "0", "0"], "rank: nothing new", done)
done = karat("cov", "report", "--format=html", *files)
check(done.returncode == 0 and len(done.stdout) < 1000000, "html of several files", done.returncode, len(done.stdout))
parsed = Page(done.stdout)
check(not parsed.wrong, "html of several files", parsed.wrong)
check(report_in(done.stdout)["files"] == ranks["files"], "html: ranks")
if browser.CHROMIUM and SHARE == 100:
    ranks_shown(done.stdout)

percent = int(whole["all"]["percent"])
check(karat("cov", "report", f"--min={percent}", left).returncode == 0, "--min reached")
check(karat("cov", "report", f"--min={percent + 1}", left).returncode == 1, "--min not reached")
covered = 100 * whole["all"]["hit"] / (whole["all"]["bins"] - whole["all"]["excluded"])
for least in (covered - 0.001, covered + 0.001):
    check(karat("cov", "report", f"--min={least:.6f}", left).returncode == (least > covered), "--min between integers", least, covered)

# --- What is wrong ------------------------------------------------------------------------------------------

good = json.loads(a.read_text())


def changed(**values):
    path = here / "wrong.json"
    path.write_text(json.dumps({**good, **values}))
    return path


def with_bins(*numbers):
    return changed(hits={**good["hits"], "instruction": list(numbers)})


for change, text in (({"karat-coverage": 2}, "coverage of version 2; this karat reads version 1"), ({"table": "0" * 16}, "another table"),
                     ({"profile": 7}, "no such device"),
                     ({"devices": 0}, "no such device"), ({"devices": 64}, "no such device"), ({"steps": -1}, "damaged"), ({"runs": "x"}, "damaged"),
                     ({"points": [[1, 2]]}, "damaged"), ({"points": 3}, "damaged"), ({"hits": {}}, "damaged")):
    one_line(2, f"wrong.json: {text}" if text != "another table" else text, karat("cov", "report", changed(**change)))
for numbers in ((1,), (1, 0), (-1, 1), (1 << 30, 1), (0, 1 << 32), (0, 1, 0, 1), (0, "x")):
    one_line(2, "wrong.json: damaged", karat("cov", "report", with_bins(*numbers)))
(here / "cut.json").write_text(a.read_text()[:100])
one_line(2, "cut.json: no coverage file, as --coverage=FILE writes it: line 1 is not JSON", karat("cov", "report", here / "cut.json"))
(here / "a.json.gz").write_bytes(gzip.compress(a.read_bytes()))
same = karat("cov", "report", "--json", a)
check(same.returncode == 0
      and same.stdout == karat("cov", "report", "--format=json", a).stdout == karat("cov", "report", "--json", here / "a.json.gz").stdout, "packed")
(here / "cut.gz").write_bytes(gzip.compress(a.read_bytes())[:-9])
one_line(2, "cut.gz: cannot be read: damaged, or cut off, as a file of gzip", karat("cov", "report", here / "cut.gz"))
one_line(2, f"{here}: cannot be read: Is a directory", karat("cov", "report", here))
(here / "other.json").write_text('{"name": 1}')
one_line(2, "other.json: no coverage file", karat("cov", "report", here / "other.json"))
one_line(2, "none.json", karat("cov", "report", here / "none.json"))
check(karat("run", "--profile=v2.03", "--threads=8", f"--coverage={here / '203.json'}", args.vectors / "vecadd.elf").returncode == 0, "v2.03")
one_line(2, "its profile of the ISA", karat("cov", "report", a, here / "203.json"))
one_line(2, "its profile of the ISA", karat("cov", "rank", a, here / "203.json"))
# The largest page: profile v2.03 with translation. Its names depend on the width of elements as well. Files with and without translation.
done = karat("run", "--profile=v2.03", "--sv39", "--threads=8", f"--coverage={here / 'sv39.json'}", args.vectors / "vecadd.elf")
check(done.returncode == 0, "sv39", done)
both = (here / "203.json", here / "sv39.json")
source = karat("cov", "report", "--format=html", *both).stdout
check(len(source) < 1000000, "html: size in profile v2.03", len(source))
if SHARE == 100:
    same_bins(source, report("--hits", *both))
larger = len(hits_of(both[1]))
for pair in (both, both[::-1]):
    ranks = json.loads(karat("cov", "rank", "--json", *pair).stdout)["files"]
    check([r["file"] for r in ranks] == [str(both[1]), str(both[0])], "rank: with translation", ranks)
    check(ranks[0]["adds"] == larger == ranks[1]["hit"] - ranks[1]["adds"], "rank: with translation", ranks)
one_line(2, "merge: expected --output", karat("cov", "merge", a))
one_line(2, "expected report, rank or merge", karat("cov", "show", a))
for least in ("101", "100.5", "-1", "-0.5", "+1", "nan", "inf", "1e1", "0x10", "5.", ".5", "1.2.3", "1,5", "99%", " 5", "5 ", "5x", ""):
    one_line(2, f"--min: expected a percentage, 0 to 100, such as 99.5, found '{least}'", karat("cov", "report", f"--min={least}", a))
one_line(2, "--hits: expected --format=json", karat("cov", "report", "--hits", a))
one_line(2, "rank: expected text or json", karat("cov", "rank", "--format=html", a))
one_line(2, "cannot be written", karat("cov", "report", f"--output={here}/none/x", a))
one_line(2, "cannot be written", karat("cov", "merge", f"--output={here}/none/x", a))
one_line(2, "cannot be written", karat("cov", "merge", "--output=/dev/full", a))
done = karat("cov", "merge", "--output=/dev/null", a)
check(done.returncode == 0 and not done.stderr, "a device is written", done)
check(all(pathlib.Path(path).is_char_device() for path in ("/dev/null", "/dev/full")), "a device stays one")
# Bin 1 of the instructions is the first one with no thread at all: a rule that excludes what was reached is wrong.
done = karat("cov", "report", with_bins(1, 1))
check(done.returncode == 2 and "bins were hit that a rule excludes" in done.stderr and "1 bins were hit" in done.stdout, "contradiction", done)

sys.exit(end())
