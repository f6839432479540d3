"""How many of its many cases a test runs: KARAT_CHECK_SHARE percent, or all. The presets `quick` and `asan` set it."""
import os
import re
import subprocess

SHARE = min(100, max(1, int(os.environ.get("KARAT_CHECK_SHARE") or 100)))


def share_of(num):
    """So many of that many, at least one."""
    return num if SHARE == 100 else 1 + num * SHARE // 100


def profiles_of(karat):
    """The profiles of the ISA that this command knows."""
    version = subprocess.run([karat, "--version"], check=True, capture_output=True, text=True).stdout
    return re.search(r"profiles (.*?),", version)[1].split()


def some(cases):
    """Such a share of a list, from all over it."""
    return list(cases)[:: max(1, 100 // SHARE)]
