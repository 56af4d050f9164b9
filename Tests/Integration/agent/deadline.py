"""The time that tests wait for an event. Limits are for a quiet machine. When a limit passes without the event, the machine's
slowness is measured, and the limit is multiplied by it. A wait therefore never fails because other programs used the processor."""

import os
import time

# A fixed piece of work, and an environment variable: the seconds that the work takes in Tests/VM's guest on a quiet machine with
# two cores, on which the limits were found. Without the variable, the work's wall time is compared with its processor time.
WORK = 1_000_000
REFERENCE = "BOXAGENT_QUIET_SECONDS"
SLOWEST = 20.0


def slowness():
    """Returns 1 on a quiet machine and 3 on one three times slower. The result is at least 1, and bounded so that waits end."""
    wall, processor = time.monotonic(), time.thread_time()
    total = 0
    for number in range(WORK):
        total += number * number
    wall, processor = time.monotonic() - wall, time.thread_time() - processor
    quiet = float(os.environ.get(REFERENCE) or processor)
    return min(max(wall / max(quiet, 1e-6), 1.0), SLOWEST)


def is_within(taken, most):
    """Returns whether `taken` is at most `most`, allowing for the machine's slowness. Both have the same unit."""
    return taken <= most or taken <= most * slowness()


class Deadline:
    """A time limit in seconds of a quiet machine, from now."""

    def __init__(self, seconds, measure=slowness, clock=time.monotonic):
        self.seconds, self.measure, self.clock = seconds, measure, clock
        self.factor, self.start = 1.0, clock()

    def left(self):
        return max(0.0, self.start + self.seconds * self.factor - self.clock())

    def is_over(self):
        """Returns whether the time has passed, even when the machine's slowness is considered."""
        if self.left() > 0:
            return False
        self.factor = max(self.factor, self.measure())
        return self.left() <= 0

    def wait(self, attempt, expired):
        """Returns the result of `attempt(seconds)`. Calls it again after an `expired` exception while there is time."""
        while True:
            try:
                return attempt(max(self.left(), 0.01))
            except expired:
                if self.is_over():
                    raise
