#!/usr/bin/python3
"""Outputs of commands: no output is an input or another output by any name; each is whole or not there, and none of an older run; nothing is left
beside it; and names from outside stay on one line and in JSON, whatever bytes they have."""
import argparse
import json
import os
import pathlib
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "vectors"), str(ROOT / "scripts")]
import lockstep  # noqa: E402
from checks import check, end, one_line, run  # noqa: E402
from kernelfile import CODE, ENDPRG, addi, write_elf, write_metadata  # noqa: E402
from limits import wait_for  # noqa: E402
from share import profiles_of  # noqa: E402

TAKEN = "named as an output and for another purpose"


def left(folder):
    """Temporary files that a command has left beside its outputs."""
    return [p.name for p in folder.rglob("*") if p.name.startswith(".karat-") or p.suffix in (".part", ".new")]


def limited(size):
    """A file that grows beyond that is an error of the write, as a full disk is."""
    def set_limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return set_limit


def two_names(karat, here, program):
    """Two outputs, or an output and an input: by another spelling, a link of either kind, or both links of what is not there."""
    (here / "sub").mkdir()
    (here / "link").symlink_to("new.json")
    (here / "folder").symlink_to("sub")
    cases = [("y.out", "./y.out"), ("y.out", "sub/../y.out"), ("sub/y.out", "folder/y.out"), ("new.json", "link"), (here / "y.out", "y.out")]
    os.chdir(here)
    for one, other in cases:
        one_line(2, TAKEN, run(karat, "run", f"--json={one}", f"--coverage={other}", program))
        check(not any(pathlib.Path(p).exists() for p in (one, other)), "nothing is written", one, other)
    # An input: the same file, a hard link, a symbolic link; a kernel's .data, too.
    own, hard, soft = here / "own.elf", here / "hard.elf", here / "soft.elf"
    shutil.copy(program, own)
    os.link(own, hard)
    soft.symlink_to(own)
    for name in (own, hard, soft, "./own.elf"):
        one_line(2, TAKEN, run(karat, "run", f"--json={name}", own))
        check(own.read_bytes() == hard.read_bytes() == pathlib.Path(program).read_bytes(), "an input is as it was", name)
    write_metadata(here / "pair.metadata", buffers=[(CODE, [ENDPRG], 64)])
    data = (here / "pair.data").read_bytes()
    one_line(2, TAKEN, run(karat, "run", "--trace=pair.data", "pair.metadata"))
    check((here / "pair.data").read_bytes() == data, "the .data file is as it was")
    # Two devices are no files.
    done = run(karat, "run", "--json=/dev/null", "--coverage=/dev/null", program)
    check(done.returncode == 0, "two times /dev/null", done)


def coverage(karat, here, program):
    """karat cov: not over its input, whole, through links; merge may add to what is there."""
    a, b = here / "a.cov", here / "b.cov"
    for out in (a, b):
        check(run(karat, "run", f"--coverage={out}", program).returncode == 0, "coverage")
    before = a.read_bytes()
    for out in ("a.cov", "./a.cov"):
        one_line(2, TAKEN, run(karat, "cov", "report", "-o", out, "a.cov"))
        check(a.read_bytes() == before, "the input is as it was", out)
    one_line(2, TAKEN, run(karat, "cov", "report", "-o", b, a, b))
    check(run(karat, "cov", "merge", "-o", a, a, b).returncode == 0 and a.read_bytes() != before, "merged into one of them")
    a.write_bytes(before)
    one_line(2, "none.cov", run(karat, "cov", "merge", "-o", a, a, here / "none.cov"))
    check(a.read_bytes() == before, "what is merged into is an input: kept where it fails")
    # A link stays one, also where its file is not there yet, and in another folder.
    real, link = here / "sub" / "real.txt", here / "report.txt"
    link.symlink_to("sub/real.txt")
    for _ in range(2):
        check(run(karat, "cov", "report", "-o", link, a).returncode == 0 and link.is_symlink() and real.read_text().startswith("group"), "a link")
    # The permissions that a new file has.
    mask = os.umask(0o027)
    run(karat, "cov", "report", "-o", here / "mode.txt", a)
    os.umask(mask)
    check(stat.S_IMODE((here / "mode.txt").stat().st_mode) == 0o640, "permissions", oct((here / "mode.txt").stat().st_mode))
    # A file that stdout appends to is appended to by its name as well.
    log = here / "log"
    log.write_text("before\n")
    with log.open("a") as stream:
        subprocess.run([karat, "cov", "report", "-o", "/dev/stdout", a], stdout=stream, check=True)
    check(log.read_text().startswith("before\ngroup"), "/dev/stdout", log.read_text()[:40])
    # One of the longest names that there can be.
    long = here / ("n" * 255)
    check(run(karat, "cov", "report", "-o", long, a).returncode == 0 and long.stat().st_size, "a long name")


def older(karat, here, program):
    """A command that fails leaves no output of the run before it; one that is refused touches nothing."""
    out, bad = here / "older", here / "bad.log"
    bad.write_text("no log at all\n")
    trap = write_elf(here / "trap.elf", code=[0xF0000053, ENDPRG])
    for command in (["import", "-o", out, bad, program], ["import", "-o", out, bad, here / "none.elf"],
                    ["cov", "report", "-o", out, here / "none.cov"], ["cov", "merge", "-o", out, bad], ["check", "--json", out, bad],
                    ["check", "--coverage", out, here / "none.ktr"], ["run", "--json", out, here / "none.elf"],
                    ["run", "--coverage", out, here / "none.elf"], ["run", f"--trace={out}", here / "none.elf"],
                    ["shrink", here / "none.elf", "-o", out, "--test", "false {}"], ["shrink", program, "-o", out, "--test", "true {}"]):
        out.write_text("as it was\n")
        done = run(karat, *command)
        check(done.returncode == 2 and not out.exists() and not left(here), "older", command, done, left(here))
    for command in (["import", "--no-such", "-o", out, bad, program], ["run", "--dump=x,", "--json", out, program]):
        out.write_text("as it was\n")
        done = run(karat, *command)
        check(done.returncode == 2 and out.read_text() == "as it was\n", "a command line that is wrong touches nothing", command, done)
    done = run(karat, "run", "--json", out, trap)
    check(done.returncode == 4 and json.loads(out.read_text())["status"] == 4, "a program error has its JSON", done)
    # A vector's folder, too; but not where its manifest is what is given.
    made = here / "made"
    check(run(karat, "gen", "random", "--length", "20", "-o", made).returncode == 0, "gen")
    vector = made / "random-1"
    files = sorted(p.name for p in vector.iterdir())
    manifest = json.loads((vector / "manifest.json").read_text())
    check(run(karat, "gen", "again", vector / "manifest.json", "-o", made).returncode == 0 and
          sorted(p.name for p in vector.iterdir()) == files, "again in its place")
    manifest["xxh3"]["program.elf"] = "0000000000000001"
    (vector / "manifest.json").write_text(json.dumps(manifest))
    one_line(2, "another program", run(karat, "gen", "again", vector / "manifest.json", "-o", made))
    check(sorted(p.name for p in vector.iterdir()) == files and not left(made), "what is given stays")
    done = subprocess.run([karat, "gen", "random", "--length", "2000", "-o", made], capture_output=True, text=True, preexec_fn=limited(4096))
    check(done.returncode == 2 and "cannot be written" in done.stderr and not vector.exists() and not list(made.iterdir()),
          "a vector that cannot be written", done, list(made.iterdir()))


def full_disk(karat, here, program):
    big = write_elf(here / "loop.elf", code=[addi(5, 0, 2000), addi(5, 5, -1), 0xFE029EE3, ENDPRG])
    for command, out, size in ((["run", f"--trace={here}/t.txt", big], "t.txt", 4096), (["run", f"--coverage={here}/c.cov", big], "c.cov", 256)):
        done = subprocess.run([karat, *map(str, command)], capture_output=True, text=True, preexec_fn=limited(size))
        check(done.returncode == 2 and f"{out}: cannot be written: File too large" in done.stderr and not (here / out).exists() and not left(here),
              "a full disk", command, done, left(here))
    coverage, page = here / "whole.cov", here / "page.html"
    run(karat, "run", f"--coverage={coverage}", program)
    done = subprocess.run([karat, "cov", "report", "--format=html", "-o", page, coverage], capture_output=True, text=True, preexec_fn=limited(4096))
    one_line(2, f"{page}: cannot be written: File too large", done)
    check(not page.exists() and not left(here), "no page, and nothing beside it")
    one_line(2, "cannot be written: No space left", run(karat, "run", "--json=/dev/full", program))
    for command in (["help"], ["--version"], ["isa", "add"], ["doctor"], ["isa", "--json", "add"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([karat, *command], stdout=full, stderr=subprocess.PIPE, text=True)
        one_line(2, "standard output: cannot be written: No space left", done)


def waits(pid):
    """A process that catches SIGINT, and sleeps."""
    status = dict(line.split(":\t", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)
    return status["State"].startswith("S") and int(status["SigCgt"], 16) >> (signal.SIGINT - 1) & 1


def meant_as_inputs(karat, here, program):
    """Text does not replace a program or a recording; packed programs; a recording from a pipe, and one that never comes."""
    trace, other = here / "run.ktr", write_elf(here / "other.elf", code=[ENDPRG])
    check(run(karat, "run", f"--record={trace}", program).returncode == 0, "a recording")
    for path in (program, trace):
        before = path.read_bytes()
        one_line(2, f"{path}: a program or a recording, which text would replace", run(karat, "run", f"--json={path}", other))
        check(path.read_bytes() == before, "what is there stays")
    packed = here / "packed.elf"
    for magic in (b"\x1f\x8b", b"\x28\xb5\x2f\xfd"):
        packed.write_bytes(magic + bytes(100))
        one_line(2, f"{packed}: it is packed (gzip or zstd)", run(karat, "run", packed))
    done = subprocess.run([karat, "check", "-"], stdin=open(trace), capture_output=True, text=True)
    check(done.returncode == 0 and "karat: PASS" in done.stdout, "a recording from standard input", done)
    fifo = here / "fifo"
    os.mkfifo(fifo)
    content = trace.read_bytes()
    for sent in (None, 0, len(content) // 2):
        child = subprocess.Popen([karat, "check", fifo], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        writer = None if sent is None else open(fifo, "wb", buffering=0)
        if sent:
            writer.write(content[:sent])
        check(wait_for(lambda: waits(child.pid)), f"waits for a writer after {sent} bytes")
        child.send_signal(signal.SIGINT)
        out, err = child.communicate()
        check(child.returncode == (5 if sent else 2) and "SIGINT" in out + err, f"SIGINT after {sent} bytes", child.returncode, out, err)
        if writer:
            writer.close()


def signals(karat, here):
    """A signal removes unfinished outputs."""
    made = here / "signalled"
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        made.mkdir()
        process = subprocess.Popen([karat, "gen", "random", "--count", "100000", "--length", "3000", "-o", str(made)], stderr=subprocess.DEVNULL)
        check(wait_for(lambda: any(p.name.startswith(".karat-") for p in made.iterdir())), "a vector is begun")
        process.send_signal(number)
        # SIGINT and SIGTERM end gen after a vector.
        check(process.wait() == (-number if number == signal.SIGHUP else 5) and not left(made), "a signal", number, process.returncode, left(made))
        shutil.rmtree(made)


def names(karat, here, program):
    """Of files, in text and in JSON."""
    for name, shown in ((b"two\nkarat: PASS core=x.elf", "two\\x0akarat: PASS core=x"), (b"\xff\xfe.elf", "\\xff\\xfe"),
                        (b"a\x1b[31m\x7f\xc2\x85.elf", "a\\x1b[31m\\x7f\\xc2\\x85"), ("Größe 乘影.elf".encode(), "Größe 乘影"),
                        (b"\xed\xa0\x80\xc0\xaf.elf", "\\xed\\xa0\\x80\\xc0\\xaf")):
        file = os.path.join(os.fsencode(here), name)
        shutil.copy(program, file)
        out = here / "names.json"
        done = subprocess.run([os.fsencode(karat), b"run", b"--json", os.fsencode(out), file], capture_output=True)
        text = done.stdout.decode("utf-8")
        check(done.returncode == 0 and text.count("\n") == 1 and text.startswith(f"{shown}: workgroups="), "the line", done)
        check([k["name"] for k in json.loads(out.read_text())["kernels"]] == [shown], "the JSON", out.read_text())
        check(lockstep.shown(os.fsdecode(name[:-4])) == shown, "as the scripts show it", name, lockstep.shown(os.fsdecode(name[:-4])))
        done = subprocess.run([os.fsencode(karat), b"run", file + b".none"], capture_output=True)
        check(done.returncode == 2 and done.stderr.decode("utf-8").count("\n") == 1 and shown in done.stderr.decode("utf-8"), "a message", done)
    # Of symbols, in an error's line and in its JSON.
    bad = write_elf(here / "symbol.elf", code=[0xF0000053, ENDPRG], symbols=[("s\n\x1b", CODE, 4)])
    done = run(karat, "run", "--json", here / "names.json", bad)
    check(done.returncode == 4 and len(done.stderr.splitlines()) == 1 and "<s\\x0a\\x1b>" in done.stderr, "a symbol", done)
    check("<s\\x0a\\x1b>" in json.loads((here / "names.json").read_text())["error"], "a symbol in JSON")


def known(karat, here):
    """An illegal word that is known elsewhere says what it is."""
    for word, text in ((0xF0000053, "fmv.w.x of RV32F (this ISA has Zfinx"), (0x00052007, "flw of RV32F"), (0x00004501, "compressed code (C)"),
                       (0x0000003B, "addw of RV64"), (0x00002057, "vredsum.vs of RISC-V, left out here"),
                       (0x20001042, "shuffle.bfly of profile public"),
                       (0x00000000, "zeros of no ISA")):
        done = run(karat, "run", write_elf(here / "known.elf", code=[word, ENDPRG]))
        check(done.returncode == 4 and len(done.stderr.splitlines()) == 1 and text in done.stderr, "run", text, done)
        done = run(karat, "isa", f"0x{word:08x}")
        check(done.returncode == 0 and f"0x{word:08x} in v2.02: " in done.stdout and text in done.stdout, "isa", text, done)
        done = run(karat, "isa", "--json", f"{word:08x}")
        check(any(text in one.get("elsewhere", {}).get("v2.02", "") for one in json.loads(done.stdout)), "isa --json", text, done)
    # Of the other profile: its rows, its prefixes, and those that one of them leaves out.
    for profile, word, text in (("v2.03", 0x0000500B, "regpair of profile v2.02"),
                                ("v2.03", 0x0000700B, "regpairi of profile v2.02"), ("v2.02", 0x0000302B, "vsh12d.v of profile v2.03"),
                                ("v2.02", 0x00080002, "prefix of profile v2.03"), ("v2.02", 0x00000046, "pre_m_private_32 of profile v2.03"),
                                ("v2.02", 0x00A5053B, "addw of profile v2.03"), ("v2.02", 0x00053503, "ld of profile v2.03"),
                                ("v2.02", 0xC642A157, "vwadd.vv of profile v2.03, left out here (section 4.1; v1.0-11.2)"),
                                ("v2.02", 0x4A461157, "vfwcvt.f.f.v of profile v2.03, left out here"),
                                ("v2.03", 0x00002057, "vredsum.vs of RISC-V, left out here")):
        file, summary = write_elf(here / "other.elf", code=[word, ENDPRG]), here / "other.json"
        done = run(karat, "run", f"--profile={profile}", "--json", summary, file)
        said = json.loads(summary.read_text())["error"]
        check(done.returncode == 4 and len(done.stderr.splitlines()) == 1 and text in done.stderr and text in said, profile, text, done, said)
    done = run(karat, "isa", "ffffffff")
    unknown = "".join(f"0xffffffff in {profile}: .4byte 0xffffffff\n" for profile in profiles_of(karat))
    check(done.returncode == 0 and done.stdout == unknown, "unknown", done)
    done = run(karat, "isa", "00100093")
    check("addi x1, x0, 1" in done.stdout and "addi rd, rs1, imm12" in done.stdout and
          " of " not in done.stdout.splitlines()[0], "a word that is one", done)
    done = run(karat, "isa", "add")
    check(done.stdout.startswith("add rd, rs1, rs2"), "a name that reads as a word", done)
    one_line(2, "'nothing' is neither the name of an instruction", run(karat, "isa", "nothing"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--karat", required=True, type=pathlib.Path)
    args = parser.parse_args()
    karat = args.karat.resolve()
    with tempfile.TemporaryDirectory() as name:
        here = pathlib.Path(name).resolve()
        program = write_elf(here / "good.elf", code=[addi(5, 0, 1), ENDPRG])
        os.chdir(here)
        two_names(karat, here, program)
        coverage(karat, here, program)
        older(karat, here, program)
        full_disk(karat, here, program)
        meant_as_inputs(karat, here, program)
        signals(karat, here)
        names(karat, here, program)
        known(karat, here)
    return end()


if __name__ == "__main__":
    sys.exit(main())
