"""Colour of reports: on a terminal alone, or as +color and --color say; without its codes the text is the same."""
import argparse
import os
import pathlib
import re
import select
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from terminal import terminal  # noqa: E402

CODES = re.compile(rb"\033\[[0-9;]*m")


def on_terminal(pair, command, **environment):
    """What a terminal gets."""
    controller, screen = pair
    process = subprocess.Popen(command, stdout=screen, stderr=subprocess.DEVNULL, env={**os.environ, "NO_COLOR": "", "TERM": "xterm", **environment})
    text = b""
    while process.poll() is None or select.select([controller], [], [], 0)[0]:
        if select.select([controller], [], [], 0.1)[0]:
            text += os.read(controller, 65536)
    return text.replace(b"\r\n", b"\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("core", "karat", "vectors"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    problems = []

    def check(good, what, text):
        if not good:
            problems.append(f"{what}: {text}")

    with tempfile.TemporaryDirectory() as folder:
        record = f"{folder}/run.ktr"
        core = [args.core, f"+kernel={args.vectors}/simt_nested.elf", "+fault=tie_if_first"]
        subprocess.run([*core, f"+record={record}", "+quiet"], capture_output=True)
        for command, option in ((core, "+color"), ([args.karat, "check", record], "--color")):
            plain = subprocess.run(command, capture_output=True).stdout
            check(plain.count(b"karat: MISMATCH") == 2 and b"\033" not in plain, f"{option} auto in a file", plain)
            coloured = subprocess.run([*command, f"{option}=always"], capture_output=True).stdout
            check(CODES.sub(b"", coloured) == plain, f"{option}=always: other text", coloured)
            check(coloured.count(b"\033[1;31mkarat: MISMATCH\033[0m") == 2 and b"\033[36m  where\033[0m" in coloured, f"{option}=always", coloured)
            wrong = subprocess.run([*command, f"{option}=sometimes"], capture_output=True)
            check(wrong.returncode == 2 and b"auto, always or never" in wrong.stderr, f"{option}=sometimes", wrong)
            pair = terminal()
            if pair:
                check(on_terminal(pair, command) == coloured, f"{option} auto on a terminal", coloured)
                check(on_terminal(pair, [*command, f"{option}=never"]) == plain, f"{option}=never", plain)
                check(on_terminal(pair, command, NO_COLOR="1") == plain, "NO_COLOR", plain)
                check(on_terminal(pair, command, TERM="dumb") == plain, "TERM=dumb", plain)
        good = subprocess.run([*core[:2], "+color=always"], capture_output=True).stdout
        check(good.startswith(b"\033[1;32mkarat: PASS\033[0m core="), "PASS", good)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
