"""Other programs on the box's adapter."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "agent"))
from peripheral import Peripheral  # noqa: E402
from test_radio import OverTheAir, finding, log_in, new_box, radio, works  # noqa: E402

SLOTS = 15


def test_advertisements_that_other_programs_have_taken_are_named_until_one_is_free(
        bluezoo, private_bus, bus_directory):
    others = [Peripheral(private_bus, bluezoo.adapter(0), name="Other %d" % number) for number in range(SLOTS)]
    for other in others:
        other.advertise()
    bluezoo.wait_for_advertisements(0, SLOTS)
    box = new_box(bus_directory, private_bus).start()
    try:
        box.wait_until(lambda: radio(box).startswith("other programs use every advertising slot"))
        level, _, cure = finding(box)
        assert (level, cure[:18]) == ("fault", "end one of them (b")
        others.pop().close()
        works(box)
        for other in others:
            other.close()
        log_in(box, OverTheAir(box, "alice", "hci1").enrol("alice", b"correct horse"), "alice")
    finally:
        box.stop()
