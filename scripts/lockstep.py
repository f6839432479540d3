"""Shared by the scripts that run programs in lockstep: cores, kernels, timing, and the completions that a program requires."""
import argparse
import contextlib
import errno
import dataclasses
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "release"
MAX_CYCLES = 20_000_000  # A program that needs more never ends
FLOATING = ("fp", "fdiv", "sfu", "tensor")  # Units that a core may lack
READS_UNDEFINED = "undefined_regs"  # The one program of vectors/ that reads registers it has not written


def shown(name):
    """A name from outside as text of one line, as karat_quote() (golden/load/quote.c) makes it of the same bytes."""
    text = os.fsencode(str(name)).decode("utf-8", "backslashreplace")
    return re.sub("[\x00-\x1f\x7f-\x9f\u2028\u2029]", lambda found: "".join(f"\\x{byte:02x}" for byte in found[0].encode()), text)


class Progress:
    """A line about the runs of a script, on standard error where that is a terminal, over the line before; gone at the end, and before any other
    line that is printed by say()."""

    def __init__(self):
        self.terminal = sys.stderr.isatty()

    def show(self, text):
        if self.terminal:
            print(f"\r\033[K   {text}", end="", file=sys.stderr, flush=True)

    def hide(self):
        if self.terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def say(self, *text, file=None):
        self.hide()
        print(*text, file=file or sys.stdout, flush=True)


INTERRUPTED = 5  # Exit status at SIGINT, as of karat


def of_output(error):
    """Whether an OSError is of standard output, which has no name: who reads it has gone, or its disk is full."""
    return error.filename is None and error.errno in (errno.ENOSPC, errno.EPIPE)


def ended(main, name=None):
    """End the process with what a script's main() returns: 2 after sys.exit(message), which is for bad input; as by SIGPIPE, and without a word,
    where who reads the output has gone; 2 where the output's disk is full. name: of the script in messages, if it is not its file's."""
    try:
        try:
            status = main()
        except SystemExit as end:
            status = end.code
            if isinstance(status, str):
                print(status, file=sys.stderr)
                status = 2
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # For what is still to be written
        status = 128 + signal.SIGPIPE
    except OSError as why:
        if not of_output(why):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(f"{name or pathlib.Path(sys.argv[0]).name}: standard output: cannot be written: {why.strerror}", file=sys.stderr)
        status = 2
    sys.exit(status)


@contextlib.contextmanager
def until_interrupted(script, pool, progress):
    """Runs that a pool makes, up to SIGINT: then those that have not begun are left out, and the list that this gives is not empty. So they are
    where nobody reads the output any more."""
    interrupted = []
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        yield interrupted
    except KeyboardInterrupt:
        interrupted.append(True)
        pool.shutdown(wait=False, cancel_futures=True)
        progress.say(f"{script}: interrupted: the results so far", file=sys.stderr)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    progress.hide()


def executable(text):
    """Argument: a program that can be run, by its path or found on PATH."""
    found = shutil.which(text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text}: no such program")
    return found


def positive(text):
    """Argument: a number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no number from 1")
    return int(text)


def profile_of(elf):
    """The profile of the ISA that a program's note names (PROFILE of vectors/karat.inc), or None."""
    data = pathlib.Path(elf).read_bytes()
    note = re.search(rb"\x06\0{3}(.)\0{3}\x01\0{3}Karat\0{3}", data, re.S)
    return note and data[note.end():note.end() + note[1][0]].decode()


DEFAULT_PROFILE = "v2.02"


def profile_named(number):
    """The profile that a core's parameter PROFILE means, as 203: v2.03; or that of that name."""
    return re.sub(r"^(\d)(\d\d)$", r"v\1.\2", number or DEFAULT_PROFILE)


def programs_in(folder, profile=DEFAULT_PROFILE):
    """The programs of a folder that a core of that profile can run: other ELF files have no launch in them."""
    return [path for path in sorted(folder.glob("*.elf")) if b".karat.launch\0" in path.read_bytes() and profile_of(path) in (None, profile)]


@dataclasses.dataclass
class Core:
    """A Verilated core, its size and profile, given as FILE[=[SMS:]WARPS:THREADS[/PROFILE]]."""
    file: str
    sms: int
    warps: int
    threads: int
    profile: str  # Name of the profile of the ISA
    units: list = dataclasses.field(default_factory=list)  # Floating-point units that it has
    options: list = dataclasses.field(default_factory=list)  # Plusargs of every run
    vgprs: int = 0  # Vector registers that a workgroup can have
    sv39: bool = False  # Runs of the core translate

    @staticmethod
    def parse(text):
        file, given, size = text.rpartition("=")
        if not given or pathlib.Path(text).is_file():
            return Core.asked(executable(text))
        match = re.fullmatch(r"(?:([1-4]):)?(\d+):(4|8|16|32)(?:/(\w+))?", size)
        if not match or not 1 <= int(match[2]) <= 16:
            raise argparse.ArgumentTypeError(f"'{text}' is not FILE[=[SMS:]WARPS:THREADS[/PROFILE]] with up to 4 SMs, up to 16 warps, and 4, 8, 16 "
                                             "or 32 threads")
        return Core(executable(file), int(match[1] or 1), int(match[2]), int(match[3]), profile_named(match[4]))

    @staticmethod
    def asked(file):
        """As the core itself says."""
        try:
            about = Core.about(file)
            return Core(file, about["sms"], about["warps"], about["threads"], about["description"].get("profile", DEFAULT_PROFILE))
        except (TypeError, KeyError):
            raise argparse.ArgumentTypeError(f"{file}: does not say its size (+describe): expected {file}=[SMS:]WARPS:THREADS[/PROFILE]") from None

    @staticmethod
    def about(file):
        """The answer of a core to +describe; {}: there is none."""
        try:
            about = json.loads(subprocess.run([file, "+describe"], check=True, capture_output=True, text=True).stdout)
        except (OSError, ValueError, subprocess.CalledProcessError):
            return {}
        return about if isinstance(about, dict) else {}

    @property
    def size(self):
        return f"{self.sms}sm{self.warps}w{self.threads}t" + (f"-{self.profile}" if self.profile != DEFAULT_PROFILE else "")


CORE = "FILE[=[SMS:]WARPS:THREADS[/PROFILE]]"
DEFAULT_CORE = str(BUILD / "testbench" / "karat-ingot")


def add_core_argument(parser, several=False, default=DEFAULT_CORE):
    """The option --core, alike in every script; several: it may come more than once, into the list args.cores."""
    more = {"action": "append", "dest": "cores", "default": []} if several else {"default": default}
    parser.add_argument("--core", type=Core.parse, metavar=CORE, **more,
                        help="the Verilated core, karat-<name>; without a size, that which the core says" +
                             ("; may come several times" if several else "") + f" (default: {default and pathlib.Path(default).name})")


def add_rtl_coverage_argument(parser):
    """The option of scripts whose runs are counted by RtlCoverage(args)."""
    parser.add_argument("--rtl-coverage", type=pathlib.Path, metavar="FILE", help="the counters of all runs, of cores built with COVERAGE")


class RtlCoverage:
    """The sum of the counters of a script's runs, where --rtl-coverage names a file for it."""
    AT_ONCE = 64  # Runs whose files are kept

    def __init__(self, args):
        self.file, self.karat, self.runs, self.good = args.rtl_coverage, args.karat, 0, True
        self.folder = tempfile.TemporaryDirectory() if self.file else None

    def plusargs(self):
        """Of the next run."""
        self.runs += 1
        return [f"+rtl-coverage={self.folder.name}/{self.runs}"] if self.file else []

    def gather(self, end=False):
        """Add up what runs have left, as soon as it is much, and at the end in the file. Whether all went well so far."""
        files = sorted(pathlib.Path(self.folder.name).glob("[0-9s]*")) if self.file else []
        if not files or (len(files) < self.AT_ONCE and not end):
            return self.good
        total = pathlib.Path(self.folder.name) / "sum"
        done = subprocess.run([self.karat, "cov", "merge", "--rtl", "-o", self.file if end else total, *files])
        for file in files:
            if file != total:
                file.unlink()
        self.good &= done.returncode == 0
        return self.good


def suspects(karat, core, plusargs, timeout=None):
    """What karat locate says of a run of a core that was built with COVERAGE; of another core an empty text."""
    if not Core.about(core).get("rtl_coverage"):
        return ""
    try:
        done = subprocess.run([karat, "locate", f"--core={core}", "--", *plusargs], capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return f"karat locate: no end after {timeout} s\n"
    return done.stdout or done.stderr


def add_jobs_argument(parser):
    parser.add_argument("--jobs", type=positive, default=2, help="runs at once (2)")


def add_core_arguments(parser):
    """Options that say which cores to run, and how; cores_of() takes them."""
    parser.add_argument("more_cores", nargs="*", type=Core.parse, metavar="CORE", help="the same as --core")
    add_core_argument(parser, several=True)
    parser.add_argument("--sizes", help="build cores of these sizes and run them: [SMS:]WARPS:THREADS[/PROFILE][,...]")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "cores", help="build tree for --sizes")
    add_sv39_argument(parser)


def add_sv39_argument(parser):
    """The option of every script whose runs take layout(args, seed)."""
    parser.add_argument("--sv39", action="store_true",
                        help="run with SV39 translation, on cores with an MMU: of eight address spaces one is the identity, and the others are drawn")


def layout(how, seed):
    """Plusargs of the address spaces of that seed's run. how: the arguments, or a core."""
    if not how.sv39:
        return []
    return ["+sv39"] if seed % 8 == 1 else [f"+sv39={random.Random(f'layout {seed}').randrange(1 << 32)}"]


def cores_of(args, systemc=False):
    """The cores that the arguments name, in the Verilator harness and, with systemc, those of --sizes in the SystemC harness."""
    if not args.sizes:
        try:
            return args.cores + args.more_cores or [Core.parse(DEFAULT_CORE)], []
        except argparse.ArgumentTypeError as error:
            sys.exit(str(error))
    sizes = list(dict.fromkeys(args.sizes.split(",")))
    names = []
    for size in sizes:
        numbers, _, profile = size.partition("/")
        *sms, warps, threads = numbers.split(":")
        names.append((f"{profile}-" if profile_named(profile) != DEFAULT_PROFILE else "")
                     + (f"{sms[0]}sm" if sms not in ([], ["1"]) else "") + f"{warps}w{threads}t")
    targets = [f"karat-ingot-{name}" for name in names] + [f"karat-ingot-sc-{name}" for name in names if systemc]
    log = args.build.parent / (args.build.name + ".log")
    args.build.parent.mkdir(parents=True, exist_ok=True)
    print(f"building {' '.join(targets)} in {args.build} (log: {log})", flush=True)
    more = ";".join(sizes)
    with open(log, "w", encoding="utf-8") as output:
        for command in (["cmake", "-S", str(ROOT), "-B", str(args.build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DKARAT_TESTS=OFF",
                         f"-DINGOT_MORE={more}", f"-DINGOT_MORE_SC={more if systemc else ''}",
                         f"-DINGOT_MORE_MMU={int(args.sv39)}"],
                        ["cmake", "--build", str(args.build), "--target", *targets]):
            if subprocess.run(command, stdout=output, stderr=subprocess.STDOUT).returncode:
                lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
                cause = next((line.strip() for line in lines if re.search(r"error|FAILED:", line, re.I)), lines[-1].strip() if lines else "")
                sys.exit(f"{log}: the cores cannot be built: {cause[:300]}")
    files = {p.name: p for t in targets for p in args.build.rglob(t) if p.is_file()}
    return ([Core.parse(f"{files[f'karat-ingot-{name}']}={size}") for name, size in zip(names, sizes)],
            [Core.parse(f"{files[f'karat-ingot-sc-{name}']}={size}") for name, size in zip(names, sizes) if systemc])


def timing(seed):
    """Plusargs of a random memory latency and back-pressure."""
    rng = random.Random(seed)
    low = rng.choice((1, 1, 2, 4, 10))
    high = low + rng.choice((0, 3, 20, 60, 200))
    return [f"+seed={seed}", f"+latency={low}:{high}", f"+stall={rng.choice((0, 10, 10, 30, 70))}"]


def parameters(core, seed, length=None):
    """Options of karat gen for the random program of that seed, drawn: of all sizes that the core has room for."""
    rng = random.Random(seed)
    options = [f"--seed={seed}", f"--length={length or rng.choice((400, 700, 1000))}", f"--vgprs={core.vgprs}",
               f"--warps={rng.randint(1, min(core.warps, core.vgprs // 64))}"]
    return options + ([f"--wf-size={rng.randint(1, core.threads)}"] if rng.random() < 0.2 else [])


def generate(karat, folder, core, *options, units=()):
    """Make a random vector with these floating-point units: its folder."""
    weights = json.loads(subprocess.run([karat, "gen", "--kinds"], check=True, capture_output=True).stdout)
    weights["units"] = {unit: weight for unit, weight in weights["units"].items() if unit not in FLOATING or unit in units}
    path = pathlib.Path(folder) / "weights.json"
    path.write_text(json.dumps(weights))
    out = pathlib.Path(tempfile.mkdtemp(dir=folder))
    subprocess.run([karat, "gen", "random", f"--profile={core.profile}", f"--threads={core.threads}", f"--weights={path}", f"--output={out}",
                    *options], check=True)
    return next(out.iterdir())


def model_run(karat, files, threads, profile, options=(), run=subprocess.run):
    """Run files on the model of that profile alone, one after the other on one memory. Returns what they call for, a count per kind, from the
    model's commits; or None and what is wrong with them."""
    with tempfile.TemporaryDirectory() as folder:
        summary = pathlib.Path(folder) / "run.json"
        done = run([karat, "run", "--threads", str(threads), f"--profile={profile}", f"--json={summary}", *options, *files],
                   capture_output=True, text=True)
        if done.returncode:
            return None, (done.stderr.strip() or done.stdout.strip() or f"status {done.returncode}")
        kernels = json.loads(summary.read_text())["kernels"]
    total = {}
    for kernel in kernels:
        for kind, count in kernel["counts"].items():
            total[kind] = total.get(kind, 0) + count
        total["instructions"] = total.get("instructions", 0) + kernel["instructions"]
    return total, None


def core_run(core, files, plusargs, run=subprocess.run, max_cycles=MAX_CYCLES):
    """Run files on a core: the finished process, and its JSON report ({} where there is no whole one). run: starts a program and waits for it."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "verdict.json"
        done = run([core, "+kernel=" + ",".join(map(str, files)), f"+json={report}",
                               f"+max-cycles={max_cycles}", *plusargs], capture_output=True, text=True)
        try:
            data = json.loads(report.read_text()) if report.exists() else {}
        except ValueError:  # A core has died while it wrote it
            data = {}
        return done, data if isinstance(data, dict) else {}


def compare(wanted, got):
    """Differences between what the program calls for and what the checker compared, in words."""
    seen = {"instructions": got["instructions"], "x": got["x"], "v": got["v"], "simt": got["simt"], "csr": got["csr"],
            "barrier": got["arrive"] + got["release"], "exit": got["exits"]}
    wrong = [f"{kind}: {seen[kind]} compared, {wanted[kind]} called for" for kind in seen if seen[kind] != wanted[kind]]
    if bool(wanted["mem"]) != bool(got["mem"]):
        wrong.append(f"mem: {got['mem']} records for {wanted['mem']} accesses")
    for kind in ("read", "audit"):
        if got["instructions"] and not got[kind]:
            wrong.append(f"{kind}: nothing compared")
    return wrong


def taken(data, program):
    """Values that the checker took from the core and did not have to; or did not take, where the program calls for it.
    Compiled kernels save registers that no instruction has written: each is one value taken, and nothing else may be."""
    counts = {kind: data["counts"][kind] for kind in ("adopted", "undefined", "unordered", "reordered", "sc_failed")}
    wrong = []
    if pathlib.Path(program).stem == READS_UNDEFINED:
        wrong = [f"{kind}: 0, of a program that reads undefined registers" for kind in ("adopted", "undefined")
                 if not counts.pop(kind)]
    elif pathlib.Path(program).suffix == ".metadata" and counts["adopted"] == counts["undefined"]:
        del counts["adopted"], counts["undefined"]
    return wrong + [f"{kind}: {count} values" for kind, count in counts.items() if count]


def judge(wanted, done, data, program="", uses_approximated=False):
    """The error of a core's run, or None. uses_approximated: the program goes on with approximated results, so that where
    the core's are not the model's, how many writes and steps follow may differ."""
    if done.returncode:
        lines = (done.stdout.strip() or done.stderr.strip()).splitlines()
        return "\n".join(lines[:12] + lines[-1:]) if len(lines) > 13 else "\n".join(lines) or f"status {done.returncode}"
    if "counts" not in data:
        return f"status 0 without a report: {shown(done.args[0])} is no core with Karat's harness"
    apart = uses_approximated and data["counts"]["ulp"] > 0
    return "; ".join(([] if apart else compare(wanted, data["counts"])) + taken(data, program)) or None
