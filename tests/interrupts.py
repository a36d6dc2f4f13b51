"""Ctrl-C at any moment, for tests of what must survive it."""

import signal
import time
from collections.abc import Callable
from typing import Any

# Milliseconds to wait for a signal on its way, and no longer: one that is lost must not hold up the others.
LONGEST = 200


def interrupted(work: Callable[[], Any], seconds: float) -> bool:
    """Do some work, with a KeyboardInterrupt after so many seconds, and return whether it came in time.

    One that comes inside Python's own locks ends as a RuntimeError of theirs, with the interrupt as its context.
    """
    came = []

    def interrupt(*_: object) -> None:
        came.append(True)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        work()
        rest, _ = signal.setitimer(signal.ITIMER_REAL, 0)
        for _ in range(0 if rest or came else LONGEST):
            time.sleep(0.001)  # the signal may have gone to another thread, which the system has not let run yet
    except KeyboardInterrupt:
        return True
    except RuntimeError as error:
        if not isinstance(error.__context__, KeyboardInterrupt):
            raise
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return bool(came)
