"""Waiting on a busy machine (deadline.py): a limit grows with the machine's slowness, and still ends."""

import pytest
from deadline import REFERENCE, SLOWEST, Deadline, slowness


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def test_a_wait_on_a_quiet_machine_ends_at_its_limit():
    clock = Clock()
    deadline = Deadline(10, measure=lambda: 1.0, clock=clock)
    clock.now += 9.9
    assert not deadline.is_over()
    clock.now += 0.2
    assert deadline.is_over()


def test_a_wait_on_a_busy_machine_is_as_much_longer_as_the_machine_is_slower_and_ends():
    clock, factors = Clock(), iter([2.0, 3.0, 1.0])
    deadline = Deadline(10, measure=lambda: next(factors), clock=clock)
    clock.now += 15
    assert not deadline.is_over()
    clock.now += 10
    # The machine has become slower meanwhile.
    assert not deadline.is_over() and deadline.left() == 5
    clock.now += 6
    # The machine is quiet again, and the longest measured limit has passed.
    assert deadline.is_over()


def test_what_expires_is_tried_again_until_the_time_is_over():
    clock, tried = Clock(), []
    deadline = Deadline(10, measure=lambda: 2.0, clock=clock)

    def attempt(seconds):
        tried.append(seconds)
        clock.now += seconds + 0.001
        raise TimeoutError

    with pytest.raises(TimeoutError):
        deadline.wait(attempt, TimeoutError)
    assert len(tried) == 2 and sum(tried) == pytest.approx(20, abs=0.1)
    assert Deadline(10, clock=Clock()).wait(lambda seconds: seconds, TimeoutError) == 10


def test_slowness_is_at_least_one_and_bounded(monkeypatch):
    assert slowness() >= 1
    monkeypatch.setenv(REFERENCE, "1000")
    assert slowness() == 1
    monkeypatch.setenv(REFERENCE, "0.0000001")
    assert slowness() == SLOWEST
