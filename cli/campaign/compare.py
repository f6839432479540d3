"""A campaign against earlier ones: which buckets are new, gone, still there, or come and go."""
import json
import pathlib

from buckets import LIMIT, distance, signature_in
from query import table
from store import Store

STATES = ("new", "flaky", "still", "gone")


class CompareError(Exception):
    """Why there is nothing to compare, in one line."""


def leaders(store):
    """Of each bucket: name, members, signature of its first failure. An assertion is known by its file: lines move between revisions."""
    def of_file(signature):
        return {**signature, "assertion": signature["assertion"].partition(":")[0]}

    return [(row["name"], row["members"], of_file(signature_in(row)), row["bucket"])
            for row in store.rows("select name, members, failures.* from buckets join failures on leader = run order by buckets.bucket")]


def passes(store, ran):
    """Whether a run with the same core, program, seed and options passed in another campaign. ran: those of a bucket."""
    return any(store.do("select 1 from runs where core = ? and program = ? and seed = ? and plusargs = ? and verdict = 'PASS'", key).fetchone()
               for key in ran)


def runs_of(store, bucket):
    """A bucket's runs of programs that another campaign has under the same name: that of fuzz depends on what a campaign has reached."""
    return [tuple(row) for row in store.rows("select core, program, seed, plusargs from failed where bucket = ? and program not like 'fuzz:%'",
                                             (bucket,))]


def compare(store, folder):
    """Fill the tables earlier and changes. A bucket is flaky that is on both sides, while one of its runs fails on one side alone."""
    folder = pathlib.Path(folder).absolute()
    if folder / "results.db" == store.path.absolute():
        raise CompareError(f"{folder}: is this campaign")
    other = Store(folder)
    here, there = leaders(store), leaders(other)
    if other.get("state") == "running":
        raise CompareError(f"{folder}: has not come to its end, and so has no buckets")
    if not other.value("select count(verdict) from runs"):
        raise CompareError(f"{folder}: has no runs")
    covered = other.do("select total(hit) * 100.0 / nullif(total(bins), 0) from coverage where axis != 'all'").fetchone()[0]
    store.do("insert or replace into earlier values (?, ?, ?, ?, ?, ?, ?)",
             (other.get("name"), str(folder), other.get("began"), other.value("select count(verdict) from runs"),
              other.value("select count(*) from failures"), len(there), covered))
    store.do("delete from changes where earlier = ?", (str(folder),))
    # The nearest pairs first: a bucket must not take another's.
    near, left = {}, set(range(len(there)))
    for apart, h, t in sorted((distance(a[2], b[2]), h, t) for h, a in enumerate(here) for t, b in enumerate(there)):
        if apart <= LIMIT and h not in near and t in left:
            near[h] = t
            left.discard(t)
    for h, (name, members, _, number) in enumerate(here):
        if h not in near:
            state, count = "new", 0
        else:
            _, count, _, old = there[near[h]]
            flaky = passes(other, runs_of(store, number)) or passes(store, runs_of(other, old))
            state = "flaky" if flaky else "still"
        store.do("insert into changes values (?, ?, ?, ?, ?, ?)", (name, number, str(folder), state, members, count))
    for name, members, _, _ in (there[t] for t in sorted(left)):
        store.do("insert into changes values (?, null, ?, 'gone', 0, ?)", (name, str(folder), members))
    other.close()


def changes(store, folder=None):
    """Rows of the last comparison."""
    last = (folder,) if folder else store.do("select folder from earlier order by began desc limit 1").fetchone()
    if not last:
        return []
    rows = store.rows("select state, bucket, here, there, number from changes where earlier = ?", (str(last[0]),))
    return sorted(rows, key=lambda row: (STATES.index(row["state"]), -row["here"]))


def as_json(store, folder=None):
    names = ("state", "failure", "here", "there")
    return json.dumps({"changes": [dict(zip(names, row[:4])) for row in changes(store, folder)]}, indent=1)


def text(store, folder=None):
    return table(["state", "failure", "runs here", "runs there"], [tuple(row)[:4] for row in changes(store, folder)])
