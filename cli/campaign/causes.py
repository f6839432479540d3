"""The cause of a bucket: its smallest program, with scripts/bug_report; and which configurations of a core fail with it.

A configuration is a core with its options. Where a campaign has several (cores, builds, fault markers), the runs of a bucket's first
program on each of them tell bugs apart that look alike, and find one bug in two buckets. Where it has one, signatures alone decide."""
import dataclasses
import json
import random
import re
import shutil

from buckets import distance
from lockstep import ROOT
from query import MANY
from run import NoRoom
from signature import signature_of_smallest

SAMPLE = 4  # Configurations without a failure of the bucket, which its program is tried on
SAME = 1.0  # Distance up to which the smallest programs of two buckets fail alike
MERGE = 9.0  # Distance up to which the same configurations make two buckets one

MADE = re.compile(r", (\d+) instructions$")


def report(campaign, run, seconds):
    """Shrink (for so long at most) and report a failure: (instructions of the smallest program or None, why there is none). The report's
    folder appears whole."""
    place = campaign.folder / "reports" / str(run.id)
    work = campaign.work / f"report-{run.id}"
    shutil.rmtree(work, ignore_errors=True)
    core = campaign.plan.cores[run.core]
    path, _, problem = campaign.runner.program(run)
    if problem:
        return None, problem
    done = campaign.children.run([ROOT / "scripts" / "bug_report", "--karat", campaign.karat, "--threads", core.threads, "--only", "1",
                                  "--seconds", max(1, round(seconds)), "--out", work,
                                  "--", core.file, f"+kernel={path}", f"+max-cycles={campaign.plan['max-cycles']}", *campaign.plan.plusargs(run)])
    made = next(iter(work.glob("*")), None)
    if done.returncode or not made:
        NoRoom.check(done)
        shutil.rmtree(work, ignore_errors=True)
        return None, (done.stderr.strip().splitlines() or ["no report"])[-1]
    place.parent.mkdir(exist_ok=True)
    shutil.rmtree(place, ignore_errors=True)  # Of a campaign that was killed before it had noted its report
    made.rename(place)
    shutil.rmtree(work)
    match = MADE.search(done.stdout.strip())
    return (int(match[1]), "") if match else (None, done.stdout.strip().partition("not shrunk: ")[2])


def place_of(result):
    """Where a run fails: what makes two runs of one program fail alike."""
    failure = (result["report"] or {}).get("failure", {})
    return result["verdict"], result["kind"], failure.get("instruction", {}).get("pc")


def of_run(run):
    """The configuration of a run."""
    return run.core, run.fault


def num_configurations(plan):
    return len({of_run(run) for run in plan.runs})


class Spectrum:
    """Which configurations fail with a run's program as that run did."""

    def __init__(self, campaign):
        self.campaign, self.plan, self.known = campaign, campaign.plan, {}
        self.configurations = sorted({of_run(run) for run in self.plan.runs})
        random.Random(f"configurations {self.plan['seed']}").shuffle(self.configurations)

    def comparable(self, run, other):
        """Whether that configuration runs the same program: what is generated depends on the core's size."""
        return not self.plan.generates(run) or self.plan.cores[run.core].size == self.plan.cores[other[0]].size

    def fails_alike(self, run, other):
        """Whether the program of a failed run fails alike in that configuration."""
        own = of_run(run)
        if other == own or not self.comparable(run, other):
            return other == own
        for one in (own, other):
            if (run.id, one) not in self.known:
                again = dataclasses.replace(run, core=one[0], fault=one[1])
                self.known[run.id, one] = place_of(self.campaign.runner.perform(again, coverage=False))
        return self.known[run.id, other] == self.known[run.id, own]


def settle(campaign, buckets, smallest, pool):
    """Buckets as the configurations leave them: lists of runs, each with its first run in front. buckets: such lists, by signature; smallest:
    of smallest_of().

    A run whose configuration does not fail alike with the bucket's first program leaves the bucket. Two buckets of similar signatures are
    one where the same configurations fail with both, and others, of many, do not."""
    spectrum = Spectrum(campaign)
    if len(spectrum.configurations) == 1:
        return join(buckets, smallest)
    runs = {run.id: run for run in campaign.plan.runs}
    settled, waiting = [], list(buckets)
    while waiting:
        members = waiting.pop(0)
        leader = runs[members[0]]
        own = sorted({of_run(runs[run]) for run in members})
        others = [other for other in spectrum.configurations if other not in own][:SAMPLE]
        asked = own + others
        alike = frozenset(one for one, so in zip(asked, pool.map(lambda one: spectrum.fails_alike(leader, one), asked)) if so)
        stay = [run for run in members if of_run(runs[run]) in alike or not spectrum.comparable(leader, of_run(runs[run]))]
        apart = sorted(set(members) - set(stay))
        if apart:
            waiting.append(apart)
        settled.append((alike if len(alike) < len(asked) else None, stay))
    if len(spectrum.configurations) < MANY:
        return sorted(stay for _, stay in settled)
    merged = []
    for alike, members in sorted(settled, key=lambda one: one[1]):
        near = next((one for one in merged if alike and one[0] == alike and
                     distance(campaign.signatures[one[1][0]], campaign.signatures[members[0]]) <= MERGE), None)
        if near:
            near[1].extend(members)
        else:
            merged.append((alike, members))
    return sorted(sorted(members) for _, members in merged)


def smallest_of(campaign):
    """The signature of each smallest program's failure, by the run that it was made of."""
    found = {}
    for run, (instructions, _) in campaign.reported.items():
        place = campaign.folder / "reports" / str(run)
        if instructions and (place / "vector.elf").exists():
            done = campaign.children.run([campaign.karat, "disasm", place / "vector.elf"])
            found[run] = signature_of_smallest(json.loads((place / "report.json").read_text()), done.stdout, campaign.isa)
    return found


def join(buckets, smallest):
    """Buckets of one configuration: those whose smallest programs fail alike are one."""
    joined = []
    for members in buckets:
        own = [smallest[run] for run in members if run in smallest]
        near = next((one for one in joined if any(distance(a, smallest[run]) <= SAME for a in own for run in one if run in smallest)), None)
        if near:
            near.extend(members)
        else:
            joined.append(list(members))
    return sorted(map(sorted, joined))


def recheck(campaign, bucket, members, sample):
    """Run a sample of a bucket's members under its shrunk program: (run, verdict, whether it fails as the bucket does)."""
    vector = campaign.folder / "reports" / str(bucket["leader"]) / "vector.elf"
    if not vector.exists():
        return []
    kind = campaign.report_of(bucket["leader"])["failure"]["kind"]
    runs = {run.id: run for run in campaign.plan.runs}
    step = max(1, len(members) // max(sample, 1))
    rows = []
    for number in members[::step][:sample]:
        run = runs[number]
        _, data, _ = campaign.runner.core_run(campaign.plan.cores[run.core].file, vector, campaign.plan.plusargs(run))
        rows.append((number, data.get("verdict", "CRASH"), data.get("failure", {}).get("kind") == kind))
    return rows
