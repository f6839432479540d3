#!/usr/bin/python3
"""README and the guides: their commands run, and print what the pages show.

- A ```console block is executed: lines that begin with "$ " are commands, the lines after one are its output, in which "..." stands for any
  text, and a line of "..." for any lines. A command without output shown may print anything. No command may be refused (status 2). After
  <<'END' the lines up to "END" are the command's input.
- Of every other command in a block or between backquotes the options have to exist, and the targets of cmake --build.
- docs/library.md's C compiles, and docs/simulators.md quotes the example platform's sc_main() as it is.
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--build", required=True, type=pathlib.Path, help="the build tree, with all harnesses that it can have")
parser.add_argument("--cc", required=True)
args = parser.parse_args()
args.build = args.build.resolve()
failures = 0
executed = checked = 0
ENVIRONMENT = {**os.environ, "LC_ALL": "C", "PATH": os.pathsep.join(
    [str(args.build / "cli"), str(args.build / "testbench"), os.environ["PATH"]])}


def fail(where, *what):
    global failures
    failures += 1
    print(f"FAILED: {where}:", *what)


def run(command, folder):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def pattern(shown):
    """A regular expression for the output that a page shows."""
    lines = []
    for line in shown:
        if line == "...":
            lines.append("(?:.*\n)*?")
        else:
            lines.append(".*".join(re.escape(part) for part in line.rstrip().split("...")) + "[ ]*\n")
    return "".join(lines)


def console(where, block, folder):
    global executed
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, *shown = part.splitlines()
        if command.endswith("<<'END'"):
            end = shown.index("END") + 1
            command, shown = "\n".join([command, *shown[:end]]), shown[end:]
        harness = re.match(r"karat-[\w-]+", command)
        if harness and not (args.build / "testbench" / harness[0]).exists():
            continue  # SystemC is not installed
        status, output = run(command, folder)
        executed += 1
        if status == 2 or status > 5:
            fail(where, command, "ends with status", status, "\n" + output)
        elif shown and not re.fullmatch(pattern(shown), output):
            fail(where, command, "prints\n" + output)


def help_of(words, known={}):
    """The help text that has the options of a command, or None: a command that is not checked."""
    name = pathlib.Path(words[0]).name
    if name == "karat" and len(words) > 1 and re.fullmatch(r"[a-z-]+", words[1]):
        key = ("karat", *([words[1]] if words[1][0].isalpha() else []), "--help")
    elif name.startswith("karat-"):
        key = ("karat-ingot", "+help")
    elif words[0].startswith("scripts/") and (ROOT / words[0]).exists() and name not in ("demo", "test", "sv_run"):
        key = (str(ROOT / words[0]), "--help")
    else:
        return None
    if key not in known:
        known[key] = run(shlex.join(key), ROOT)[1]
    return known[key]


def command(where, line):
    """A command that is shown and not executed: are there such options and targets?"""
    global checked
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        return
    words = words[next((i for i, w in enumerate(words) if "=" not in w.partition("/")[0] or w.startswith(("+", "-"))), len(words)):]
    if not words:
        return
    if words[0] == "cmake" and "--build" in words and "--target" in words:
        for target in words[words.index("--target") + 1:]:
            if re.search("mycore|stub|ventus|[A-Z]", target):
                continue  # A core that is not here
            if not target.startswith("-"):
                checked += 1
                if not re.search(rf"^build {re.escape(target)}: ", NINJA, re.M):
                    fail(where, line, "names no target of the build:", target)
        return
    text = help_of(words)
    if text is None:
        return
    checked += 1
    stop = words.index("--") if "--" in words else len(words)
    for word in words[1:stop]:
        option = re.match(r"(--[a-z][a-z-]*|\+[a-z][a-z-]*|-[a-z])(?=$|=)", word)
        if option and not word.startswith("+verilator") and not re.search(rf"(?<![\w-]){re.escape(option[1])}(?![\w-])", text):
            fail(where, line, "has no such option as", option[1])
    command(where, shlex.join(words[stop + 1:]))


def page(path, folder):
    where = path.relative_to(ROOT)
    text = path.read_text(encoding="utf-8")
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        console(where, block, folder)
    rest = re.sub(r"^```.*?^```\n", "", text, flags=re.M | re.S)
    for block in re.findall(r"(?:^ {4,}.*\n)+", rest, re.M):
        for line in re.sub(r"\\\n", " ", block).splitlines():
            command(where, line.strip())
    for line in re.findall(r"`([^`]+)`", re.sub(r"``.*?``", "", rest)):
        command(where, " ".join(line.split()))


NINJA = (args.build / "build.ninja").read_text(encoding="utf-8")
with tempfile.TemporaryDirectory() as name:
    base = pathlib.Path(name)
    for index, path in enumerate([ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted(ROOT.glob("rtl-wrap/**/README.md"))]):
        folder = base / str(index)
        (folder / "build").mkdir(parents=True)
        (folder / "build" / "release").symlink_to(args.build)
        for part in ("golden", "rtl-wrap", "vectors"):
            (folder / part).symlink_to(ROOT / part)
        page(path, folder)

    quoted = re.search(r"^```c\n(.*?)^```", (ROOT / "docs" / "library.md").read_text(encoding="utf-8"), re.M | re.S)[1]
    include, _, body = quoted.partition("\n")
    source = base / "library.c"
    source.write_text(f"{include}\nint main(void) {{\n    static const unsigned char code[4];\n{body}    return 0;\n}}\n")
    status, output = run(shlex.join([args.cc, "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{ROOT}/golden/include", str(source)]),
                         base)
    if status:
        fail("docs/library.md", "the example does not compile\n" + output)

example = (ROOT / "testbench" / "systemc" / "platform.cpp").read_text(encoding="utf-8")
_, begin, rest = example.partition("// docs/simulators.md: begin\n")
quoted, end, _ = rest.partition("// docs/simulators.md: end\n")
if not begin or not end or "sc_main" not in quoted:
    fail("platform.cpp", "no sc_main() between the marks for docs/simulators.md")
elif f"```cpp\n{quoted}```\n" not in (ROOT / "docs" / "simulators.md").read_text(encoding="utf-8"):
    fail("docs/simulators.md", "does not quote this part of platform.cpp:\n" + quoted)

if executed < 20 or checked < 80:
    fail("test_readme.py", "only", executed, "commands were executed and", checked, "checked")
print(f"{executed} commands executed, {checked} commands and targets checked")
print("failures:", failures)
sys.exit(failures != 0)
