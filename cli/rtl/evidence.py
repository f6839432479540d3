"""Windows of a failing run: which points of RTL coverage ran while which instruction was in the core."""
import collections
import json
import pathlib
import random
import subprocess
import tempfile

BEFORE = 16  # Cycles of a window in front of the instruction's issue: fetch and decode
MOST = {"failing": 8, "failing too": 8, "alike": 24, "other": 40}  # Windows of each kind
MOST_AGAIN = {"failing": 3, "failing too": 3}  # With each further timing
SEEDS = (1001, 1002, 1003)  # Of these
CSR = "csr"  # The unit of instructions that hand on what others have left in a CSR
LONGEST = 200  # Cycles of a window; of one that fails, the last ones, or the first of a hang

# ran: points that ran from its issue on to its last record; before: those in the cycles in front of it
Window = collections.namedtuple("Window", "kind text unit issue end before ran")


class EvidenceError(Exception):
    """Why there is none, in one line."""


def read_counts(path, keys):
    """The counters of a file by (module, line, column); keys keeps the points of the lines of earlier files."""
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")[1:]
    counts = collections.Counter()
    for line in lines:
        text, quote, count = line.rpartition("' ")
        if not quote:
            continue
        point = keys.get(text)
        if point is None:
            values = dict(part.split("\x02", 1) for part in text.removeprefix("C '").split("\x01") if "\x02" in part)
            point = keys[text] = (values["page"].partition("/")[2], int(values["l"]), int(values["n"]))
        counts[point] += int(count)
    return counts


class Core:
    def __init__(self, core, karat, plusargs):
        self.core, self.karat, self.plusargs, self.keys = core, karat, plusargs, {}

    def run(self, folder, *more):
        """The verdict of a run as JSON. more: plusargs, in place of those of the same names."""
        path = folder / "verdict.json"
        more = ["+quiet", f"+json={path}", *more]
        names = {word.partition("=")[0] for word in more}
        own = [word for word in self.plusargs if word.partition("=")[0] not in names]
        done = subprocess.run([self.core, *own, *more], capture_output=True, text=True, errors="replace")
        if not path.exists():
            raise EvidenceError((done.stderr.strip().splitlines() or [f"{self.core}: status {done.returncode}"])[-1])
        return json.loads(path.read_text(encoding="utf-8"))

    def instructions(self, recording):
        """Instructions of a recording: (warp, seq, issue, end, name, text, unit)."""
        done = subprocess.run([self.karat, "timeline", recording], capture_output=True, text=True)
        if done.returncode:
            raise EvidenceError(done.stderr.strip())
        found = []
        for e in json.loads(done.stdout)["traceEvents"]:
            if e["ph"] == "X" and "seq" in e.get("args", {}):
                found.append((e["args"]["warp"], e["args"]["seq"], e["ts"], e["ts"] + e["dur"], e["name"], e["args"]["text"], e.get("cat", "")))
        return sorted(found, key=lambda i: (i[2], i[1]))


def name_of(text):
    return text.split(" ")[0]


def place_of(where):
    return f"{where.get('workgroup')}.{where.get('warp')}", where.get("seq")


def bounds(issue, end, verdict):
    if end - issue <= LONGEST:
        return issue, end
    return (issue, issue + LONGEST) if verdict["verdict"] == "HANG" else (end - LONGEST // 2, end)


def failing_rows(failure, continued, instructions):
    """The instructions that failed, and in which cycle that was found: those of the first failure's kind, each class of it once."""
    places = {place_of(failure["where"]): failure["cycle"]} if "where" in failure else {}
    for defect in continued.get("defects", ()):
        if defect["first"]["kind"] == failure["kind"]:
            places.setdefault(place_of(defect["first"]), defect["first"]["cycle"])
    rows = {i[:2]: i for i in instructions if i[2] <= places.get(i[:2], -1)}  # Each kernel begins to count anew: the last one
    return {row: places[row[:2]] for row in rows.values()}


def setters(failure, rows, instructions):
    """The instructions that may have set the CSR, where the one that failed only reads it and the checker sees the cause in those."""
    own = next((row for row in rows if row[:2] == place_of(failure.get("where", {}))), None)
    if not own or own[6] != CSR:
        return []
    before = {i[1]: i for i in instructions if i[0] == own[0] and i[2] <= own[2]}
    return [before[seq] for seq in failure.get("cause", {}).get("suspects", ()) if seq in before and before[seq][6] != CSR]


def last_of(issue, end):
    """Logic between registers runs for a record's cycle at the edge before it."""
    return max(issue + 1, end - 1)


def chosen(core, folder, verdict, continued, most):
    """The windows to look at: (kind, text, unit, issue, end). An instruction counts as passing where it ended before the first
    failure, or where no instruction of its name fails: of those that fail the list has not each place. Where others have set what the one
    that failed reads, the windows are of those, and set_by of the failure has their names."""
    failure = verdict["failure"]
    text = failure.get("instruction", {}).get("text", "")
    instructions = core.instructions(folder / "run.ktr")
    fails, names = failing_rows(failure, continued, instructions), {name_of(text)}
    doubtful = {name_of(d["first"].get("text", "")) for d in continued.get("defects", ())} | names
    if found := setters(failure, fails, instructions):
        names = {i[4] for i in found}
        failure["set_by"] = sorted(names)
        fails = {**{i: cycle for i, cycle in fails.items() if i[6] != CSR}, **{i: i[3] for i in found}}
    rows = {kind: [] for kind in MOST}
    for row in instructions:
        _, _, issue, end, name, own_text, unit = row
        if row in fails:
            kind = "failing" if name in names else "failing too"
            rows[kind].append((kind, own_text, unit, *bounds(issue, max(fails[row] + 1, issue + 2), verdict)))
        elif end - issue <= LONGEST and (end < failure["cycle"] or name not in doubtful | names):
            kind = "alike" if name in names else "other"
            rows[kind].append((kind, own_text, unit, issue, end))
    if not rows["failing"]:
        issue = failure.get("instruction", {}).get("issue_cycle", failure["cycle"])
        rows["failing"].append(("failing", text, "", *bounds(issue, failure["cycle"] + 1, verdict)))
    rng = random.Random(1)
    for kind in ("failing too", "alike", "other"):
        rng.shuffle(rows[kind])
        first = {}
        for row in rows[kind]:
            first.setdefault(name_of(row[1]), row)
        firsts = set(first.values())
        rows[kind] = [*first.values(), *(row for row in rows[kind] if row not in firsts)]
    return [row for kind in rows for row in rows[kind][:most.get(kind, 0)]]


def look(core, folder, most):
    """The verdict of a run, its windows, counts of points before the end of the first; windows [] where it does not fail."""
    verdict = core.run(folder, f"+record={folder / 'run.ktr'}")
    if verdict["verdict"] not in ("MISMATCH", "HANG", "PROGRAM ERROR") or "failure" not in verdict:
        return verdict, [], {}
    continued, further = {}, []
    if verdict["verdict"] == "MISMATCH":
        further = ["+continue", f"+max-cycles={4 * verdict['cycles'] + 20000}"]
        continued = core.run(folder, f"+record={folder / 'run.ktr'}", *further)
    rows = chosen(core, folder, verdict, continued, most)
    cycles = sorted({c for _, _, _, issue, end in rows for c in (issue - BEFORE, issue - 1, last_of(issue, end)) if c >= 0})
    core.run(folder, f"+rtl-coverage={folder / 'c'}", f"+rtl-coverage-at={','.join(map(str, cycles))}", *further)
    at = collections.defaultdict(collections.Counter)  # In front of cycle 0 nothing had run: a window from there on has the reset in it
    at.update({cycle: read_counts(folder / f"c.{cycle}", core.keys) for cycle in cycles})
    windows = []
    for kind, text, unit, issue, end in rows:
        a, b, c = (at[cycle] for cycle in (issue - BEFORE, issue - 1, last_of(issue, end)))
        windows.append(Window(kind, text, unit, issue, end, {p for p in b if b[p] > a[p]}, {p for p in c if c[p] > b[p]}))
    return verdict, windows, at[last_of(*rows[0][3:])]


def collect(core):
    """The verdict of the failing run, its windows and those that fail with other timings, all points, and those that ran before the end
    of the first window."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        verdict, windows, counts = look(core, folder, MOST)
        if not windows:
            raise EvidenceError(f"the run does not fail: {verdict['line']}")
        for seed in SEEDS:
            other = Core(core.core, core.karat, [*(p for p in core.plusargs if not p.startswith("+seed=")), f"+seed={seed}"])
            other.keys = core.keys
            again, more, _ = look(other, folder, MOST_AGAIN)
            if again.get("failure", {}).get("kind") == verdict["failure"]["kind"]:
                windows += more
        return verdict, windows, set(core.keys.values()), {p for p, n in counts.items() if n}
