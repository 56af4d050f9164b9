"""How long a test waits for what should happen. Limits are for a quiet machine; a busy one is given more, by as much as it is
slower than that, measured when a limit has passed and nothing else has happened. A wait never ends because others had
the processor."""

import os
import time

# A fixed piece of work: some tenths of a second in Tests/VM's guest on a quiet machine with two cores, where limits were found;
# the variable says how many. Elsewhere the work is compared with the processor time that it takes itself.
WORK = 1_000_000
REFERENCE = "BOXAGENT_QUIET_SECONDS"
SLOWEST = 20.0


def slowness():
    """1 on a quiet machine, 3 on one that is three times slower now; never less, and bounded: a wait has an end."""
    wall, processor = time.monotonic(), time.thread_time()
    total = 0
    for number in range(WORK):
        total += number * number
    wall, processor = time.monotonic() - wall, time.thread_time() - processor
    quiet = float(os.environ.get(REFERENCE) or processor)
    return min(max(wall / max(quiet, 1e-6), 1.0), SLOWEST)


def is_within(taken, most):
    """Whether what took so long would have taken at most so long on a quiet machine; the same unit for both."""
    return taken <= most or taken <= most * slowness()


class Deadline:
    """So many seconds of a quiet machine from now."""

    def __init__(self, seconds, measure=slowness, clock=time.monotonic):
        self.seconds, self.measure, self.clock = seconds, measure, clock
        self.factor, self.start = 1.0, clock()

    def left(self):
        return max(0.0, self.start + self.seconds * self.factor - self.clock())

    def is_over(self):
        """Whether the time has passed, also when the machine's slowness is taken into account."""
        if self.left() > 0:
            return False
        self.factor = max(self.factor, self.measure())
        return self.left() <= 0

    def wait(self, attempt, expired):
        """What `attempt(seconds)` returns; called again after an `expired` exception as long as there is time."""
        while True:
            try:
                return attempt(max(self.left(), 0.01))
            except expired:
                if self.is_over():
                    raise
