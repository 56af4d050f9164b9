"""The page's radio: the smallest ATT_MTU, longer values after they are known to fit, BlueZ 5.66, and other boxes nearby."""

import pytest
from web_phone import WebPhone

RECORD = """(() => {
    const write = BluetoothRemoteGATTCharacteristic.prototype.writeValueWithoutResponse;
    const connect = BluetoothRemoteGATTServer.prototype.connect;
    window.links = [];
    BluetoothRemoteGATTServer.prototype.connect = function () { links.push([]); return connect.call(this); };
    BluetoothRemoteGATTCharacteristic.prototype.writeValueWithoutResponse = function (value) {
        links.at(-1).push(value.length); return write.call(this, value); };
})()"""


@pytest.fixture
def shared(directory, page):
    phone = WebPhone(directory, page, shared=True)
    yield phone
    phone.stop()


def log_in(web, box):
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    web.log_in(box)
    web.sees("You are logged in at box " + box.id)
    assert program.wait() == 0


def test_the_smallest_att_mtu_is_enough(web):
    web.zoo.set_mtu(0, 23)
    box = web.box()
    web.launch()
    web.js(RECORD)
    web.ready(box)
    log_in(web, box)
    assert max(length for link in web.js("links") for length in link) == 20


def test_values_are_20_bytes_until_a_longer_notification_has_come(web):
    box = web.box()
    web.launch()
    web.js(RECORD)
    web.ready(box)
    first, *more = [link for link in web.js("links") if link]
    assert max(first) == 20
    assert max(max(link) for link in more) > 40


def test_it_works_with_the_shared_sockets_of_bluez_5_66(shared):
    box = shared.box()
    shared.launch().ready(box)
    log_in(shared, box)


def test_another_box_that_shows_the_same_digits_is_sent_nothing(web):
    box = web.box()
    web.launch().ready(box)
    web.load().sees("Your boxes")
    digits = box.id
    box.stop()
    other = web.box(**{"box.id": '"%s"' % digits})
    assert other.id == digits
    web.js(RECORD)
    web.log_in(other)
    web.sees("it is not your box. Nothing was sent.")
    assert sum(web.js("links"), []) == []


def test_a_box_that_was_given_other_digits_is_found_by_them(web):
    box = web.box()
    web.launch().ready(box)
    web.load().sees("Your boxes")
    old, new = box.id, "5555"
    box.agent.stop()
    box.write_config(**{"box.id": '"%s"' % new})
    box.start()
    box.wait_until(lambda: box.id == new and box.json("status")["radio_state"].startswith("advertising"))
    web.wanted = "cancel"
    web.tap("Log in at box " + old)
    web.sees("Enter your PIN")
    web.keys("4711")
    web.tap("Log in at box " + old)
    web.sees("The list was closed")
    web.wanted = new
    web.tap("The box shows other digits")
    web.sees("Log in at box " + new)
    log_in(web, box)
