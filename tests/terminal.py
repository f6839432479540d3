"""A pseudo-terminal, for tests of what a terminal shows."""
import pty


def terminal():
    """(controller, terminal), or None where this system gives none, which is said."""
    try:
        return pty.openpty()
    except OSError as error:
        print(f"no pseudo-terminal ({error}): what a terminal shows is not tested")
        return None
