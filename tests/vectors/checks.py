"""Shared by tests of commands: a count of failures, and one line for what is wrong."""
import subprocess

failures = 0


def check(good, what, *more):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what, *more)


def run(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True)


def one_line(status, text, done):
    """That status, and one line on stderr with that text."""
    check(done.returncode == status and len(done.stderr.splitlines()) == 1 and text in done.stderr and done.stderr.startswith("karat"),
          text, done)


def end():
    """The test's exit status."""
    print("failures:", failures)
    return failures != 0
