#!/usr/bin/python3
"""Mutants of Karat's C: writes a copy of golden/ and dpi/ in which each mutant drawn is switched on by KARAT_MUTANT=<number>.

    (KARAT_MUTANT(17) ? (a < b) : (a <= b))        an expression
    { if (!KARAT_MUTANT(18)) c->counts.simt++; }   a deleted statement

So one build serves all of them. They are drawn by --seed over all sites of the areas below, from each file and kind in proportion. A
mutant's rank depends on what it is and on nothing else, so an edit elsewhere keeps the others. mutants.json lists them.

Usage: mutate.py --source DIR --commands compile_commands.json --out DIR [--seed N] [--count N] [--files REGEX]
"""
import argparse
import collections
import hashlib
import json
import pathlib
import re
import sys

from clang import cindex

import sites
from compiled import flags_of

# The mutated files, and their names in the table. Not the code that words a report.
AREAS = {
    "checker": r"dpi/(mcm|check)/(?!report/(?!producers|where))(\w+/)?\w+\.[ch]",
    "port": r"dpi/port/(port|dpi)\.c",
    "core": r"golden/core/(?!snapshot\.c)\w+\.[ch]",
    "decode": r"golden/isa/isa\.[ch]",
    "execution": r"golden/exec/\w+\.[ch]",
}
FOLDERS = ("golden", "dpi")


def area_of(name):
    return next((area for area, pattern in AREAS.items() if re.fullmatch(pattern, name)), None)


def find_sites(source, commands):
    finder = sites.Finder(source, lambda name: area_of(name) is not None)
    seen = set()
    for entry in json.loads(commands.read_text(encoding="utf-8")):
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if path in seen or not path.is_relative_to(source) or not area_of(str(path.relative_to(source))):
            continue
        seen.add(path)
        finder.parse(path, flags_of(entry))
    found = {}
    for name in sorted(finder.units):
        counts = collections.Counter()
        for site in sorted(finder.units[name].sites, key=lambda s: (s.start, s.end, s.kind, s.new or "")):
            place = name, site.start, site.end, site.new
            if place in found:
                continue
            site.nth = counts[site.key()]
            counts[site.key()[:5] + (0,)] += 1
            found[place] = site
    return list(found.values()), {name: unit.text for name, unit in finder.units.items()}


def rank(seed, site):
    return hashlib.sha256(repr((seed, site.key())).encode()).digest()


def draw(found, seed, count):
    """So many sites in a fixed order; each file and kind gives its share, and one at least."""
    strata = collections.defaultdict(list)
    for site in found:
        strata[site.file, site.kind].append(site)
    drawn = []
    for key in sorted(strata):
        ranked = sorted(strata[key], key=lambda s: rank(seed, s))
        share = len(ranked) * count / len(found)
        drawn += [((i + 0.5) / max(share, 1), rank(seed, s), s) for i, s in enumerate(ranked)]
    return [s for _, _, s in sorted(drawn, key=lambda d: d[:2])][:count]


def render(text, chosen):
    """The file's text with switches; chosen: [(number, site)]."""
    at = collections.defaultdict(list)
    for number, site in chosen:
        at[site.start, site.end].append((number, site))
    ranges = sorted(at, key=lambda r: (r[0], -r[1]))

    def inside(first, last, i):
        """Text from first to last with the ranges from number i on that lie there; and the number after them."""
        out = []
        while i < len(ranges) and ranges[i][0] < last:
            start, end = ranges[i]
            out.append(text[first:start])
            body, k = inside(start, end, i + 1)
            for number, site in at[start, end]:
                if site.new is None:
                    continue
                new = site.new
                if site.kind == "condition":
                    new, body = f"!!({new})", f"!!({body})"
                body = f"(KARAT_MUTANT({number}) ? ({new}) : ({body}))"
            for number, site in at[start, end]:
                if site.new is None:
                    body = f"{{ if (!KARAT_MUTANT({number})) {body}; }}"
                    end = text.index(";", end) + 1
            out.append(body)
            first, i = end, k
        out.append(text[first:last])
        return "".join(out), i

    return inside(0, len(text), 0)[0]


def overlapping(chosen):
    """Sites that cut through another one's range: macros can make such."""
    bad, stack = set(), []
    for number, site in sorted(chosen, key=lambda c: (c[1].file, c[1].start, -c[1].end)):
        while stack and (stack[-1].file != site.file or stack[-1].end <= site.start):
            stack.pop()
        if stack and site.end > stack[-1].end:
            bad.add(number)
        else:
            stack.append(site)
    return bad


def write_if_new(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def write_tree(source, out, texts):
    for folder in FOLDERS:
        for path in sorted((source / folder).rglob("*")):
            name = str(path.relative_to(source))
            if path.suffix in (".c", ".h", ".def"):
                write_if_new(out / name, texts.get(name) or path.read_text(encoding="utf-8"))


def moved(flags, source, out):
    """Those flags for the copy."""
    return [flag.replace(str(source), str(out)) for flag in flags]


def broken(source, out, commands, names):
    """Numbers of mutants that do not compile."""
    bad = set()
    for entry in json.loads(commands.read_text(encoding="utf-8")):
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if not path.is_relative_to(source) or not area_of(str(path.relative_to(source))):
            continue
        flags = moved(flags_of(entry), source, out) + ["-include", str(pathlib.Path(__file__).parent / "mutant.h")]
        tu = cindex.Index.create().parse(str(out / path.relative_to(source)), args=flags)
        for error in tu.diagnostics:
            if error.severity < cindex.Diagnostic.Error or (error.location.file is None and bad):
                continue  # The latter: too many errors, of mutants found already
            file, offset = sites.file_location(error.location)
            before = pathlib.Path(file).read_text(encoding="utf-8")[:offset + 1]
            numbers = re.findall(r"KARAT_MUTANT\((\d+)", before)
            if not numbers:
                sys.exit(f"mutate.py: {error}")
            bad.add(int(numbers[-1]))
    return bad


def main():
    parser = argparse.ArgumentParser(description="Write switchable mutants of Karat's C.")
    parser.add_argument("--source", type=pathlib.Path, required=True, help="the repository")
    parser.add_argument("--commands", type=pathlib.Path, required=True, help="compile_commands.json")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="where the copies and mutants.json go")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=700, help="how many are drawn; 0: all")
    parser.add_argument("--files", default="", metavar="REGEX", help="draw from those whose name has that in it")
    args = parser.parse_args()
    source, out = args.source.resolve(), args.out.resolve()
    found, texts = find_sites(source, args.commands)
    found = [s for s in found if re.search(args.files, s.file)]
    rejected = set()
    while True:
        usable = [s for s in found if s.key() not in rejected]
        drawn = draw(usable, args.seed, args.count or len(usable))
        if not drawn or len(drawn) < args.count:
            sys.exit(f"mutate.py: {len(drawn)} sites, {args.count} wanted")
        chosen = list(enumerate(drawn, 1))
        bad = overlapping(chosen)
        if not bad:
            by_file = collections.defaultdict(list)
            for number, site in chosen:
                by_file[site.file].append((number, site))
            write_tree(source, out, {name: render(texts[name], some) for name, some in by_file.items()})
            bad = broken(source, out, args.commands, by_file)
        if not bad:
            break
        rejected |= {s.key() for number, s in chosen if number in bad}
    listed = [{"number": n, "area": area_of(s.file), "file": s.file, "line": s.line, "function": s.function, "kind": s.kind,
               "before": s.before, "after": s.after, "nth": s.nth, "start": s.start, "end": s.end, "new": s.new} for n, s in chosen]
    write_if_new(out / "mutants.json", json.dumps({"seed": args.seed, "sites": len(found), "mutants": listed}, indent=1) + "\n")
    print(f"{len(listed)} mutants of {len(found)} sites, seed {args.seed}; {len(rejected)} drawn did not compile")


if __name__ == "__main__":
    main()
