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

    return [(row["name"], row["members"], of_file(signature_in(row)))
            for row in store.rows("select name, members, failures.* from buckets join failures on leader = run order by buckets.bucket")]


def passes(store, ran):
    """Whether a run with the same core, program, seed and options passed in another campaign. ran: those of a bucket."""
    return any(store.do("select 1 from runs where core = ? and program = ? and seed = ? and plusargs = ? and verdict = 'PASS'", key).fetchone()
               for key in ran)


def runs_of(store, name):
    return [tuple(row) for row in store.rows("select core, program, seed, plusargs from failed join buckets using (bucket) where name = ?", (name,))]


def compare(store, folder):
    """Fill the tables earlier and changes. A bucket is flaky that is on both sides, while one of its runs fails on one side alone."""
    folder = pathlib.Path(folder).absolute()
    if folder / "results.db" == store.path.absolute():
        raise CompareError(f"{folder}: is this campaign")
    other = Store(folder)
    here, there = leaders(store), leaders(other)
    if not other.value("select count(verdict) from runs"):
        raise CompareError(f"{folder}: has no runs")
    covered = other.do("select total(hit) * 100.0 / nullif(total(bins), 0) from coverage where axis != 'all'").fetchone()[0]
    store.do("insert or replace into earlier values (?, ?, ?, ?, ?, ?, ?)",
             (other.get("name"), str(folder), other.get("began"), other.value("select count(verdict) from runs"),
              other.value("select count(*) from failures"), len(there), covered))
    store.do("delete from changes where earlier = ?", (str(folder),))
    left = list(there)
    for name, members, signature in here:
        near = min(((distance(signature, s), i) for i, (_, _, s) in enumerate(left)), default=(LIMIT + 1, 0))
        if near[0] > LIMIT:
            state, count = "new", 0
        else:
            old, count, _ = left.pop(near[1])
            flaky = passes(other, runs_of(store, name)) or passes(store, runs_of(other, old))
            state = "flaky" if flaky else "still"
        store.do("insert into changes values (?, ?, ?, ?, ?)", (name, str(folder), state, members, count))
    for name, members, _ in left:
        store.do("insert into changes values (?, ?, 'gone', 0, ?)", (name, str(folder), members))
    other.close()


def changes(store, folder=None):
    """Rows of the last comparison."""
    last = folder or store.do("select folder from earlier order by began desc limit 1").fetchone()
    if not last:
        return []
    rows = store.rows("select state, bucket, here, there from changes where earlier = ?", (last[0],))
    return sorted(rows, key=lambda row: (STATES.index(row["state"]), -row["here"]))


def as_json(store):
    names = ("state", "failure", "here", "there")
    return json.dumps({"changes": [dict(zip(names, row)) for row in changes(store)]}, indent=1)


def text(store):
    return table(["state", "failure", "runs here", "runs there"], [tuple(row) for row in changes(store)])
