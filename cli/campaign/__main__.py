"""karat campaign. campaign.c reads the command line, and hands over its options as --name=value, in front of --, and its words."""
import pathlib
import signal
import subprocess
import sys
import traceback

# scripts/ is beside this folder where Karat is installed, and at the top of the source tree.
sys.path.insert(0, next(str(p / "scripts") for p in pathlib.Path(__file__).resolve().parents if (p / "scripts" / "lockstep.py").is_file()))

import bisect_build  # noqa: E402
import compare  # noqa: E402
import engine_local  # noqa: E402
import engine_slurm  # noqa: E402
import query  # noqa: E402
from campaign import Campaign, CampaignError  # noqa: E402
from children import Stopped  # noqa: E402
from lockstep import ended, of_output, shown  # noqa: E402
from outputs import write_outputs  # noqa: E402
from plan import Plan, PlanError  # noqa: E402
from run import NoRoom  # noqa: E402
from store import Store, StoreError  # noqa: E402

OK, FAILED, BAD, INTERRUPTED = 0, 1, 2, 5
ENGINES = ("local", "slurm")


class Usage(Exception):
    """What is wrong with the command line, in one line."""


class Options:
    """--name=value of the command, each as often as it was given."""

    def __init__(self, words):
        self.values = {}
        for word in words:
            name, _, value = word.removeprefix("--").partition("=")
            self.values.setdefault(name, []).append(value)

    def all(self, name):
        return self.values.get(name, [])

    def one(self, name, default=None):
        return self.values.get(name, [default])[-1]

    def number(self, name, default):
        text = self.one(name, str(default))
        if not text.isdecimal() or int(text) < 1:
            raise Usage(f"--{name}: '{text}' is no number from 1")
        return int(text)

    def folder(self, name):
        if not self.one(name):
            raise Usage(f"expected --{name}=FOLDER")
        return pathlib.Path(self.one(name))


def interrupt(*_):
    raise KeyboardInterrupt


def run_plan(options, karat, path):
    """Run a plan, or go on with it."""
    engine = options.one("engine", "local")
    if engine not in ENGINES:
        raise Usage(f"--engine: expected {' or '.join(ENGINES)}, found '{engine}'")
    folder, jobs, shards = options.folder("output"), options.number("jobs", 2), options.number("shards", 3)
    earlier = [pathlib.Path(name) for name in options.all("against")]
    plan = Plan(path)
    for name in earlier:
        Store(name).close()
    campaign = Campaign(plan, folder, karat, jobs)
    try:
        print(f"campaign: {plan['name']}: {len(plan.runs)} runs, seed {plan['seed']}, engine {engine}, results in {shown(campaign.store.path)}"
              + (f"; resumed: {len(campaign.done)} are there" if campaign.resumed else ""), flush=True)
        campaign.check()
        if engine == "local":
            engine_local.perform(campaign)
        else:
            engine_slurm.perform(campaign, shards, options.all("sbatch"))
        wrong = campaign.judge()
        if wrong:
            raise CampaignError(wrong)
        for name in earlier:
            compare.compare(campaign.store, name)
        campaign.commit(now=True)
        failures = campaign.store.value("select count(*) from failures")
        write_outputs(campaign.store, campaign.folder, karat)
        print(query.summary(campaign.store))
        return FAILED if failures else OK
    except KeyboardInterrupt:
        print(f"campaign: interrupted after {len(campaign.done)} of {len(plan.runs)} runs; the same command goes on with it", file=sys.stderr)
        return INTERRUPTED
    finally:
        campaign.close()


def words_of(words, number, form):
    if len(words) != number:
        raise Usage(f"expected {form}")
    return words


def dispatch(options, karat, words):
    action, as_json = words[0] if words else "", options.one("json") is not None
    if action == "shard":  # Started by Slurm
        _, folder, round_of, number = words_of(words, 4, "shard FOLDER ROUND NUMBER")
        engine_slurm.work(pathlib.Path(folder), karat, int(round_of), int(number), options.number("jobs", 2))
    elif action == "query":
        if len(words) == 2:
            words = [*words, ""]
        _, folder, sql = words_of(words, 3, "query FOLDER [SQL]")
        store = Store(pathlib.Path(folder))
        print(query.run(store, sql, as_json) if sql else query.summary_json(store) if as_json else query.summary(store))
    elif action == "page":
        _, folder = words_of(words, 2, "page FOLDER")
        write_outputs(Store(pathlib.Path(folder)), pathlib.Path(folder), karat)
    elif action == "compare":
        _, folder, earlier = words_of(words, 3, "compare FOLDER EARLIER")
        store = Store(pathlib.Path(folder))
        compare.compare(store, pathlib.Path(earlier))
        store.commit()
        against = pathlib.Path(earlier).absolute()
        print(compare.as_json(store, against) if as_json else compare.text(store, against))
    elif action == "bisect":
        _, folder, bucket = words_of(words, 3, "bisect FOLDER BUCKET")
        if not options.one("build") or not options.one("good"):
            raise Usage("bisect: expected --build=COMMAND and --good=REVISION")
        return bisect_build.bisect(Store(pathlib.Path(folder)), pathlib.Path(folder), bucket, pathlib.Path(options.one("source", ".")),
                                   options.one("build"), options.one("good"), options.one("bad", "HEAD"))
    else:
        path, = words_of(words, 1, "one plan, or query, page, compare or bisect and a folder")
        return run_plan(options, karat, path)
    return OK


def main():
    _, karat, *rest = sys.argv[1:]
    at = rest.index("--")
    signal.signal(signal.SIGTERM, interrupt)
    signal.signal(signal.SIGHUP, interrupt)
    try:
        return dispatch(Options(rest[:at]), karat, rest[at + 1:])
    except (CampaignError, NoRoom, PlanError, StoreError, Usage, OSError, engine_slurm.SlurmError, compare.CompareError,
            bisect_build.BisectError) as error:
        if isinstance(error, OSError) and of_output(error):
            raise
        said = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else error
        print(f"karat campaign: {shown(said)}", file=sys.stderr)
        return BAD
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace") if isinstance(error.stderr, bytes) else error.stderr or ""
        last = (said.strip().splitlines() or [f"{' '.join(map(str, error.cmd[1:3]))}: status {error.returncode}"])[-1]
        print(f"karat campaign: {shown(last)}", file=sys.stderr)
        return BAD
    except (KeyboardInterrupt, Stopped):
        print("karat campaign: interrupted", file=sys.stderr)
        return INTERRUPTED
    except Exception:  # A mistake of ours is no failure of a core
        traceback.print_exc()
        return BAD


if __name__ == "__main__":
    ended(main, "karat campaign")
