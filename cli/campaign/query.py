"""What the results say, as text: a summary, or the rows of any SQL query."""
import json
import sqlite3

import rtl_points
from store import StoreError


MANY = 8  # configurations: of fewer, two bugs may easily have the same ones, and no two buckets are made one by them


def table(names, rows):
    """Columns of text."""
    cells = [list(map(str, names)), *([("" if value is None else str(value)) for value in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(names))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells)


def run(store, sql, as_json=False):
    """The rows of a query, which may not change anything."""
    try:
        store.db.execute("pragma query_only = on")
        found = store.db.execute(sql)
        columns, rows = [column[0] for column in found.description or ()], found.fetchall()
        if as_json:
            return json.dumps({"columns": columns, "rows": [list(row) for row in rows]}, indent=1)
        return table(columns, rows) if columns else ""
    except sqlite3.Error as error:
        raise StoreError(f"query: {error}") from None


def percent(value):
    return f"{100 * value:.1f} %"


def quality_lines(store):
    """How far a bucket is a bug: of how many configurations; purity and split, of a campaign whose faults are known."""
    lines, configurations = [], int(store.get("configurations", MANY))
    if configurations < MANY and store.value("select count(*) from buckets") > 1:
        lines.append(f"{configurations} configuration{'s' * (configurations > 1)}, too few to settle the buckets (from {MANY} on): "
                     "one bug may have several")
    for key, title in (("quality_by_signature", "by signature"), ("quality", "settled by configurations")):
        if store.get(key):
            q = json.loads(store.get(key))
            lines.append(f"buckets {title}: {q['buckets']} of {q['faults']} faults, purity {percent(q['purity'])}, split {q['split']:.2f}")
    return lines


def counts(store):
    """Numbers of a summary."""
    row = store.do("select count(verdict), total(verdict = 'PASS'), count(*), total(instructions), total(records) from runs").fetchone()
    return {"done": row[0], "passed": int(row[1]), "planned": row[2], "instructions": int(row[3]), "records": int(row[4]),
            "failed": row[0] - int(row[1]), "buckets": store.value("select count(*) from buckets"),
            "rechecked": store.value("select count(*) from rechecks"), "alike": store.value("select total(same) from rechecks")}


def buckets(store):
    return store.rows("select bucket, members, name, buckets.instructions, program, seed from buckets join runs on leader = run "
                      "order by members desc, bucket")


def summary_json(store):
    names = ("bucket", "runs", "failure", "instructions", "program", "seed")
    return json.dumps({"counts": {key: int(value or 0) for key, value in counts(store).items()},
                       "buckets": [dict(zip(names, row)) for row in buckets(store)]}, indent=1)


def summary(store):
    c = counts(store)
    lines = [f"{c['done']} of {c['planned']} runs, {c['failed']} failed, {c['buckets']} buckets; "
             f"{c['instructions']} instructions and {c['records']} records compared"]
    if "check" not in store.plan():
        lines.append("the plan has no \"check\": nothing proves that these cores can fail")
    lines += [f"known bug {row['name']}: {row['mismatches']} mismatches in {row['hits']} runs, no failures" for row in store.rows(
        "select name, sum(mismatches) as mismatches, sum(mismatches > 0) as hits from known group by name order by name")]
    lines += quality_lines(store) + rtl_points.line(store)
    if c["rechecked"]:
        lines.append(f"checked again under the bucket's program: {c['rechecked']} failures, {int(c['alike'])} fail as it does")
    rows = buckets(store)
    if rows:
        lines.append(table(["bucket", "runs", "failure", "shrunk to", "program", "seed"], rows))
    return "\n".join(lines)
