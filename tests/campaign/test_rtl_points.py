#!/usr/bin/python3
"""karat campaign on a core that counts which of its branches run: their sum, in the database and on the page."""
import html
import json
import shlex
import sqlite3
import subprocess
import sys
import tempfile

import arguments
import test_campaign

import counters  # Of cli/rtl, by the path of rtl_points


class Test(test_campaign.Test):
    def run(self, plan, name):
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps({"cores": [{"core": self.args.core, "options": ["+hang=2000"]}], "shrink": 0, **plan}))
        return subprocess.run([self.args.karat, "campaign", path, "-o", self.folder / name], capture_output=True, text=True)

    def database(self, name):
        return sqlite3.connect(self.folder / name / "results.db")


def test_sum(t):
    """Points of all runs are those of the same runs by hand, of the cores that count; other cores run without."""
    programs = [f"{t.args.vectors}/{name}.elf" for name in ("simt_nested", "alu_int")]
    cores = [{"core": t.args.core}, {"core": t.args.without, "name": "plain"}]
    done = t.run({"cores": cores, "programs": programs, "coverage": True}, "sum")
    t.check(done.returncode == 0 and "4 of 4 runs, 0 failed" in done.stdout, "campaign", done.stdout + done.stderr)
    files = []
    for run, file, plusargs in t.database("sum").execute("select run, file, plusargs from runs where core != 'plain'"):
        files.append(t.folder / f"{run}.rtl")
        subprocess.run([t.args.core, f"+kernel={file}", f"+rtl-coverage={files[-1]}", *json.loads(plusargs)], stdout=subprocess.DEVNULL)
    by_hand, own = counters.merge(files), counters.read(t.folder / "sum" / "rtl-coverage.dat")
    t.check(len(files) == 2 and own == by_hand, "the sum is that of the runs")
    hit = sum(count > 0 for count in by_hand.values())
    t.check(f"RTL coverage: {hit} of {len(by_hand)} points" in done.stdout, "summary", done.stdout)
    stored = t.database("sum").execute("select count(*), total(hits > 0), total(hits) from points").fetchone()
    t.check(stored == (len(by_hand), hit, by_hand.total()), f"points {stored}")
    page = (t.folder / "sum" / "index.html").read_text()
    t.check('href="rtl-coverage.html"' in page and f'<td class="n">{hit}</td><td class="n">{len(by_hand)}</td>' in page, "page")
    t.check('class="hole"' in (t.folder / "sum" / "rtl-coverage.html").read_text(), "page of the source")
    t.check(not list((t.folder / "sum" / "programs").glob("*.rtl")), "files of runs are left")


def test_suspects(t):
    """A bucket's page shows what karat locate says of its smallest program."""
    done = t.run({"programs": [f"{t.args.vectors}/alu_int.elf"], "faults": ["sra_logical"], "shrink": 60}, "faulty")
    t.check(done.returncode == 1, "a campaign of a fault", done.stdout + done.stderr)
    place = next((t.folder / "faulty" / "reports").iterdir())
    run = json.loads((place / "report.json").read_text())
    plusargs = [word for word in shlex.split(run["rerun"])[1:] if not word.startswith("+kernel=")]
    found = subprocess.run([t.args.karat, "locate", f"--core={t.args.core}", "--", f"+kernel={place / 'vector.elf'}", *plusargs],
                           capture_output=True, text=True)
    said = (place / "suspects.txt").read_text()
    t.check(found.returncode == 0 and found.stdout.splitlines()[1:3] == said.splitlines()[1:3], "suspects", found.stdout + said)
    t.check(html.escape(said.splitlines()[1]) in (t.folder / "faulty" / "index.html").read_text(), "the bucket's page")


def test_earlier(t):
    """Results that were written before there were points are read, and stay as they are."""
    with t.database("sum") as db:
        db.execute("drop table points")
    path = t.folder / "sum" / "results.db"
    before = path.read_bytes()
    done = t.karat("query", t.folder / "sum")
    t.check(done.returncode == 0 and "4 of 4 runs" in done.stdout and "RTL" not in done.stdout, "query of earlier results", done.stdout + done.stderr)
    t.check(path.read_bytes() == before, "a query has changed the results")


def main():
    parser = arguments.parser(__doc__.splitlines()[0])
    parser.add_argument("--without", required=True, help="a core that does not count")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="karat-points-") as folder:
        t = Test(args, folder)
        test_sum(t)
        test_suspects(t)
        test_earlier(t)
    print(f"{t.checks} checks, {t.failures} failed")
    return 1 if t.failures else 0


if __name__ == "__main__":
    sys.exit(main())
