"""The results of a campaign in one SQLite file. The schema is that of docs/campaign.md; one process writes, any tool may read."""
import json
import sqlite3

NAME = "results.db"
VERSION = 1
SCHEMA = """
create table campaign(key text primary key, value text not null);
create table runs(
  run integer primary key, core text not null, program text not null, file text, seed integer not null, fault text not null, plusargs text not null,
  verdict text, kind text, problem text, instructions integer, records integer, cycles integer);
create table timings(run integer primary key references runs, seconds real not null, finished text not null);
create table buckets(
  bucket integer primary key, name text not null, leader integer not null references runs, members integer not null, signature text not null,
  instructions integer, why text, report text);
create table failures(
  run integer primary key references runs, bucket integer references buckets, distance real, apart text, kind text, rule text, unit text,
  instruction text, prefix text, operands text, lanes text, bits text, producers text, cause text, origin text, assertion text,
  suspects text, defects text, stems text, smallest text, report text);
create table rechecks(
  bucket integer not null references buckets, run integer not null references runs, verdict text not null, same integer not null,
  primary key(bucket, run));
create table known(run integer not null references runs, name text not null, mismatches integer not null, primary key(run, name));
create table coverage(axis text primary key, hit integer not null, bins integer not null, holes text not null);
create table changes(
  bucket text not null, number integer references buckets, earlier text not null, state text not null, here integer not null, there integer not null);
create table earlier(name text not null, folder text primary key, began text, runs integer, failures integer, buckets integer, coverage real);
create index failures_of_bucket on failures(bucket);
create view failed as select * from runs join failures using (run) left join timings using (run);
"""
# Tables that results of this version did not have from the first; of a campaign that is only read they are beside the file.
LATER = {"points": "file text not null, line integer not null, col integer not null, kind text not null, text text not null, "
                   "hits integer not null, classes integer not null, primary key(file, line, col, kind, text)",
         "corpus": "run integer primary key, points integer not null, classes integer not null"}


class StoreError(Exception):
    """Why the results cannot be read or written, in one line."""


class Store:
    """Open results. Every error of SQLite is a StoreError that names the file."""

    def __init__(self, folder, new=False):
        self.path = folder / NAME
        if not new and not self.path.exists():
            raise StoreError(f"{self.path}: no such file: not the folder of a campaign")
        try:
            self.db = sqlite3.connect(self.path, timeout=60)
            self.db.row_factory = sqlite3.Row
            found = self.db.execute("pragma user_version").fetchone()[0]
            if not found and not self.db.execute("select 1 from sqlite_master").fetchone():
                if not new:
                    raise StoreError(f"{self.path}: empty: not the results of a campaign")
                self.db.executescript(f"begin; {SCHEMA} pragma user_version = {VERSION}; commit;")
            elif found != VERSION:
                raise StoreError(f"{self.path}: results of version {found}; this karat reads version {VERSION}")
            there = {row[0] for row in self.db.execute("select name from sqlite_master")}
            for table in set(LATER) - there:
                self.db.execute(f"create {'' if new else 'temp '}table {table}({LATER[table]})")
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {error}") from None

    def do(self, sql, values=()):
        try:
            return self.db.execute(sql, values)
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {error}") from None

    def commit(self):
        try:
            self.db.commit()
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {error}") from None

    def close(self):
        self.db.close()

    def get(self, key, default=None):
        row = self.do("select value from campaign where key = ?", (key,)).fetchone()
        return row[0] if row else default

    def set(self, **values):
        for key, value in values.items():
            self.do("insert or replace into campaign values (?, ?)", (key, str(value)))

    def plan(self):
        return json.loads(self.get("plan"))

    def add_runs(self, plan):
        """Every run of the plan, without a verdict yet."""
        for run in plan.runs:
            self.do("insert or ignore into runs(run, core, program, seed, fault, plusargs) values (?, ?, ?, ?, ?, ?)",
                    (run.id, plan.cores[run.core].name, run.program, run.seed, run.fault, json.dumps(plan.plusargs(run))))

    def pending(self):
        return {row[0] for row in self.do("select run from runs where verdict is null")}

    def take(self, result, signature):
        """A run's result; false where it is there already. signature: of a failure, else None."""
        names = ("file", "verdict", "kind", "problem", "instructions", "records", "cycles")
        if self.do(f"update runs set {', '.join(f'{name} = ?' for name in names)} where run = ? and verdict is null",
                   [result[name] for name in (*names, "run")]).rowcount == 0:
            return False
        self.do("insert into timings values (?, ?, datetime('now'))", (result["run"], result["seconds"]))
        for name, mismatches in result["known"].items():
            self.do("insert into known values (?, ?, ?)", (result["run"], name, mismatches))
        if signature is not None:
            names = ["run", *signature, "report"]
            values = [json.dumps(value) if isinstance(value, (list, dict)) else value for value in signature.values()]
            self.do(f"insert into failures({', '.join(names)}) values ({', '.join('?' * len(names))})",
                    [result["run"], *values, json.dumps(result["report"]) if result["report"] else None])
        return True

    def rows(self, sql, values=()):
        return self.do(sql, values).fetchall()

    def value(self, sql, values=()):
        return self.do(sql, values).fetchone()[0]
