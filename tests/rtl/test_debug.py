#!/usr/bin/python3
"""karat debug check on recordings of ingot: one with a fault leads to the faulty instruction, by commands and by going back; one without has the
core's registers beside the model's, equal."""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--core", required=True, type=pathlib.Path)
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--vectors", required=True, type=pathlib.Path)
args = parser.parse_args()
failures = 0


def check(good, what, *more):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what, *(str(m)[:3000] for m in more))


def debug(trace, commands):
    done = subprocess.run([args.karat, "debug", "check", trace, "--batch", commands], capture_output=True, text=True)
    return done.returncode, done.stdout


with tempfile.TemporaryDirectory() as folder:
    trace = pathlib.Path(folder) / "run.ktr"
    program = args.vectors / "simt_nested.elf"
    # A wrong mask on the SIMT stack
    subprocess.run([args.core, f"+kernel={program}", "+fault=merge_mask", f"+record={trace}"], capture_output=True)
    status, out = debug(trace,
                        "continue; report; why v5 3; core v5[3] mask v6; hash; reverse-step; hash; goto 100; continue; hash; catch diverge; rc; "
                               "simt")
    check(status == 0, "the batch", status, out)
    check(re.search(r"^position \d+: mismatch: karat: MISMATCH: wrong SIMT outcome$", out, re.M), "it stops at the mismatch", out)
    named = re.search(r"^  at +(0x\w+) <\S+>  (vb\w+)", out, re.M)
    check(named, "the report names the branch", out)
    check(re.search(r"^v5 by position \d+ .*vand\.vi v5, v1, 4$", out, re.M), "why", out)
    check(re.search(r"^v5\[3\]. 0x00000004 .*core 0x00000004$", out, re.M), "core", out)
    check(re.search(r"^mask .*core: not reported$", out, re.M), "no core's value of the mask", out)
    states = re.findall(r"^state (\w+) at position (\d+)$", out, re.M)
    check(len(states) == 3 and states[0] == states[2] and states[0][0] != states[1][0], "states", states)
    # The step before is back at the branch
    last = out.rsplit("(karat) rc", 1)[-1]
    check(re.search(r"stop 1, catch diverge: diverge", last) and named and "entries, the top one first" in last, "back to the divergence", last)
    # By gdb the place is found as well
    if shutil.which("gdb-multiarch"):
        socket, script = pathlib.Path(folder) / "gdb", pathlib.Path(folder) / "script"
        script.write_text(f"set pagination off\nset width 0\ntarget remote {socket}\nmonitor catch mismatch\ncontinue\nmonitor report\n"
                          "monitor why v5 3\nmonitor core v5[3]\nreverse-continue\nreverse-continue\np $pc\ndetach\n")
        server = subprocess.Popen([args.karat, "debug", "check", trace, f"--socket={socket}"], stdout=subprocess.PIPE, text=True)
        server.stdout.readline()
        done = subprocess.run(["gdb-multiarch", "-q", "-nx", "-batch", "-x", script, program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        check(server.wait() == 0, "gdb: the server's status")
        server.stdout.close()
        for pattern in (r"catch mismatch: mismatch: karat: MISMATCH", re.escape(named[0]) if named else "?", r"v5 by position .* v5, v1, 4",
                        r"v5\[3\].*core 0x00000004", r"No more reverse-execution history", r"<_start>"):
            check(re.search(pattern, done.stdout), "gdb: no", pattern, done.stdout)
    else:
        print("gdb: skipped, gdb-multiarch is not installed")
    # The warp that the report is of, not that of the record by which it was found
    other = pathlib.Path(folder) / "other.ktr"
    subprocess.run([args.core, f"+kernel={args.vectors / 'private.elf'}", "+fault=barrier_early", f"+record={other}"], capture_output=True)
    status, out = debug(other, "continue; report")
    stop = re.search(r"mismatch: .*\nthread \d+: (workgroup \d+ warp \d+)", out)
    report = re.search(r"^  where +(workgroup \d+ warp \d+)", out, re.M)
    check(stop and report and stop[1] == report[1], "the warp at fault is selected", out)
    # Nothing wrong: whatever the core has reported is the model's
    subprocess.run([args.core, f"+kernel={program}", f"+record={trace}"], capture_output=True)
    registers = " ".join(f"v{i}" for i in range(1, 12))
    status, out = debug(trace, f"goto 900; core {registers}; warp 1; core {registers}; report; continue; rc")
    values = re.findall(r"  core (0x\w+)( +differs)?$", out, re.M)
    check(status == 0 and len(values) > 40 and not any(differs for _, differs in values), "the core's values", status, len(values), out)
    check("no mismatch has been found so far" in out and "karat: PASS core=ingot" in out, "the end", out)
    status, out = debug(trace, "goto 900; lanes v3[31]")
    check(status == 2 and "the warp has no lane 31" in out, "a lane that the core has not", status, out)
    # On the core itself the debugger does so, before its process ends
    def live(commands, *more):
        done = subprocess.run([args.core, f"+kernel={program}", f"+debug={commands}", *more], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    status, out, err = live("continue; report; hash; reverse-step; hash; goto 100; hash; continue; hash", "+fault=merge_mask")
    check(status == 0 and not err and "mismatch: karat: MISMATCH: wrong SIMT outcome" in out, "a live core stops at the mismatch", status, out, err)
    live_states = re.findall(r"^state (\w+) at position (\d+)$", out, re.M)
    check(len(live_states) == 4 and live_states[0] == live_states[3] and live_states[0] == states[0] and live_states[1] == states[1],
          "states of a live core are those of its recording", live_states, states)
    status, out, err = live("catch diverge; continue; delete; goto 100000000; rc")
    check(status == 0 and not err and "karat: PASS core=ingot" in out, "a live core runs to its end", status, out, err)
    check(live("frobnicate")[0] == 2 and live("hash", f"+record={trace}")[0] == 2 and live("hash", "+debug-port=0")[0] == 2,
          "bad commands and options")
    # A damaged recording is refused in one line
    trace.write_bytes(trace.read_bytes()[:40])
    done = subprocess.run([args.karat, "debug", "check", trace, "--batch", "c"], capture_output=True, text=True)
    check(done.returncode == 2 and done.stderr.count("\n") == 1 and not done.stdout, "a damaged trace", done)
sys.exit(failures != 0)
