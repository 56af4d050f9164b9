"""PIN tries of many phones while the primary is killed: no acknowledged try is given back, and no phone gets an eleventh."""
import os
import random
import threading

from held_credentials import DONE, NOT_NOW, OPENED, PIN_WRONG, WIPED, new_channel
from linked_box import LinkedBox
from test_database import KILLS, fail_over
from test_one_enrolment import PASSWORD
from test_site_held import RIGHT, WRONG, Carrier, credential, held_phone
from test_standby import name_standby

LIMIT, BOXES, PHONES_OF_BOX = 10, 8, 4
# No phone's last try is under way at the kill, because the outcome of a last try is known only a minute later.
TRIES = 7


class Count:
    """The tries that were reported to a phone since its password was stored."""

    def __init__(self):
        self.sent, self.left = 0, []

    def take(self, answer):
        if answer.kind == PIN_WRONG:
            self.left.append(answer.left)
        return answer.kind


def try_wrong(carrier, phone, count):
    channel = new_channel()
    sealed = phone.open(carrier.key, channel, WRONG)
    count.sent += 1
    return count.take(carrier.carry(channel, sealed))


class Attack:
    """Each box tries its phones in turn, until a try ends with another result than a wrong PIN. After `pause` reported tries, no
    try begins before `go_on`."""

    def __init__(self, carriers, phones, pause):
        self.counts = [[Count() for _ in own] for own in phones]
        self.told, self.change = 0, threading.Condition()
        self.pause, self.running = pause, len(carriers)
        self.failures = []
        self.threads = [threading.Thread(target=self.run, args=each) for each in zip(carriers, phones, self.counts)]
        for thread in self.threads:
            thread.start()

    def run(self, carrier, phones, counts):
        try:
            for _ in range(TRIES):
                for phone, count in zip(phones, counts):
                    with self.change:
                        self.change.wait_for(lambda: self.told < self.pause)
                    kind = try_wrong(carrier, phone, count)
                    if kind != PIN_WRONG:
                        assert kind == NOT_NOW, kind
                        return
                    with self.change:
                        self.told += 1
                        self.change.notify_all()
        except Exception as error:  # pylint: disable=broad-except
            self.failures.append(error)
        finally:
            with self.change:
                self.running -= 1

    def wait_for_pause(self):
        with self.change:
            assert self.change.wait_for(lambda: self.told >= self.pause, 60), self.told

    def go_on(self):
        with self.change:
            self.pause = float("inf")
            self.change.notify_all()

    def join(self):
        for thread in self.threads:
            thread.join(60)
            assert not thread.is_alive()
        assert not self.failures, self.failures


def used(site, phone):
    return int(site.database.sql("SELECT c.used FROM phone_credentials c JOIN phones p ON p.id = c.phone WHERE p.key = '\\x%s'"
                                 % phone.key.public.hex()))


def waiting_for_the_standby(database):
    return int(database.sql("SELECT count(*) FROM pg_stat_activity WHERE query = 'COMMIT' AND wait_event = 'SyncRep'"))


def relink(site, carriers):
    return [Carrier(site, None, site.servers[index % len(site.servers)], carrier.box) for index, carrier in enumerate(carriers)]


def judge(site, carriers, phones, counts):
    """Checks the counts. Every other phone uses up its tries, and the others use the right PIN."""
    for carrier, own, told in zip(carriers, phones, counts):
        for index, (phone, count) in enumerate(zip(own, told)):
            assert count.left == list(range(LIMIT - 1, LIMIT - 1 - len(count.left), -1)), count.left
            spent = used(site, phone)
            assert len(count.left) <= spent <= count.sent, "%d were told, %d stand there" % (len(count.left), spent)
            if index % 2:
                answer = carrier.ask(phone.open, RIGHT)
                assert (answer.kind, answer.credential) == (OPENED, PASSWORD)
                continue
            while try_wrong(carrier, phone, count) == PIN_WRONG:
                pass
            assert count.left == sorted(set(count.left), reverse=True), "a try came back: %s" % count.left
            assert len(count.left) < LIMIT and count.left[-1] == 1
            assert carrier.ask(phone.open, RIGHT).kind == WIPED


def test_no_acknowledged_try_comes_back_and_no_eleventh_is_let_in_when_the_primary_is_killed(pair, directory):  # noqa: F811
    site, seed = pair, int(os.environ.get("SITE_SEED", random.randrange(1 << 32)))
    print("SITE_SEED=%d" % seed)
    chance = random.Random(seed)
    # With this setting, the database would acknowledge a change that no standby has. A try must override it.
    site.database.sql("ALTER ROLE boxsite SET synchronous_commit = off")
    site.server.extra = ["[pin]", "delays = false", "attempts = %d" % LIMIT]
    site.add_server()
    carriers = [Carrier(site, None, box=LinkedBox(site.box("box%d" % number))) for number in range(BOXES)]
    phones = [[held_phone(site, "user%d-%d" % (box, number)) for number in range(PHONES_OF_BOX)] for box in range(BOXES)]
    carriers = relink(site, carriers)
    unknown = 0
    for kill in range(KILLS):
        for carrier, own in zip(carriers, phones):
            for phone in own:
                assert carrier.ask(phone.store, RIGHT, PASSWORD).kind == DONE
        attack = Attack(carriers, phones, chance.randrange(1, BOXES * PHONES_OF_BOX * 3))
        attack.wait_for_pause()
        if kill % 2:
            # Changes now exist only in the primary, so none is acknowledged.
            primary, standby = site.databases
            standby.freeze()
            attack.go_on()
            site.server.wait_until(lambda: waiting_for_the_standby(primary) >= attack.running > 0)
        attack.go_on()
        fail_over(site, directory / ("next%d" % kill))
        attack.join()
        told = [count for own in attack.counts for count in own]
        unknown += sum(count.sent - len(count.left) for count in told)
        carriers = relink(site, carriers)
        judge(site, carriers, phones, attack.counts)
    assert unknown > 0, "no kill met a try"


def test_a_last_try_is_looked_at_again_only_once_the_standby_has_it(pair):  # noqa: F811
    site = pair
    site.server.extra = ["[pin]", "delays = false", "attempts = 3"]
    site.write_configs()
    site.server.stop()
    site.server.start()
    box, phone = Carrier(site, "one"), held_phone(site)
    assert box.ask(phone.store, RIGHT, PASSWORD).kind == DONE
    assert [box.ask(phone.open, WRONG).kind for _ in range(2)] == [PIN_WRONG] * 2
    primary, standby = site.databases
    standby.freeze()
    channel = new_channel()
    box.send(channel, phone.open(box.key, channel, RIGHT))
    site.server.wait_until(lambda: waiting_for_the_standby(primary) == 1)
    # The primary keeps the change but cannot report it.
    primary.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'COMMIT' AND wait_event = 'SyncRep'")
    assert box.answer().kind == NOT_NOW
    # The check whether the try was stored waits for the standby like the try itself.
    site.server.wait_until(lambda: waiting_for_the_standby(primary) == 1)
    assert credential(site, "used, is_last") == "3|t"
    standby.thaw()
    site.server.wait_until(lambda: credential(site, "used, is_last") == "0|f")
    assert box.ask(phone.open, RIGHT).credential == PASSWORD


def test_no_try_is_taken_where_no_standby_would_have_it(pair):  # noqa: F811
    site = pair
    box, phone = Carrier(site, "one"), held_phone(site)
    assert box.ask(phone.store, RIGHT, PASSWORD).kind == DONE
    # The setting changes while a server runs and is connected.
    name_standby(site.database, "")
    site.server.wait_until(lambda: site.server.status()["standby"] == "missing")
    for pin_key in (RIGHT, WRONG):
        assert box.ask(phone.open, pin_key).kind == NOT_NOW
    assert box.ask(phone.store, WRONG, b"another").kind == NOT_NOW
    assert credential(site, "used, counter") == "0|1"
    # Requests that only read are answered.
    assert box.ask(phone.tries).left == LIMIT
    name_standby(site.database, "two")
    site.server.wait_until(lambda: site.server.status()["standby"] == "named")
    assert box.ask(phone.open, RIGHT).credential == PASSWORD
