"""karat locate: suspects for a failing run of a core with RTL coverage, as text, JSON and a list of signals for a waveform."""
import json
import pathlib

import design
import evidence
import ranking

MOST = 10  # Suspects shown


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
    return ran + way + (f"; with lines {entry.line} to {entry.last}" if entry.last > entry.line else "")


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
             "passing": e.passing, "distance": e.distance, "signals": [name for name, _ in e.signals]} for e in entries]
    return json.dumps({"core": core, "verdict": verdict["line"], "failing": len(ranked.failing), "passing": len(ranked.passing),
                       "window": [max(0, first.issue - evidence.BEFORE), first.end], "suspects": rows}, indent=1) + "\n"


def wave_list(entries, ranked):
    """A save file of GTKWave: the suspects' signals, at the failing window."""
    first = ranked.failing[0]
    lines = ["[*] Karat", f"[timestart] {max(0, first.issue - evidence.BEFORE)}", f"*-4.000000 {first.issue}" + " -1" * 26]
    put = set()
    for number, e in enumerate(entries, 1):
        fresh = [(name, bits) for name, bits in e.signals if name not in put]
        put.update(name for name, _ in fresh)
        if fresh:
            lines += ["@200", f"-{number} {pathlib.Path(e.file).name}:{e.at}"]
            for name, bits in fresh:
                lines += ["@28" if bits == 1 else "@22", f"TOP.{name}" + ("" if bits == 1 else f"[{bits - 1}:0]")]
    return "\n".join(lines) + "\n"


def run(options, karat, plusargs, put):
    core = options["core"]
    plan = design.Design(f"{core}.xml")
    verdict, windows, counted, ever = evidence.collect(evidence.Core(core, karat, plusargs))
    ranked = ranking.Ranking(plan, verdict, windows, counted, ever)
    entries = ranked.entries()[:MOST]
    if options.get("wave-list"):
        put(options["wave-list"], wave_list(entries, ranked))
    put(options.get("output"), as_json(entries, ranked, core, verdict) if "json" in options else text(entries, ranked))
    return 0
