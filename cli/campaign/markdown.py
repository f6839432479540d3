"""The summary of a campaign in Markdown, as GitHub and GitLab show it beside a job."""
from compare import changes
from query import counts, quality_lines

BUCKETS = 30  # Rows


def cell(value):
    return str("" if value is None else value).replace("|", "\\|").replace("\n", " ")


def markdown(store):
    c, changed = counts(store), changes(store)
    states = {row["number"]: row["state"] for row in changed}
    lines = [f"## {cell(store.get('name'))}: " + (f"{c['buckets']} buckets" if c["failed"] else "passed"), "",
             f"{c['done']} of {c['planned']} runs, {c['failed']} failed; {c['instructions']} instructions compared; {store.get('state')}.", ""]
    lines += [f"{line}  " for line in quality_lines(store)] + [""] * bool(quality_lines(store))
    rows = store.rows("select bucket, name, members, b.instructions, program, seed from buckets b join runs on leader = run "
                      "order by members desc, bucket")
    if rows:
        lines += ["| bucket | failure | runs | state | smallest program | first |", "|---|---|---|---|---|---|"]
        lines += [f"| {row[0]} | {cell(row[1])} | {row[2]} | {states.get(row[0], '')} | {cell(row[3])} | {cell(row[4])} seed {row[5]} |"
                  for row in rows[:BUCKETS]]
        if len(rows) > BUCKETS:
            lines += ["", f"{len(rows) - BUCKETS} more buckets are in the page."]
    gone = [row["bucket"] for row in changed if row["state"] == "gone"]
    if gone:
        lines += ["", "Gone since the last campaign: " + "; ".join(map(cell, gone)) + "."]
    return "\n".join(lines) + "\n"
