"""One run of a plan: the program on the core, held against what the model alone counts. Its result is a dict that JSON can hold."""
import subprocess
import threading
import time

from lockstep import core_run, judge, model_run

GOOD = "PASS"
NOTHING = "NOTHING COMPARED"
REFUSED = "bad input"  # Kind of a run that a core refuses: a bad option, or a program that it cannot run
BAD_INPUT = 2  # Exit status of Karat's harnesses


class NoRoom(Exception):
    """The disk is full: no result of such a run counts."""

    @staticmethod
    def check(done):
        """Raise it where a program's complaint is that."""
        if "No space left on device" in done.stderr:
            raise NoRoom(done.stderr.strip().splitlines()[-1])


class Runner:
    """Performs runs of a plan, from several threads."""

    def __init__(self, plan, karat, folder, children):
        self.plan, self.karat, self.folder, self.children = plan, karat, folder, children
        self.lock, self.programs = threading.Lock(), {}

    def once(self, key, make):
        """make()'s result, made once for that key and by one thread."""
        with self.lock:
            entry = self.programs.setdefault(key, [threading.Lock(), None])
        with entry[0]:
            if not entry[1]:
                entry[1] = (make(),)
            return entry[1][0]

    def path(self, run):
        """The program's file."""
        return self.once(("file", run.source, self.plan.cores[run.core].size), lambda: self.plan.file(run, self.karat, self.folder))

    def program(self, run):
        """The program's file, and what it calls for on that core (or None and the problem)."""
        core = self.plan.cores[run.core]
        path = self.path(run)
        wanted = self.once(("model", run.source, core.size), lambda: model_run(self.karat, [path], core.threads, core.profile, run=self.children.run))
        return path, *wanted

    def core_run(self, file, path, plusargs):
        """core_run() within the plan's limits: (finished process or None, JSON report, seconds)."""
        begin = time.monotonic()
        try:
            done, data = core_run(file, [path], plusargs, max_cycles=self.plan["max-cycles"],
                                  run=lambda command, **how: self.children.run(command, **how, timeout=self.plan["timeout"]))
        except subprocess.TimeoutExpired:
            done, data = None, {}
        if done:
            NoRoom.check(done)
        return done, data, time.monotonic() - begin

    def perform(self, run, coverage=True):
        """Make the run."""
        core = self.plan.cores[run.core]
        path, wanted, problem = self.program(run)
        result = {"run": run.id, "core": core.name, "program": run.program, "file": str(path), "seed": run.seed, "fault": run.fault,
                  "plusargs": self.plan.plusargs(run), "instructions": 0, "records": 0, "cycles": 0, "seconds": 0.0, "known": {}, "report": None}
        if problem:
            return {**result, "verdict": "NOT RUN", "kind": "the program does not run on the model", "problem": problem}
        more = [f"+coverage={self.folder / f'{run.id}.cov'}"] if coverage and self.plan["coverage"] else []
        more += [f"+rtl-coverage={self.folder / f'{run.id}.rtl'}"] if coverage and core.counts_rtl else []
        done, data, seconds = self.core_run(core.file, path, ["+continue", *self.plan.plusargs(run), *more])
        if data and not all(key in data for key in ("verdict", "line", "counts")):
            return {**result, "verdict": "CRASH", "kind": "no report of Karat's harnesses", "problem": f"fields: {', '.join(data)}"}
        counts = data.get("counts", {})
        result.update(instructions=counts.get("instructions", 0), records=counts.get("records", 0), cycles=data.get("cycles", 0), seconds=seconds,
                      known=data.get("known", {}))
        if not done:
            return {**result, "verdict": "TIMEOUT", "kind": "no end", "problem": f"no end after {self.plan['timeout']} s"}
        if not data:
            said = (done.stderr.strip() or done.stdout.strip() or f"status {done.returncode}").splitlines()
            # A program that prints a verdict and compares nothing is no core under test.
            verdict = "CRASH" if done.returncode else NOTHING
            kind = REFUSED if done.returncode == BAD_INPUT else "no report"
            return {**result, "verdict": verdict, "kind": kind, "problem": said[-1]}
        if data.get("verdict") == GOOD and not result["records"]:
            return {**result, "verdict": NOTHING, "kind": "no record compared", "problem": data.get("line", "")}
        try:
            problem = judge(wanted, done, data, path, uses_approximated=self.plan.generates(run))
        except KeyError as missing:
            return {**result, "verdict": "CRASH", "kind": "no report of Karat's harnesses", "problem": f"no count {missing}"}
        if problem and not done.returncode:
            return {**result, "verdict": "WRONG COUNTS", "kind": "counts are not the model's", "problem": problem, "report": data}
        kind = data.get("failure", {}).get("kind", "")
        return {**result, "verdict": data["verdict"], "kind": kind, "problem": data.get("line", ""), "report": data if problem else None}
