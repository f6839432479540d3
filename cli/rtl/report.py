"""Reports of RTL coverage: text, JSON, and one self-contained page with the annotated source."""
import html
import json
import pathlib

from counters import files_of

STYLE = """body{font:14px sans-serif;margin:1em}table{border-collapse:collapse}td,th{padding:.1em .7em;text-align:right}
td:first-child,th:first-child{text-align:left}
pre{margin:0}.hole{background:#fdd}.part{background:#ffd}.hit{background:#dfd}summary{cursor:pointer}.n{color:#666}"""


def percent(hit, points):
    return 100.0 * hit / points if points else 100.0


def sums(counts):
    """For each file, and at the end for all: (name, points, points hit)."""
    rows = [(name, len(points), sum(counts[p] > 0 for p in points)) for name, points in files_of(counts).items()]
    return [*rows, ("all", sum(r[1] for r in rows), sum(r[2] for r in rows))]


def text(counts, holes):
    lines = [f"{'points':>8} {'hit':>8} {'holes':>8} {'covered':>9}  file"]
    lines += [f"{points:8} {hit:8} {points - hit:8} {percent(hit, points):7.2f} %  {name}" for name, points, hit in sums(counts)]
    for name, points in files_of(counts).items():
        missed = [p for p in points if not counts[p]]
        lines += [f"hole {name}:{p.line}: {p.text}" for p in missed[:holes]]
    return "\n".join(lines) + "\n"


def as_json(counts):
    *rows, (_, points, hit) = sums(counts)
    by_file = files_of(counts)
    return json.dumps({"all": {"points": points, "hit": hit, "percent": percent(hit, points)},
                       "files": [{"file": name, "points": number, "hit": found, "percent": percent(found, number),
                                  "holes": [[p.line, p.column, p.kind, p.text] for p in by_file[name] if not counts[p]]}
                                 for name, number, found in rows]}, indent=1) + "\n"


def source_of(name, points, counts):
    """The source in HTML, a line with points coloured by them; a sentence where the file is not here."""
    try:
        lines = pathlib.Path(name).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        return f"<p>The source cannot be read: {html.escape(error.strerror)}.</p>"
    at = {}
    for p in points:
        at.setdefault(p.line, []).append(p)
    rows = []
    for number, line in enumerate(lines, 1):
        here = at.get(number, [])
        missed = [p.text for p in here if not counts[p]]
        state = ("hole" if len(missed) == len(here) else "part" if missed else "hit") if here else ""
        count = max((counts[p] for p in here), default="")
        title = f' title="never: {html.escape(", ".join(missed))}"' if missed else ""
        rows.append(f'<pre class="{state}"{title}><span class="n">{number:5} {count:>10} </span>{html.escape(line)}</pre>')
    return "".join(rows)


def page(counts):
    by_file = files_of(counts)
    rows = "".join(f"<tr><td>{html.escape(name)}</td><td>{points}</td><td>{hit}</td><td>{points - hit}</td><td>{percent(hit, points):.2f}</td></tr>"
                   for name, points, hit in sums(counts))
    sources = "".join(f"<details><summary>{html.escape(name)}: {sum(not counts[p] for p in points)} holes</summary>{source_of(name, points, counts)}"
                      "</details>" for name, points in by_file.items())
    return (f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>RTL coverage</title><style>{STYLE}</style><h1>RTL coverage</h1>'
            f"<table><tr><th>file</th><th>points</th><th>hit</th><th>holes</th><th>%</th></tr>{rows}</table>{sources}</html>\n")


def rank_text(rows, points):
    lines = [f"{'adds':>8} {'hit':>8} {'covered':>9} {'alone':>8}  file"]
    return "\n".join(lines + [f"{adds:8} {hit:8} {percent(hit, points):7.2f} % {alone:8}  {name}" for name, adds, hit, alone in rows]) + "\n"


def rank_json(rows, points):
    hit = rows[-1][2] if rows else 0
    return json.dumps({"all": {"points": points, "hit": hit, "percent": percent(hit, points)},
                       "files": [{"file": name, "adds": adds, "hit": total, "alone": alone} for name, adds, total, alone in rows]}, indent=1) + "\n"
