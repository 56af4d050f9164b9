"""A status is green only while changes are stored: a standby that is gone, or a database that only reads, is an alarm."""
from deadline import slowness


def wait_for_status(site, code):
    """Returns what `boxsite status` prints once it ends with that code."""
    done = None

    def ends():
        nonlocal done
        done = site.server.command("status")
        return done.returncode == code

    site.server.wait_until(ends)
    return " ".join(done.stdout.split())


def stuck(site, words):
    """Waits for the alarm. Returns the seconds without a stored change that the server then says."""
    assert words in wait_for_status(site, 2)
    status = site.server.status()
    assert not status["doubt"], "links, signed statuses and looks go on"
    assert any(words in alarm for alarm in status["alarms"])
    return status["stored_seconds"]


def test_a_dead_standby_turns_the_status_red_within_fifteen_seconds_and_leaves_one_session_waiting(pair):
    primary, standby = pair.databases
    wait_for_status(pair, 0)
    standby.kill()
    assert stuck(pair, "bring the standby back") < 15 * max(1, slowness())
    done = pair.server.command("box", "add", "one")
    assert done.returncode == 75, "so a change could not have been stored"
    stuck_for = pair.server.status()["stored_seconds"]
    pair.server.wait_until(lambda: pair.server.status()["stored_seconds"] > stuck_for + 10)
    waiting = primary.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query NOT LIKE '%boxes%'")
    assert int(waiting) <= 2, "one for the server's row, one for the box"
    standby.start()
    wait_for_status(pair, 0)


def test_a_database_that_only_reads_turns_the_status_red(site):
    wait_for_status(site, 0)
    site.database.sql("ALTER SYSTEM SET default_transaction_read_only = on")
    site.database.sql("SELECT pg_reload_conf()")
    stuck(site, "is read-only")
    site.database.sql("ALTER SYSTEM RESET default_transaction_read_only")
    site.database.sql("SELECT pg_reload_conf()")
    wait_for_status(site, 0)
