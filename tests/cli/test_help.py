#!/usr/bin/python3
"""karat help, version, doctor, suggestions; manual pages and completions against what --help lists.

Usage: test_help.py KARAT SOURCE {words|man|bash|zsh|fish}"""
import os
import pathlib
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(TESTS), str(TESTS / "vectors")]

from checks import check, end  # noqa: E402
from limits import PATIENCE  # noqa: E402
from terminal import terminal  # noqa: E402

KARAT, SOURCE, PART = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), sys.argv[3]


def run(*command, status=0, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    check(done.returncode == status, f"status {done.returncode}, expected {status}:", *command, done.stdout, done.stderr)
    return done.stdout, done.stderr


def karat(*arguments, status=0, **options):
    return run(KARAT, *arguments, status=status, **options)


def want(tool):
    if not shutil.which(tool):
        print(f"skipped: {tool} is not installed")
        sys.exit(77)


def long_options(text):
    return set(re.findall(r"^ {1,8}(?:-.,? +)?--([a-z][a-z0-9-]+)", text, re.M))


HELP = karat("--help")[0]
SUBCOMMANDS = re.findall(r"^  ([a-z][a-z-]*) +\S", HELP.partition("Subcommands:")[2], re.M)
OPTIONS = {name: long_options(karat(name, "--help")[0]) for name in SUBCOMMANDS}
OPTIONS[""] = long_options(HELP)
# The first arguments that are words of their own, by the usage lines.
WORDS = {"campaign": {"query", "page", "compare", "bisect"}, "cov": {"report", "rank", "merge"}, "debug": {"run", "check"},
         "help": set(SUBCOMMANDS), "": set(SUBCOMMANDS), "gen": {"random", "directed", "cover", "pages", "again", "compare", "mutate"}}
check(len(SUBCOMMANDS) >= 12 and all(len(options) >= 3 for options in OPTIONS.values()), "the help is not understood:", OPTIONS)
check(all(len(line) < 80 for line in HELP.splitlines()), "the help is too wide")
check(all(re.match("  [a-z]", line) for line in HELP.partition("Subcommands:\n")[2].partition("\n\n")[0].splitlines()), "each subcommand has a line")


def test_words(folder):
    check(karat("help") == (HELP, ""), "karat help")
    for name in SUBCOMMANDS:
        check(karat("help", name) == karat(name, "--help"), "karat help", name)
    for arguments, said in {
        ("rum",): "karat: unknown subcommand 'rum': did you mean 'run'?",
        ("compare",): "karat: unknown subcommand 'compare' (see 'karat --help')",
        ("help", "chekc"): "karat help: unknown subcommand 'chekc': did you mean 'check'?",
        ("help", "run", "gen"): "karat help: expected one subcommand, found 'run' and 'gen'",
        ("help", "--completion=csh"): "karat help: --completion: expected bash, zsh or fish, found 'csh'",
        ("--versoin",): "karat: unrecognized option '--versoin': did you mean '--version'?",
        ("run", "--therads", "4"): "karat run: unrecognized option '--therads': did you mean '--threads'?",
        ("run", "--kernle=a"): "karat run: unrecognized option '--kernle': did you mean '--kernel'?",  # An option of a child parser
        ("run", "--frobnicate"): "karat run: unrecognized option '--frobnicate' (see 'karat run --help')",
        ("run", "--json", "--trheads", "--warsp"): "karat run: unrecognized option '--warsp': did you mean '--warps'?",  # The first is a value
        ("shrink", "-o", "--x", "--resumee"): "karat shrink: unrecognized option '--resumee': did you mean '--resume'?",
        ("isa", "vad.vv"): "karat isa: there is no instruction 'vad.vv': did you mean 'vadd.vv'?",
        ("cov", "report", "nosuch.cov"): "karat cov: nosuch.cov: cannot be opened: No such file or directory",
        ("doctor", "lockstp"): "karat doctor: unknown job 'lockstp': did you mean 'lockstep'?",
        ("doctor", "surgery"): "karat doctor: unknown job 'surgery' (karat doctor lists them)",
    }.items():
        check(karat(*arguments, status=2) == ("", said + "\n"), *arguments, karat(*arguments, status=2))
    # Abbreviations, and what stands after --.
    check("nosuch.elf" in karat("run", "--thr=4", "nosuch.elf", status=2)[1], "an abbreviation")
    check("--therads: " in karat("run", "--", "--therads", status=2)[1], "a file after --")

    version = karat("--version")[0].splitlines()
    git = subprocess.run(["git", "-C", SOURCE, "rev-parse", "--show-toplevel", "HEAD"], capture_output=True, text=True).stdout.split()
    commit = re.fullmatch(r"commit ([0-9a-f]{12}|unknown)", version[1])
    check(len(version) == 4 and version[0].startswith("karat ") and commit, "version:", version)
    if len(git) == 2 and pathlib.Path(git[0]) == SOURCE:
        check(commit and commit[1] != "unknown" and run("git", "-C", SOURCE, "cat-file", "-t", commit[1])[0] == "commit\n", "commit:", version)
    port = re.search(r"^VERSION = (\d+)", (SOURCE / "dpi" / "port" / "records.py").read_text(), re.M)[1]
    api = re.search(r"KARAT_API_VERSION (\d+)", (SOURCE / "golden" / "include" / "karat" / "model.h").read_text())[1]
    check(version[2] == f"API {api}, profiles v2.02 v2.03 public, retire port {port}", "version:", version)
    levels = re.fullmatch(r"levels (portable(?: x86-64-v[234])*), in use (\S+)", version[3])
    check(levels and levels[2] == levels[1].split()[-1], "version:", version)

    # A place with some tools only.
    for tool in ("clang", "cc", "pkg-config"):
        (folder / tool).write_text("#!/bin/sh\n[ \"$2\" = systemc ] && echo 2.3\n")
        (folder / tool).chmod(0o755)
    environment = {"PATH": f"/nowhere:{folder}"}
    out = karat("doctor", "library", "systemc", env=environment)[0]
    check(f"\n  cc          {folder}/cc\n" in out and "\n  systemc     2.3\n" in out and "missing" not in out and "waves" not in out, "doctor:", out)
    out = karat("doctor", "programs", "lockstep", status=1, env=environment)[0]
    check("programs  lacks " in out and "  ld.lld      missing: Debian package lld\n" in out and f"clang       {folder}/clang" in out
          and "  jansson     missing: Debian package libjansson-dev\n" in out and out.endswith(" lld\n") and "apt-get install verilator g++ " in out,
          "doctor:", out)
    # A Python of its own: a module, and a folder of that name that is none. Packages are named once.
    (folder / "python3").write_text("#!/bin/sh\nexec /usr/bin/python3 \"$@\"\n")
    (folder / "python3").chmod(0o755)
    own = folder / "modules"
    (own / "karat").mkdir(parents=True)
    out = karat("doctor", "python", status=1, env={**environment, "PYTHONPATH": str(own)})[0]
    check("python    lacks " in out and "  karat       missing: build/release/python in PYTHONPATH" in out and "apt-get" not in out,
          "doctor python:", out)
    for name in ("karat", "cocotb"):
        (own / name).mkdir(exist_ok=True)
        (own / name / "__init__.py").write_text("")
    out = karat("doctor", "lockstep", "cocotb", status=1, env={**environment, "PYTHONPATH": str(own)})[0]
    check(f"  cocotb      {own}/cocotb/__init__.py\n" in out
          and "optional, for Icarus Verilog in place of Verilator: Debian package iverilog\n" in out
          and out.splitlines()[-1].split().count("verilator") == 1 and out.endswith(" make\n"), "doctor cocotb:", out)


def test_man(folder):
    want("groff")
    for name in ["", *SUBCOMMANDS]:
        page = karat("help", "--man", *filter(None, [name]))[0]
        out, err = run("groff", "-man", "-Tascii", "-ww", "-P-cbou", "-rLL=200n", "-rHY=0", input=page)
        check(not err, name, "warnings:", err)
        check(long_options(out) == OPTIONS[name], f"options of karat-{name}(1):", sorted(long_options(out) ^ OPTIONS[name]))
        for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "SEE ALSO"):
            check(re.search(f"^{heading}$", out, re.M), f"karat-{name}(1): no {heading}")
        # All words of the help are in the page, but for what argp says of options in general.
        general = r"^ *(Usage|or): |^Subcommands:|Mandatory or optional.*?short options\."
        told = re.sub(general, "", karat("help", *filter(None, [name]))[0], flags=re.M | re.S)
        lacks = set(re.findall(r"[a-z]{4,}", told)) - set(re.findall(r"[a-z]{4,}", out))
        check(not lacks, f"karat-{name}(1) lacks", lacks)


def compare(shell, name, options, words):
    check(options == OPTIONS[name], f"{shell}: options of {name}:", sorted(options ^ OPTIONS[name]))
    check(words == WORDS.get(name, set()), f"{shell}: words of {name}:", words)


def script(shell, folder):
    path = folder / f"karat.{shell}"
    path.write_text(karat("help", f"--completion={shell}")[0])
    return path


def test_bash(folder):
    path = script("bash", folder)

    def complete(*words):
        out, err = run("bash", "--norc", "-c", 'source "$0"; complete -p karat >/dev/null || exit 3\n'
                       'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _karat\n'
                       'printf "%s\n" "${COMPREPLY[@]}"', path, "karat", *words)
        check(not err, "bash:", err)
        return set(out.split())

    for name in OPTIONS:
        before = [name] if name else []
        compare("bash", name, {word.strip("-=") for word in complete(*before, "--")}, complete(*before, ""))
    check(complete("run", "--thr") == {"--threads="} and complete("c") == {"campaign", "check", "cov"}, "bash: prefixes")
    check(complete("cov", "merge", "") == set(), "bash: a second argument")


def test_fish(folder):
    want("fish")
    path = script("fish", folder)
    empty = folder / "empty"
    empty.mkdir()

    def complete(line):
        out, err = run("fish", "--no-config", "-c", f"source {path}; complete -C '{line}'", cwd=empty, env={**os.environ, "HOME": str(folder)})
        check(not err, "fish:", err)
        return {row.partition("\t")[0] for row in out.splitlines()}

    for name in OPTIONS:
        line = f"karat {name} " if name else "karat "
        compare("fish", name, {word.strip("-=") for word in complete(line + "--")}, {word for word in complete(line) if not word.startswith("-")})


def typed(pair, shell_line, keys, wanted):
    """What an interactive zsh prints for keys, up to the text that is wanted."""
    controller, side = pair
    shell = subprocess.Popen(["zsh", "-f", "-i"], stdin=side, stdout=side, stderr=side, start_new_session=True)
    os.close(side)
    os.write(controller, shell_line.encode() + b"\n")
    out, sent, end = b"", False, time.monotonic() + PATIENCE
    while time.monotonic() < end and wanted not in out.partition(b"READY:")[2]:
        if select.select([controller], [], [], 0.2)[0]:
            try:
                out += os.read(controller, 4096)
            except OSError:
                break
        if b"READY:" in out and not sent:
            os.write(controller, keys.encode())
            sent = True
    shell.kill()
    shell.wait()
    os.close(controller)
    return out.partition(b"READY:")[2]


def test_zsh(folder):
    want("zsh")
    path = script("zsh", folder)
    run("zsh", "-n", path)

    # The specifications that it gives to zsh's own functions.
    def specs(*words):
        out, err = run("zsh", "-f", "-c", "compdef() { : }; _describe() { print -rl -- ${subcommands%%:*} }; _files() { : }\n"
                       "compadd() { print -rl -- $names }\n"
                       '_arguments() { print -rl -- "$@"; for spec; do case $spec in "1: :{"*) eval "${${spec#*\\{}%\\}}";; esac; done }\n'
                       f'source {path}; words=(karat "$@"); CURRENT=$#words; _karat', "zsh", *words)
        check(not err, "zsh:", err)
        lines = out.splitlines()
        options = {found[1] for line in lines if (found := re.match(r"--([a-z0-9-]+?)(?:=-?)?\[", line))}
        return options, {word for word in lines if re.fullmatch("[a-z-]*[a-z]", word)}

    for name in OPTIONS:
        compare("zsh", name, *specs(*([name] if name else []), ""))
    # The whole is tried in a terminal, too.
    pair = terminal()
    if pair:
        out = typed(pair, f"autoload -U compinit; compinit -D; source {path}; PS1=; print READ''Y:", "karat run --thr\t", b"karat run --threads")
        check(b"karat run --threads" in out, "zsh in a terminal:", out)


with tempfile.TemporaryDirectory() as name:
    {"words": test_words, "man": test_man, "bash": test_bash, "zsh": test_zsh, "fish": test_fish}[PART](pathlib.Path(name))
sys.exit(end())
