"""The engine that submits shards of the plan to Slurm, as a job array. The campaign's folder is on a file system that all nodes share.

A shard's task writes one file of results, a line each, and renames it when it has made all of its runs; a task that ends without
that file, by a lost node or a preemption, is done again, and reads what its earlier try has written. Only this process writes the
database, so that no result counts twice."""
import concurrent.futures
import json
import pathlib
import re
import shlex
import subprocess
import sys
import time

from children import Children
from engine_local import pump
from plan import Plan
from run import Runner

POLL = 1.0  # Seconds between two looks at the folder
LOOK = 10.0  # Seconds between two questions to Slurm
ALIVE = "PENDING,RUNNING,CONFIGURING,COMPLETING,SUSPENDED,REQUEUED"  # States of a task that still may come to its end
TRIES = 5  # Of a shard without any result of its own


class SlurmError(Exception):
    """Why Slurm does not do it, in one line."""


def ask(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        raise SlurmError(f"{command[0]}: not found: Slurm is not installed (Debian: slurm-wlm)") from None
    if done.returncode:
        raise SlurmError(f"{command[0]}: {(done.stderr.strip().splitlines() or [f'status {done.returncode}'])[0]}")
    return done.stdout


class Shards:
    """Shards of a round: todo files (runs), part files (results so far), done files (results). Each time that runs are dealt is a round, with
    a folder of its own: a task of an earlier one that still runs somewhere disturbs none, and its results count as well."""

    def __init__(self, folder, number=0):
        self.root, self.round = folder / "shards", number
        self.root.mkdir(exist_ok=True)
        self.read = {}  # file: offset

    def path(self, shard, what):
        return self.root / str(self.round) / f"{shard}.{what}"

    def size(self, shard):
        """Bytes of its results so far."""
        part = self.path(shard, "part")
        return part.stat().st_size if part.exists() else 0

    def deal(self, runs, count):
        """Deal runs to the shards of a new round: those that have any."""
        self.round = 1 + max((int(path.name) for path in self.root.iterdir()), default=0)
        (self.root / str(self.round)).mkdir()
        dealt = [runs[at::count] for at in range(count)]
        for shard, share in enumerate(dealt):
            self.path(shard, "todo").write_text(json.dumps([run.id for run in share]))
        return [shard for shard, share in enumerate(dealt) if share]

    def results(self):
        """New whole lines of all rounds."""
        for path in sorted(self.root.glob("*/*.part")) + sorted(self.root.glob("*/*.done")):
            at = self.read.get(path.with_suffix(""), 0)
            try:
                with open(path, "rb") as file:
                    file.seek(at)
                    lines = file.read()
            except FileNotFoundError:  # Renamed since
                continue
            lines = lines[:lines.rfind(b"\n") + 1]
            self.read[path.with_suffix("")] = at + len(lines)
            yield from map(json.loads, lines.splitlines())


def work(folder, karat, round_of, number, jobs):
    """A task of the array: the runs of one shard that no earlier try of it has made."""
    plan = Plan(folder / "plan.json")
    shards = Shards(folder, round_of)
    todo, part = set(json.loads(shards.path(number, "todo").read_text())), shards.path(number, "part")
    if shards.path(number, "done").exists():
        return
    made, whole = set(), 0
    if part.exists():
        text = part.read_bytes()
        whole = text.rfind(b"\n") + 1
        made = {json.loads(line)["run"] for line in text[:whole].splitlines()}
    children = Children()
    runner = Runner(plan, karat, folder / "programs", children)
    with open(part, "r+b" if part.exists() else "wb") as out, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        out.truncate(whole)
        out.seek(whole)

        def take(result):
            out.write(json.dumps(result).encode() + b"\n")
            out.flush()

        pump(pool, jobs, [run for run in plan.runs if run.id in todo - made], runner.perform, take)
    part.rename(shards.path(number, "done"))
    children.close()


class Array:
    """Tasks of the shards that are waited for. Slurm forgets a job, and so a task that is gone and has not ended well is submitted again."""

    def __init__(self, campaign, shards, options):
        self.campaign, self.shards, self.options, self.jobs = campaign, shards, options, []

    def submit(self, numbers):
        folder = self.campaign.folder
        script = pathlib.Path(__file__).with_name("__main__.py")
        command = shlex.join([sys.executable, "-B", str(script), "--karat", self.campaign.karat, f"--jobs={self.campaign.jobs}", "--",
                              "shard", str(folder), str(self.shards.round)])
        said = ask(["sbatch", "--parsable", f"--array={','.join(map(str, numbers))}", f"--job-name=karat-{self.campaign.plan['name']}", "--requeue",
                    "--open-mode=append", f"--output={self.shards.path('%a', 'log')}", f"--chdir={folder}", *self.options,
                    f"--wrap=exec {command} $SLURM_ARRAY_TASK_ID"])
        self.jobs.append(re.match(r"\d+", said)[0])
        self.campaign.store.set(slurm_jobs=",".join(self.jobs))
        self.campaign.commit(now=True)

    def alive(self):
        """Shards whose task waits or runs."""
        found = set()
        for job in self.jobs:
            done = subprocess.run(["squeue", "--noheader", "--array", f"--jobs={job}", f"--states={ALIVE}", "--format=%K"],
                                  capture_output=True, text=True)
            if done.returncode and "Invalid job id" not in done.stderr:
                return None  # The controller does not answer: nothing is known
            found |= {int(word) for word in done.stdout.split() if word.isdecimal()}
        return found

    def cancel(self):
        for job in self.jobs:
            subprocess.run(["scancel", job], capture_output=True)


def perform(campaign, shards, options):
    """All runs that are pending, by Slurm; the reports and all that follows, here."""
    folder = Shards(campaign.folder)
    for result in folder.results():  # Of tasks that ended after the campaign was killed
        campaign.take(result)
    earlier = campaign.store.get("slurm_jobs", "")
    for job in filter(None, earlier.split(",")):
        subprocess.run(["scancel", job], capture_output=True)
    array = Array(campaign, folder, options)
    with concurrent.futures.ThreadPoolExecutor(campaign.jobs) as pool:
        try:
            for runs in campaign.generations(pool):
                wait_for(campaign, array, folder.deal(runs, shards) if runs else [], pool)
            campaign.store.set(slurm_jobs="")
            campaign.finish(pool)
        except BaseException:
            array.cancel()
            campaign.children.stop()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def wait_for(campaign, array, waited, pool):
    """Submit the shards that are waited for, and take their results until all have ended; reports of new buckets beside it."""
    folder, tries, sizes, looked = array.shards, dict.fromkeys(waited, 0), dict.fromkeys(waited, 0), 0.0
    array.jobs = []
    if waited:
        array.submit(waited)
    future = None
    while waited or future:
        before = len(campaign.done)
        for result in folder.results():
            campaign.take(result)
        campaign.commit()
        waited = [number for number in waited if not folder.path(number, "done").exists()]
        if future and future.done():
            campaign.take_report(future.result())
            future = None
        if not future and campaign.to_report:
            future = pool.submit(campaign.shrink, campaign.to_report.pop(0))
        if campaign.over():
            waited = []
        if waited and time.monotonic() - looked > LOOK:
            looked = time.monotonic()
            alive = array.alive()
            lost = [number for number in waited if alive is not None and number not in alive and not folder.path(number, "done").exists()]
            for number in lost:
                size = folder.size(number)
                tries[number] = 1 if size > sizes[number] else tries[number] + 1  # A shard that goes on is only preempted
                sizes[number] = size
                if tries[number] > TRIES:
                    raise SlurmError(f"shard {number} has ended {tries[number]} times without a new result: see {folder.path(number, 'log')}")
            if lost:
                array.submit(lost)
        if len(campaign.done) == before:
            time.sleep(POLL)
    array.cancel()  # Where a budget ended it
    for result in folder.results():
        campaign.take(result)
