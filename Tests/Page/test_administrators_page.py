"""Administrators on the page: each change waits for a second administrator, and the page makes no links for passkeys."""
import json

import pytest

from page_browser import PageBrowser, signs_in
from proposing import waiting

FORMS = ["/administrator/add", "/administrator/change", "/administrator/remove"]


@pytest.fixture
def browser(page, tmp_path):
    made = PageBrowser(page, tmp_path)
    yield made
    made.stop()


def listed(page):
    return {each["name"]: each for each in json.loads(page.server.ok("admin", "list", "--json"))}


def new_name(page):
    page.administrators += 1
    return "new%d" % page.administrators


def add(visitor, name, **fields):
    wish = {"name": name, "role": "helpdesk", "groups": "", "account": "", "reason": "she began today", **fields}
    return visitor.submit(visitor.get("/administrator/add"), "/administrator/add", **wish)


def approve(page, visitor, order):
    answer = visitor.submit(visitor.get("/proposals"), "/proposal/approve", id=waiting(page, order)["id"])
    assert answer.status == 303, answer.problem


def test_somebody_is_added_changed_and_removed_by_two(page, anna):
    bert, name = page.administrator().signed_in(), new_name(page)
    answer = add(anna, name, role="ward", groups="9, 7")
    assert answer.place == "/proposal?id=" + waiting(page, name)["id"] and name not in listed(page)
    assert "Not done yet" in anna.get(answer.place).text
    approve(page, bert, name)
    assert (listed(page)[name]["role"], listed(page)[name]["groups"], listed(page)[name]["account"]) == ("ward", [7, 9], None)
    number = listed(page)[name]["number"]
    path = "/administrator/change?number=%d" % number
    shown = anna.get(path)
    assert 'value="7, 9"' in shown.text and 'value="ward" selected' in shown.text
    changed = anna.submit(shown, "/administrator/change", number=number, role="helpdesk", groups="7, 9", account="x" + name, reason="r")
    assert changed.status == 303 and listed(page)[name]["role"] == "ward"
    approve(page, bert, name)
    assert (listed(page)[name]["role"], listed(page)[name]["groups"], listed(page)[name]["account"]) == ("helpdesk", [], "x" + name)
    asked = anna.get("/administrator/remove?number=%d" % number)
    assert anna.submit(asked, "/administrator/remove", number=number, reason="").status == 422
    assert anna.submit(asked, "/administrator/remove", number=number, reason="left").place.startswith("/proposal?")
    assert name in listed(page)
    approve(page, bert, name)
    assert name not in listed(page) and anna.get(path).status == 404


def test_a_name_that_another_one_got_meanwhile_is_not_touched(page, anna):
    name = page.administrator("viewer").name
    old = listed(page)[name]["number"]
    asked = anna.get("/administrator/remove?number=%d" % old)
    page.site.database.sql("UPDATE administrators SET state = 'removed' WHERE id = %d" % old)
    page.site.database.sql("INSERT INTO administrators (name, role, state) VALUES ('%s', 'viewer', 'active')" % name)
    for path in ("/administrator/remove", "/administrator/change"):
        answer = anna.submit(asked, path, number=old, role="helpdesk", groups="", account="", reason="left")
        assert answer.status == 404, path
    assert listed(page)[name]["role"] == "viewer"


def test_what_is_wrong_with_an_administrator_is_said_where_it_was_written(page, anna):
    for fields, said in [({"role": "king"}, "Choose a role"), ({"role": ""}, "Choose a role"), ({"reason": " "}, "Enter a reason"),
                         ({"role": "ward"}, "1 to 8 groups"), ({"role": "ward", "groups": "0"}, "1 to 8 groups"),
                         ({"name": "root"}, "not valid for an administrator"), ({"name": "a/b"}, "not valid for an administrator"),
                         ({"account": "root"}, "account is not valid"), ({"reason": "\u0007"}, "without control characters")]:
        answer = add(anna, fields.pop("name", new_name(page)), **fields)
        assert answer.status == 422 and said in answer.problem, (fields, answer.problem)


def test_roles_that_may_not_change_administrators_change_none(page, anna):
    target = page.administrator("viewer").name
    number = listed(page)[target]["number"]
    count = page.site.database.sql("SELECT count(*) FROM proposals")
    for role, groups, sees in (("viewer", None, 200), ("helpdesk", None, 200), ("ward", [7], 403)):
        visitor = page.administrator(role, groups).signed_in()
        assert visitor.get("/administrators").status == sees
        form = visitor.get("/administrator/add")
        assert form.status == sees and ('name="role"' in form.text) == (sees == 200)
        assert add(visitor, new_name(page)).status == 403
        fields = {"number": number, "role": "administrator", "groups": "", "account": "", "reason": "x"}
        for path in FORMS[1:]:
            assert visitor.submit(visitor.get("/boxes"), path, **fields).status == 403, (role, path)
    # An administrator cannot appoint a root keeper.
    assert add(anna, new_name(page), role="root-keeper").status == 403
    assert page.site.database.sql("SELECT count(*) FROM proposals") == count


@pytest.mark.parametrize("path", FORMS)
def test_a_form_about_administrators_from_elsewhere_does_nothing(page, anna, path):
    other = page.administrator().signed_in()
    fields = {"name": new_name(page), "number": "1", "role": "viewer", "groups": "", "account": "", "reason": "x"}
    count = page.site.database.sql("SELECT count(*) FROM audit_entries")
    for token in ({}, {"token": other.get("/boxes").field("token")}):
        assert anna.post(path, {**fields, **token}).status == 403
    assert anna.submit(anna.get("/boxes"), path, {"Origin": "https://evil.example.org"}, **fields).status == 403
    assert page.site.database.sql("SELECT count(*) FROM audit_entries") == count


def test_what_names_and_reasons_of_administrators_carry_stays_text(page, anna):
    page.administrators += 1
    name, reason = "<b>'\"&%d" % page.administrators, "<i>x\"'"
    answer = add(anna, name, account="<u>" + str(page.administrators), reason=reason)
    page.site.database.sql("INSERT INTO administrators (name, role, state) VALUES ('%s', 'viewer', 'active')" % name.replace("'", "''"))
    number = listed(page)[name]["number"]
    for path in (answer.place, "/proposals", "/administrators", "/administrator/change?number=%d" % number,
                 "/administrator/remove?number=%d" % number):
        text = anna.get(path).text
        assert "&lt;b&gt;" in text and not any(each in text for each in ("<b>", "<i>", "<u>")), path
    page.site.database.sql("UPDATE administrators SET state = 'removed' WHERE id = %d" % number)


def test_links_for_passkeys_are_not_made_on_the_page(page, anna):
    assert "boxsite admin link NAME" in anna.get("/administrators").text
    for path in ("/administrator/link", "/administrator/passkey"):
        assert anna.get(path).status == 404 and anna.submit(anna.get("/boxes"), path, name=anna.name).status == 404


def test_somebody_is_added_by_keyboard_and_axe_finds_nothing(page, browser):
    name, found = new_name(page), {}
    signs_in(browser, page)
    browser.enter("Administrators")
    browser.sees("boxsite admin link NAME")
    found["list"] = browser.complaints()
    browser.enter("Add an administrator")
    browser.sees("Account on the server")
    found["add"] = browser.complaints()
    browser.tabs_to("Name")
    browser.types(name)
    browser.tabs_to("Reason, for the audit log")
    browser.types("she began today")
    browser.enter("Add an administrator")
    browser.sees("Not done yet")
    assert waiting(page, name)["reason"] == "she began today"
    browser.go("/administrators", "boxsite admin link NAME")
    browser.enter("Remove")
    browser.sees("Remove administrator")
    found["remove"] = browser.complaints()
    assert found == {"list": [], "add": [], "remove": []}
