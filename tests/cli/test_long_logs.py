"""karat check and karat import of logs, of files and of pipes: the most memory that they have does not depend on the log's length."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import kernelfile
from kernelfile import CODE, ENDPRG, addi, bne, lui

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--karat", required=True, type=pathlib.Path)
args = parser.parse_args()
SHORT, LONG, THREADS = 4096, 40960, 32
ROOM = 8 << 10  # KiB that may differ; the long log has 15 MB or more
failures = 0


def check(good, what, *more):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what, *more)


def program(rounds):
    """lui x11; loop: vid.v v1; addi x11, x11, -1; bne x11, x0, loop; endprg"""
    return [lui(11, rounds >> 12), 0x5208A0D7, addi(11, 11, -1), bne(11, 0, -8), ENDPRG]


def steps(rounds):
    """Index of the instruction; value of x11, or whether the branch is taken."""
    yield 0, rounds
    for left in reversed(range(rounds)):
        yield from ((1, 0), (2, left), (3, int(left > 0)))
    yield 4, 0


IDS = " ".join(f"{lane:08x}" for lane in reversed(range(THREADS)))
X11 = "x11  {0:08x}"
CHISEL = [X11, f"v1 {'1' * THREADS} {IDS} ", X11, f"Jump? {{0}}  {CODE + 4:08x}", "endprg"]
REGISTER = ["x11 0x{0:08x}", f"c8_vstart 0x00000000 e32 m1 l{THREADS} v1  ffffffff 0x{IDS} ", "x11 0x{0:08x}", "", ""]


def chisel(rounds):
    for index, value in steps(rounds):
        yield f"sm   0 warp 0 0x{CODE + 4 * index:08x} 0x{program(rounds)[index]:08x} {CHISEL[index].format(value)}\n"


def register(rounds):
    for index, value in steps(rounds):
        yield f"core   0: 3 0x{CODE + 4 * index:08x} (0x{program(rounds)[index]:08x}) {REGISTER[index].format(value)}\n"


def run(log, *command):
    """Status, output, and the most memory in KiB; the log is standard input, too."""
    with log.open() as file, tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen([args.karat, *map(str, command)], stdin=file, stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return child.returncode, out.read(), usage.ru_maxrss


def peaks(folder, form, rounds, kernels):
    """The memory of check and import."""
    elf = kernelfile.write_elf(folder / "long.elf", program(rounds), wf_size=THREADS)
    log, recording = folder / f"{form.__name__}.log", folder / "long.ktr"
    with log.open("w") as file:
        for _ in range(kernels):
            file.writelines(form(rounds))
    common = ["--threads", THREADS, *[elf] * kernels]
    status, out, checking = run(log, "check", log, *common)
    check(status == 0 and f" instructions={kernels * (3 * rounds + 2)} " in out, form.__name__, rounds, out)
    status, said, importing = run(log, "import", "-", *common, "-o", recording)
    check(status == 0, form.__name__, rounds, "import of a pipe", said)
    status, again, _ = run(log, "check", recording)
    check(status == 0 and again.splitlines()[-1] == out.splitlines()[-1], form.__name__, rounds, "recording", again)
    return checking, importing


with tempfile.TemporaryDirectory() as name:
    for form, kernels in ((chisel, 2), (register, 1)):
        short, long = (peaks(pathlib.Path(name), form, rounds, kernels) for rounds in (SHORT, LONG))
        check(all(b < a + ROOM for a, b in zip(short, long)), form.__name__, "KiB of check and import", short, long)
print(f"{failures} failures")
sys.exit(failures != 0)
