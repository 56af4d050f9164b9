"""Sign-in by passkey, and attempts that must fail."""
import json

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from passkey import PRESENT, VERIFIED
from site_page import Visitor


def test_a_passkey_is_set_up_by_a_link_and_signs_in_with_a_new_token(page):
    anna = page.administrator()
    before = anna.cookie
    answer = anna.sign_in()
    assert (answer.status, answer.place) == (303, "/boxes")
    assert anna.cookie != before and anna.is_signed_in
    assert all(word in anna.attributes for word in ("HttpOnly", "SameSite=Strict", "Path=/"))
    assert anna.name in anna.get("/boxes").text


def test_a_visitor_is_asked_to_sign_in_whatever_they_open(page, visitor):
    for path in ("/boxes", "/box?number=000001", "/people", "/phone?id=x", "/phone/add", "/status", "/live", "/phone/revoke?id=x"):
        answer = visitor.get(path)
        assert (answer.status, answer.place) == (303, "/sign-in"), path
    shown = visitor.get("/sign-in")
    for path in ("/phone/add", "/phone/revoke", "/person/revoke", "/phone/grant", "/sign-out"):
        answer = visitor.submit(shown, path, user="anna", code="x", id="x", reason="x")
        assert (answer.status, answer.place) == (303, "/sign-in"), path


def test_a_link_is_good_once_and_the_next_one_takes_its_place(page):
    anna = page.administrator()
    first = page.link(anna.name)
    second = page.link(anna.name)
    assert first != second
    other = Visitor(page)
    refused = other.submit(other.get("/register"), "/register", code=first.split("#")[1])
    assert refused.status == 422 and "one-time code is wrong" in refused.problem
    other.register(second)
    assert other.sign_in().status == 303
    again = Visitor(page)
    refused = again.submit(again.get("/register"), "/register", code=second.split("#")[1])
    assert refused.status == 422


def test_of_two_who_have_one_link_the_second_one_gets_nothing(page):
    anna = page.administrator()
    code = page.link(anna.name).split("#")[1]
    first, second = Visitor(page), Visitor(page)
    pages = [each.submit(each.get("/register"), "/register", code=code) for each in (first, second)]
    for each, shown, status in zip((first, second), pages, (303, 422)):
        answer = each.submit(shown, "/register/passkey", code=code, **each.passkey.make(shown.field("data-challenge")))
        assert answer.status == status
    assert second.sign_in().status == 403


def test_a_link_that_is_too_old_is_refused(page):
    anna = page.administrator()
    code = page.link(anna.name).split("#")[1]
    page.site.database.sql("UPDATE passkey_links SET expires_at = now() - interval '1 second'")
    other = Visitor(page)
    assert other.submit(other.get("/register"), "/register", code=code).status == 422


def test_the_database_has_no_code(page):
    code = page.link(page.administrator().name).split("#")[1]
    assert code not in page.site.database.dump()


BENDS = [
    ({"origin": "https://evil.example.org"}, "not valid here"), ({"host": "evil.example.org"}, "not valid here"),
    ({"flags": PRESENT}, "did not verify"), ({"flags": VERIFIED}, "did not verify"), ({"flags": 0}, "did not verify"),
    ({"kind": "create"}, "not valid here"), ({"key": ec.generate_private_key(ec.SECP256R1())}, "not valid here"),
]


@pytest.mark.parametrize("bend, words", BENDS, ids=[str(list(bend)[0]) + str(at) for at, (bend, _) in enumerate(BENDS)])
def test_an_assertion_that_is_wrong_in_one_thing_signs_nobody_in(page, bend, words):
    anna = page.administrator()
    answer = anna.sign_in(**bend)
    assert answer.status == 403 and words in answer.problem
    assert not anna.is_signed_in
    assert anna.sign_in().status == 303


MADE = [{"origin": "https://evil.example.org"}, {"host": "evil.example.org"}, {"flags": PRESENT}, {"kind": "get"}, {"algorithm": -8}]


@pytest.mark.parametrize("bend", MADE, ids=[list(each)[0] for each in MADE])
def test_a_passkey_that_is_wrong_in_one_thing_is_not_kept_and_the_link_stays_good(page, bend):
    anna = page.administrator()
    link = page.link(anna.name)
    code, other = link.split("#")[1], Visitor(page)
    shown = other.submit(other.get("/register"), "/register", code=code)
    answer = other.submit(shown, "/register/passkey", code=code, **other.passkey.make(shown.field("data-challenge"), **bend))
    assert answer.status == 403
    assert other.sign_in().status == 403
    other.register(link)
    assert other.sign_in().status == 303


def test_an_assertion_that_is_sent_again_signs_nobody_in(page):
    """An authenticator without a counter always sends 0, so the page must not rely on the counter to find a repetition."""
    anna = page.administrator()
    shown = anna.get("/sign-in")
    fields = anna.passkey.sign(shown.field("data-challenge"), counter=0)
    cookie = anna.cookie
    assert anna.submit(shown, "/sign-in", **fields).status == 303
    anna.cookie = cookie
    again = anna.submit(shown, "/sign-in", **fields)
    assert again.status == 403 and "sent twice" in again.problem and not anna.is_signed_in


def test_a_challenge_is_good_for_the_browser_that_got_it(page):
    anna, other = page.administrator(), Visitor(page)
    fields = anna.passkey.sign(other.get("/sign-in").field("data-challenge"))
    answer = anna.submit(anna.get("/sign-in"), "/sign-in", **fields)
    assert answer.status == 403 and "took too long" in answer.problem


def test_a_challenge_that_nobody_made_is_refused(page):
    anna = page.administrator()
    answer = anna.submit(anna.get("/sign-in"), "/sign-in", **anna.passkey.sign("A" * 75))
    assert answer.status == 403 and "took too long" in answer.problem


def test_a_counter_that_goes_back_or_stays_is_refused_and_written_down(page):
    anna = page.administrator()
    anna.passkey.counter = 41
    anna.signed_in()
    for counter in (42, 41, 0):
        answer = sign_in_anew(anna, counter)
        assert answer.status == 403 and "copy" in answer.problem, counter
    assert page.site.database.sql("SELECT count(*) FROM audit_entries WHERE actor_name = '%s' AND event = 'refused'" % anna.name) == "3"
    assert sign_in_anew(anna, 43).status == 303


def sign_in_anew(anna, counter):
    anna.cookie = None
    return anna.sign_in(counter=counter)


def test_an_authenticator_without_a_counter_signs_in_again_and_again(page):
    anna = page.administrator()
    for _ in range(3):
        assert sign_in_anew(anna, 0).status == 303


def test_a_passkey_of_nobody_signs_nobody_in(page, visitor):
    answer = visitor.sign_in()
    assert answer.status == 403 and "does not know this passkey" in answer.problem


def test_whoever_is_removed_is_signed_out_and_cannot_sign_in(page):
    anna = page.administrator().signed_in()
    page.site.database.sql("UPDATE administrators SET state = 'removed' WHERE name = '%s'" % anna.name)
    answer = anna.get("/boxes")
    assert answer.status == 403 and "no administrator" in answer.problem
    assert sign_in_anew(anna, 9).status == 403


def test_passkeys_are_listed_and_removed_on_the_server_alone(page):
    anna = page.administrator().signed_in()
    listed = json.loads(page.server.ok("admin", "passkeys", anna.name, "--json"))
    assert [each["credential"] for each in listed] == [anna.passkey.id.hex()] and listed[0]["used"]
    assert "removed 1 passkeys" in page.server.ok("admin", "passkeys", anna.name, "--remove")
    assert sign_in_anew(anna, 9).status == 403


def test_a_token_that_somebody_has_chosen_for_another_one_never_is_a_session(page):
    """Session fixation: a cookie that the browser had before sign-in is worthless afterwards."""
    anna = page.administrator()
    anna.cookie = "boxsite=" + "A" * 43
    shown = anna.get("/sign-in")
    assert anna.cookie == "boxsite=" + "A" * 43
    assert anna.sign_in(shown).status == 303 and anna.cookie != "boxsite=" + "A" * 43
    thief = Visitor(page)
    thief.cookie = "boxsite=" + "A" * 43
    assert not thief.is_signed_in and anna.is_signed_in


def test_signing_out_ends_the_session_for_whoever_has_its_token(anna):
    shown = anna.get("/boxes")
    answer = anna.submit(shown, "/sign-out")
    assert (answer.status, answer.place) == (303, "/sign-in") and not anna.is_signed_in


def test_each_sign_in_is_in_the_audit_table(anna, page):
    rows = page.site.database.sql("SELECT event FROM audit_entries WHERE actor_name = '%s' ORDER BY number" % anna.name).splitlines()
    assert rows == ["passkey add", "sign in"]
