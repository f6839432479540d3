"""The plan of a campaign: cores, programs, timings and budgets, and the list of runs that they make. docs/campaign.md is the reference."""
import dataclasses
import glob
import hashlib
import json
import os
import pathlib
import random
import subprocess
import tempfile

from lockstep import FLOATING, Core, generate, profile_of, timing

KEYS = {"name": str, "seed": int, "cores": list, "programs": list, "directed": list, "random": dict, "timings": int, "faults": list, "runs": int,
        "seconds": int, "instructions": int, "max-cycles": int, "timeout": int, "coverage": bool, "shrink": int, "recheck": int, "check": dict}
DEFAULTS = {"seed": 1, "programs": [], "directed": [], "random": {}, "timings": 1, "faults": [], "max-cycles": 2_000_000, "timeout": 600,
            "coverage": False, "shrink": 600, "recheck": 3}
RANDOM_KEYS = {"count": int, "length": int}
CHECK_KEYS = {"program": str, "options": list}
CORE_KEYS = {"core": str, "options": list, "name": str}


class PlanError(Exception):
    """What is wrong with a plan, in one line."""


@dataclasses.dataclass(frozen=True)
class Run:
    """One run of the plan. id: its number in the plan, from 1; source: a file, or "directed:ROW", or "random:SEED"."""
    id: int
    core: int
    source: str
    seed: int
    fault: str = ""

    @property
    def program(self):
        return pathlib.Path(self.source).stem if os.sep in self.source else self.source


def take(value, keys, what):
    """Check an object of the plan against its keys."""
    if not isinstance(value, dict):
        raise PlanError(f"{what}: expected an object")
    for key, entry in value.items():
        if key not in keys:
            raise PlanError(f"{what}: unknown key \"{key}\" (known: {', '.join(keys)})")
        if not isinstance(entry, keys[key]) or (keys[key] is int and (isinstance(entry, bool) or entry < 0)):
            raise PlanError(f"{what}: \"{key}\": expected {keys[key].__name__}, found {json.dumps(entry)}")
        if keys[key] is list and key != "cores" and not all(isinstance(text, str) for text in entry):
            raise PlanError(f"{what}: \"{key}\": expected a list of texts")


class Plan:
    """A plan that was read and found good, with absolute paths."""

    def __init__(self, path):
        path = pathlib.Path(path).absolute()
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise PlanError(f"{path}: {error.strerror}") from None
        except ValueError as error:
            raise PlanError(f"{path}: {error}") from None
        take(content, KEYS, "plan")
        take(content.get("random", {}), RANDOM_KEYS, "random")
        self.content = {"name": path.stem, **DEFAULTS, **content}
        self.cores = []
        for core in self.content.get("cores", []):
            take(core, CORE_KEYS, "cores")
            file, _, size = core.get("core", "").rpartition("=")
            try:
                made = Core.parse(f"{path.parent / file}={size}")
            except Exception as error:
                raise PlanError(f"cores: {error}") from None
            if not os.access(made.file, os.X_OK):
                raise PlanError(f"cores: {made.file} cannot be run")
            made.options = core.get("options", [])
            made.name = core.get("name") or pathlib.Path(file).name
            core.update(core=f"{made.file}={size}", name=made.name)
            self.cores.append(made)
        if not self.cores:
            raise PlanError("plan: no cores")
        if len({core.name for core in self.cores}) < len(self.cores):
            raise PlanError("cores: two of one name (\"name\" makes them distinct)")
        self.content["programs"] = [str(path.parent / pattern) for pattern in self.content["programs"]]
        if "check" in self.content:
            take(self.content["check"], CHECK_KEYS, "check")
            self.content["check"]["program"] = str(path.parent / self.content["check"].get("program", ""))
        self.runs = self.expand()

    def __getitem__(self, key):
        return self.content.get(key)

    def text(self):
        return json.dumps(self.content, indent=1, sort_keys=True)

    def digest(self):
        return hashlib.sha256(self.text().encode()).hexdigest()

    def expand(self):
        """All runs, in an order that is drawn: wherever a campaign is cut off, it has tried some of everything."""
        sources, self.profiles = [], {}
        for pattern in self["programs"]:
            found = sorted(glob.glob(pattern))
            if not found:
                raise PlanError(f"programs: {pattern}: no such file")
            sources += found
            self.profiles.update((source, profile_of(source)) for source in found if source.endswith(".elf"))
        sources += [f"directed:{row}" for row in self["directed"]]
        sources += [f"random:{self['seed'] + i}" for i in range(self["random"].get("count", 0))]
        if not sources:
            raise PlanError("plan: no programs, directed vectors or random seeds")
        rng = random.Random(f"campaign {self['seed']}")
        every = [(core, source, seed) for core in range(len(self.cores)) for source in sources
                 if self.profiles.get(source) in (None, self.cores[core].profile) for seed in range(1, self["timings"] + 1)]
        rng.shuffle(every)
        every = every[:self["runs"] or None]
        return [Run(number, core, source, seed, rng.choice(self["faults"]) if self["faults"] else "")
                for number, (core, source, seed) in enumerate(every, 1)]

    @staticmethod
    def generates(run):
        """Whether the run's program is made by karat gen: such programs go on with approximated results."""
        return os.sep not in run.source

    def options(self, run):
        """Plusargs of a run that belong to the core, not to the timing."""
        return [*self.cores[run.core].options, *([f"+fault={run.fault}"] if run.fault else [])]

    @staticmethod
    def timing(run):
        return timing(run.seed)

    def plusargs(self, run):
        return [*timing(run.seed), *self.options(run)]

    def file(self, run, karat, folder):
        """The program of a run; what has to be generated is made in that folder."""
        core = self.cores[run.core]
        kind, _, value = run.source.partition(":")
        if not self.generates(run):
            return pathlib.Path(run.source)
        path = folder / f"{kind}-{value}-{core.size}.elf".replace("/", "-")
        if path.exists():
            return path
        with tempfile.TemporaryDirectory(dir=folder) as own:
            if kind == "random":
                made = generate(karat, own, core, f"--seed={value}", f"--length={self['random'].get('length', 400)}", f"--warps={min(2, core.warps)}",
                                units=FLOATING)
            else:
                subprocess.run([karat, "gen", "directed", f"--row={value}", f"--threads={core.threads}", f"--profile={core.profile}",
                                f"--output={own}"], check=True, capture_output=True)
                made = next(pathlib.Path(own).iterdir())
            return (made / "program.elf").rename(path)
