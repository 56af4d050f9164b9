"""How many cases a test has: a few in `make test`, which has little time for a browser, and all of them in `Scripts/test-long page`."""

import os


def cases(few, others):
    return [*few, *others] if os.environ.get("PAGE_LONG") else few
