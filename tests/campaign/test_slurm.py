#!/usr/bin/python3
"""karat campaign on a Slurm of three nodes on this machine, one of which is killed in the middle, and then the command itself: the same
runs, failures and buckets as the local engine has, none lost and none twice. Skipped (77) where there is no Slurm, or not for root."""
import json
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import arguments
import cluster
import looks

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MOST, PURITY = 40, 0.95  # Buckets, and purity, of a campaign of 30 faults


def programs(args):
    """Of the default core: fault markers that one of its own programs shows, and those programs."""
    table = json.loads((ROOT / "tests" / "rtl" / "expected_faults.json").read_text())
    known = {name: want["program"] for name, want in table.items()
             if "core" not in want and "plusargs" not in want and (pathlib.Path(args.vectors) / f"{want['program']}.elf").exists()}
    names = random.Random(args.seed).sample(sorted(known), args.faults)
    return names, sorted({known[name] for name in names})


def write_plan(args, folder):
    """No run fails but by its fault: +hang is higher than any wait at a memory latency of 204 cycles, and no run comes to the cycle limit."""
    faults, names = programs(args)
    path = folder / "markers.json"
    path.write_text(json.dumps({
        "cores": [{"core": f"{args.core}={args.size}", "options": ["+hang=5000"]}], "seed": args.seed, "faults": faults, "runs": args.runs,
        "programs": [f"{args.vectors}/{name}.elf" for name in names], "timings": -(-args.runs // len(names)), "max-cycles": 2_000_000,
        "shrink": args.shrink,
        "check": {"program": f"{args.vectors}/alu_int.elf", "options": ["+fault=sra_logical"]}}))
    return path


def number_done(folder):
    try:
        return sqlite3.connect(f"file:{folder}/results.db?mode=ro", uri=True).execute("select count(*) from timings").fetchone()[0]
    except sqlite3.Error:
        return 0


def results(folder):
    """What both engines have to agree in."""
    db = sqlite3.connect(folder / "results.db")
    return (db.execute("select run, verdict, kind, instructions, records, cycles from runs order by run").fetchall(),
            db.execute("select run, bucket, apart from failures order by run").fetchall())


def start(args, plan, out, *options):
    log = open(out.with_suffix(".log"), "a", encoding="utf-8")
    return subprocess.Popen([args.karat, "campaign", plan, "-o", out, *options], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                            start_new_session=True)


def until(child, out, count):
    while child.poll() is None and number_done(out) < count:
        time.sleep(0.2)


def on_slurm(args, plan, out, folder):
    """The campaign, with a node lost after a quarter of the runs, and the command killed after half of them: the lines that say so."""
    nodes = cluster.Cluster(folder / "slurm")
    try:
        options = ("--engine", "slurm", "--shards", "6", "--jobs", "1")
        child = start(args, plan, out, *options)
        until(child, out, args.runs // 4)
        said = [f"node 2 killed after {number_done(out)} runs, with {nodes.kill_node(2)} processes"]
        until(child, out, args.runs // 2)
        child.send_signal(signal.SIGKILL)
        child.wait()
        said.append(f"the command killed after {number_done(out)} runs")
        child = start(args, plan, out, *options)
        status = child.wait()
        return said + [f"status {status}"]
    finally:
        nodes.close()


def on_this(args, plan, out):
    """The same on the local engine, killed once."""
    child = start(args, plan, out)
    until(child, out, args.runs // 2)
    child.send_signal(signal.SIGKILL)
    child.wait()
    killed = number_done(out)
    return [f"killed after {killed} runs", f"status {start(args, plan, out).wait()}"]


def judge(args, local, slurm):
    """What is not as it has to be."""
    wrong = []
    here, there = results(local), results(slurm)
    for what, one, other in zip(("runs", "failures and buckets"), here, there):
        apart = [(a, b) for a, b in zip(one, other) if a != b]
        if apart or len(one) != len(other):
            wrong.append(f"{what}: {len(one)} and {len(other)}, {len(apart)} differ, first {apart[:1]}")
    if len(here[0]) != args.runs or any(row[1] is None for row in here[0]):
        wrong.append(f"{len(here[0])} of {args.runs} runs")
    db = sqlite3.connect(local / "results.db")
    failed = db.execute("select count(*) from runs where verdict != 'PASS'").fetchone()[0]
    if not failed or failed != len(here[1]) or any(row[1] is None for row in here[1]):
        wrong.append(f"{failed} runs failed, {len(here[1])} failures, some without a bucket")
    wrong += [f"{folder}: no page" for folder in (local, slurm) if not (folder / "index.html").exists()]
    row = db.execute("select value from campaign where key = 'quality'").fetchone()
    quality = json.loads(row[0]) if row else {"buckets": MOST + 1}
    if quality["buckets"] > MOST or quality["purity"] < PURITY:
        wrong.append(f"quality {quality}")
    return wrong


def main():
    parser = arguments.parser(__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--faults", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shrink", type=int, default=0, help="seconds (0)")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the campaigns")
    args = parser.parse_args()
    why = cluster.missing()
    if why:
        print(f"test_slurm: skipped: {why}")
        return 77
    print(f"test_slurm: {args.runs} runs, {args.faults} faults, seed {args.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="karat-slurm-") as own:
        folder = args.keep or pathlib.Path(own)
        if args.keep and args.keep.exists():
            shutil.rmtree(args.keep)
        folder.mkdir(exist_ok=True)
        plan = write_plan(args, folder)
        local, slurm = folder / "local", folder / "on-slurm"
        print("local: " + ", ".join(on_this(args, plan, local)), flush=True)
        print("slurm: " + ", ".join(on_slurm(args, plan, slurm, folder)), flush=True)
        wrong = judge(args, local, slurm)
        why = looks.missing() or wrong
        if why:
            print(f"test_slurm: the page is not looked at: {why}")
        else:
            wrong += looks.look(local.absolute() / "index.html", 1, folder.absolute())
        print(subprocess.run([args.karat, "campaign", "query", slurm], capture_output=True, text=True).stdout)
        for line in wrong:
            print(f"test_slurm: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
