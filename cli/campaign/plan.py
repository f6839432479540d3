"""The plan of a campaign: cores, programs, timings and budgets, and the list of runs that they make. docs/campaign.md is the reference."""
import collections
import dataclasses
import glob
import hashlib
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile

from lockstep import FLOATING, Core, generate, parameters, profile_of, timing

KEYS = {"name": str, "seed": int, "cores": list, "programs": list, "directed": list, "random": dict, "timings": int, "faults": list, "runs": int,
        "seconds": int, "instructions": int, "max-cycles": int, "timeout": int, "coverage": bool, "shrink": int, "recheck": int, "check": dict,
        "fuzz": dict}
DEFAULTS = {"seed": 1, "programs": [], "directed": [], "random": {}, "timings": 1, "faults": [], "max-cycles": 2_000_000, "timeout": 600,
            "coverage": False, "shrink": 600, "recheck": 3}
RANDOM_KEYS = {"count": int, "length": int}
FUZZ_KEYS = {"generations": int, "runs": int, "candidates": int}
FUZZ = {"generations": 0, "runs": 16, "candidates": 2}
CHECK_KEYS = {"program": str, "options": list}
CORE_KEYS = {"core": str, "options": list, "name": str}

GENERATED = ("directed:", "random:", "fuzz:")  # How sources begin that are no files: those are absolute paths


class PlanError(Exception):
    """What is wrong with a plan, in one line."""


@dataclasses.dataclass(frozen=True)
class Run:
    """One run of the plan. id: its number in the plan, from 1; source: a file, or "directed:ROW", "random:SEED", "fuzz:GENERATION.NUMBER"."""
    id: int
    core: int
    source: str
    seed: int
    fault: str = ""
    program: str = ""  # A name that no other source has
    generation: int = 0  # Of fuzz; 0: its program does not depend on other runs


def once(pairs):
    """An object of the plan: each key once."""
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = next(key for at, (key, _) in enumerate(pairs) if key in dict(pairs[:at]))
        raise PlanError(f'"{twice}" is there twice')
    return made


def take(value, keys, what):
    """Check an object of the plan against its keys."""
    if not isinstance(value, dict):
        raise PlanError(f"{what}: expected an object")
    for key, entry in value.items():
        if key not in keys:
            raise PlanError(f"{what}: unknown key \"{key}\" (known: {', '.join(keys)})")
        if not isinstance(entry, keys[key]) or (keys[key] is int and (isinstance(entry, bool) or entry < 0)):
            wanted = "a number from 0" if keys[key] is int else keys[key].__name__
            raise PlanError(f"{what}: \"{key}\": expected {wanted}, found {json.dumps(entry)}")
        if keys[key] is list and key != "cores" and not all(isinstance(text, str) for text in entry):
            raise PlanError(f"{what}: \"{key}\": expected a list of texts")


class Plan:
    """A plan that was read and found good, with absolute paths."""

    def __init__(self, path):
        path = pathlib.Path(path).absolute()
        text = ""
        try:
            text = path.read_text(encoding="utf-8-sig")
            content = json.loads(text, object_pairs_hook=once)
        except OSError as error:
            raise PlanError(f"{path}: {error.strerror}") from None
        except json.JSONDecodeError as error:
            found = error.msg[:1].lower() + error.msg[1:] if text.strip() else "the file is empty"
            raise PlanError(f"{path}:{error.lineno}: expected a plan in JSON: {found}") from None
        except (ValueError, PlanError) as error:
            raise PlanError(f"{path}: {error}") from None
        except RecursionError:
            raise PlanError(f"{path}: nested too deeply") from None
        try:
            self.read(path, content)
        except PlanError as error:
            raise PlanError(f"{path}: {error}") from None

    def read(self, path, content):
        take(content, KEYS, "plan")
        take(content.get("random", {}), RANDOM_KEYS, "random")
        take(content.get("fuzz", {}), FUZZ_KEYS, "fuzz")
        self.content = {"name": path.stem, **DEFAULTS, **content}
        self.fuzz = {**FUZZ, **content.get("fuzz", {})}
        if "fuzz" in content:
            self.content["coverage"] = True  # It steers
        self.cores = []
        for core in self.content.get("cores", []):
            take(core, CORE_KEYS, "cores")
            if not core.get("core"):
                raise PlanError('cores: expected "core": "FILE[=[SMS:]WARPS:THREADS[/PROFILE]]"')
            file, given, size = core["core"].rpartition("=")  # Without a size: the core says it itself
            file = file if given else size
            try:
                made = Core.parse(f"{path.parent / file}={size}" if given else str(path.parent / file))
            except Exception as error:
                raise PlanError(f"cores: {error}") from None
            if not os.access(made.file, os.X_OK):
                raise PlanError(f"cores: {made.file} cannot be run")
            made.options = core.get("options", [])
            made.name = core.get("name") or pathlib.Path(file).name
            size = size if given else f"{made.sms}:{made.warps}:{made.threads}/{re.sub('[v.]', '', made.profile)}"
            core.update(core=f"{made.file}={size}", name=made.name)
            self.cores.append(made)
        if not self.cores:
            raise PlanError("plan: no cores")
        if len({core.name for core in self.cores}) < len(self.cores):
            raise PlanError("cores: two of one name (\"name\" makes them distinct)")
        for key in ("timings", "max-cycles", "timeout"):
            if not self.content[key]:
                raise PlanError(f'plan: "{key}": expected a number from 1, found 0')
        for key in FUZZ:
            if "fuzz" in self.content and not self.fuzz[key]:
                raise PlanError(f'fuzz: "{key}": expected a number from 1')
        for core in self.cores:
            about = Core.about(core.file)
            core.vgprs = about.get("vgprs", 256)
            core.counts_rtl = self.content["coverage"] and bool(about.get("rtl_coverage"))
        for core in self.cores:
            if "fuzz" in self.content and not core.counts_rtl:
                raise PlanError(f"fuzz: core {core.name} does not count RTL coverage (docs/coverage.md)")
        if self.content["coverage"] and len({core.profile for core in self.cores}) > 1:
            raise PlanError('plan: "coverage": cores of two profiles have no coverage in common')
        # The files themselves: one that comes later does not change which run is which when the campaign goes on.
        programs = [self.found(path.parent, pattern) for pattern in self.content["programs"]]
        self.content["programs"] = list(dict.fromkeys(file for files in programs for file in files))
        if "check" in self.content:
            take(self.content["check"], CHECK_KEYS, "check")
            if not self.content["check"].get("program"):
                raise PlanError('check: expected "program": "FILE"')
            self.content["check"]["program"] = str(path.parent / self.content["check"]["program"])
        self.runs = self.expand()

    def __getitem__(self, key):
        return self.content.get(key)

    def text(self):
        return json.dumps(self.content, indent=1, sort_keys=True)

    def digest(self):
        return hashlib.sha256(self.text().encode()).hexdigest()

    @staticmethod
    def found(folder, pattern):
        literal = folder / pattern
        files = [str(literal)] if literal.is_file() else [f for f in sorted(glob.glob(os.path.join(glob.escape(str(folder)), pattern)))
                                                          if os.path.isfile(f)]
        if not files:
            raise PlanError(f"programs: {pattern}: no such file")
        return files

    def expand(self):
        """All runs, in an order that is drawn: wherever a campaign is cut off, it has tried some of everything."""
        sources, self.profiles = [], {}
        sources += self["programs"]
        self.profiles.update((source, profile_of(source)) for source in sources if source.endswith(".elf"))
        sources += [f"directed:{row}" for row in self["directed"]]
        sources += [f"random:{self['seed'] + i}" for i in range(self["random"].get("count", 0))]
        if not sources and not self.fuzz["generations"]:
            raise PlanError("plan: no programs, directed vectors, random seeds or fuzz")
        rng = random.Random(f"campaign {self['seed']}")
        every = [(core, source, seed) for core in range(len(self.cores)) for source in sources
                 if self.profiles.get(source) in (None, self.cores[core].profile) for seed in self.timings(source)]
        if not every and sources:
            raise PlanError("plan: no program is of a core's profile")
        rng.shuffle(every)
        every = [(*one, 0) for one in every]
        every += [(rng.randrange(len(self.cores)), f"fuzz:{generation}.{number}", rng.getrandbits(31), generation)
                  for generation in range(1, self.fuzz["generations"] + 1) for number in range(1, self.fuzz["runs"] + 1)]
        every = every[:self["runs"] or None]
        names = self.names(sources)
        return [Run(number, core, source, seed, rng.choice(self["faults"]) if self["faults"] else "", names.get(source, source), generation)
                for number, (core, source, seed, generation) in enumerate(every, 1)]

    def timings(self, source):
        """Timing seeds: of each random program others."""
        kind, _, number = source.partition(":")
        first = int(number) * self["timings"] if kind == "random" else 1
        return range(first, first + self["timings"])

    @staticmethod
    def names(sources):
        """A name for each source: of a file its stem, with as many folders before it as make it unique."""
        names = {source: source for source in sources}
        paths = {source: pathlib.Path(source).with_suffix("") for source in sources if not source.startswith(GENERATED)}
        for parts in range(1, max((len(path.parts) for path in paths.values()), default=0) + 1):
            tried = collections.Counter("/".join(path.parts[-parts:]) for path in paths.values())
            for source, path in list(paths.items()):
                name = "/".join(path.parts[-parts:])
                if tried[name] == 1:
                    names[source] = name
                    del paths[source]
        return names

    @staticmethod
    def generates(run):
        """Whether the run's program is made by karat gen: such programs go on with approximated results."""
        return run.source.startswith(GENERATED)

    def options(self, run):
        """Plusargs of a run that belong to the core, not to the timing."""
        return [*self.cores[run.core].options, *([f"+fault={run.fault}"] if run.fault else [])]

    @staticmethod
    def timing(run):
        return timing(run.seed)

    def plusargs(self, run):
        return [*timing(run.seed), *self.options(run)]

    def place(self, run, folder):
        """The file in that folder of a program that is generated."""
        return folder / f"{run.source.replace(':', '-')}-{self.cores[run.core].size}.elf".replace("/", "-")

    def file(self, run, karat, folder):
        """The program of a run; what has to be generated is made in that folder. That of fuzz is there (fuzz.py)."""
        core = self.cores[run.core]
        kind, _, value = run.source.partition(":")
        if not self.generates(run):
            return pathlib.Path(run.source)
        path = self.place(run, folder)
        if path.exists():
            return path
        if run.generation:
            raise PlanError(f"{path}: this program of the campaign is gone")
        with tempfile.TemporaryDirectory(dir=folder) as own:
            if kind == "random":
                made = self.random(karat, own, core, value)
            else:
                done = subprocess.run([karat, "gen", "directed", f"--row={value}", f"--threads={core.threads}", f"--profile={core.profile}",
                                       f"--output={own}"], capture_output=True, text=True)
                if done.returncode:
                    raise PlanError(f"directed: {value}: core {core.name}: {done.stderr.strip() or done.returncode}")
                made = next(pathlib.Path(own).iterdir())
            return (made / "program.elf").rename(path)

    def random(self, karat, folder, core, seed, count=1):
        """Vectors of random programs for a core, in a folder of theirs: the first one."""
        return generate(karat, folder, core, f"--count={count}", *parameters(core, seed, self["random"].get("length")), units=FLOATING)
