"""A campaign: its folder, its results so far, and what is done with each result, whichever engine it comes from."""
import contextlib
import fcntl
import functools
import json
import shutil
import tempfile
import time

from buckets import Sorter, quality, signature_in
from causes import num_configurations, recheck, report, settle, smallest_of
from children import Children
from coverage import gather
from fuzz import breed
from lockstep import core_run
from outputs import write_whole
from progress import Progress
from run import GOOD, NOTHING, REFUSED, Runner
from signature import Isa, signature_of
from store import Store, StoreError

COMMIT = 1.0  # Seconds between commits: what kill -9 can cost
LONGEST = 60  # Seconds for shrinking one program


class CampaignError(Exception):
    """Why a campaign cannot go on, in one line."""


class Campaign:
    """folder: -o of the command. Holds a lock on it."""

    def __init__(self, plan, folder, karat, jobs):
        self.plan, self.folder, self.karat, self.jobs = plan, folder.absolute(), karat, jobs
        self.work = self.folder / "work"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.lock = open(self.folder / "lock", "w", encoding="utf-8")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CampaignError(f"{folder}: another campaign is running there") from None
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir()
        (self.folder / "programs").mkdir(exist_ok=True)
        tempfile.tempdir = str(self.work)
        self.store = Store(self.folder, new=True)
        known = self.store.get("plan")
        if known and known != plan.text() and not self.store.value("select count(verdict) from runs"):
            for table in ("campaign", "runs"):  # Nothing was run of that one
                self.store.do(f"delete from {table}")
            known = None
        if known and known != plan.text():
            shutil.rmtree(self.work)
            raise CampaignError(f"{folder}: has the results of another plan")
        self.resumed = bool(known)
        if not known:
            self.store.set(name=plan["name"], plan=plan.text(), seed=plan["seed"], state="running", spent=0)
            self.store.do("insert into campaign values ('began', datetime('now'))")
            self.store.add_runs(plan)
            self.store.commit()
        write_whole(self.folder / "plan.json", plan.text() + "\n")
        self.children = Children()
        self.isa = Isa(karat)
        self.runner = Runner(plan, karat, self.folder / "programs", self.children)
        self.sorter, self.next, self.signatures, self.done = Sorter(), 0, {}, set()
        self.to_report, self.reported, self.shrinking = [], {}, 0.0  # The last: seconds
        self.begin, self.spent, self.committed = time.monotonic(), float(self.store.get("spent", 0)), 0.0
        for row in self.store.rows("select * from runs left join failures using (run) where verdict is not null order by run"):
            self.done.add(row["run"])
            if row["origin"] is not None:
                self.signatures[row["run"]] = signature_in(row)
        for leader, instructions, why in json.loads(self.store.get("reported", "[]")):
            self.reported[leader] = (instructions, why)
        self.advance()
        self.progress = Progress(len(plan.runs), len(self.done), len(self.signatures), len(self.sorter.buckets))

    # --- Results ---

    def pending(self):
        return [run for run in self.plan.runs if run.id not in self.done]

    def take(self, result):
        """A run's result, once: it may come twice from a shard that was done again."""
        if result["run"] in self.done:
            return
        signature = None if result["verdict"] == GOOD else signature_of(result, self.isa)
        self.store.take(result, signature)
        self.done.add(result["run"])
        if signature is not None:
            self.signatures[result["run"]] = signature
        self.advance()
        self.progress.update(1, signature is not None, len(self.sorter.buckets))
        self.commit()

    def advance(self):
        """Put failures into buckets as far as all earlier runs are there."""
        while self.next < len(self.plan.runs) and self.plan.runs[self.next].id in self.done:
            run = self.plan.runs[self.next]
            self.next += 1
            if run.id in self.signatures:
                _, new = self.sorter.add(run.id, self.signatures[run.id])
                if new and run.id not in self.reported:
                    self.to_report.append(run)

    def generations(self, pool):
        """The runs that are pending, generation by generation: what earlier ones have reached decides the programs of the next."""
        for number in range(self.plan.fuzz["generations"] + 1):
            runs = [run for run in self.pending() if run.generation == number]
            if number and (not runs or self.over()):
                continue
            if number:
                breed(self, number, pool)
            yield runs

    def commit(self, now=False):
        if now or time.monotonic() - self.committed > COMMIT:
            self.store.set(spent=self.spent + time.monotonic() - self.begin, reported=json.dumps([[k, *v] for k, v in self.reported.items()]))
            self.store.commit()
            self.committed = time.monotonic()

    def over(self):
        """Whether a budget of the plan is spent."""
        seconds, instructions = self.plan["seconds"], self.plan["instructions"]
        return bool(seconds and self.spent + time.monotonic() - self.begin > seconds or
                    instructions and self.store.value("select total(instructions) from runs") > instructions)

    @functools.lru_cache(maxsize=256)
    def report_of(self, run):
        row = self.store.do("select report from failures where run = ?", (run,)).fetchone()
        return json.loads(row[0]) if row and row[0] else {}

    def shrink(self, run):
        """A report of a bucket's first failure, unless the budget for that is spent. In a thread of an engine."""
        left = self.plan["shrink"] - self.shrinking
        if self.signatures[run.id]["kind"] == REFUSED:
            return run.id, (None, "the core refuses it"), 0
        if left <= 0:
            return run.id, (None, "the budget for shrinking is spent"), 0
        begin = time.monotonic()
        self.progress.begin_beside(f"shrinking {run.program} of \"{name_of(self.signatures[run.id])}\", "
                                   f"{len(self.reported) + 1} of {len(self.sorter.buckets)} buckets, at most {round(min(left, LONGEST))} s")
        return run.id, report(self, run, min(left, LONGEST)), time.monotonic() - begin

    def take_report(self, answer):
        leader, made, seconds = answer
        self.progress.begin_beside("")
        self.reported[leader] = made
        self.shrinking += seconds
        self.commit()

    # --- Begin and end ---

    def check(self):
        """Before the first run: directed vectors that there are not, and a core that always passes, which is no core: the plan says which
        options break it."""
        for run in {(run.core, run.source): run for run in self.plan.runs if run.source.startswith("directed:")}.values():
            self.runner.path(run)
        check = self.plan["check"]
        if not check:
            return
        for core in self.plan.cores:
            done, data = core_run(core.file, [check["program"]], [*core.options, *check.get("options", [])], run=self.children.run,
                                  max_cycles=self.plan["max-cycles"])
            if not data.get("counts", {}).get("records"):
                said = (done.stderr.strip() or done.stdout.strip() or f"status {done.returncode}").splitlines()[-1]
                raise CampaignError(f"core {core.name}: the plan's check compares nothing: {said}")
            if data["verdict"] == GOOD:
                raise CampaignError(f"core {core.name} passes the plan's check, which has to fail ({' '.join(check.get('options', []))}): "
                                    "its other passes would mean nothing")

    def finish(self, pool):
        """All runs that there will be are made: settle the buckets, check them again, gather coverage."""
        complete = not self.pending()
        order = [bucket.members for bucket in self.sorter.buckets]
        if order:
            self.progress.begin_beside(f"settling {len(order)} buckets")
        final = settle(self, order, smallest_of(self), pool)
        first = {members[0]: bucket for bucket in self.sorter.buckets for members in [bucket.members]}
        late = [run for run in self.plan.runs if run.id in {members[0] for members in final} - set(self.reported)]
        for answer in pool.map(self.shrink, late):
            self.take_report(answer)
        for run, signature in smallest_of(self).items():
            self.signatures[run]["smallest"] = signature["smallest"]
            self.store.do("update failures set smallest = ? where run = ?", (json.dumps(signature["smallest"]), run))
        self.commit(now=True)
        try:
            self.store_buckets(final, first, complete)
        except BaseException:
            self.store.db.rollback()  # Nothing half written
            raise

    def store_buckets(self, final, first, complete):
        self.store.do("delete from rechecks")
        self.store.do("update failures set bucket = null")
        self.store.do("delete from buckets")
        if final and self.plan["recheck"]:
            self.progress.begin_beside(f"checking {len(final)} buckets again")
        for number, members in enumerate(final, 1):
            leader = members[0]
            signature = self.signatures[leader]
            # Of several buckets that are one, whichever has a shrunk program shows the cause best.
            shown = next((m for m in [leader, *(m for m in members if m in first)] if self.reported.get(m, (None,))[0]), leader)
            instructions, why = self.reported.get(shown, (None, "not reported"))
            place = self.folder / "reports" / str(shown)
            self.store.do("insert into buckets values (?, ?, ?, ?, ?, ?, ?, ?)",
                          (number, name_of(signature), shown, len(members), json.dumps(signature), instructions, why,
                           f"reports/{shown}" if place.is_dir() else None))
            for member in members:
                distance = self.sorter.place[member][1]
                self.store.do("update failures set bucket = ?, distance = ?, apart = ? where run = ?",
                              (number, sum(distance.values()), json.dumps(distance), member))
            for run, verdict, same in recheck(self, {"leader": shown}, members, self.plan["recheck"]):
                self.store.do("insert into rechecks values (?, ?, ?, ?)", (number, run, verdict, same))
        by_signature = quality([(number, run.fault) for run in self.plan.runs for number, _ in filter(None, [self.sorter.place.get(run.id)])])
        settled = quality([(row["bucket"], row["fault"]) for row in self.store.rows("select bucket, fault from failed where bucket is not null")])
        if self.plan["faults"]:
            self.store.set(quality_by_signature=json.dumps(by_signature), quality=json.dumps(settled))
        if self.plan["coverage"]:
            gather(self)
        self.progress.begin_beside("")
        self.store.set(configurations=num_configurations(self.plan))
        self.store.set(state="complete" if complete else "budget spent")
        self.store.do("insert or replace into campaign values ('ended', datetime('now'))")
        self.commit(now=True)

    def judge(self):
        """The error of a campaign that proves nothing, or None."""
        compared = self.store.value("select total(records) from runs")
        first = self.store.do("select program || ': ' || problem, verdict from runs where ? in (verdict, kind) or ? in (verdict, kind) "
                              "order by verdict != ?, run", (NOTHING, REFUSED, NOTHING)).fetchone()
        if not compared:
            return f"nothing was compared in {len(self.done)} runs" + (f": {first[0]}" if first else "")
        if first and first[1] == NOTHING:
            return f"a run that ended well compared nothing: {first[0]}"
        return None

    def close(self):
        with contextlib.suppress(StoreError):
            self.commit(now=True)
        self.store.close()
        self.progress.close()
        self.children.close()
        shutil.rmtree(self.work, ignore_errors=True)
        self.lock.close()


def name_of(signature):
    """Of a bucket."""
    said = {"no progress": f"waits for {signature['origin']}", REFUSED: signature["origin"]}
    what = signature["instruction"] or signature["assertion"] or said.get(signature["kind"], "")
    return signature["kind"] + (f", {what}" if what else "")
