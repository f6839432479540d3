"""A page in Debian's Chromium, without a window, where it is installed."""
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

CHROMIUM = shutil.which("chromium")


def chromium(profile):
    """Its command, with a folder of its own."""
    return [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"]


def page(address, fragment="", width=1200, height=1000, picture=None, options=()):
    """The page, a file or an http address, after its scripts have run, as HTML; or a picture of it."""
    if not str(address).startswith("http:"):
        address = pathlib.Path(address).resolve().as_uri()
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [*chromium(profile), f"--window-size={width},{height}", f"--screenshot={picture}" if picture else "--dump-dom", *options,
             address + fragment],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    return done.stdout


class Tab:
    """A page that is open, for keys: Chromium's protocol of developer tools, over its pipe."""
    KEYS = {"Tab": 9, "Enter": 13, " ": 32, "End": 35, "ArrowUp": 38, "ArrowDown": 40, "Backspace": 8}

    def __init__(self, address):
        self.profile, self.number = tempfile.TemporaryDirectory(ignore_cleanup_errors=True), 0
        ends = [*os.pipe(), *os.pipe()]
        # Its ends are 3 and 4 in the end; nothing of here may have these numbers.
        theirs_in, self.out, self.answers, theirs_out = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
        for end in ends:
            os.close(end)
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out} {theirs_in}<&- {theirs_out}>&-', "bash", *chromium(self.profile.name),
             "--remote-debugging-pipe"], pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.rest, self.session = b"", None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.call("Page.navigate", url=pathlib.Path(address).resolve().as_uri())
        while self.ask("location.protocol + document.readyState") != "file:complete":
            time.sleep(0.02)

    def call(self, method, **params):
        """The result of a method; what comes in between, events, is left out."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params, **({"sessionId": self.session} if self.session else {})}
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                more = os.read(self.answers, 1 << 16)
                if not more:
                    raise RuntimeError("chromium has ended")
                self.rest += more
            text, _, self.rest = self.rest.partition(b"\0")
            answer = json.loads(text)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def ask(self, expression):
        """The value of an expression in the page."""
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def press(self, *keys):
        """Press keys, each by its name; another text is typed."""
        for key in keys:
            if key not in self.KEYS:
                self.call("Input.insertText", text=key)
                continue
            text = {"Enter": "\r", " ": " "}.get(key)
            about = {"key": key, "code": key, "windowsVirtualKeyCode": self.KEYS[key], **({"text": text} if text else {})}
            self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **about)
            self.call("Input.dispatchKeyEvent", type="keyUp", **{k: v for k, v in about.items() if k != "text"})

    def close(self):
        os.close(self.out)
        self.process.terminate()
        self.process.wait()
        os.close(self.answers)
        self.profile.cleanup()
