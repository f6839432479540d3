"""A pseudo-terminal, for tests of what a terminal shows."""
import os
import pty
import re
import select
import signal
import subprocess
import time

from limits import PATIENCE


def terminal():
    """(controller, terminal), or None where this system gives none, which is said."""
    try:
        return pty.openpty()
    except OSError as error:
        print(f"no pseudo-terminal ({error}): what a terminal shows is not tested")
        return None


def watch(command, line, begin=None, stop=True):
    """Runs a command with a terminal on standard error until it shows that line (a pattern), and then sends SIGINT to all of its processes, as a
    terminal does, where it is to stop. begin: is called when it has been started. Returns status, standard output and what the terminal shows; None
    where there is none."""
    pair = terminal()
    if not pair:
        return None
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=pair[1], text=True, start_new_session=True)
    os.close(pair[1])
    if begin:
        begin()
    text, sent, until = "", False, time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if not select.select([pair[0]], [], [], 1)[0]:
            continue
        try:
            text += os.read(pair[0], 4096).decode()
        except OSError:  # It has ended
            break
        if stop and not sent and re.search(line, text):
            os.killpg(process.pid, signal.SIGINT)
            sent = True
    out, _ = process.communicate()
    os.close(pair[0])
    return process.returncode, out, text.replace("\r\n", "\n")
