#!/usr/bin/python3
"""karat debug: a transcript of commands on a program with divergence, local and private memory (steps.transcript); the same state at
every position however it is come by; errors in one line; and the same by gdb, where gdb-multiarch is installed."""
import argparse
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--karat", required=True, type=pathlib.Path)
parser.add_argument("--vectors", required=True, type=pathlib.Path)
parser.add_argument("--write", action="store_true", help="write the transcript instead of comparing it")
parser.add_argument("--only", choices=("commands", "positions", "pairs", "writes", "input_files", "gdb_that_ends", "errors", "gdb"))
args = parser.parse_args()
here = pathlib.Path(__file__).resolve().parent
failures = 0
SEED = int(os.environ.get("KARAT_SEED", "1"), 0)


def check(good, what, *more):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what, *(str(m)[:3000] for m in more))


def debug(source, *arguments, stdin=""):
    done = subprocess.run([args.karat, "debug", source, *map(str, arguments)], input=stdin, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


steps = args.vectors / "debug" / "steps.elf"
machine = ["--threads=8", "--resident=2"]


def commands():
    text = (here / "steps.commands").read_text()
    status, out, err = debug("run", steps, *machine, stdin=text)
    path = here / "steps.transcript"
    if args.write:
        path.write_text(out)
        return
    check(status == 0 and not err, "steps.commands", status, err)
    wanted = path.read_text()
    for number, (is_line, line) in enumerate(zip(out.splitlines(), wanted.splitlines()), 1):
        if is_line != line:
            check(False, f"steps.transcript, line {number}", f"\n  is     {is_line}\n  wanted {line}")
            break
    check(out.count("\n") == wanted.count("\n"), "steps.transcript has another number of lines")
    # A store to the word that leaves the byte as it is
    status, out, _ = debug("run", steps, *machine, "--batch", "watch out+1,1; continue; delete; goto 0; watch out,1; continue")
    check(status == 0 and re.search(r"position \d+: the run has ended(.|\n)*stop 2, watch out,1: lane 0: 4 bytes", out), "a byte is watched", out)
    # A batch is the same
    batch = debug("run", steps, *machine, "--batch", ";".join(text.splitlines()[:12]))
    check(batch[0] == 0 and wanted.startswith(batch[1]), "--batch", batch)


def halves():
    """In profile public a lane's 16-bit floats are shown, the lower one first; the last register of a matrix has the product as its origin."""
    going = ";".join(["watch v26[5]"] + ["continue"] * 4 + ["lanes v26", "why v23 31", "where"])
    status, out, err = debug("run", args.vectors / "public" / "matmul_gelu.elf", "--threads=32", "--batch", going)
    check(status == 0 and not err, "halves", status, out, err)
    lanes = re.findall(r"^v26\[\d+\]  (0x[0-9a-f]{8})  \S+  (\S+)  f16 (\S+) (\S+)  bf16 (\S+) (\S+)$", out, re.M)
    check(len(lanes) == 32 and len({lane[0] for lane in lanes}) > 16, "halves: lanes", out)
    for word, *numbers in lanes:
        raw = int(word, 16).to_bytes(4, "little")
        wanted = [*struct.unpack("<f", raw), *struct.unpack("<2e", raw), *(struct.unpack("<f", b"\0\0" + raw[k:k + 2])[0] for k in (0, 2))]
        check(numbers == [f"{value:g}" for value in wanted], "halves: numbers", word, numbers, wanted)
    check("mma.m16n16k16.row.row.f32.f16.f16.f32 v16, v4, v8" in out, "halves: origin", out)


def positions():
    """Walks over a run with many snapshots: one state for each position."""
    program = args.vectors / "bench" / "loop_alu.elf"
    draw = random.Random(SEED)
    print(f"positions: seed {SEED}")
    places = [draw.randrange(1, 700000) for _ in range(12)]
    walk = []
    for p in places + draw.sample(places, len(places)):
        walk.append(f"goto {p}")
        walk.append("hash")
        if draw.random() < 0.5:
            n = draw.randrange(1, 3000)
            walk += [f"step {n}", "hash", f"reverse-step {n}", "hash", f"goto {p}", "hash"]
    walk += ["goto 1000000", "hash", "catch diverge", "reverse-continue", "hash"]
    status, out, err = debug("run", program, "--snapshots=6", stdin="\n".join(walk))
    states = {}
    num = 0
    for state, position in re.findall(r"^state (\w+) at position (\d+)$", out, re.M):
        num += 1
        check(states.setdefault(position, state) == state, f"the state at position {position} differs")
    check(status == 0 and not err, "positions", status, err)
    check(num == walk.count("hash") and len(states) > len(places), "positions: hashes", num, len(states))
    check(len(set(states.values())) > len(places), "all states are alike")
    # Many steps back at once, of which one snapshot has more than are remembered
    once, status = [], 0
    for steps_back in (["reverse-step 1000"] * 5, ["reverse-step 5000"]):
        status, out, _ = debug("run", program, "--snapshots=2", stdin="\n".join(["goto 600000", *steps_back, "hash"]))
        once.append(out.splitlines()[-1])
    check(status == 0 and "state" in once[0] and once[0] == once[1], "5 times 1000 steps back, and 5000", once)


# One stop of each kind, with places at the same event, at the one after it, and at the one before it (steps.S: branch, odd, store, local, own).
KINDS = ["break store", "break store+4", "break odd", "break local+4", "tbreak odd+4", "watch out+4", "rwatch out+4", "awatch out+4", "watch v3[1]",
         "watch mask", "watch lds:0x70000004", "awatch lds:0x70000004", "watch private[2]:8", "catch diverge", "catch reconverge", "catch barrier",
         "catch release", "catch launch", "catch end"]


def visited(stops, going):
    """The positions at which the run stops with these, with the reasons' lines."""
    away = "goto 1000000;" if going == "reverse-continue" else "goto 0;"
    status, out, err = debug("run", steps, "--threads=8", "--resident=1", "--batch", ";".join(["warp 1", *stops, away, *[going] * 20]))
    lines = out.split(f"(karat) {going}\n")[1:]
    found = [re.match(r"position (\d+): (?!the run)(.*)", line) for line in lines]
    check(lines and (not found[-1] or any(s.startswith("tbreak") for s in stops)), f"{stops}: 20 times {going} are enough", out, err)
    return [(int(f[1]), f[2]) for f in found if f]


def pairs():
    """Two stops stop where each of them does alone, in both directions, and each place names all that are there."""
    alone = {}
    for going in ("continue", "reverse-continue"):
        for kind in KINDS:
            alone[kind] = dict.fromkeys(p for p, _ in visited([kind], going))
            check(alone[kind], f"{kind}: no place, {going}")
        for i, a in enumerate(KINDS):
            for b in KINDS[i + 1:]:
                wanted = sorted({*alone[a], *alone[b]}, reverse=going != "continue")
                found = visited([a, b], going)
                check([p for p, _ in found] == wanted, f"{a} and {b}, {going}", [p for p, _ in found], wanted)
                for position, line in found:
                    numbers = set(re.findall(r"stop (\d)", line)) | set(re.findall(r"also stop (\d)", line))
                    check(numbers == {n for n, kind in (("1", a), ("2", b)) if position in alone[kind]}, f"{a} and {b}, {going}", line)


def writes():
    """Writes are a branch of the run: made again on each way there, and dropped, which is said, on the way back to before them."""
    def run(batch):
        status, out, err = debug("run", steps, *machine, "--snapshots=6", "--batch", batch)
        check(status == 0 and not err, batch, status, out, err)
        return out

    plain = run("goto 1000; x/4w out; hash")
    to_branch = "break branch; continue; delete; "
    change = "set v30[0] = 77; set x9 = -1; set lds:0x70000010,2 0x1234; set private[2]:8 5; hash; "
    out = run(to_branch + change + "writes; x/1w lds:0x70000010; x/1w private[2]:8; lanes x9 v30[0]; goto 1000; x/4w out; hash; "
              "goto 69; hash; goto 1000; hash; goto 36; writes; goto 1000; x/4w out; hash")
    for line in ("position 69, thread 1: v30 (lanes 00000001) = 0000004d", "position 69, thread 1: x9 = ffffffff",
                 "position 69, thread 1: lds:0x70000010 = 34 12", "position 69, thread 1: private[2]:0x00000008 = 05 00 00 00",
                 "0x70000010: 00001234", "0x00000008: 00000005", "x9 0xffffffff  -1", "v30[0]  0x0000004d  77",
                 "position 164, after 4 writes: the run has ended: steps: done", "0x90000000: 000000b1 00000003 00000066 00000009",
                 "position 69, after 4 writes: arrived", "position 36: arrived", "dropped: 4 writes after this position", "no writes",
                 "0x90000000: 00000064 00000003 00000066 00000009"):
        check(re.search("^" + re.escape(line), out, re.M), "writes", line, out)
    states = re.findall("^state (\\w+) at", out, re.M)
    last = re.findall("^state (\\w+) at", plain, re.M)[0]
    check(len(states) == 5 and states[0] == states[2] and states[1] == states[3] and
          states[1] != states[4] == last, "states of branches", states, last)
    # Every command that goes back over a write drops it, and one that comes to its place does not
    for back, kept in (("reverse-step", False), ("step 3; reverse-step 3", True), ("step 3; reverse-continue", False),
                       ("goto 69", True), ("goto 68", False)):
        out = run(to_branch + "set x9 = 3; " + back + "; writes")
        check(("no writes" in out) != kept and ("dropped: 1 write after" in out) != kept, f"writes: {back}", out)
    # A write is the producer of a value, if no instruction has written the register since
    out = run(to_branch + "set v30[0] = 77; why v30 0; break store; continue; why v3 0; why v3 1")
    check(out.count("v30 was written to by the user at position 69") == 2, "why", out)
    # Without blanks, and the least value that fits
    out = run("set x9=-2147483648; set out,1= -128; lanes x9; x/1b out")
    check("x9 0x80000000" in out and re.search("^0x90000000: 80", out, re.M), "set", out)
    # Text that was printed after a write is printed again, and a watchpoint does not stop at the user's write
    out = run(to_branch + "watch out+4; set out+4 = 0x99; continue; reverse-continue; reverse-continue")
    check("old 0x00000099  new 0x00000003" in out and out.count("by the next instruction") == 1, "a watchpoint after a write", out)
    for line, wanted in (("set x0 = 1", "cannot be written: expected x1"), ("set pc = 4", "cannot be written"), ("set mask = 1", "cannot be written"),
                         ("set x5", "and a value that fits"), ("set x5 = 0x100000000", "a value that fits"),
                         ("set x5 = -2147483649", "a value that fits"), ("set out,1 = -129", "a value that fits"),
                         ("set out,1 = 256", "a value that fits"),
                         ("set out,3 = 1", "expected 1, 2 or 4 bytes"), ("set 0x10 = 1", "not mapped"), ("set v3[8] = 1", "no lane 8"),
                         ("set nowhere = 1", "no address and no symbol")):
        status, out, _ = debug("run", steps, *machine, "--batch", line + "; hash")
        check(status == 2 and wanted in out.splitlines()[-1], line, status, out)
    # By virtual address
    status, out, _ = debug("run", steps, *machine, "--sv39=3", "--batch", "set out+4 = 0x99; x/2w out; goto 1000; x/2w out")
    check(status == 0 and "00000000 00000099" in out and out.endswith("00000064 00000003\n"), "writes by virtual address", out)


def input_files():
    """Commands of a file are read once, also after the run has gone back; so is a file that gdb's run has as standard input."""
    text = "break odd\ncontinue\nreverse-step\nstep 3\nreverse-continue\ngoto 5\nhash\nquit\n"
    piped = debug("run", steps, *machine, stdin=text)
    with tempfile.TemporaryFile("w+") as file:
        file.write(text)
        file.seek(0)
        done = subprocess.run([args.karat, "debug", "run", steps, *machine], stdin=file, capture_output=True, text=True, timeout=60)
    check((done.returncode, done.stdout, done.stderr) == piped and piped[0] == 0 and "state " in piped[1], "commands of a file", done.stdout)


def gdb_that_ends():
    """A gdb that does not connect: its status, one line, and no process is left over."""
    for script, wanted in (("exit 1", 1), ("exit 0", 0), ("kill -9 $$", -9)):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "gdb-multiarch"
            path.write_text(f"#!/bin/sh\necho \"$@\" > {folder}/said\n{script}\n")
            path.chmod(0o755)
            done = subprocess.run([args.karat, "debug", "run", steps, *machine, "--gdb"], capture_output=True, text=True, timeout=60,
                                  env={"PATH": f"{folder}:/usr/bin:/bin"})
            said = (pathlib.Path(folder) / "said").read_text()
        check(done.returncode == wanted and done.stderr == "karat: gdb has ended without a connection to the run\n", script, done)
        check("target remote 127.0.0.1:" in said, "gdb is told an address that needs no name", said)
    check(left_over() == 0, "processes are left over")


def errors():
    for line, wanted in [("break nowhere", "no address and no symbol"), ("break none.S:3", "no code is of that line"),
                         ("watch v300", "no address and no symbol"), ("catch thing", "expected one of: diverge"), ("x 0x10", "not mapped"),
                         ("frobnicate", "is no command .see 'help'"), ("brek", "'brek' is no command: did you mean 'break'"),
                         ("revers-step", "did you mean 'reverse-step'"), ("warp 99", "not live"), ("break branch if x5", "expected a comparison"),
                         ("lanes q1", "no register"), ("lanes lane", "cannot be read"), ("break branch if lane>3", "expected lane=NUMBER"),
                         ("break branch if", "a term at the end"), ("break branch if lane=1 and", "a term at the end"),
                         ("break branch if and and", "expected TERM and TERM"), ("break branch if x5=1 x6=1", "expected TERM and TERM"),
                         ("break branch if x7=0x1ffffffff", "a value below 2.32"), ("break branch if lane=8", "no lane 8, only 0 to 7"),
                         ("break steps.S:0", "a line from 1 on"), ("break 0", "a line from 1 on"), ("disas 0 5", "a line from 1 on"),
                         ("watch v3[8]", "no lane 8"), ("lanes v3[31]", "no lane 31"), ("x v3[2]", "a register, no memory"),
                         ("why v3 8", "no lane 8"),
                         ("space private 8", "no lane 8"), ("x private[8]:0", "no lane 8"), ("break branch if v3[8]=1", "no lane 8"),
                         ("why pc", "expected x0 to x63"), ("step zero", "expected a number"), ("step 18446744073709551615", "expected a number"),
                         ("goto 99999999999999999999", "expected a position"), ("watch v3[0],4", "no number of bytes"),
                         ("goto", "expected a position"), ("delete 7", "number of a stop"), ("core v1", "there is no core"),
                         ("report", "nothing is compared"), ("warp 1 2 3", "expected THREAD"), ("warp 4294967297", "expected THREAD"),
                         ("hash 1", "expected nothing"), ("quit now", "expected nothing"), ("help nosuch", "'nosuch' is no command"),
                         ("re", "several commands: reverse-continue reverse-step regs report$"), ("why v3 1 2", "expected a lane"),
                         ("break branch if x5=-2147483649", "no address and no symbol"),
                         ("break branch if x5<-1", "comparisons are unsigned")]:
        status, out, _ = debug("run", steps, *machine, "--batch", line + "; hash")
        last = out.splitlines()[-1]
        check(status == 2 and re.search(wanted, last), f"'{line}'", status, last)
    status, out, err = debug("run", steps.with_name("none.elf"))
    check(status == 2 and not out and err.count("\n") == 1, "no such file", status, out, err)
    for more in (["--batch=q", "--port=0"], ["--port=99999"], ["--snapshots=1"], ["--all-interfaces"], ["--lanes"]):
        status, out, err = debug("run", steps, *more)
        check(status == 2 and not out and err.count("\n") == 1, more, status, out, err)
    check(debug("frobnicate")[0] == 2, "an unknown source")
    status, out, _ = debug("run", steps, *machine, "--batch",
                           "set x9 = -7; break branch if x9!=-7 and thread=1; break branch if x9==-7 and thread=1; continue")
    check(status == 0 and "stop 2, break branch if x9==-7" in out and "also" not in out, "a value below 0", status, out)
    # Output that cannot be written: in a line, or quietly, as by the signal
    for commands in ("--batch 'regs; continue'", "--batch quit", "<<< 'regs'", "--port=0"):
        line = f"'{args.karat}' debug run '{steps}' --threads=8 {commands} "
        done = subprocess.run(["bash", "-c", line + "> /dev/full"], capture_output=True, text=True)
        check(done.returncode == 2 and re.fullmatch("karat.*: standard output: cannot be written\n", done.stderr), line, done)
        nobody, pipe = os.pipe()
        os.close(nobody)
        done = subprocess.run(["bash", "-c", line], stdout=pipe, stderr=subprocess.PIPE, text=True)
        os.close(pipe)
        check(done.returncode in (141, -13) and not done.stderr, line, done)
    status, _, err = debug("check")
    check(status == 2 and "expected at least one file" in err, "no trace", status, err)
    done = subprocess.run([args.karat, "debug", "run", steps, "--gdb"], capture_output=True, text=True, env={"PATH": "/nonexistent"})
    check(done.returncode == 2 and "gdb-multiarch cannot be started: No such file" in done.stderr, "no gdb", done)
    # A socket that a killed process has left, and one that is in use
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "gdb"
        for kill in (True, False):
            waiting = subprocess.Popen([args.karat, "debug", "run", steps, f"--socket={path}"], stdout=subprocess.PIPE, text=True)
            check("waiting for" in waiting.stdout.readline(), "a socket that was left")
            if not kill:
                status, _, err = debug("run", steps, f"--socket={path}")
                check(status == 2 and "Address already in use" in err, "a socket in use", status, err)
            waiting.kill()
            waiting.communicate()
    # Translated addresses
    status, out, _ = debug("run", steps, "--sv39=3", "--batch", "step 5; info warps; continue")
    check(status == 0 and "the run has ended" in out and "no memory" not in out, "--sv39", status, out)
    done = subprocess.run(f"cat '{steps}' | '{args.karat}' debug check /dev/stdin --batch c", shell=True, capture_output=True, text=True)
    check(done.returncode == 2 and "expected a file, not a pipe" in done.stderr, "a pipe", done)
    # A program error is an event, and the end
    status, out, _ = debug("run", args.vectors / "debug" / "steps.elf", "--threads=8", "--max-steps=50", "--batch", "c")
    check("not finished after 50 steps" in out, "--max-steps", out)
    check(left_over() == 0, "processes are left over")


def left_over():
    """Processes of this command that are there a moment after it has ended."""
    for _ in range(50):
        found = subprocess.run(["pgrep", "-f", f"^{args.karat} debug"], capture_output=True, text=True).stdout.split()
        if not found:
            return 0
        time.sleep(0.1)
    return len(found)


GDB = """
set pagination off
set confirm off
set width 0
target remote {socket}
info threads
break branch
continue
p/x $mask
p $v2.u
monitor simt
stepi
p/x $mask
p $simt_depth
monitor divergence
break steps.S:{even}
delete 1
continue
p/x $mask
stepi
reverse-stepi
reverse-continue
p $pc
delete
break store
continue
stepi
x/4wx &out
delete
watch *(int *)&out
reverse-continue
p $pc
delete
monitor space lds
x/wx 0x70000000
monitor space auto
continue
info threads
reverse-continue
p $pc
detach
"""
WANTED = [r"Thread 1\.1 .*workgroup 0 warp 0", r"Breakpoint 1 at", r"hit Breakpoint 1, .*branch", r"= 0xff$", r"\{0, 1, 0, 1, 0, 1, 0, 1\}",
          r"mask 000000ff of 000000ff, 0 entries", r"= 0xaa$", r"= 2$", r"> 000000aa run at", r"Breakpoint 2 at .*steps\.S",
          r"hit Breakpoint 2", r"= 0x55$", r"hit Breakpoint 2", r"hit Breakpoint 2", r"<branch\+4>", r"Breakpoint 3 at",
          r"0x90000000:\s+0x00000064\s+0x00000003\s+0x00000066\s+0x00000009", r"watchpoint 4: \*\(int \*\)&out",
          r"Old value = 100", r"New value = 0", r"0x80000064 <store>", r"0x70000000:\s+0x00000000",
          r"the run has ended: steps: done", r"no warp is live", r"No more reverse-execution history", r"<_start>"]


# All warps come to a breakpoint, also those that do while gdb steps another one from it; and the run goes on into its second kernel.
EACH = """
set pagination off
set confirm off
set width 0
target remote {socket}
break odd
continue
continue
continue
continue
continue
p $v30.u[1]
detach
"""
EACH_WANTED = [r"kernel0\.wg0\.warp0\" hit Breakpoint 1", r"kernel0\.wg0\.warp1\" hit Breakpoint 1", r"kernel0\.wg1\.warp0\" hit Breakpoint 1",
               r"kernel0\.wg1\.warp1\" hit Breakpoint 1", r"kernel1\.wg0\.warp0\" hit Breakpoint 1", r"= 1$"]


# A breakpoint directly behind the instruction that writes what is watched: both stop, forwards and backwards.
BEHIND = """
set pagination off
set confirm off
set width 0
target remote {socket}
watch *(int *)&out
break *0x80000068
continue
continue
reverse-continue
reverse-continue
reverse-continue
reverse-continue
reverse-continue
p $pc
delete 2
continue
p $pc
detach
"""
BEHIND_WANTED = [r"watchpoint 1: ", r"New value = 100", r"hit Breakpoint 2", r"Thread 2 .*hit Breakpoint 2", r"Thread 1 .*hit Breakpoint 2",
                 r"watchpoint 1: ",
                 r"Old value = 100", r"New value = 0", r"0x80000064 <store>", r"watchpoint 1: ", r"New value = 100", r"0x80000068 <store\+4>"]


WRITES = """
set pagination off
set confirm off
set width 0
target remote {socket}
break branch
continue
set $x9 = 41
p $x9
set $v30.u[0] = 77
p $v30.u
set {{int}}0x90000000 = 3
x/wx 0x90000000
set var *(short *)0x90000004 = 0x1234
x/wx 0x90000004
python
def attempt(line):
    try:
        gdb.execute(line)
    except gdb.error as error:
        print(error)
end
python attempt("set $pc = 0x80000000")
python attempt("set {{int}}0x10 = 1")
monitor writes
delete
break *0x80000068
continue
x/wx 0x90000000
p $x9
delete
reverse-continue
monitor writes
p $x9
break branch
continue
stepi
set $x9 = 1
reverse-continue
detach
"""
WRITES_WANTED = [r"hit Breakpoint 1", r"= 41$", r"\{77, 1, 2", r"0x90000000:\s+0x00000003", r"0x90000004:\s+0x00001234", r"Could not write register",
                 r"Cannot access memory at address 0x10", r"position 69, thread 1: x9 = 00000029",
                 r"position 69, thread 1: v30 = 0000004d 00000001 ", r"position 69, thread 1: 0x90000000 = 03 00 00 00",
                 r"position 69, thread 1: 0x90000004 = 34 12",
                 r"hit Breakpoint 2", r"0x90000000:\s+0x000000b1", r"= 41$",
                 r"dropped: 4 writes", r"No more reverse-execution", r"^no writes", r"= 0$", r": a stop of gdb$"]


# A lane as a thread: lane 4 of workgroup 0, warp 0 is thread 5, and lane 5 of it thread 6. Both go through the branch with their warp; lane 4 then
# waits at "even" or runs, and a step of it takes it on from there, whatever the other lanes do before.
LANES = """
set pagination off
set confirm off
set width 0
target remote {socket}
info threads
break branch
continue
p $lane
thread 6
p $lane
stepi
p $pc
p/x $mask
thread 5
p $pc
thread 6
stepi
p $pc
reverse-stepi
p $pc
reverse-stepi
p $pc
stepi
stepi
stepi
p $pc
stepi
stepi
p $pc
delete
thread 14
break odd thread 14
reverse-continue
p $lane
continue
delete
monitor break store+4 if lane=3 and wg=0
reverse-continue
p $lane
monitor delete
watch *(int *)0x90000014
reverse-continue
p $lane
delete
continue
detach
"""
LANES_WANTED = [r"1 +Thread 1\.1 \"kernel0\.wg0\.warp0\.lane0\" \(workgroup 0 warp 0 lane 0\)", r"32 +Thread 1\.32 \"kernel0\.wg1\.warp1\.lane7\"",
                r"Thread 1 \"kernel0.wg0.warp0.lane0\" hit Breakpoint 1", r"= 0$", r"= 5$", r"= .*0x80000058 <odd>", r"= 0xaa$",
                r"= .*0x8000004c <branch\+4>",
                r"= .*<odd\+4>", r"= .*0x80000058 <odd>", r"= .*0x80000048 <branch>", r"= .*0x80000060 <meet>", r"= .*0x80000064 <store>",
                r"lane5\" hit Breakpoint 2", r"= 5$", r"the run has ended", r"stop 4, break store\+4",
                r"lane3|Thread 1\.12", r"= 3$", r"watchpoint 3", r"Old value = 15", r"New value = 0", r"= 5$",
                r"the run has ended"]


def gdb_session(script_text, wanted, *programs, more=()):
    with tempfile.TemporaryDirectory() as folder:
        socket = pathlib.Path(folder) / "gdb"
        script = pathlib.Path(folder) / "script"
        script.write_text(script_text(socket))
        server = subprocess.Popen([args.karat, "debug", "run", *programs, *machine, f"--socket={socket}", *more], stdout=subprocess.PIPE, text=True)
        server.stdout.readline()
        out = subprocess.run(["gdb-multiarch", "-q", "-nx", "-batch", "-x", script, steps], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True)
        status = server.wait()
        server.stdout.close()
        text = out.stdout
        at = 0
        for pattern in wanted:
            found = re.compile(pattern, re.M).search(text, at)
            check(found, f"gdb: no {pattern} after the others", text[-4600:] if failures == 0 else "")
            at = found.end() if found else at
        check(status == 0 and not socket.exists(), "gdb: status, socket", status)


def gdb():
    if not shutil.which("gdb-multiarch"):
        print("gdb: skipped, gdb-multiarch is not installed")
        return
    source = here.parent.parent / "vectors" / "debug" / "steps.S"
    even = next(i for i, line in enumerate(source.read_text().splitlines(), 1) if "here: even" in line)
    gdb_session(lambda socket: GDB.format(socket=socket, even=even), WANTED, steps)
    gdb_session(lambda socket: EACH.format(socket=socket), EACH_WANTED, steps, steps)
    gdb_session(lambda socket: WRITES.format(socket=socket), WRITES_WANTED, steps)
    gdb_session(lambda socket: LANES.format(socket=socket), LANES_WANTED, steps, more=["--lanes"])
    gdb_session(lambda socket: BEHIND.format(socket=socket), BEHIND_WANTED, steps)
    check(left_over() == 0, "gdb: processes are left over")


for part in (commands, halves, positions, pairs, writes, input_files, gdb_that_ends, errors, gdb):
    if not args.only or args.only == part.__name__:
        part()
sys.exit(failures != 0)
