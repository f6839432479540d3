#!/usr/bin/python3
"""A run of a core that does not come to its end says where every warp is: at +max-cycles, at SIGINT and SIGTERM, and where it hangs; text
and JSON, with all files that were asked for, and `karat check` of the recording says the same.  The rerun command leaves out what
would write over the user's files, and shows the same failure.

--field: small inputs from the field, assembled with --clang; where the folder is absent they are left out, and that is said.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parent / "cli"))
from kernelfile import BARRIER, CODE, ENDPRG, addi, bne, csrr, write_elf  # noqa: E402
from terminal import watch  # noqa: E402

JUMP_TO_ITSELF = 0x0000006F
passed, failed = 0, 0


def expect(what, good, *more):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print("test_endless:", what, *more, file=sys.stderr)


def run(core, *plusargs, **options):
    return subprocess.run([core, *map(str, plusargs)], capture_output=True, text=True, **options)


def warps_of(path):
    return json.loads(path.read_text())["failure"]["warps"]


def expect_live(core, text, warps):
    """Warp 0 goes round its jump, warp 1 waits for it."""
    where = r"\(sm 0 slot {0}, last heard of in cycle \d+\): 0x{1:08x} <{2}\+0x0>  {3}, mask [0-9a-f]+, stack empty\n"
    block = (r"\n  warps     workgroup 0 warp 0 " + where.format(0, CODE + 12, "spin", r"jal x0, 0x8000000c") +
             r"              loops over 0x8000000c <spin\+0x0>: 1 instruction a turn, at least 64 turns so far\n"
             r"            workgroup 0 warp 1 " + where.format(1, CODE + 16, "wait", "barrier 0") +
             r"              waits at a barrier: of workgroup 0 warp 1 arrived, warp 0 missing\n")
    expect(core, re.search(block, text), "no blocks of both warps:\n" + text)
    expect(core, [w["warp"] for w in warps] == [0, 1] and [w["symbol"] for w in warps] == ["spin", "wait"] and
           warps[0]["loop"] == {"first": CODE + 12, "last": CODE + 12, "instructions": 1, "turns": 64} and
           warps[1]["barrier"] == {"arrived": [1], "missing": [0]} and "barrier" not in warps[0], warps)


def at_limit(core, karat, live, folder):
    out, ktr = folder / "limit.json", folder / "limit.ktr"
    done = run(core, f"+kernel={live}", "+max-cycles=6000", f"+json={out}", f"+record={ktr}")
    expect(core, done.returncode == 5 and "cycle limit: 0 of 2 warps" in done.stdout, done)
    expect_live(core, done.stdout, warps_of(out))
    again = run(karat, "check", ktr)
    expect(core, (again.returncode, again.stdout) == (5, done.stdout), "karat check:", again)


def on_terminal(core, live):
    """A line of progress, over itself, which is gone before anything else is written."""
    seen = watch([core, f"+kernel={live}"], r"cycle \d+: live, workgroup 0 of 1, \d+ instructions\x1b\[K")
    if seen:
        status, out, text = seen
        expect(core, status == 5 and re.search(r"\x1b\[K\r\x1b\[K[^\r]*ended by SIGINT", text) and "cycle limit" not in out, text)


def threads_of(core, live, processors, *plusargs):
    """Of a run that goes on, on so many processors, once it has begun."""
    process = subprocess.Popen([core, f"+kernel={live}", *plusargs], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: os.sched_setaffinity(0, processors))
    stat = pathlib.Path(f"/proc/{process.pid}/stat")
    while process.poll() is None and int(stat.read_text().rpartition(")")[2].split()[11]) < 10:
        time.sleep(0.02)
    threads = len(list(pathlib.Path(f"/proc/{process.pid}/task").iterdir()))
    process.kill()
    process.wait()
    return threads


def with_thread(core, live):
    """The checker has a thread of its own where it may use two processors, or as it is told."""
    may = sorted(os.sched_getaffinity(0))
    one = threads_of(core, live, may, "+checker-thread=0")
    expect(core, threads_of(core, live, may[:1], "+checker-thread=1") == one + 1, "+checker-thread=1")
    expect(core, threads_of(core, live, may[:1]) == one and threads_of(core, live, may[:2]) == one + (len(may) > 1), "the default")


def at_signal(core, karat, live, folder, number):
    """The signal comes when some of the recording is on disk."""
    files = {name: folder / f"{number}.{name}" for name in ("json", "ktr", "cov")}
    process = subprocess.Popen([core, f"+kernel={live}", f"+json={files['json']}", f"+record={files['ktr']}",
                                f"+coverage={files['cov']}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not (files["ktr"].exists() and files["ktr"].stat().st_size > 4000):
        time.sleep(0.02)
    process.send_signal(number)
    out, err = process.communicate()
    name = signal.Signals(number).name
    expect(core, process.returncode == 5 and re.search(rf"^\S+: ended by {name} in cycle \d+$", err, re.M), process.returncode, out, err)
    expect(core, "karat: INCOMPLETE (ended early) " in out, out)
    expect_live(core, out, warps_of(files["json"]))
    expect(core, run(karat, "cov", "report", files["cov"]).returncode in (0, 1), "no coverage")
    again = run(karat, "check", files["ktr"])
    expect(core, (again.returncode, again.stdout) == (5, out), "karat check:", again)


def where_it_hangs(core, vectors, folder):
    want = json.loads((HERE / "expected_faults.json").read_text())["barrier_one_group"]
    out = folder / "hang.json"
    done = run(core, f"+kernel={vectors / want['program']}.elf", "+fault=barrier_one_group", "+seed=1", "+latency=2:20", f"+json={out}")
    warps = warps_of(out)
    expect(core, done.returncode == 3 and "\n  warps     " in done.stdout and len(done.stdout.splitlines()) <= 25, done)
    expect(core, warps and all(w.get("barrier", {"missing": []})["missing"] == [] for w in warps), warps)


def reruns(core, vectors, folder):
    """The options left out of the command, and its effects, from a separate folder."""
    mine = {name: folder / f"mine.{name}" for name in ("json", "ktr", "cov", "fst")}
    done = run(core, f"+kernel={vectors / 'alu_int.elf'}", "+fault=tie_if_first", "+seed=7", "+latency=2:20", "+max-cycles=400000",
               "+quiet", "+go-on", f"+json={mine['json']}", f"+record={mine['ktr']}",
               f"+coverage={mine['cov']}")
    report = json.loads(mine["json"].read_text())
    again = shlex.split(report["rerun"])
    expect(core, done.returncode == 1, done)
    for left in ("+quiet", "+go-on", "+json=", "+record=", "+coverage="):
        expect(core, not any(word.startswith(left) for word in again), left, "in", again)
    expect(core, {"+fault=tie_if_first", "+seed=7", "+latency=2:20", "+max-cycles=400000"} <= set(again), again)
    kept = mine["json"].read_bytes()
    (folder / "rerun").mkdir(exist_ok=True)
    shown = subprocess.run(again, capture_output=True, text=True, cwd=folder / "rerun")
    expect(core, shown.returncode == 1 and f"karat: MISMATCH: {report['failure']['kind']}\n" in shown.stdout, shown)
    where = r"where .*workgroup {workgroup} warp {warp} .*seq {seq},".format(**report["failure"]["where"])
    expect(core, re.search(where, shown.stdout), shown.stdout)
    expect(core, mine["json"].read_bytes() == kept and (folder / "rerun" / "karat.fst").exists(), "its files")


def field(args, folder):
    if not (args.field / "README.md").exists():
        print(f"{args.field}: absent, its inputs are left out")
        return
    for name in ("spin", "live"):
        elf, obj = folder / f"{name}.elf", folder / f"{name}.o"
        subprocess.run([args.clang, "-g", "-target", "riscv32", "-march=rv32ima_zfinx_zve32f", "-mno-relax", "-I", ROOT / "vectors", "-c",
                        args.field / f"{name}.S", "-o", obj], check=True)
        subprocess.run([args.lld, "-T", ROOT / "vectors" / "karat.ld", obj, "-o", elf], check=True)
        loop = {"spin": "loop", "live": "spin"}[name]
        for command, status in (([args.core[0], f"+kernel={elf}", "+max-cycles=6000"], 5),
                                ([args.karat, "run", elf, "--max-steps", "1000"], 5), ([args.karat, "run", elf], 3)):
            done = run(*command)
            expect(name, done.returncode == status, command, done)
            expect(name, re.search(rf"workgroup 0 warp 0.*: {name}\.S:\d+ in {loop}  0x8\S+ <{loop}\+0x", done.stdout) and
                   re.search(rf"\n +loops over 0x8\S+ <{loop}\+0x0>", done.stdout), done.stdout)
            text = {"spin": r"\n +stack of 1, on top: rpc 0x80000040 ", "live": "waits at a barrier: of workgroup 0 warp 1 arrived, warp 0 missing"}
            expect(name, re.search(text[name], done.stdout), done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", required=True, action="append", help="the core in a harness; several times: several")
    parser.add_argument("--karat", required=True)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    parser.add_argument("--field", required=True, type=pathlib.Path)
    parser.add_argument("--clang", required=True)
    parser.add_argument("--lld", required=True)
    args = parser.parse_args()
    args.vectors = args.vectors.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        code = [csrr(5, 0x805), bne(5, 0, 12), addi(6, 0, 1), JUMP_TO_ITSELF, BARRIER, ENDPRG]
        live = write_elf(folder / "live.elf", code, wg_size=2, symbols=[("start", CODE, 0), ("spin", CODE + 12, 4), ("wait", CODE + 16, 8)])
        cores = [str(pathlib.Path(core).resolve()) for core in args.core]
        for core in cores:
            own = folder / pathlib.Path(core).name
            own.mkdir()
            at_limit(core, args.karat, live, own)
            on_terminal(core, live)
            with_thread(core, live)
            for number in (signal.SIGINT, signal.SIGTERM):
                at_signal(core, args.karat, live, own, number)
        where_it_hangs(cores[0], args.vectors, folder)
        reruns(cores[0], args.vectors, folder)
        field(args, folder)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
