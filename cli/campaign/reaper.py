"""Ends what a campaign has started, where the campaign ends without doing so: kill -9 leaves nothing running.

Its standard input is a pipe from the campaign: "+PID" for a session that started, "-PID" for one that has ended. The end of the
pipe is the end of the campaign."""
import os
import signal
import sys
import time

GRACE = 2  # Seconds from SIGTERM, at which karat shrink ends its own test, to SIGKILL


def end(sessions, number):
    for pid in sessions:
        try:
            os.killpg(pid, number)
        except ProcessLookupError:
            pass


def main():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sessions = set()
    for line in sys.stdin:
        (sessions.add if line[0] == "+" else sessions.discard)(int(line[1:]))
    if sessions:
        end(sessions, signal.SIGTERM)
        time.sleep(GRACE)
        end(sessions, signal.SIGKILL)


if __name__ == "__main__":
    main()
