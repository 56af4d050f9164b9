"""Orders on the page that need a second administrator, and the pages of waiting proposals."""
import pytest

from proposing import add_phone, after_twenty, revoke, state, waiting


@pytest.fixture
def helpdesk(page):
    """A helpdesk administrator whose next revocation needs a second administrator."""
    visitor = page.administrator("helpdesk").signed_in()
    after_twenty(page, visitor.name)
    return visitor


@pytest.fixture
def proposed(page, helpdesk):
    """Proposes to revoke a phone. Returns the phone and the proposal's ID."""
    phone = add_phone(page, "waits%d" % page.administrators)
    answer = revoke(helpdesk, phone)
    proposal = waiting(page, phone)["id"]
    assert (answer.status, answer.place) == (303, "/proposal?id=" + proposal)
    return phone, proposal


def test_an_order_that_waits_for_a_second_administrator_is_not_shown_as_done(page, helpdesk):
    phone = add_phone(page, "notdone")
    answer = revoke(helpdesk, phone)
    shown = helpdesk.get(answer.place)
    proposal = waiting(page, phone)["id"]
    assert "The phone is revoked" not in shown.text and state(page, phone) == "active"
    assert "Not done yet. This waits for a second administrator." in shown.text
    assert '<code id="proposal">%s</code>' % proposal in shown.text
    assert "Another administrator or root keeper can approve it here under Waiting" in shown.text
    assert "boxsite approve " + proposal in shown.text and "lost on the bus" in shown.text and "Waits until" in shown.text
    assert "/proposal/approve" not in shown.text, "nobody approves their own"


def test_a_person_with_more_phones_than_one_may_take_back_waits_too(page):
    anna = page.administrator().signed_in()
    after_twenty(page, anna.name)
    phone = add_phone(page, "wholeperson")
    answer = anna.submit(anna.get("/person/revoke?user=wholeperson"), "/person/revoke", user="wholeperson", reason="left")
    assert answer.place == "/proposal?id=" + waiting(page, "wholeperson")["id"] and state(page, phone) == "active"


def test_the_second_administrator_approves_and_it_is_done(page, helpdesk, proposed):
    phone, proposal = proposed
    anna = page.administrator().signed_in()
    listed = anna.get("/proposals")
    assert proposal in listed.text and helpdesk.name in listed.text and phone in listed.text
    shown = anna.get("/proposal?id=" + proposal)
    answer = anna.submit(shown, "/proposal/approve", id=proposal)
    assert (answer.status, answer.place) == (303, "/proposals?done=approved")
    assert state(page, phone) == "revoked" and "Approved and done" in anna.get(answer.place).text
    assert proposal not in anna.get("/proposals").text and anna.get("/proposal?id=" + proposal).status == 404
    actors = page.site.database.sql(
        "SELECT actor_name FROM audit_entries WHERE event = 'approved' AND subject || detail LIKE '%%%s%%'" % proposal)
    assert actors == anna.name


def test_what_is_rejected_with_a_reason_is_never_done(page, helpdesk, proposed):
    phone, proposal = proposed
    anna = page.administrator().signed_in()
    shown = anna.get("/proposal?id=" + proposal)
    answer = anna.submit(shown, "/proposal/reject", id=proposal, reason="  ")
    assert answer.status == 422 and "Enter a reason" in answer.problem and proposal in answer.text
    assert "was rejected" not in page.server.ok("proposal", "list")
    answer = anna.submit(shown, "/proposal/reject", id=proposal, reason="the wrong phone")
    assert (answer.status, answer.place) == (303, "/proposals?done=rejected")
    late = anna.submit(shown, "/proposal/approve", id=proposal)
    assert late.status == 422 and "was rejected" in late.problem and state(page, phone) == "active"
    assert "the wrong phone" in page.site.database.sql(
        "SELECT detail FROM audit_entries WHERE event = 'rejected' ORDER BY number DESC LIMIT 1")


def test_one_takes_back_ones_own_proposal_and_cannot_approve_it(page, proposed, helpdesk):
    phone, proposal = proposed
    shown = helpdesk.get("/proposal?id=" + proposal)
    assert "Withdraw" in shown.text
    answer = helpdesk.submit(shown, "/proposal/approve", id=proposal)
    assert answer.status == 422 and "your own proposal" in answer.problem and state(page, phone) == "active"
    assert helpdesk.submit(shown, "/proposal/reject", id=proposal, reason="found").status == 303
    assert helpdesk.get("/proposal?id=" + proposal).status == 404


def test_those_who_decide_nothing_are_told_who_does_and_a_bent_form_does_nothing(page, proposed):
    phone, proposal = proposed
    viewer = page.administrator("viewer").signed_in()
    shown = viewer.get("/proposal?id=" + proposal)
    assert "decides this" in shown.text and "/proposal/" not in shown.text
    assert viewer.submit(shown, "/proposal/approve", id=proposal).status == 422
    assert viewer.submit(shown, "/proposal/reject", id=proposal, reason="x").status == 422
    ward = page.administrator("ward", [7]).signed_in()
    assert proposal not in ward.get("/proposals").text and ward.get("/proposal?id=" + proposal).status == 404
    assert ward.submit(shown_by(ward), "/proposal/approve", id=proposal).status == 404
    anna = page.administrator().signed_in()
    for token in ({}, {"token": shown.field("token")}):
        assert anna.post("/proposal/approve", {"id": proposal, **token}).status == 403
    assert state(page, phone) == "active" and waiting(page, phone)["id"] == proposal


def shown_by(visitor):
    return visitor.get("/proposals")


def test_an_order_that_was_sent_twice_is_one_proposal(page, helpdesk):
    phone = add_phone(page, "twice")
    assert revoke(helpdesk, phone).place == revoke(helpdesk, phone).place == "/proposal?id=" + waiting(page, phone)["id"]


def test_a_proposal_whose_hour_is_over_is_not_there(page, proposed):
    phone, proposal = proposed
    anna = page.administrator().signed_in()
    shown = anna.get("/proposal?id=" + proposal)
    page.site.database.sql("UPDATE proposals SET expires_at = now() - interval '1 second'")
    assert anna.get("/proposal?id=" + proposal).status == 404
    late = anna.submit(shown, "/proposal/approve", id=proposal)
    assert late.status == 422 and "proposal has expired" in late.problem and state(page, phone) == "active"
