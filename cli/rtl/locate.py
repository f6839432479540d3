"""karat locate: suspects for a failing run of a core with RTL coverage, as text and JSON, and a waveform with their signals."""
import functools
import json
import pathlib
import re
import tempfile

import design
import evidence
import experiments
import ranking

MOST = 10  # Suspects shown
LEFT_OUT = ("+trace", "+wave-", "+snapshots=", "+coverage=", "+memory=", "+dump-arg=", "+continue", "+go-on")  # Plusargs, as "rerun" has them

SCALA = re.compile(r"([^\s,{}\[]+\.scala)?[: ](\d+):")  # In firtool's comments: "a/B.scala:3:17, :5:{8,11}, C.scala:9:2"
LIBRARY = "/scala/chisel3/"
MOST_ORIGINS = 6  # Shown


@functools.lru_cache(maxsize=None)
def lines_of(file):
    try:
        return pathlib.Path(file).read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return []


def source_of(entry):
    first, *more = lines_of(entry.file)[entry.at - 1:entry.at + 1] or ["(the source cannot be read)"]
    return " ".join(text.strip() for text in [first, *more][:1 + first.endswith("=")])


def origins(file, first, last):
    """(file, line) in Scala that these lines of elaborated Chisel, and the rest of the last one's statement, are of; of Chisel's own library
    where there are no others."""
    found, lines = {}, lines_of(file)
    for number in range(first, len(lines) + 1):
        code, _, comment = lines[number - 1].strip().partition("//")
        if number > last and code.startswith((".", ")")):  # The next port
            break
        name = None
        for own, line in SCALA.findall(comment):
            name = own or name
            if name:
                found[name, int(line)] = LIBRARY in name
        if number >= last and (comment or code.endswith((";", "begin"))):
            break
    return [place for place, library in found.items() if not library] or [*found]


def distinct(entries):
    """The suspects without copies: of those of the same lines of Scala, a loop's or several of one condition, the first; of those of Chisel's own
    library, the first in each instance."""
    seen = {}
    for e in entries:
        own = origins(e.file, e.at, e.at)
        if own and LIBRARY in own[0][0]:
            own.append(e.signals[0][0].rpartition(".")[0] if e.signals else e.at)
        seen.setdefault((*own,) or (e.file, e.at), e)
    return [*seen.values()]


def shown(file):
    """A file's name from the working folder, where it is below."""
    path = pathlib.Path(file)
    return str(path.relative_to(pathlib.Path.cwd())) if path.is_relative_to(pathlib.Path.cwd()) else file


def why(entry, ranked):
    ran = "no counter of its own" if entry.failing is None else \
        f"ran in {entry.failing} of {len(ranked.failing)} failing and {entry.passing} of {len(ranked.passing)} other windows"
    way = "" if entry.distance is None else f"; {entry.distance} steps before {ranked.about}"
    tried = f"; {entry.effect.text}" if entry.effect else ""
    own = {}
    for file, line in origins(entry.file, entry.at, entry.at)[:MOST_ORIGINS]:
        own.setdefault(pathlib.Path(file).name, []).append(str(line))
    of = "".join(f"{name}:{', '.join(lines)}; " for name, lines in own.items())
    return of + ran + way + tried + (f"; with lines {entry.line} to {entry.last}" if entry.last > entry.line else "")


def text(entries, ranked):
    failure = ranked.failure
    at = failure.get("instruction", {})
    lines = [f"{failure['kind']}" + (f": {at['text']}, issued in cycle {at['issue_cycle']}" if "issue_cycle" in at else "") +
             (f"; {' or '.join(failure['set_by'])} may have set it" if "set_by" in failure else "")]
    for number, e in enumerate(entries, 1):
        source = re.sub(r"\s*//\s*(@\[)?\S+\.scala[: ].*", "", source_of(e))
        lines += [f"{number:2}  {shown(e.file)}:{e.at}  {source}"[:150], f"    {why(e, ranked)}"]
    return "\n".join(lines) + "\n"


def as_json(entries, ranked, core, verdict):
    first = ranked.failing[0]
    rows = [{"file": e.file, "line": e.at, "first": e.line, "last": e.last, "text": source_of(e),
             "from": [f"{file}:{line}" for file, line in origins(e.file, e.line, e.last)], "score": round(e.score, 4), "failing": e.failing,
             "passing": e.passing, "distance": e.distance, "signals": [name for name, _ in e.signals],
             "mutants": [{**m._asdict(), "run": did} for m, did in e.effect.outcomes] if e.effect else []} for e in entries]
    return json.dumps({"core": core, "verdict": verdict["line"], "failing": len(ranked.failing), "passing": len(ranked.passing),
                       "set_by": ranked.failure.get("set_by", []),
                       "window": [max(0, first.issue - evidence.BEFORE), first.end], "suspects": rows}, indent=1) + "\n"


def write_wave(entries, ranked, core, file):
    """The waveform of the failing window, with the suspects' signals first in its save files."""
    first = ranked.failing[0]
    names = list(dict.fromkeys(name for e in entries for name, _ in e.signals))
    until = ranked.failure["cycle"] if "set_by" in ranked.failure else first.end - 1
    before = until - first.issue + evidence.BEFORE
    with tempfile.TemporaryDirectory() as folder:
        core.run(pathlib.Path(folder), f"+trace={file}", f"+wave-window={before}:{evidence.BEFORE}",
                 *[f"+wave-signals={','.join(names)}"] * bool(names))
    if not pathlib.Path(file).exists():
        raise evidence.EvidenceError(f"{file}: the core's harness cannot make a waveform")


def run(options, karat, plusargs, put):
    name = options["core"]
    plan, core = design.Design(f"{name}.xml"), evidence.Core(name, karat, [word for word in plusargs if not word.startswith(LEFT_OUT)])
    verdict, windows, counted, ever = evidence.collect(core)
    ranked = ranking.Ranking(plan, verdict, windows, counted, ever)
    if "mutants" in options:
        ranked.effects = experiments.effects(evidence.Core(options["mutants"], karat, core.plusargs), ranked)
    entries = distinct(ranked.entries())[:MOST]
    if "wave" in options:
        write_wave(entries, ranked, core, options["wave"])
    put(options.get("output"), as_json(entries, ranked, name, verdict) if "json" in options else text(entries, ranked))
    return 0
