"""The programs of a campaign's generations: made of its corpus, and by chance; those that add the most coverage on the model come to the core."""
import json
import pathlib
import random
import tempfile

from coverage import add
from plan import PlanError
from run import NoRoom

FRESH = 0.25  # Share of candidates that are made by chance alone, once there is a corpus
START = 500  # Instructions in whose time a run of a core begins and ends
LEGAL = "registers,lanes,races"  # Policies, of --strict: no result depends on the core


def said(campaign, command):
    """A command's result, where the disk has room."""
    done = campaign.children.run(command)
    NoRoom.check(done)
    return done


def candidates(campaign, run, parents, folder):
    """Programs in place of one run, by its number: of random seeds, or mutations of a pair of parents: (file, coverage's file, instructions)."""
    plan, core, karat = campaign.plan, campaign.plan.cores[run.core], campaign.karat
    rng = random.Random(f"fuzz {plan['seed']} {run.id}")
    device, count, seed = [f"--threads={core.threads}", f"--profile={core.profile}"], plan.fuzz["candidates"], rng.getrandbits(31)
    folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
    files = []
    if parents and rng.random() >= FRESH:
        pair = rng.choices(parents, k=2)
        said(campaign, [karat, "gen", "mutate", *pair, f"--seed={seed}", f"--count={count}", *device,
                        f"--warps={max(1, min(core.warps, core.vgprs // 256))}", "-o", folder])
        files = sorted(folder.glob("*.elf"))
    if not files:  # Not every program can be a parent
        files = sorted(plan.random(karat, folder, core, seed, count).parent.glob("*/*.elf"))
    found = []
    for file in files:
        coverage, summary = file.with_suffix(".cov"), file.with_suffix(".json")
        if not said(campaign, [karat, "run", *device, f"--strict={LEGAL}", f"--coverage={coverage}", f"--json={summary}", file]).returncode:
            found.append((file, coverage, sum(kernel["instructions"] for kernel in json.loads(summary.read_text())["kernels"])))
    return found


def ranked(campaign, found):
    """The files of candidates, those first that add the most coverage for their length to that of all runs so far."""
    base = [path for path in [campaign.folder / "coverage.json"] if path.exists()]
    done = campaign.children.run([campaign.karat, "cov", "rank", "--json", *base, *(one[1] for one in found)], check=True)
    adds = {row["file"]: row["adds"] for row in json.loads(done.stdout)["files"]}
    return [file for file, *_ in sorted(found, key=lambda one: -adds[str(one[1])] / (START + one[2]))]


def breed(campaign, number, pool):
    """Make the programs of a generation, unless they are there. It is the same as often as it is done: only runs before it count."""
    plan, folder = campaign.plan, campaign.runner.folder
    runs = [run for run in plan.runs if run.generation == number]
    add(campaign, runs[0].id)
    campaign.progress.begin_beside(f"making the programs of generation {number}")
    for core in sorted({run.core for run in runs}):
        own = [run for run in runs if run.core == core]
        if all(plan.place(run, folder).exists() for run in own):
            continue
        parents = [row[0] for row in campaign.store.rows(
            "select file from corpus join runs using (run) where core = ? and verdict = 'PASS' and run < ? order by run",
            (plan.cores[core].name, runs[0].id))]
        with tempfile.TemporaryDirectory() as work:
            found = [one for some in pool.map(lambda run: candidates(campaign, run, parents, work), own) for one in some]
            if not found:
                raise PlanError(f"fuzz: no program of generation {number} runs on the model")
            best = ranked(campaign, found)
            for at, run in enumerate(own):  # Fewer than runs: again, with other timing
                made = pathlib.Path(work) / "made.elf"
                made.write_bytes(best[at % len(best)].read_bytes())
                made.rename(plan.place(run, folder))
    campaign.progress.begin_beside("")
