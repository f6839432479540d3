"""karat locate: suspects for a failing run of a core with RTL coverage, as text and JSON, and a waveform with their signals."""
import json
import pathlib
import tempfile

import design
import evidence
import experiments
import ranking

MOST = 10  # Suspects shown
LEFT_OUT = ("+trace", "+wave-", "+snapshots=", "+coverage=", "+memory=", "+dump-arg=", "+continue", "+go-on")  # Plusargs, as "rerun" has them


def source_of(entry):
    try:
        return pathlib.Path(entry.file).read_text(encoding="utf-8", errors="replace").splitlines()[entry.at - 1].strip()
    except (OSError, IndexError):
        return "(the source cannot be read)"


def shown(file):
    """A file's name from the working folder, where it is below."""
    path = pathlib.Path(file)
    return str(path.relative_to(pathlib.Path.cwd())) if path.is_relative_to(pathlib.Path.cwd()) else file


def why(entry, ranked):
    ran = "no counter of its own" if entry.failing is None else \
        f"ran in {entry.failing} of {len(ranked.failing)} failing and {entry.passing} of {len(ranked.passing)} other windows"
    way = "" if entry.distance is None else f"; {entry.distance} steps before {ranked.about}"
    tried = f"; {entry.effect.text}" if entry.effect else ""
    return ran + way + tried + (f"; with lines {entry.line} to {entry.last}" if entry.last > entry.line else "")


def text(entries, ranked):
    failure = ranked.failure
    at = failure.get("instruction", {})
    lines = [f"{failure['kind']}" + (f": {at['text']}, issued in cycle {at['issue_cycle']}" if "issue_cycle" in at else "")]
    for number, e in enumerate(entries, 1):
        lines += [f"{number:2}  {shown(e.file)}:{e.at}  {source_of(e)}"[:150], f"    {why(e, ranked)}"]
    return "\n".join(lines) + "\n"


def as_json(entries, ranked, core, verdict):
    first = ranked.failing[0]
    rows = [{"file": e.file, "line": e.at, "first": e.line, "last": e.last, "text": source_of(e), "score": round(e.score, 4), "failing": e.failing,
             "passing": e.passing, "distance": e.distance, "signals": [name for name, _ in e.signals],
             "mutants": [{**m._asdict(), "run": did} for m, did in e.effect.outcomes] if e.effect else []} for e in entries]
    return json.dumps({"core": core, "verdict": verdict["line"], "failing": len(ranked.failing), "passing": len(ranked.passing),
                       "window": [max(0, first.issue - evidence.BEFORE), first.end], "suspects": rows}, indent=1) + "\n"


def write_wave(entries, ranked, core, file):
    """The waveform of the failing window, with the suspects' signals first in its save files."""
    first = ranked.failing[0]
    names = list(dict.fromkeys(name for e in entries for name, _ in e.signals))
    before = first.end - 1 - first.issue + evidence.BEFORE
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
    entries = ranked.entries()[:MOST]
    if "wave" in options:
        write_wave(entries, ranked, core, options["wave"])
    put(options.get("output"), as_json(entries, ranked, name, verdict) if "json" in options else text(entries, ranked))
    return 0
