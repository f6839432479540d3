"""A page in Debian's Chromium, without a window, where it is installed."""
import pathlib
import shutil
import subprocess
import tempfile

CHROMIUM = shutil.which("chromium")


def page(address, fragment="", width=1200, height=1000, picture=None):
    """The page, a file or an http address, after its scripts have run, as HTML; or a picture of it."""
    if not str(address).startswith("http:"):
        address = pathlib.Path(address).resolve().as_uri()
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", f"--window-size={width},{height}",
             f"--screenshot={picture}" if picture else "--dump-dom", address + fragment],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    return done.stdout
