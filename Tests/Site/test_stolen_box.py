"""The drill of docs/how-to/site-emergencies.md: a box is stolen with its keys and its certificate, and the site removes it."""
import json

from test_one_enrolment import NUMBERS, boxes, log_in, new_phone, refused  # noqa: F401


def test_a_phone_that_was_at_any_other_box_since_refuses_a_stolen_box_and_one_that_was_not_does_not(site, boxes):
    stolen, other = boxes
    phone, unaware = (new_phone(stolen, site, name) for name in ("aware", "unaware"))
    for each in (phone, unaware):
        log_in(stolen, each, NUMBERS[0])
    # The box is stolen, and an administrator removes it.
    site.server.ok("box", "remove", "ward" + NUMBERS[0], "--yes", "--reason", "stolen from ward 3")
    other.wait_until(lambda: json.loads(other.command("site", "--json").ok())["entries"] == 1)
    log_in(other, phone, NUMBERS[1])
    assert "removed from your site" in refused(stolen, phone, NUMBERS[0])
    # While its certificate is valid, the stolen box can still deceive a phone that knows nothing of the removal.
    log_in(stolen, unaware, NUMBERS[0])
    # The site no longer serves the stolen box.
    stolen.wait_until(lambda: "removed" in (json.loads(stolen.command("site", "--json").ok())["problem"] or ""))
