"""Boxes on the page: added, removed and restored; and many boxes with one code, approved by their fingerprints."""
import html
import re

import pytest

from independent_phone import KeyPair
from page_browser import PageBrowser, signs_in
from proposing import waiting
from site_box import CERTIFICATE, JoinCode
from test_bulk_codes import ALREADY, USED, WAITING, come, fingerprint
from test_links import suspend

FORMS = ["/box/add", "/box/remove", "/box/unsuspend", "/box/codes/add", "/box/codes/revoke", "/box/waiting/approve",
         "/box/waiting/reject"]


@pytest.fixture
def shown(page, tmp_path):
    browser = PageBrowser(page, tmp_path)
    yield browser
    browser.stop()


def code_of(answer):
    found = re.search(r'<textarea id="code"[^>]*>([^<]+)</textarea>', answer.text)
    return found and html.unescape(found[1])


def new_name(page, beginning="box"):
    page.administrators += 1
    return "%s-%d" % (beginning, page.administrators)


def add(visitor, name, **fields):
    return visitor.submit(visitor.get("/box/add"), "/box/add", **{"name": name, "number": "", "groups": "1", "hours": "24", **fields})


def make_code(visitor, name, places=5, fingerprints="", groups="1"):
    shown = visitor.get("/box/codes/add")
    answer = visitor.submit(shown, "/box/codes/add", name=name, places=places, groups=groups, days=1, fingerprints=fingerprints)
    assert answer.status == 200, answer.problem
    return JoinCode(code_of(answer))


def comes(page, code):
    """Presents the code as a new box, which must then wait. Returns the box's key."""
    key = KeyPair.new()
    assert come(page.site, code, key).value == WAITING
    return key


def removed(page, name):
    return name not in page.server.boxes()


def test_a_box_joins_with_the_code_that_is_shown_once(page, anna):
    name = new_name(page)
    answer = add(anna, name, groups="3, 7")
    box = page.server.boxes()[name]
    assert answer.status == 200 and box["groups"] == [3, 7] and box["number"] in answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    joined = page.site.join(JoinCode(code_of(answer)), KeyPair.new())
    joined.expect(CERTIFICATE)
    assert page.server.boxes()[name]["state"] == "joined"
    joined.drop()
    for path in ("/box/add", "/box?number=" + box["number"], "/boxes"):
        assert code_of(answer) not in anna.get(path).text


def test_what_is_wrong_with_a_new_box_is_said_where_it_was_written(page, anna):
    name = new_name(page)
    add(anna, name, number="047110")
    for fields, said in [({"hours": "0"}, "from 1 to 168"), ({"hours": "169"}, "from 1 to 168"), ({"hours": "x"}, "from 1 to 168"),
                         ({"groups": "0"}, "1 to 8 groups"), ({"number": "12"}, "six digits"), ({"number": "047110"}, "047110"),
                         ({"name": "a b"}, "not a valid name for a box"), ({"name": name}, name)]:
        wish = {"name": new_name(page), **fields}
        answer = add(anna, **wish)
        assert answer.status == 422 and said in html.unescape(answer.problem), (fields, answer.problem)
        assert 'value="%s"' % wish["name"] in answer.text and code_of(answer) is None


def test_a_box_is_removed_for_a_reason_and_waits_where_that_needs_two(page, anna):
    names = [new_name(page) for _ in range(2)]
    for name in names:
        add(anna, name)
    boxes = page.server.boxes()

    def remove(box, **fields):
        number = boxes[box]["number"]
        return anna.submit(anna.get("/box/remove?number=" + number), "/box/remove",
                           **{"number": number, "name": box, "reason": "stolen", **fields})

    assert "Enter a reason" in remove(names[0], reason=" ").problem and not removed(page, names[0])
    # The form names another box for this number, as if the number had been reassigned meanwhile.
    assert remove(names[0], name=names[1]).status == 404 and not removed(page, names[0]) and not removed(page, names[1])
    answer = remove(names[0])
    assert (answer.status, answer.place) == (303, "/boxes?done=removedBox") and removed(page, names[0])
    assert "The box is removed" in anna.get(answer.place).text
    page.site.database.sql("INSERT INTO revocation_tallies SELECT id, now(), 20 FROM administrators WHERE name = '%s'" % anna.name)
    assert remove(names[1]).place == "/proposal?id=" + waiting(page, names[1])["id"] and not removed(page, names[1])


def test_a_suspended_box_is_served_again_for_a_reason(page, anna):
    name = new_name(page)
    box = page.site.join(JoinCode(code_of(add(anna, name))), KeyPair.new())
    box.expect(CERTIFICATE)
    number = page.server.boxes()[name]["number"]
    path = "/box/unsuspend?number=" + number
    assert "/box/unsuspend" not in anna.get("/box?number=" + number).text
    suspend(page.site, box, name)
    assert "/box/unsuspend" in anna.get("/box?number=" + number).text
    assert anna.submit(anna.get(path), "/box/unsuspend", number=number, name=name, reason="").status == 422
    answer = anna.submit(anna.get(path), "/box/unsuspend", number=number, name=name, reason="the copy is off")
    assert answer.status == 303 and "served again" in anna.get(answer.place).text
    assert page.server.boxes()[name]["state"] == "joined"
    late = anna.submit(anna.get(path), "/box/unsuspend", number=number, name=name, reason="the copy is off")
    assert late.status == 422 and late.problem


def test_a_box_has_when_it_was_seen_and_one_that_is_linked_is_here_now(page, anna):
    name = new_name(page)
    code = JoinCode(code_of(add(anna, name)))
    number = page.server.boxes()[name]["number"]

    def seen():
        one = re.search(r"<dt>Last seen</dt><dd>([^<]*)</dd>", anna.get("/box?number=" + number).text)[1]
        listed = re.findall(r'<td class="wide">([^<]*)</td>', anna.get("/boxes?q=" + number).text)[2]
        assert one == listed
        return one

    assert seen() == "Never"
    box = page.site.join(code, KeyPair.new())
    box.expect(CERTIFICATE)
    page.site.database.sql("DELETE FROM box_contacts WHERE box = (SELECT id FROM boxes WHERE name = '%s')" % name)
    assert seen() == "Now"
    page.site.database.sql("INSERT INTO box_contacts SELECT id, '2026-01-02 03:04:05Z', 'boxagentd 9.8.7' FROM boxes WHERE name = '%s' "
                           "ON CONFLICT (box) DO UPDATE SET seen_at = excluded.seen_at, program = excluded.program" % name)
    assert seen() == "Now"
    box.drop()
    page.server.wait_until(lambda: not page.server.boxes()[name].get("address"))
    assert seen() == "2026-01-02 03:04" and "boxagentd 9.8.7" in anna.get("/box?number=" + number).text


def test_boxes_of_one_code_wait_until_their_fingerprints_are_named(page, anna):
    listed = KeyPair.new()
    code = make_code(anna, new_name(page, "bulk"), fingerprints=fingerprint(listed.public).upper() + "  the first\n\n")
    assert come(page.site, code, listed).kind != 0
    keys = [comes(page, code) for _ in range(3)]
    prints = [fingerprint(each.public) for each in keys]
    shown = anna.get("/box/waiting")
    assert all(each in shown.text for each in prints) and fingerprint(listed.public) not in shown.text
    for fields in ({}, {"fingerprints": "x"}, {"fingerprints": prints[0] + "\n" + prints[1][:25]}, {"box-<b>": "1"}):
        answer = anna.submit(shown, "/box/waiting/approve", **fields)
        assert answer.status == 422 and "26 letters" in answer.problem and "<b>" not in answer.text
    unknown = fingerprint(KeyPair.new().public)
    answer = anna.submit(shown, "/box/waiting/approve", **{"box-" + prints[0]: "1", "fingerprints": unknown})
    assert answer.status == 404 and answer.problem and come(page.site, code, keys[0]).value == WAITING, "all or none"
    answer = anna.submit(shown, "/box/waiting/approve", **{"box-" + prints[0]: "1", "fingerprints": prints[1]})
    assert (answer.status, answer.place) == (303, "/box/waiting?done=approvedBoxes")
    assert [come(page.site, code, each).value for each in keys] == [ALREADY, ALREADY, WAITING]
    asked = anna.submit(shown, "/box/waiting/reject", fingerprints=prints[2])
    assert asked.status == 200 and "for good" in asked.text and come(page.site, code, keys[2]).value == WAITING
    assert anna.submit(asked, "/box/waiting/reject", fingerprints=prints[2], sure="yes").status == 303
    assert come(page.site, code, keys[2]).value != WAITING
    assert prints[2] not in anna.get("/box/waiting").text


def test_a_code_is_taken_back_with_those_who_wait(page, anna):
    name = new_name(page, "bulk")
    code = make_code(anna, name)
    key = comes(page, code)
    shown = anna.get("/box/codes")
    id, = re.findall(r"<code>([0-9a-f]{16})</code></th><td><bdi>%s</bdi>" % name, shown.text)
    assert "1 of 5" in shown.text and "boxsite-join" not in shown.text
    asked = anna.get("/box/codes/revoke?code=" + id)
    assert anna.submit(asked, "/box/codes/revoke", code=id).status == 303
    assert fingerprint(key.public) not in anna.get("/box/waiting").text and come(page.site, code, KeyPair.new()).value == USED
    for bent in ("", "0" * 16, "g" * 16):
        assert anna.get("/box/codes/revoke?code=" + bent).status == 404


def test_many_boxes_that_wait_are_shown_in_parts_and_approved_at_once(page, anna):
    code = make_code(anna, new_name(page, "bulk"), places=60)
    keys = [comes(page, code) for _ in range(55)]
    shown = anna.get("/box/waiting")
    assert shown.text.count("<tr>") == 51 and 'rel="next"' in shown.text and 'rel="prev"' not in shown.text
    ticks = {each: "1" for each in re.findall(r'name="(box-[0-9a-z]{26})"', shown.text)}
    assert len(ticks) == 50
    answer = anna.submit(shown, "/box/waiting/approve", fingerprints="\n".join(fingerprint(each.public) for each in keys), **ticks)
    assert answer.status == 303, answer.problem
    assert not set(fingerprint(each.public) for each in keys) & set(re.findall(r"[0-9a-z]{26}", anna.get("/box/waiting").text))


def test_wards_reach_boxes_of_their_groups_alone_and_viewers_none(page, anna):
    viewer, ward = page.administrator("viewer").signed_in(), page.administrator("ward", [9]).signed_in()
    mine, other = new_name(page), new_name(page)
    add(anna, other, groups="7")
    boxes = page.server.boxes()
    refused = add(viewer, new_name(page))
    assert refused.status == 403 and "may not add boxes" in refused.problem
    assert add(ward, new_name(page), groups="7").status in (403, 422) and add(ward, mine, groups="9").status == 200
    fields = {"number": boxes[other]["number"], "name": other, "reason": "x"}
    for visitor, status in ((viewer, (403,)), (ward, (404,))):
        for path in ("/box/remove", "/box/unsuspend"):
            assert visitor.submit(visitor.get("/box/add"), path, **fields).status in status, path
    code = make_code(anna, new_name(page, "bulk"), groups="7")
    key = comes(page, code)
    assert fingerprint(key.public) not in ward.get("/box/waiting").text
    for visitor in (viewer, ward):
        answer = visitor.submit(visitor.get("/box/waiting"), "/box/waiting/approve", fingerprints=fingerprint(key.public))
        assert answer.status in (403, 404) and answer.problem
        assert visitor.submit(visitor.get("/box/codes/add"), "/box/codes/add", name="b", places=1, groups="7", days=1,
                              fingerprints="").status in (403, 422)
    assert not removed(page, other) and come(page.site, code, key).value == WAITING


def test_what_names_and_reasons_carry_stays_text(page, anna):
    name = "<b>'\"&x=%d" % page.administrators
    shown = add(anna, name)
    number = page.server.boxes()[name]["number"]
    key = comes(page, make_code(anna, name))
    pages = [shown, anna.get("/boxes?q=" + number), anna.get("/box?number=" + number), anna.get("/box/remove?number=" + number),
             anna.get("/box/codes"), anna.get("/box/waiting"), add(anna, name),
             anna.submit(shown, "/box/remove", number=number, name=name, reason="\"><b>" + "r" * 200)]
    for each in pages:
        assert "<b>" not in each.text and "&lt;b&gt;" in each.text
    assert anna.submit(shown, "/box/remove", number=number, name=name, reason="\u0007").status == 422 and not removed(page, name)
    assert anna.submit(shown, "/box/waiting/reject", fingerprints=fingerprint(key.public), sure="yes").status == 303
    assert anna.submit(shown, "/box/remove", number=number, name=name, reason="<b>'").status == 303


@pytest.mark.parametrize("path", FORMS)
def test_a_form_about_boxes_from_elsewhere_does_nothing(page, anna, path):
    name = new_name(page)
    other = page.administrator().signed_in()
    token = anna.get("/boxes").field("token")
    fields = {"name": name, "number": "", "groups": "1", "hours": "1", "places": "1", "days": "1", "fingerprints": "", "reason": "x"}
    count = page.site.database.sql("SELECT count(*) FROM audit_entries")
    for sent in ({}, {"token": ""}, {"token": other.get("/boxes").field("token")}):
        assert anna.post(path, {**fields, **sent}).status == 403
    for origin in ("null", "https://evil.example.org"):
        assert anna.post(path, {**fields, "token": token}, {"Origin": origin}).status == 403
    assert anna.get(path.replace("/box/codes/add", "/box/add")).status in (200, 404)
    assert page.site.database.sql("SELECT count(*) FROM audit_entries") == count


def test_boxes_are_added_approved_and_removed_by_keyboard_and_axe_finds_nothing(page, shown):
    signs_in(shown, page)
    name, found = new_name(page), {}

    def look(where):
        found[where] = shown.complaints()

    shown.enter("Add a box")
    shown.sees("You get a code for the box")
    look("add")
    shown.tabs_to("Name of the box")
    shown.types(name)
    shown.enter("Add a box")
    shown.sees("has number")
    look("code")
    shown.go("/box/codes", "Many boxes can join with one code")
    shown.enter("Create a code")
    shown.sees("without waiting")
    look("codes-add")
    for field, text in (("Beginning of the box names", name), ("Number of boxes that may join, 1 to 1000", "2")):
        shown.tabs_to(field)
        shown.types(text)
    shown.enter("Create a code")
    shown.sees("may join: 2")
    code = JoinCode(shown.js("document.querySelector('#code').value"))
    good, bad = comes(page, code), comes(page, code)
    shown.enter("Waiting boxes")
    shown.sees(fingerprint(good.public))
    look("waiting")
    shown.tabs_to(fingerprint(good.public))
    shown.press("Space")
    shown.enter("Approve")
    shown.sees("The boxes are approved")
    shown.tabs_to(fingerprint(bad.public))
    shown.press("Space")
    shown.enter("Reject")
    shown.sees("Reject the boxes with these fingerprints?")
    look("reject")
    shown.enter("Reject for good")
    shown.sees("The boxes are rejected")
    shown.enter("Codes for many boxes")
    shown.sees("2 of 2")
    look("codes")
    shown.go("/box?number=" + page.server.boxes()[name]["number"], "Remove this box")
    look("box")
    shown.enter("Remove this box")
    shown.sees("Remove box %s" % name)
    shown.tabs_to("Reason, for the audit log")
    shown.types("broken")
    shown.enter("Remove for good")
    shown.sees("The box is removed")
    assert removed(page, name) and [come(page.site, code, each).value == ALREADY for each in (good, bad)] == [True, False]
    assert {where: what for where, what in found.items() if what} == {}
