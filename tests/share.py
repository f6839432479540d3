"""How many of its many cases a test runs: KARAT_CHECK_SHARE percent, or all. The presets `quick` and `asan` set it."""
import os

SHARE = min(100, max(1, int(os.environ.get("KARAT_CHECK_SHARE") or 100)))


def share_of(num):
    """So many of that many, at least one."""
    return num if SHARE == 100 else 1 + num * SHARE // 100


def some(cases):
    """Such a share of a list, from all over it."""
    return list(cases)[:: max(1, 100 // SHARE)]
