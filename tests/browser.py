"""A page in Debian's Chromium, without a window, where it is installed."""
import pathlib
import shutil
import subprocess
import tempfile

CHROMIUM = shutil.which("chromium")


def page(path, fragment="", width=1200, height=1000, picture=None):
    """The page after its scripts have run, as HTML; or a picture of it."""
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", f"--window-size={width},{height}",
             f"--screenshot={picture}" if picture else "--dump-dom", pathlib.Path(path).resolve().as_uri() + fragment],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240, check=True)
    return done.stdout
