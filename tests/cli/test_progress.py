#!/usr/bin/python3
"""Commands that take long: after half a second a terminal on standard error shows their progress in one line, which is gone at the end; SIGINT
ends them with what is known, and without a terminal they show nothing."""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(TESTS), str(TESTS / "vectors")]

import register_log  # noqa: E402
from checks import check, end, run  # noqa: E402
from kernelfile import ENDPRG, addi, write_elf  # noqa: E402
from terminal import watch  # noqa: E402

GONE = "\r\x1b[K"
AFTER = 0.6  # seconds: a line is due

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--karat", required=True, type=pathlib.Path)
args = parser.parse_args()
karat = str(args.karat.resolve())


def shown(command, line, begin=None, stop=True):
    """watch() of karat: status, standard output, and what the terminal shows when the progress is gone."""
    seen = watch([karat, *command], line, begin, stop)
    if not seen:
        sys.exit(77)
    status, out, text = seen
    found = [at.end() for at in re.finditer(r"\r" + line + r"\x1b\[K", text)]
    check(found and text.rfind(GONE) >= found[-1], "progress, and that it is gone:", command, repr(text))
    return status, out, re.sub(r"(\r[^\r\n]*\x1b\[K)+", "", text)


def writer(pipe, text):
    """Writes to a pipe after the time in which nothing is shown."""
    def write():
        with open(pipe, "wb") as out:
            time.sleep(AFTER)
            out.write(text)
    return threading.Thread(target=write)


with tempfile.TemporaryDirectory() as name:
    here = pathlib.Path(name)
    spin = write_elf(here / "spin.elf", [addi(5, 5, 1), 0xFFDFF06F, ENDPRG])
    status, out, rest = shown(["run", spin], r"spin: workgroup 0 of 1, \d+ instructions")
    check(status == 5 and re.fullmatch(r"karat run: spin: not finished after \d+ steps: ended by SIGINT\n", rest), "run:", status, out, rest)

    made = here / "made"
    status, out, rest = shown(["gen", "random", "--count=100000", "--length=500", "-o", made], r"\d+ vectors written")
    number = re.fullmatch(r"karat gen: ended by SIGINT after (\d+) vectors, which are whole\n", rest)
    whole = [folder for folder in made.iterdir() if (folder / "manifest.json").exists()]
    check(status == 5 and number and len(whole) == len(list(made.iterdir())) == int(number[1]), "gen:", status, rest, len(whole))

    # The log comes through a pipe, so that the time and the place of the signal are known.
    two, pipe, trace = register_log.program(here / "two.elf"), here / "pipe", here / "two.ktr"
    log = "\n".join(register_log.whole().lines) + "\n"
    os.mkfifo(pipe)
    feeder = writer(pipe, log.encode())
    status, out, rest = shown(["import", "-o", trace, pipe, two], r"kernel 1 of 1, line \d+", feeder.start, stop=False)
    feeder.join()
    check(status == 0 and not rest, "import:", status, out, rest)
    process = subprocess.Popen([karat, "import", "-o", str(trace), str(pipe), str(two)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    with open(pipe, "w") as feed:  # It reads
        process.send_signal(signal.SIGINT)
        feed.write(log)
    out, err = process.communicate()
    check(process.returncode == 5 and out.splitlines()[-1].startswith("partial: ended by SIGINT: the log ends with line ") and not err,
          "import:", out, err)
    done = run(karat, "check", trace)
    check(done.returncode == 5 and "karat: INCOMPLETE" in done.stdout, "the trace so far:", done)

    run(karat, "run", spin, "--max-steps=20000", f"--record={trace}")
    feeder = writer(pipe, trace.read_bytes())
    status, out, rest = shown(["check", "--quiet", pipe], r"\d+ records", feeder.start, stop=False)
    feeder.join()
    check(status == 5 and not rest and out.startswith("karat: INCOMPLETE"), "check:", status, out, rest)

    once = here / "once"
    test = f"test -e {once} || {{ sleep {AFTER}; touch {once}; }}; {karat} disasm {{}} | grep -q '# *$' || exit 3"
    status, out, rest = shown(["shrink", f"--output={here / 'small.elf'}", f"--test={test}", two],
                              r"\d+ instructions, \d+ warps of \d+ workgroups, \d+ tests", stop=False)
    check(status == 0 and not rest and "status 3" in out, "shrink:", status, out, rest)
    check(not run(karat, "gen", "random", "--count=2", "--length=20", "-o", here / "quiet").stderr, "without a terminal")
sys.exit(end())
