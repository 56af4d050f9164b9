"""How the agent learns whether the password was right (docs/decisions/013-pam-module.md)."""

import os
import threading

import pytest

from pam_agent import credential, delivering, noted, refusing

SUCCESS, AUTH_ERR, ACCT_EXPIRED, NEW_AUTHTOK_REQD, PERM_DENIED = 0, 7, 13, 12, 6
# pam_appl.h
DATA_SILENT = 0x40000000


def verdict(bench):
    return bench.ours(arguments="verdict")


def whole_stack(bench, password="auth required pam_permit.so", account="account required pam_permit.so"):
    bench.service("login", [
        bench.ours(), password, verdict(bench),
        bench.ours(kind="account"), account,
        bench.ours(kind="session"), "session required pam_permit.so",
        "password required pam_permit.so", bench.ours(kind="password")])


def heard(bench, *steps, token=b"token", **settings):
    agent = bench.agent(delivering(token))
    result = bench.run(*steps, **settings)
    bench.finish()
    return result, agent.heard


def test_a_login_tells_each_step_once(bench):
    whole_stack(bench)
    _, events = heard(
        bench, "tty=tty2", "auth", "acct", "setcred", "putenv=XDG_SESSION_ID=c7", "open", "close", "end")
    # setcred runs both auth lines.
    assert events == [
        "authenticate", "verdictReached", "accountEntered", "credentialsEntered", "credentialsEntered",
        ("sessionOpened", b"c7", b"tty2"), "sessionClosed", ("ended", 0), "eof"]


def test_a_session_without_logind_and_terminal(bench):
    whole_stack(bench)
    _, events = heard(bench, "auth", "open", "end")
    assert ("sessionOpened", None, None) in events


def test_a_wrong_password_reaches_no_verdict_line(bench):
    whole_stack(bench, password="auth requisite pam_deny.so")
    result, events = heard(bench, "auth", "end")
    assert result.code("auth") == AUTH_ERR
    assert events == ["authenticate", ("ended", AUTH_ERR), "eof"]


def test_without_a_verdict_line_the_account_shows_it(bench):
    bench.service("login", [bench.ours(), "auth required pam_permit.so", bench.ours(kind="account"),
                            "account required pam_permit.so"])
    _, events = heard(bench, "auth", "acct", "end")
    assert events == ["authenticate", "accountEntered", ("ended", 0), "eof"]


def test_without_account_lines_setcred_shows_it(bench):
    bench.service("login", [bench.ours(), "auth required pam_permit.so"])
    _, events = heard(bench, "auth", "setcred", "end")
    assert events == ["authenticate", "credentialsEntered", ("ended", 0), "eof"]


@pytest.mark.parametrize("step", ["recred", "refresh"])
def test_credentials_that_are_set_anew_are_told_as_that(bench, step):
    """GDM and LightDM set credentials again when they unlock a session."""
    bench.service("login", [bench.ours(), "auth required pam_permit.so"])
    _, events = heard(bench, "auth", step, "end")
    assert events == ["authenticate", "credentialsRefreshed", ("ended", 0), "eof"]


def test_deleting_credentials_shows_nothing(bench):
    bench.service("login", [bench.ours(), "auth required pam_permit.so"])
    _, events = heard(bench, "auth", "delcred", "end")
    assert events == ["authenticate", ("ended", 0), "eof"]


@pytest.mark.parametrize("state, code", [
    ("acct_expired", ACCT_EXPIRED),
    ("perm_denied", PERM_DENIED),
    ("auth_err", AUTH_ERR),
])
def test_a_right_password_for_an_account_that_may_not_log_in(bench, state, code):
    whole_stack(bench, account="account required pam_debug.so acct=" + state)
    result, events = heard(bench, "auth", "acct", "end=%d" % code)
    assert result.code("acct") == code
    assert events == ["authenticate", "verdictReached", "accountEntered", ("ended", code), "eof"]


def test_a_password_that_must_be_changed(bench):
    """The expiry is reported once, although chauthtok has two rounds. The change itself uses its own connection."""
    whole_stack(bench, account="account required pam_debug.so acct=new_authtok_reqd")
    result, connections = heard(bench, "auth", "acct", "expired", "end")
    assert result.code("acct") == NEW_AUTHTOK_REQD
    assert connections == [
        ["authenticate", "verdictReached", "accountEntered", "passwordExpired", ("ended", 0), "eof"],
        [("passwordChanged", b"login", b"anna"), "eof"],
    ]


def test_a_password_that_must_be_changed_and_is_not(bench):
    bench.service("login", [
        bench.ours(), "auth required pam_permit.so", "account required pam_debug.so acct=new_authtok_reqd",
        "password requisite pam_debug.so prechauthtok=success chauthtok=authtok_err", bench.ours(kind="password")])
    result, events = heard(bench, "auth", "acct", "expired", "end=%d" % NEW_AUTHTOK_REQD)
    assert result.code("expired") != SUCCESS
    assert events == ["authenticate", "passwordExpired", ("ended", NEW_AUTHTOK_REQD), "eof"]


def test_an_ordinary_change_of_password_is_no_expiry(bench):
    whole_stack(bench)
    agent = bench.agent(delivering(b"token"))
    bench.run("auth", "chauthtok", "end")
    bench.finish()
    assert ["authenticate", "verdictReached", ("ended", 0), "eof"] in agent.heard
    assert [("passwordChanged", b"login", b"anna"), "eof"] in agent.heard


def test_three_tries_on_one_handle(bench):
    """login(1) tries again on the same handle. All tries before the last were wrong."""
    whole_stack(bench, password="auth requisite pam_deny.so")
    _, connections = heard(bench, "auth", "auth", "auth", "end")
    assert connections == [
        ["authenticate", "notAccepted", "eof"],
        ["authenticate", "notAccepted", "eof"],
        ["authenticate", ("ended", AUTH_ERR), "eof"],
    ]


def test_a_password_that_all_modules_refused_is_told_at_once(bench):
    """greetd's worker never calls pam_end, and LightDM calls it with 0."""
    whole_stack(bench, password="\n".join([
        "auth [success=1 default=ignore] pam_debug.so auth=auth_err", bench.ours(arguments="refused"),
        "auth requisite pam_deny.so"]))
    _, events = heard(bench, "auth")
    assert events == ["authenticate", "notAccepted", "eof"]


@pytest.mark.parametrize("repeated", [False, True])
def test_another_password_that_was_accepted_is_not_the_phones(bench, repeated):
    """Like pam_krb5 with try_first_pass, which asks for another password if this one was wrong."""
    whole_stack(bench, password="\n".join([
        bench.observe() + " typed", "auth required pam_permit.so", *([bench.ours()] if repeated else [])]))
    result, events = heard(bench, "auth", "acct", "setcred", "open", "close", "end")
    assert result.code("auth") == SUCCESS
    assert events == ["authenticate", "notAccepted", "eof"]


def test_a_second_try_that_succeeds_without_the_phone_is_not_the_phones(bench):
    """A fingerprint module before ours jumps over the line that would report the new try."""
    first = bench.directory / "first"
    bench.service("login", [
        "auth [success=3 default=ignore] pam_exec.so quiet /usr/bin/test -e %s" % first, bench.ours(),
        "auth optional pam_exec.so quiet /usr/bin/touch %s" % first, "auth requisite pam_deny.so", verdict(bench),
        "auth required pam_permit.so", bench.ours(kind="account"), "account required pam_permit.so"])
    result, events = heard(bench, "auth", "auth", "acct", "end")
    assert [int(line.split()[0]) for line in result.of("auth")] == [AUTH_ERR, SUCCESS]
    assert events == ["authenticate", "notAccepted", "eof"]


def test_a_stack_that_is_included_twice_tells_its_verdict_once(bench):
    lines = [bench.ours(), "auth required pam_permit.so", verdict(bench)]
    bench.service("login", [*lines, *lines, bench.ours(kind="account"), "account required pam_permit.so"])
    _, events = heard(bench, "auth", "acct", "end")
    assert events == ["authenticate", "verdictReached", "accountEntered", ("ended", SUCCESS), "eof"]


def test_a_try_without_a_tap_after_a_wrong_one(bench):
    tokens = [b"wrong"]

    def script(connection):
        connection.receive()
        (delivering(tokens.pop()) if tokens else refusing())(PassedOn(connection))

    agent = bench.agent(script)
    whole_stack(bench, password="auth requisite pam_deny.so")
    bench.run("auth", "auth", "end")
    bench.finish()
    assert agent.heard == [["authenticate", "notAccepted", "eof"], ["authenticate", "eof"]]


class PassedOn:
    """A connection whose request has already been read."""

    def __init__(self, connection):
        self.connection, self.read = connection, False

    def receive(self):
        if self.read:
            return self.connection.receive()
        self.read = True
        return None

    def send(self, data):
        return self.connection.send(data)

    def listen_to_the_end(self):
        self.connection.listen_to_the_end()


def test_authentication_again_is_told_as_that_although_the_password_was_right(bench):
    """A program asks again after a wrong second factor, so the user was not admitted."""
    whole_stack(bench)
    _, connections = heard(bench, "auth", "auth", "end")
    assert connections == [
        ["authenticate", "verdictReached", "notAccepted", "eof"],
        ["authenticate", "verdictReached", ("ended", 0), "eof"],
    ]


def test_a_caller_like_sudo_ends_silently(bench):
    """sudo passes PAM_DATA_SILENT. The reported status does not contain that flag."""
    whole_stack(bench)
    _, events = heard(bench, "auth", "acct", "setcred", "open", "close", "end-silent")
    assert events[-2:] == [("ended", 0), "eof"]
    whole_stack(bench, password="auth requisite pam_deny.so")
    _, events = heard(bench, "auth", "end-silent")
    assert events == ["authenticate", ("ended", AUTH_ERR), "eof"]


@pytest.mark.parametrize("status, told", [
    (0, 0), (7, 7), (DATA_SILENT | 13, 13), (0x20000000, 0), (-1, 0x1FFFFFFF), (-(2 ** 31), 0),
])
def test_whatever_status_the_program_passes(bench, status, told):
    whole_stack(bench)
    _, events = heard(bench, "auth", "end=%d" % status)
    assert events[-2:] == [("ended", told), "eof"]


def test_a_caller_like_login_forks_and_the_child_ends_its_copy(bench):
    """login(1) forks. The child's pam_end or exit says nothing about the login."""
    whole_stack(bench)
    result, events = heard(
        bench, "auth", "acct", "setcred", "open", "child:end-silent", "child:end", "close", "end")
    assert result.of("child") == ["0", "0"]
    assert events == [
        "authenticate", "verdictReached", "accountEntered", "credentialsEntered", "credentialsEntered",
        ("sessionOpened", None, None), "sessionClosed", ("ended", 0), "eof"]


def test_a_child_between_delivery_and_end(bench):
    """A child's end or second try does not count for the login. Signs of success count from any process."""
    whole_stack(bench, password="auth requisite pam_deny.so")
    _, connections = heard(bench, "auth", "child:end", "child:auth", "end")
    assert connections[0] == ["authenticate", ("ended", AUTH_ERR), "eof"]
    whole_stack(bench)
    bench.service("login", [bench.ours(), "auth required pam_permit.so", bench.ours(kind="account"),
                            "account required pam_permit.so"])
    _, events = heard(bench, "auth", "child:acct", "end")
    assert events == ["authenticate", "accountEntered", ("ended", 0), "eof"]


def test_a_program_that_dies_says_nothing(bench):
    """End of file without pam_end: the agent reports "unknown", never "wrong"."""
    whole_stack(bench)
    _, events = heard(bench, "auth", "die", status=-9)
    assert events == ["authenticate", "verdictReached", "eof"]


def test_a_program_that_closed_our_connection_finds_none_of_our_messages_in_its_own(bench):
    """A daemon closes all descriptors and reuses their numbers. The module must neither write to the new sockets nor close them."""
    whole_stack(bench)
    result, events = heard(
        bench, "auth", "reuse-descriptors", "descriptors", "acct", "setcred", "open", "close", "end", "descriptors",
        "strange-messages")
    assert result.of("strange") == ["0"]
    assert len(set(result.of("descriptors"))) == 1
    assert events == ["authenticate", "verdictReached", "eof"]
    assert result.code("acct") == SUCCESS


def test_the_verdict_line_and_all_others_are_silent_without_a_delivery(bench):
    agent = bench.agent(refusing())
    whole_stack(bench)
    bench.run("auth", "acct", "setcred", "open", "close", "end")
    bench.finish()
    assert agent.heard == ["authenticate", "eof"]


def typing_stack(bench):
    """A stack in which a typed password is PAM_AUTHTOK at the line `verdict`."""
    bench.service("login", [
        bench.ours(), bench.observe() + " typed", "auth required pam_permit.so", verdict(bench),
        "session required pam_permit.so", bench.ours(kind="session")])


def test_a_session_after_a_typed_password_is_told_on_a_connection_of_its_own(bench):
    agent = bench.agent(refusing())
    typing_stack(bench)
    bench.run("auth", "setcred", "putenv=XDG_SESSION_ID=c7", "open", "close", "end")
    bench.finish()
    assert agent.heard == [["authenticate", "eof"], [("passwordTyped", b"anna", b"c7"), "eof"]]


def test_a_session_without_a_typed_password_is_not_told_of(bench):
    """Covers greetd's initial session and login -f, a fingerprint, a login without logind, and a failed try."""
    agent = bench.agent(refusing())
    typing_stack(bench)
    bench.run("putenv=XDG_SESSION_ID=c7", "setcred", "open", "close", "end")
    bench.run("auth", "open", "close", "end")
    whole_stack(bench)
    bench.run("auth", "putenv=XDG_SESSION_ID=c7", "open", "close", "end")
    bench.finish()
    assert agent.heard == [["authenticate", "eof"], ["authenticate", "eof"]]


def test_a_password_of_a_phone_was_not_typed(bench):
    whole_stack(bench)
    _, events = heard(bench, "auth", "putenv=XDG_SESSION_ID=c7", "open", "end")
    assert events == ["authenticate", "verdictReached", ("sessionOpened", b"c7", None), ("ended", 0), "eof"]


def test_the_verdict_line_does_nothing_else(bench):
    agent = bench.agent(delivering(b"token"))
    bench.service("login", [verdict(bench), bench.observe(), "auth required pam_permit.so"])
    assert bench.run("auth", "end").code("auth") == SUCCESS
    bench.finish()
    assert agent.connections == []
    assert bench.observed == [(b"anna", None)]


def test_a_changed_password_is_told_with_its_user(bench):
    agent = bench.agent(lambda connection: (connection.receive(), connection.send(noted())))
    bench.service("passwd", ["password required pam_permit.so", bench.ours(kind="password")])
    result = bench.run("chauthtok", "end", service="passwd")
    bench.finish()
    assert result.code("chauthtok") == SUCCESS
    assert agent.heard == [("passwordChanged", b"passwd", b"anna")]


def test_a_password_that_could_not_be_changed_is_not_told(bench):
    agent = bench.agent(lambda connection: connection.receive())
    bench.service("passwd", ["password requisite pam_deny.so", bench.ours(kind="password")])
    assert bench.run("chauthtok", "end", service="passwd").code("chauthtok") != SUCCESS
    bench.finish()
    assert agent.connections == []


def test_a_change_of_password_needs_no_agent(bench):
    bench.service("passwd", ["password required pam_permit.so", bench.ours(kind="password")])
    result = bench.run("chauthtok", "end", service="passwd")
    assert result.code("chauthtok") == SUCCESS
    assert result.is_within("chauthtok", 200)
    assert result.log == []


def test_the_agent_dies_after_the_delivery(bench):
    """Events must neither raise SIGPIPE nor delay the program."""
    gate = bench.directory / "gate"
    os.mkfifo(gate)

    def script(connection):
        connection.receive()
        connection.send(credential(b"anna", b"token"))
        connection.socket.close()
        gate.write_bytes(b"")

    bench.agent(script)
    bench.service("login", [
        bench.ours(), "auth required pam_permit.so", bench.ours(kind="account"), "account required pam_permit.so",
        bench.ours(kind="session"), "session required pam_permit.so"])
    result = bench.run("auth", "gate=%s" % gate, "acct", "setcred", "open", "close", "end")
    for step in ("auth", "acct", "setcred", "open", "close"):
        assert result.code(step) == SUCCESS
        assert result.is_within(step, 200)


def test_an_agent_that_does_not_read_holds_nothing_up(bench):
    """The connection's queue fills up. Events are lost, and the program does not wait."""
    def script(connection):
        connection.receive()
        connection.send(credential(b"anna", b"token"))
        connection.agent.gate.wait(20)

    agent = bench.agent(script)
    agent.gate = threading.Event()
    whole_stack(bench)
    result = bench.run("auth", *["acct"] * 2000, "end")
    agent.gate.set()
    assert max(float(line.split()[1]) for line in result.of("acct")) < 200
