#!/usr/bin/python3
"""Outputs of a harness: no output is an input or another output by any name; a waveform that cannot be written is said, with status 2 and nothing
left; nothing is left of an older run where one fails; names from outside stay on one line and in JSON."""
import argparse
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from limits import wait_for  # noqa: E402

TAKEN = "named as an output and for another purpose"
failures = 0


def check(good, what, *more):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what, *more)


def left(folder):
    return [p.name for p in folder.rglob("*") if p.name.startswith(".karat-") or p.suffix == ".hier"]


def limited(size):
    """A file that grows beyond that is an error of the write, as a full disk is."""
    def set_limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return set_limit


def two_names(call, here, good):
    os.chdir(here)
    (here / "sub").mkdir()
    (here / "link").symlink_to("y.ktr")
    own = here / "own.elf"
    shutil.copy(good, own)
    os.link(own, here / "hard.elf")
    (here / "soft.elf").symlink_to("own.elf")
    before = sorted(here.rglob("*"))
    for outputs in (("+record=y.ktr", "+json=./y.ktr"), ("+trace=y.ktr", "+coverage=sub/../y.ktr"), ("+record=link", "+json=y.ktr"),
                    ("+record=y.ktr", f"+trace={here}/y.ktr"), ("+json=hard.elf",), ("+trace=soft.elf",), ("+record=./own.elf",)):
        done = call(f"+kernel={own}", *outputs)
        check(done.returncode == 2 and len(done.stderr.splitlines()) == 1 and TAKEN in done.stderr and not done.stdout, outputs, done)
        check(sorted(here.rglob("*")) == before and own.read_bytes() == good.read_bytes(), "nothing is touched", outputs)


def waves(call, here, good):
    """To a disk that is full after so many bytes: at the first ones, in the hierarchy, in the values, at the end."""
    wave = here / "wave"
    done = call(f"+kernel={good}", f"+trace={wave}", "+quiet")
    check(done.returncode == 0 and wave.stat().st_size and not left(here), "a wave", done, left(here))
    size = wave.stat().st_size
    for limit in (0, 4096, size // 4, size // 2, size - 512):
        wave.write_text("as it was")
        done = call(f"+kernel={good}", f"+trace={wave}", "+quiet", preexec_fn=limited(limit))
        check(done.returncode == 2 and f"{wave}: cannot be written" in done.stderr and len(done.stderr.splitlines()) == 1,
              "a full disk", limit, size, done)
        check(not wave.exists() and not left(here), "nothing is left", limit, wave.exists(), left(here))
    done = call(f"+kernel={good}", "+trace=/dev/full")
    check(done.returncode == 2 and "/dev/full: not a regular file" in done.stderr, "/dev/full", done)
    # A link stays one.
    link = here / "wave.link"
    link.symlink_to("sub/real")
    check(call(f"+kernel={good}", f"+trace={link}", "+quiet").returncode == 0 and link.is_symlink() and (here / "sub/real").stat().st_size, "a link")


def older(call, here, good):
    outputs = {option: here / option for option in ("record", "json", "coverage", "trace")}
    plusargs = [f"+{option}={file}" for option, file in outputs.items()]
    for file in outputs.values():
        file.write_text("as it was")
    done = call("+kernel=none.elf", *plusargs)
    check(done.returncode == 2 and not any(f.exists() for f in outputs.values()) and not left(here), "no kernel", done, left(here))
    for file in outputs.values():
        file.write_text("as it was")
    done = call(f"+kernel={good}", *plusargs, "+latency=9:2")
    check(done.returncode == 2 and all(f.read_text() == "as it was" for f in outputs.values()), "a command line that is wrong touches nothing", done)


def signals(args, here, spin):
    """The second signal ends the process at once, and what is under way goes away; the first gives a verdict."""
    wave = here / "signal.wave"
    for number in (signal.SIGTERM, signal.SIGHUP):
        process = subprocess.Popen([args.core, f"+kernel={spin}", f"+trace={wave}", "+trace-to=10", "+quiet", "+hang=1000000000"],
                                   stdout=subprocess.DEVNULL)
        check(wait_for(lambda: left(here)), "a wave is begun")
        process.send_signal(number)
        status = process.wait()
        check(status == (5 if number == signal.SIGTERM else -number) and not left(here), "a signal", number, status, left(here))
        check(wave.exists() == (status == 5), "the wave", number)
        wave.unlink(missing_ok=True)


def names(call, here, good, harness):
    for name, shown in ((b"two\nkarat: PASS core=x.elf", "two\\x0akarat:\\x20PASS\\x20core=x"), (b"\xff\xfe.elf", "\\xff\\xfe"),
                        ("Größe 乘影.elf".encode(), "Größe\\x20乘影")):
        file = os.path.join(os.fsencode(here), name)
        shutil.copy(good, file)
        for more, verdict in (((), "karat: PASS "), (("+fault=tie_if_first",), "karat: MISMATCH ")):
            done = call(b"+kernel=" + file, "+json=names.json", "+record=names.ktr", *more, text=False)
            lines = done.stdout.decode("utf-8").splitlines()
            check(sum(line.startswith("karat: ") and "core=" in line for line in lines) == 1 and
                  lines[-1].startswith(verdict) and f" program={shown} " in lines[-1],
                  "the verdict", done)
            report = json.loads((here / "names.json").read_text())
            check(report["program"] == shown.replace("\\x20", " "), "the JSON", report["program"])
            check(report["line"] == lines[-1], "the line in JSON", report["line"])
        done = call(b"+kernel=" + file + b".none", text=False)
        check(done.returncode == 2 and done.stderr.decode("utf-8").count("\n") == 1 and done.stderr.startswith(harness.encode()), "a message", done)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", required=True, type=pathlib.Path)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    parser.add_argument("--sv", action="store_true", help="the core is the SystemVerilog bench, whose simulator writes waveforms")
    args = parser.parse_args()
    args.core = args.core.resolve()
    good = (args.vectors / "simt_nested.elf").resolve()

    def call(*plusargs, text=True, **more):
        return subprocess.run([args.core, *plusargs], capture_output=True, text=text, **more)

    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
    from kernelfile import ENDPRG, beq, write_elf
    with tempfile.TemporaryDirectory() as name:
        here = pathlib.Path(name).resolve()
        two_names(call, here, good)
        waves(call, here, good)
        older(call, here, good)
        if not args.sv:
            signals(args, here, write_elf(here / "spin.elf", code=[beq(0, 0, 0), ENDPRG]))
        names(call, here, good, "karat-sv: " if args.sv else "karat-ingot: ")
    print("failures:", failures)
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
