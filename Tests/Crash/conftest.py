"""Fixtures of the crash tests."""

import os
import random

import pytest


@pytest.fixture
def seeded():
    """Returns a random generator and prints its seed. To repeat a run, set CRASH_SEED=N."""
    seed = int(os.environ.get("CRASH_SEED") or random.SystemRandom().randrange(2**32))
    print("CRASH_SEED=%d" % seed)
    return random.Random(seed)
