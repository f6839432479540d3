"""The page of a campaign: one HTML file with all that it shows, for any browser, without a network."""
import datetime
import json
import pathlib
import re
import shlex
import subprocess

import jinja2

from buckets import WEIGHTS
from compare import changes
from query import counts, quality_lines
from rtl_points import NAME, line, sums
from timeline import timeline

MEMBERS = 20  # Rows of a bucket's runs
SLOWEST = 15
HISTORY = 16  # Instructions of a warp's history
LANE = re.compile(r"^\s*lane +(\d+) +core ([0-9a-f]+) +model ([0-9a-f]+)", re.MULTILINE)
SCALAR = re.compile(r"^\s*core ([0-9a-f]+) +model ([0-9a-f]+)", re.MULTILINE)


def hexed(value):
    return f"{value:08x}" if isinstance(value, int) else "unknown" if value is None else str(value)


def lanes_of(failure):
    """The table of operands: names of columns, and a row for each lane (cells, whether it differs)."""
    instruction = failure.get("instruction", {})
    vectors = [r for r in instruction.get("reads", []) if r["class"] == "v"]
    written = next((w for w in instruction.get("writes", []) if w["class"] == "v"), None)
    apart = {int(lane): (core, model) for lane, core, model in LANE.findall(failure.get("detail", ""))}
    size = max([len(r["value"]) for r in [*vectors, *filter(None, [written])]], default=0)
    names = [f"{v['source']} {v['class']}{v['register']}" for v in vectors] + (["expected", "actual"] if written or apart else [])
    rows = []
    for lane in range(size):
        cells = [hexed(v["value"][lane]) if lane < len(v["value"]) else "" for v in vectors]
        if written or apart:
            model = apart[lane][1] if lane in apart else hexed(written["value"][lane]) if written and written["mask"] >> lane & 1 else "–"
            cells += [model, apart[lane][0] if lane in apart else model]
        rows.append((lane, cells, lane in apart or bool(failure.get("lanes", 0) >> lane & 1)))
    return names, rows


def scalars_of(failure):
    """Scalar operands (name, value), and (expected, actual) of a scalar result."""
    reads = [(f"{r['source']} {r['class']}{r['register']}", hexed(r["value"][0])) for r in failure.get("instruction", {}).get("reads", [])
             if r["class"] != "v"]
    match = SCALAR.search(failure.get("detail", ""))
    return reads, (match[2], match[1]) if match else None


def listing(karat, program, failure):
    """Lines (text, whether it is the instruction at fault) of a program."""
    done = subprocess.run([karat, "disasm", program], capture_output=True, text=True)
    pc = failure.get("instruction", {}).get("pc")
    mark = f"{pc:08x}" if pc is not None else None
    return [(line, bool(mark) and mark in line.split(" ", 3)[0]) for line in done.stdout.rstrip().splitlines()] if done.returncode == 0 else []


def bucket_of(store, folder, karat, row, states):
    """All that the page says of one bucket."""
    place = folder / row["report"] if row["report"] else None
    report = json.loads((place / "report.json").read_text()) if place and (place / "report.json").exists() else json.loads(row["data"] or "{}")
    failure = report.get("failure", {})
    names, lanes = lanes_of(failure)
    scalars, result = scalars_of(failure)
    vector = place / "vector.elf" if place else pathlib.Path("/nonexistent")
    members = store.rows("select run, core, program, seed, fault, distance, apart from failed where bucket = ? order by run limit ?",
                         (row["bucket"], MEMBERS))
    core, _, size = next(core["core"] for core in store.plan()["cores"] if core["name"] == row["core"]).rpartition("=")
    threads = int(re.search(r":(\d+)(/|$)", size)[1])  # The core itself need not be here any more
    again = f"{row['report']}/reproduce.sh {shlex.quote(core)}" if place and (place / "reproduce.sh").exists() else ""
    original = shlex.join([core, f"+kernel={row['file']}", *json.loads(row["plusargs"])])
    rechecks = store.do("select count(*), total(same) from rechecks where bucket = ?", (row["bucket"],)).fetchone()
    return {"number": row["bucket"], "name": row["name"], "members": row["members"], "state": states.get(row["bucket"], ""), "first": row["finished"],
            "leader": row["leader"], "program": row["program"], "seed": row["seed"], "core": row["core"], "threads": threads,
            "instructions": row["size"], "why": row["why"], "failure": failure, "instruction": failure.get("instruction", {}),
            "names": names, "lanes": lanes, "scalars": scalars, "result": result,
            "stack": list(reversed(failure.get("stack", []))), "history": failure.get("history", [])[-HISTORY:], "where": failure.get("where", {}),
            "timeline": timeline(karat, place / "run.ktr", report) if place else None,
            "listing": listing(karat, vector, failure) if vector.exists() else [], "problem": row["problem"],
            "suspects": (place / "suspects.txt").read_text() if place and (place / "suspects.txt").exists() else "",
            "reproduce": again, "original": original, "recording": f"{row['report']}/run.ktr",
            "runs": [{**dict(m), "apart": ", ".join(f"{k} {v:g}" for k, v in json.loads(m["apart"] or "{}").items())} for m in members],
            "rechecked": rechecks[0], "alike": int(rechecks[1]),
            "signature": {k: v for k, v in json.loads(row["signature"]).items() if v}}


def page(store, folder, karat):
    """The page as text."""
    states = {row["number"]: row["state"] for row in changes(store)}
    buckets = [bucket_of(store, folder, karat, row, states) for row in store.rows(
        "select b.bucket, b.name, members, leader, signature, b.instructions as size, why, b.report as report, failures.report as data, core, "
        "program, file, seed, plusargs, problem, finished from buckets b join runs on leader = run join failures using (run) "
        "left join timings using (run) order by members desc, b.bucket")]
    coverage = [{**dict(row), "holes": [" · ".join(hole) for hole in json.loads(row["holes"])]} for row in store.rows("select * from coverage")]
    slowest = store.rows("select run, core, program, seed, verdict, seconds, cycles, instructions from runs join timings using (run) "
                         "order by seconds desc limit ?", (SLOWEST,))
    c = counts(store)
    here = {"name": store.get("name"), "began": store.get("began"), "runs": c["done"], "failures": c["failed"], "buckets": c["buckets"]}
    trend = [dict(row) for row in store.rows("select * from earlier order by began")] + [here]
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True,
                                     loader=jinja2.FileSystemLoader(pathlib.Path(__file__).parent / "templates"))
    environment.filters["mask"] = lambda value, size: [bool(int(value) >> lane & 1) for lane in range(size)]
    environment.filters["hex"] = lambda value: hexed(value) if value is not None else ""
    plan = store.plan()
    return environment.get_template("page.html.j2").render(
        name=store.get("name"), state=store.get("state"), began=store.get("began"), ended=store.get("ended") or "", seed=store.get("seed"), counts=c,
        buckets=buckets, coverage=coverage,
        rtl=sums(store), rtl_line=line(store), rtl_page=f"{NAME}.html",
        slowest=slowest, trend=trend, changes=changes(store), quality=quality_lines(store), weights=WEIGHTS,
        cores=[core["name"] for core in plan["cores"]], has_check="check" in plan, faults=plan["faults"],
        written=datetime.datetime.now().isoformat(" ", "minutes"))
