#!/usr/bin/python3
"""karat campaign with fuzz: programs that are made of those which reach something first; the same when killed and gone on with; faults."""
import collections
import json
import os
import signal
import subprocess
import sys
import tempfile

import arguments
import test_campaign

import counters  # Of cli/rtl, by the path of rtl_points

FUZZ = {"generations": 4, "runs": 3, "candidates": 2}
FAULT = "result_mask_low"
SLURM = {  # Its commands, with tasks that run at once; all of them are said to be alive
    "sbatch": """for word; do case $word in --array=*) tasks=${word#*=} ;; --wrap=*) wrap=${word#*=} ;; esac; done
for task in $(echo $tasks | tr , ' '); do SLURM_ARRAY_TASK_ID=$task sh -c "$wrap" > /dev/null 2>&1 & done
echo 1""",
    "squeue": "seq 0 9", "scancel": "exit 0"}


def plan(t, name, **more):
    """Half of the runs have a fault; those make no parents."""
    return t.plan(name, **{"cores": [{"core": f"{t.args.core}={t.args.size}", "options": ["+hang=5000"]}], "programs": [], "timings": 1, "shrink": 0,
                           "random": {"length": 80}, "faults": ["", FAULT], "fuzz": FUZZ, **more})


def rows(folder, sql):
    return test_campaign.sqlite3.connect(folder / "results.db").execute(sql).fetchall()


def corpus(folder):
    """What has to be the same however a campaign got there."""
    files = {path.name: path.read_bytes() for path in (folder / "programs").glob("fuzz-*.elf")}
    return test_campaign.results(folder), rows(folder, "select * from corpus order by run"), files


def words(t, file):
    listing = subprocess.run([t.args.karat, "disasm", file], capture_output=True, text=True, check=True).stdout
    return collections.Counter(line.split("  ", 1)[1] for line in listing.splitlines() if "  " in line)


def test_steered(t, out):
    """The corpus is what runs by hand reach first; later programs have most of their instructions of passing ones in it."""
    hit, first = set(), {}
    for run, file, plusargs in rows(out, "select run, file, plusargs from runs order by run"):
        data = t.folder / "by-hand.rtl"
        subprocess.run([t.args.core, f"+kernel={file}", f"+rtl-coverage={data}", "+continue", *json.loads(plusargs)], stdout=subprocess.DEVNULL)
        own = {point for point, count in counters.read(data).items() if count}
        first[run] = len(own - hit)
        hit |= own
    stored = dict(rows(out, "select run, points from corpus"))
    t.check({run: n for run, n in stored.items() if n} == {run: n for run, n in first.items() if n}, f"corpus {stored}, by hand {first}")
    found = rows(out, "select run, file, program, verdict, run in (select run from corpus) from runs order by run")
    of = {file: words(t, file) for _, file, *_ in found}
    alike = []
    for run, file, program, _, _ in found:
        number = int(program[5:].split(".")[0])
        before = [row[1] for row in found if int(row[2][5:].split(".")[0]) < number and row[3] == "PASS" and row[4]]
        alike.append((number, max([(of[file] & of[one]).total() / of[file].total() for one in before], default=0)))
    mutants = [share for number, share in alike if number > 1 and share > 0.8]
    t.check(len(mutants) >= FUZZ["runs"] and any(share <= 0.8 for _, share in alike), f"programs of later generations: {alike}")


def test_tasks(t, path, whole):
    """Tasks of Slurm make the same runs, generation by generation."""
    (t.folder / "bin").mkdir()
    for name, text in SLURM.items():
        t.script(f"bin/{name}", text)
    out = t.folder / "tasks"
    done = subprocess.run(t.command(path, out, "--engine=slurm", "--shards=2", "--jobs=1"), capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{t.folder}/bin:{os.environ['PATH']}"})
    t.check(done.returncode == 1 and "12 of 12 runs" in done.stdout, "tasks", done.stdout + done.stderr)
    t.check(len(list((out / "shards").iterdir())) == FUZZ["generations"], "shards of each generation")
    t.check(corpus(out) == corpus(whole), "tasks: another corpus", f"{corpus(out)[:2]}\n{corpus(whole)[:2]}")


def test_compared(t, whole, other):
    """The program of a run is that of its campaign alone: where it passes in another one, no bucket is flaky."""
    with test_campaign.sqlite3.connect(other / "results.db") as db:
        db.execute("update runs set verdict = 'PASS' where run = (select max(run) from failures)")
    done = t.karat("compare", whole, other)
    t.check(done.returncode == 0 and "still" in done.stdout and "flaky" not in done.stdout, "compared", done.stdout + done.stderr)


def test_refused(t):
    """Plans that fuzz nothing, in one line."""
    for name, more, said in (("none", {"fuzz": {}}, 'fuzz: "generations": expected a number from 1'),
                             ("key", {"fuzz": {"rounds": 3}}, 'fuzz: unknown key "rounds"'),
                             ("blind", {"cores": [{"core": t.args.without}]}, "does not count RTL coverage")):
        done = t.karat(plan(t, name, **more), "-o", t.folder / name)
        t.check(done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1, name, done.stdout + done.stderr)


def main():
    parser = arguments.parser(__doc__.splitlines()[0])
    parser.add_argument("--without", required=True, type=os.path.abspath, help="a core that does not count")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="karat-fuzz-") as folder:
        t = test_campaign.Test(args, folder)
        path, whole, killed = plan(t, "plan"), t.folder / "whole", t.folder / "killed"
        done = t.karat(path, "-o", whole)
        t.check(done.returncode == 1 and "12 of 12 runs" in done.stdout and "by fuzz" in done.stdout, "whole", done.stdout + done.stderr)
        faults = {fault for fault, in rows(whole, "select fault from failed")}
        t.check(faults == {FAULT}, f"failures of {faults}")
        t.check(len(rows(whole, "select * from buckets")) > 0 and "first at points" in (whole / "index.html").read_text(), "page")
        test_steered(t, whole)
        status = test_campaign.interrupted(t, path, killed, signal.SIGKILL)
        done = t.karat(path, "-o", killed)
        t.check(status == -signal.SIGKILL and "resumed: " in done.stdout, f"killed: {status}", done.stdout + done.stderr)
        t.check(corpus(killed) == corpus(whole), "killed: another corpus", f"{corpus(killed)[:2]}\n{corpus(whole)[:2]}")
        test_tasks(t, path, whole)
        test_compared(t, whole, killed)
        test_refused(t)
    print(f"{t.checks} checks, {t.failures} failed")
    return 1 if t.failures else 0


if __name__ == "__main__":
    sys.exit(main())
