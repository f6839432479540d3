"""Time limits in tests. ctest ends a test that hangs; a test itself waits as long as that, for machines may be slow."""
import time

PATIENCE = 3000  # Seconds, until something that a test waits for counts as never happening


def wait_for(condition, pause=0.01):
    """Whether it becomes true."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True
