"""The number of cases of a test: a few in `make test`, which has little time for a browser, and all in `Scripts/test-long page`."""

import os


def cases(few, others):
    return [*few, *others] if os.environ.get("PAGE_LONG") else few
