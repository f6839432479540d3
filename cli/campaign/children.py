"""Programs that a campaign starts: each ends with it, whatever happens to it."""
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time


class Stopped(Exception):
    """The campaign is being stopped; no further program starts."""


class Children:
    """Starts programs for lockstep.core_run() and the like, from several threads."""

    def __init__(self):
        self.lock, self.alive, self.stopped = threading.Lock(), set(), False
        self.reaper = subprocess.Popen([sys.executable, "-B", str(pathlib.Path(__file__).with_name("reaper.py"))], stdin=subprocess.PIPE, text=True,
                                       start_new_session=True)

    def tell(self, text):
        """Keep the reaper's list."""
        self.reaper.stdin.write(text)
        self.reaper.stdin.flush()

    def run(self, command, capture_output=True, text=True, timeout=None, check=False):
        """As subprocess.run(). A session of its own keeps Ctrl-C from it."""
        with self.lock:
            if self.stopped:
                raise Stopped
            pipe = subprocess.PIPE if capture_output else None
            child = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=text,
                                     errors="replace" if text else None, start_new_session=True)
            self.alive.add(child)
            self.tell(f"+{child.pid}\n")
        try:
            out, err = child.communicate(timeout=timeout)
        except BaseException:  # TimeoutExpired, or Ctrl-C in the main thread
            self.end(child)
            raise
        finally:
            with self.lock:
                self.alive.discard(child)
                self.tell(f"-{child.pid}\n")
        if self.stopped:
            raise Stopped
        if check and child.returncode:
            raise subprocess.CalledProcessError(child.returncode, command, out, err)
        return subprocess.CompletedProcess(command, child.returncode, out, err)

    @staticmethod
    def signal(child, number):
        try:
            os.killpg(child.pid, number)
        except ProcessLookupError:
            pass

    def end(self, child):
        """End it and its children: karat shrink ends its own test at SIGTERM."""
        self.signal(child, signal.SIGTERM)
        try:
            child.communicate(timeout=2)
        except subprocess.TimeoutExpired:
            self.signal(child, signal.SIGKILL)
            child.communicate()

    def stop(self):
        """End all of them."""
        with self.lock:
            self.stopped = True
            for child in self.alive:
                self.signal(child, signal.SIGTERM)
        deadline = time.monotonic() + 2
        while self.alive and time.monotonic() < deadline:
            time.sleep(0.05)
        with self.lock:
            for child in self.alive:
                self.signal(child, signal.SIGKILL)

    def close(self):
        self.reaper.stdin.close()
        self.reaper.wait()
