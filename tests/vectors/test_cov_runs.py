#!/usr/bin/python3
"""Coverage of one program by karat run, in lockstep and by karat check: the same bins, the last two the same bytes.

What timing decides is left out where the model alone is compared: how far apart warps come to a barrier, and whether a warp gets a
handle that was used before.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from checks import check, end, one_line, run

PROGRAMS = ("vecadd", "atomics", "barrier_lds", "csr_ops", "few_threads", "fp_exp", "lmul2", "multi_wg", "regpair", "simt_nested", "vsetvl")
TIMED = {"barrier": "apart", "launch": "handle"}  # The axis of each of these groups

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--core", required=True, type=pathlib.Path)
parser.add_argument("--threads", required=True, type=int, help="of the core")
parser.add_argument("--warps", required=True, type=int, help="slots of the core")
parser.add_argument("--vectors", required=True, type=pathlib.Path)
parser.add_argument("--seed", type=int, default=1, help="of the random programs (1)")
args = parser.parse_args()


def hits(path):
    """Hits by group and names, without what timing decides."""
    done = run(args.karat, "cov", "report", "--format=json", "--hits", path)
    check(done.returncode == 0, path, done)
    counts = {}
    for group in json.loads(done.stdout)["groups"]:
        for names, times in group["hits"]:
            key = (group["name"], *(n for axis, n in zip(group["axes"], names) if axis != TIMED.get(group["name"])))
            counts[key] = counts.get(key, 0) + times
    return counts


with tempfile.TemporaryDirectory() as name:
    here = pathlib.Path(name)
    alone, live, again, trace = (here / file for file in ("alone.json", "live.json", "again.json", "run.ktr"))
    print(f"random programs: seeds from {args.seed}")
    kinds = json.loads(run(args.karat, "gen", "--kinds").stdout)
    del kinds["units"]["sfu"]  # Whose exponentials are the core's own, and values that follow from them, too
    (here / "weights.json").write_text(json.dumps(kinds))
    done = run(args.karat, "gen", "random", "--count=2", f"--seed={args.seed}", "--length=1000", f"--threads={args.threads}", "--warps=4",
               "--vgprs=1024", f"--weights={here / 'weights.json'}", f"--output={here}")
    check(done.returncode == 0, done)
    programs = [args.vectors / f"{name}.elf" for name in PROGRAMS] + sorted(here.glob("*/program.elf"))
    for program in programs:
        done = run(args.karat, "run", f"--threads={args.threads}", f"--warps={args.warps}", f"--coverage={alone}", program)
        check(done.returncode == 0, program, done)
        lockstep = run(args.core, f"+kernel={program}", f"+coverage={live}", f"+record={trace}")
        plain = run(args.core, f"+kernel={program}")
        judged = run(args.karat, "check", f"--coverage={again}", trace)
        check(lockstep.returncode == plain.returncode == judged.returncode == 0 and lockstep.stdout == plain.stdout == judged.stdout,
              program, "the verdict is the same with coverage", lockstep, plain, judged)
        check(live.read_bytes() == again.read_bytes(), program, "karat check covers what the run did")
        theirs, ours = hits(alone), hits(live)
        check(theirs == ours, program, "in lockstep other bins than on the model alone:",
              [(key, theirs.get(key, 0), ours.get(key, 0)) for key in sorted(theirs.keys() | ours) if theirs.get(key, 0) != ours.get(key, 0)][:10])
    # Up to a failure, too.
    program = args.vectors / "simt_nested.elf"
    done = run(args.core, f"+kernel={program}", f"+coverage={live}", f"+record={trace}", "+fault=tie_if_first")
    judged = run(args.karat, "check", f"--coverage={again}", trace)
    check(done.returncode == judged.returncode == 1 and live.read_bytes() == again.read_bytes(), "a run that fails", done, judged)
    check("+coverage" not in done.stdout and "+fault=tie_if_first" in done.stdout, "the rerun command writes no coverage", done)
    steps = json.loads(live.read_text())["steps"]
    check(0 < steps <= int(done.stdout.rpartition("instructions=")[2].split()[0]), "steps", steps)
    # Bad input.
    kernel = f"+kernel={program}"
    one_line(2, "cannot be written", run(args.core, kernel, f"+coverage={here}/none/x"))
    one_line(2, "no steps of the model", run(args.core, kernel, f"+coverage={live}", "+no-check"))
    one_line(2, "named as an output and for another purpose", run(args.core, kernel, f"+coverage={live}", f"+record={live}"))
    one_line(2, "expected +coverage=", run(args.core, kernel, "+coverage"))
    one_line(2, "named as an output and for another purpose", run(args.karat, "check", "--quiet", f"--coverage={trace}", trace))
    one_line(2, "named as an output and for another purpose", run(args.karat, "check", "--quiet", f"--coverage={live}", f"--json={live}", trace))
    done = run(args.karat, "check", "--quiet", f"--coverage={here}/none/x", trace)
    check(done.returncode == 2 and "none/x: cannot be written" in done.stderr, "check", done)
    (here / "cut.ktr").write_bytes(trace.read_bytes()[:len(trace.read_bytes()) // 8])
    done = run(args.karat, "check", "--quiet", f"--coverage={again}", here / "cut.ktr")
    check(done.returncode == 2 and "not written: no warp was launched" in done.stderr, "no launch", done)
    # JSON and coverage: both or neither, of a check, of a run in lockstep, of one on the model alone.
    report, folder = here / "report.json", here / "folder"
    folder.mkdir()
    for commands, there in (([[args.karat, "check", "--quiet", "--json={json}", "--coverage={cov}", here / "cut.ktr"]], True),
                            ([[args.karat, "check", "--quiet", "--json={json}", "--coverage={cov}", trace],
                              [args.core, kernel, "+json={json}", "+coverage={cov}"],
                              [args.karat, "run", "--json={json}", "--coverage={cov}", program]], False)):
        for command in commands:
            for json_file, cov_file in ([(report, live)] if there else [(report, folder), (folder, live), (here / "none/x", live)]):
                report.write_text("as it was")
                live.write_text("as it was")
                done = run(*(str(word).format(json=json_file, cov=cov_file) for word in command))
                # A command that has begun leaves neither, nor what was there; one that is refused touches nothing.
                kept = ["as it was" if not there else None] * 2
                check(done.returncode == 2 and done.stderr.count("\n") == 1 and
                      [f.read_text() if f.exists() else None for f in (report, live)] == kept and
                      not list(here.glob(".karat-*")), "both or neither", json_file, cov_file, done)
    check([*folder.iterdir()] == [], "nothing in the folder")
    for command in ([args.karat, "check", "--quiet", f"--json={report}", f"--coverage={live}", trace],
                    [args.core, kernel, f"+json={report}", f"+coverage={live}"],
                    [args.karat, "run", f"--json={report}", f"--coverage={live}", program]):
        report.unlink(missing_ok=True)
        live.unlink(missing_ok=True)
        run(*command)
        check("karat-coverage" in live.read_text() and json.loads(report.read_text()), "both", command)
    # A pipe stays one, and gets what a file would.
    pipe = here / "pipe"
    os.mkfifo(pipe)
    for option, file in (("--coverage", live), ("--json", report)):
        run(args.karat, "run", f"{option}={file}", program)
        reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True)
        done = run("timeout", "20", args.karat, "run", f"{option}={pipe}", program)
        reader.terminate() if done.returncode else None
        check(done.returncode == 0 and pipe.is_fifo() and reader.communicate()[0] == file.read_text(), "a pipe", option, done)
    # Nothing over what is read, or over what else is written.
    own = here / "own.elf"
    for outputs in ((f"--json={own}",), (f"--coverage={own}",), (f"--trace={own}",), (f"--json={report}", f"--trace={report}"),
                    (f"--coverage={report}", f"--json={report}")):
        own.write_bytes(program.read_bytes())
        report.write_text("as it was")
        one_line(2, "named as an output and for another purpose", run(args.karat, "run", *outputs, own))
        check(own.read_bytes() == program.read_bytes() and report.read_text() == "as it was", outputs)
print(f"{len(programs)} programs")
sys.exit(end())
