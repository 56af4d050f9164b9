"""The vault under SIGKILL and power loss: no eleventh try, no lost enrolment, nothing readable after a wipe."""

import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import vault_driver
from vault_ledger import Ledger

KILLS = 200
# A driver is killed after at most this many lines and a short random delay.
MOST_LINES = 60
LONGEST_MOMENT_SECONDS = 0.004
# The system calls that change a file. `write` also covers the key file and the driver's own output.
WRITING_CALLS = ["pwrite64", "write", "fdatasync", "fsync", "ftruncate", "unlink", "rename", "mkdir"]
WORKERS = 2


def test_two_hundred_kills_at_random_moments(tmp_path, seeded):
    directory = tmp_path / "vault"
    ledger = Ledger()
    for _ in range(KILLS):
        driver = subprocess.Popen(
            [vault_driver.path(), str(directory), "storm", "seed=%d" % seeded.randrange(2**32)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said = [driver.stdout.readline() for _ in range(seeded.randrange(MOST_LINES))]
        # This sleep picks the moment of the kill. It does not wait for an event.
        time.sleep(seeded.uniform(0, LONGEST_MOMENT_SECONDS))
        driver.send_signal(signal.SIGKILL)
        # communicate() would miss what readline() has already buffered.
        output = "".join(said) + driver.stdout.read()
        complaint = driver.stderr.read()
        assert driver.wait(vault_driver.LIMIT_SECONDS) == vault_driver.KILLED, complaint
        driver.stdout.close()
        driver.stderr.close()
        ledger.read(vault_driver.whole_lines(output))
        ledger.look_at_files(directory)
    vault_driver.check(directory, ledger)
    print("%d devices, %d tries, %d wipes" % (len(ledger.devices), ledger.tries, ledger.wipes))
    # The kills hit a vault that really enrolled, tried PINs and wiped.
    assert len(ledger.devices) >= 10 and ledger.tries >= 200 and ledger.wipes >= 10


@pytest.mark.parametrize("call", WRITING_CALLS)
def test_kill_at_every_system_call_that_writes(tmp_path, call):
    def kill_at(number):
        directory = tmp_path / str(number)
        inject = "inject=%s:signal=KILL:when=%d" % (call, number)
        code, lines, complaint = vault_driver.run(
            directory, "script", wrapper=["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + call, "-e", inject])
        ledger = Ledger()
        ledger.read(lines)
        assert code in (0, vault_driver.KILLED, 128 + signal.SIGKILL), complaint
        vault_driver.check(directory, ledger)
        return code == 0

    count = every_number(kill_at)
    print("%s: %d kills" % (call, count))
    assert count >= 1


def test_power_loss_at_every_operation(tmp_path, seeded):
    """Data that was not synced is lost, except a few writes that reached the disk early. Some of those are torn."""
    seed = seeded.randrange(1, 2**32)

    def lose_at(number):
        directory = tmp_path / str(number)
        code, lines, complaint = vault_driver.run(
            directory, "script", "loses_unsynced=1", "seed=%d" % (seed + number), "kill_at=%d" % number)
        ledger = Ledger()
        ledger.read(lines)
        assert code in (0, vault_driver.KILLED), complaint
        vault_driver.check(directory, ledger)
        return code == 0

    count = every_number(lose_at)
    print("%d power losses" % count)
    assert count >= 100


def test_a_disk_that_fills_up_at_any_write(tmp_path):
    """The error says that the disk is full, no PIN is checked without being counted, and acknowledged data survives."""
    def fill_at(number):
        directory = tmp_path / str(number)
        code, lines, complaint = vault_driver.run(directory, "script", "full_at=%d" % number)
        if code != 0:
            assert "the disk is full; free some space" in complaint
        ledger = Ledger()
        ledger.read(lines)
        vault_driver.check(directory, ledger)
        return code == 0

    # A transaction makes several writes. Every third number is enough to hit each position in some transaction.
    assert every_number(lambda number: fill_at(3 * number - 2)) >= 20


def every_number(attempt, limit=2_000):
    """Calls `attempt` with 1, 2, 3, … until it returns True: the run completed. Returns the number of runs before that."""
    with ThreadPoolExecutor(WORKERS) as pool:
        for start in range(1, limit, WORKERS * 8):
            ended = list(pool.map(attempt, range(start, start + WORKERS * 8)))
            if True in ended:
                first = ended.index(True)
                assert all(ended[first:]), "a later number was reached, an earlier one was not"
                return start - 1 + first
    raise AssertionError("no end after %d" % limit)
