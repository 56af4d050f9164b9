"""What the crash tests share."""

import os
import random

import pytest


@pytest.fixture
def seeded():
    """A source of choices; its seed is printed, and given back with CRASH_SEED=N."""
    seed = int(os.environ.get("CRASH_SEED") or random.SystemRandom().randrange(2**32))
    print("CRASH_SEED=%d" % seed)
    return random.Random(seed)
