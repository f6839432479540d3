#!/usr/bin/python3
"""+wave-window: the waveform of a failure, from a snapshot of the run, equals that of a run from zero; the run's own results do not change; the
save files name signals that are there and mark the cycles of the report; no process is left, however a run ends."""
import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(TESTS), str(TESTS / "cli"), str(TESTS / "vectors")]
from checks import check, end, one_line, run  # noqa: E402
from kernelfile import ENDPRG, addi, bne, lui, write_elf  # noqa: E402
from limits import wait_for  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--core", type=pathlib.Path, required=True)
parser.add_argument("--systemc", type=pathlib.Path, help="the SystemC harness")
parser.add_argument("--other", action="append", default=[], help="a harness that takes no snapshots")
args = parser.parse_args()
SNAPSHOTS = 4096
FOREVER = 1 << 31


def srai(rd, rs1, shift):
    return 0x400 << 20 | shift << 20 | rs1 << 15 | 5 << 12 | rd << 7 | 0x13


def program(path, turns):
    """Two warps count, and shift a negative number in the end: the fault sra_logical shows."""
    return write_elf(path, [lui(5, turns >> 12), addi(5, 5, -1), bne(5, 0, -4), addi(7, 0, -64), srai(8, 7, 2), addi(9, 8, 1), ENDPRG],
                     wg_size=2)


def vcd(path):
    """Changes of each signal, by its name; 'TOP.' is the core."""
    text = subprocess.run(["fst2vcd", path], capture_output=True, text=True, check=True).stdout
    scopes, names, changes, at = [], {}, {}, 0
    head, _, body = text.partition("$enddefinitions")
    for line in head.splitlines():
        words = line.split()
        if words[:1] == ["$scope"]:
            scopes.append(words[2])
        elif words[:1] == ["$upscope"]:
            scopes.pop()
        elif words[:1] == ["$var"]:
            names.setdefault(words[3], []).append(".".join([*scopes, words[4]]) + (words[5] if words[5] != "$end" else ""))
    times = []
    for line in body.splitlines()[1:]:
        if line[:1] == "#":
            at = int(line[1:])
            times.append(at)
        elif line[:1] in ("b", "0", "1"):
            value, code = line.split() if line[0] == "b" else (line[0], line[1:])
            for name in names[code]:
                changes.setdefault(name, []).append((at, int(value.lstrip("b"), 2)))
    return times, changes


def values(changes, times):
    """The value at each of these times."""
    out, last = [], None
    changes = dict(changes)
    for t in times:
        last = changes.get(t, last)
        out.append(last)
    return out


def window(kernel, here, harness=args.core):
    """The waveform, its save files, and what does not change."""
    wave, out, ktr = here / "w.fst", here / "a.json", here / "a.ktr"
    common = [f"+kernel={kernel}", "+fault=sra_logical"]
    plain = run(harness, *common, f"+json={out}", f"+record={ktr}")
    before = out.read_bytes(), ktr.read_bytes()
    done = run(harness, *common, f"+json={out}", f"+record={ktr}", f"+trace={wave}", "+wave-window=120:60", f"+snapshots={SNAPSHOTS}")
    check(plain.returncode == done.returncode == 1 and plain.stdout == done.stdout, "the verdict changes", plain, done)
    check((out.read_bytes(), ktr.read_bytes()) == before, "report or recording change")
    report = json.loads(before[0])
    found, issued = report["failure"]["cycle"], report["failure"]["instruction"]["issue_cycle"]
    shown = re.search(r"w\.fst: cycles (\d+) to (\d+), run again from cycle (\d+)\n", done.stderr)
    check(shown and [int(shown[1]), int(shown[2])] == [found - 120, found + 60]
          and int(shown[3]) >= found - 120 - 2 * SNAPSHOTS > 0, "the window", done)
    check(sorted(p.name for p in here.iterdir()) == ["a.json", "a.ktr", "w.fst", "w.gtkw", "w.surf.ron"], "files", list(here.iterdir()))
    named(harness, common, wave)
    if not shutil.which("fst2vcd"):
        print("not read back: fst2vcd (Debian package gtkwave) is not installed")
        return
    times, changes = vcd(wave)
    wanted = [10 * cycle + half for cycle in range(found - 120, found + 61) for half in (0, 5)]
    # SystemC stops at the last rising edge, before it shows.
    check(times == (wanted[:-1] if harness == args.systemc else wanted), "times", times[:2], times[-2:])
    again = here / "again.fst"
    run(harness, *common, f"+trace={again}", f"+trace-from={found - 120}", f"+trace-to={found + 60}", "+go-on", f"+max-cycles={found + 100}")
    other_times, other = vcd(again)
    core = {name: c for name, c in changes.items() if not name.startswith("karat.")}
    check(core.keys() == other.keys() and len(core) > 100, "signals", len(core), len(other))
    there = set(other_times)
    common_times = [t for t in times if t in there]
    wrong = [n for n in core if values(core[n], common_times) != values(other[n], common_times)]
    # The program ends before the window does.
    check(common_times[0] == times[0] and common_times[-1] > 10 * found and not wrong, "signals that differ from a run from zero:", wrong[:5],
          len(common_times))
    # The warp at fault: its registers after the writes.
    x8, seq = changes["karat.x8[31:0]"], changes["karat.seq[31:0]"]
    check(x8[-1][1] == 0x3FFFFFF0 and 10 * found - 10 <= x8[-1][0] <= 10 * found + 10, "x8", x8)
    check(changes["karat.x7[31:0]"][-1][1] == 0xFFFFFFC0 and seq[-1][1] >= report["failure"]["where"]["seq"], "x7, seq", seq[-1])
    counts = [v for _, v in changes["karat.x5[31:0]"]]
    check(len(counts) > 3 and counts == sorted(counts, reverse=True), "x5 counts down", counts)
    save_files(wave, changes, {"issue": 10 * issued, "verdict": 10 * found})


def named(harness, common, wave):
    """Named signals, and those of named scopes, come first, in the order of the names; the others stay."""
    def of_core(lines):
        return [line for line in lines if re.match(r"(TOP|tile\.core\.ingot)\.", line)]
    before = wave.with_suffix(".gtkw").read_text().splitlines()
    probe = of_core(before)
    root = re.match(r"TOP|tile\.core\.ingot", probe[0])[0]
    last, scope = (re.sub(r"\[\d+:\d+\]$", "", probe[-1][len(root) + 1:]), re.match(r".*\.u_probe(?=\.)", probe[0])[0][len(root) + 1:])
    wave = wave.with_name("named.fst")
    run(harness, *common, f"+trace={wave}", "+wave-window=120:60", f"+snapshots={SNAPSHOTS}", f"+wave-signals={last},no.such,{scope},ingot.clk_i")
    lines = wave.with_suffix(".gtkw").read_text().splitlines()
    start, stop = [i for i, line in enumerate(lines) if line == "-named signals"]
    first, *inside, final = shown = of_core(lines[start:stop])
    check(first == probe[-1] and [name for name in inside if name in probe] == probe[:-1] and final == f"{root}.ingot.clk_i" and
          all(name.startswith(f"{root}.{scope}.") for name in inside) and of_core(lines) == shown, "GTKWave: named signals", shown)
    check([line for line in lines if line.startswith("karat.")] == [line for line in before if line.startswith("karat.")], "GTKWave: the others")
    groups = re.findall(r'Group\(\(name: "([^"]*)".*?content: \[(.*?)\], is_open: (\w+)', wave.with_suffix(".surf.ron").read_text())
    check([name for name, _, is_open in groups if is_open == "false"] == ["probe", "registers"] and groups[0][0] == "named signals" and
          groups[0][1].count("(") == len(shown), "Surfer: named signals", [group[0] for group in groups])


def save_files(wave, changes, marks):
    gtkw = wave.with_suffix(".gtkw").read_text().splitlines()
    shown = [line for line in gtkw if re.match(r"(TOP|tile|karat)\.", line)]
    check(set(shown) <= set(changes), "GTKWave: signals that are not there", sorted(set(shown) - set(changes))[:3])
    probe = [s for s in shown if ".u_probe." in s]
    check(len(probe) > 30 and all(f"karat.x{r}[31:0]" in shown and any(s.startswith(f"karat.v{r}[") for s in shown) for r in range(64)),
          "GTKWave: signals", len(probe))
    at = gtkw.index("-registers of the instruction at fault")
    check([gtkw[at + 2], gtkw[at + 4], gtkw[at + 6]] == ["karat.x7[31:0]", "karat.x8[31:0]", "-registers of the instruction at fault"],
          "GTKWave: operands", gtkw[at:at + 8])
    named = {line.split()[1][1:]: ord(line.split()[1][0]) - ord("A") for line in gtkw if line.startswith("[markername]")}
    positions = next(line for line in gtkw if line[0] == "*").split()[2:]
    check({name: int(positions[n]) for name, n in named.items() if name in marks} == marks, "GTKWave: markers", named, positions)
    check(marks["issue"] <= int(positions[named["completion"]]) <= marks["verdict"], "GTKWave: completion")
    check(f'[dumpfile] "{wave}"' in gtkw, "GTKWave: file", gtkw[:3])
    ron = wave.with_suffix(".surf.ron").read_text()
    depth = 0
    for c in re.sub(r'"(\\.|[^"\\])*"', "", ron):
        depth += (c in "([{") - (c in ")]}")
        check(depth >= 0, "Surfer: brackets")
    check(depth == 0, "Surfer: brackets")
    paths = {".".join([*re.findall(r'"([^"]*)"', strs), name]) for strs, name in
             re.findall(r'variable_ref: \(path: \(strs: \[([^\]]*(?:\[\d+\][^\]]*)*)\], id: None\), name: "([^"]*)"', ron)}
    check(paths == {re.sub(r"\[\d+:\d+\]$", "", s) for s in shown}, "Surfer: signals", len(paths), len(shown))
    items = [int(n) for n in re.findall(r"item_ref: \((\d+)\)", ron)]
    keys = [int(n) for n in re.findall(r"^ {6}\((\d+)\): ", ron, re.M)]
    check(items == list(range(1, len(keys) + 1)) and sorted(keys) == items, "Surfer: items", len(items), len(keys))
    check(f"markers: {{0: (1, [{marks['issue']}])," in ron and f"2: (1, [{marks['verdict']}])" in ron, "Surfer: markers")


def ends(kernel, endless, here):
    """No waveform without a failure, nor an older one; a HANG; combinations of options; where no process can be made."""
    wave = here / "old.fst"
    for name in ("old.fst", "old.gtkw", "old.surf.ron"):
        (here / name).write_text("of an older run")
    done = run(args.core, f"+kernel={kernel}", f"+trace={wave}", "+wave-window=10:10")
    check(done.returncode == 0 and not done.stderr and not list(here.glob("*old*")) and not list(here.glob(".karat*")), "PASS", done,
          list(here.iterdir()))
    done = run(args.core, f"+kernel={kernel}", "+fault=done_never", "+hang=3000", f"+trace={wave}", "+wave-window=40:40", f"+snapshots={SNAPSHOTS}")
    shown = re.search(r"cycles (\d+) to (\d+), run again", done.stderr)
    check(done.returncode == 3 and shown and int(shown[2]) - int(shown[1]) == 80 and wave.stat().st_size, "HANG", done)
    # Snapshots that are all in the window: it begins at the older one.
    done = run(args.core, f"+kernel={kernel}", "+fault=sra_logical", f"+trace={wave}", "+wave-window=3000:10", "+snapshots=1000", "+hang=2000")
    shown = re.search(r"cycles (\d+) to (\d+), run again from cycle (\d+)\n", done.stderr)
    check(done.returncode == 1 and shown and shown[1] == shown[3] and 1000 <= int(shown[2]) - 10 - int(shown[1]) < 2000, "a window within", done)
    for more, text in ((["+wave-window=5"], "BEFORE:AFTER"), (["+wave-signals=a"], "expected +wave-window"),
                       (["+wave-window=5:5", "+wave-signals=a,,b"], "NAME[,NAME...]"), (["+snapshots=9"], "expected +wave-window"),
                       (["+wave-window=5:5", "+go-on", "+max-cycles=9"], "+go-on"),
                       (["+wave-window=5:5", "+trace-from=3"], "+trace-from"), (["+wave-window=5:5", f"+trace={kernel}"], "for another purpose")):
        one_line(2, text, run(args.core, f"+kernel={kernel}", *more))
    for other in args.other:
        one_line(2, "+wave-window is of the harnesses of Verilator and SystemC: +trace, with a rerun",
                 run(other, f"+kernel={kernel}", "+wave-window=5:5"))

    no_processes(kernel, endless, here)


def systemc(kernel, here):
    """The same from the SystemC harness."""
    if args.systemc:
        window(kernel, here, args.systemc)
        check('strs: ["tile.core.ingot", "ingot", ' in (here / "w.surf.ron").read_text(), "Surfer: the scope of the model is one, with dots")


def cpu_ticks(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11])


def no_processes(kernel, endless, here):
    """A user who may have no process but this one, with the threads that it has in any case."""
    if os.geteuid() != 0:
        print("not tried without processes: only root can become another user")
        return
    options = [f"+kernel={kernel}", "+fault=sra_logical"]
    process = subprocess.Popen([args.core, f"+kernel={endless}"], stdout=subprocess.DEVNULL)
    check(wait_for(lambda: cpu_ticks(process.pid) > 10), "it runs")
    threads = len(os.listdir(f"/proc/{process.pid}/task"))
    process.kill()
    process.wait()

    def no_process():
        os.setuid(65534)
        resource.setrlimit(resource.RLIMIT_NPROC, (threads, threads))
    here.chmod(0o777)
    try:
        done = subprocess.run([args.core, *options, f"+trace={here}/none.fst", "+wave-window=5:5"], preexec_fn=no_process, capture_output=True,
                              text=True)
    except PermissionError:
        print("not tried without processes: the core cannot be run by another user")
        return
    check(done.returncode == 1 and done.stdout == run(args.core, *options).stdout and "no waveform: no snapshot" in done.stderr and
          not list(here.glob("none*")), "no process can be made", done)


def children(pid):
    return [int(p) for p in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_there(pid):
    """Not a process that has ended and waits for its parent."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def processes(endless, kernel, here):
    """While it runs, and while it waits for a waveform that has no end."""
    runs = ([f"+kernel={endless}", "+wave-window=10:10", f"+snapshots={SNAPSHOTS}", f"+trace={here}/p.fst"],
            [f"+kernel={kernel}", "+fault=sra_logical", f"+wave-window=10:{FOREVER}", f"+snapshots={SNAPSHOTS}", f"+trace={here}/p.fst"])
    for replays, options in enumerate(runs):
        for number in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([args.core, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if replays:
                check(wait_for(lambda: any(p.stat().st_size for p in here.glob(".karat-*"))), "the waveform grows")
            there = []

            def two():
                there[:] = children(process.pid)
                return len(there) == 2
            check(wait_for(two), "two snapshots", there)
            process.send_signal(number)
            out, err = process.communicate()
            wanted = -9 if number == signal.SIGKILL else 1 if replays else 5
            check(process.returncode == wanted, "status", number, process.returncode, out, err)
            # Processes of that time; later ones end with their parent.
            check(wait_for(lambda: not any(map(is_there, there))), "processes are left", number, there)
            left = list(here.glob("p.*")) + list(here.glob(".karat*"))
            check(not left if number != signal.SIGKILL else not list(here.glob("p.*")), "files", number, left)
            for path in left:
                path.unlink()


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    folder.chmod(0o755)
    counts, endless = program(folder / "counts.elf", 1 << 12), program(folder / "endless.elf", 0xFFFFF000)
    for test, kernels in ((window, [counts]), (systemc, [counts]), (ends, [counts, endless]), (processes, [endless, counts])):
        here = folder / test.__name__
        here.mkdir()
        test(*kernels, here)
sys.exit(end())
