"""The values that the module sets on a PAM handle, and those that it refuses to set."""

import os
import subprocess

import cbor2

import pytest

from pam_agent import asking, credential, delivering, refusing, unavailable, waiting
from pam_bench import hashed

SUCCESS, AUTH_ERR, PERM_DENIED, AUTHINFO_UNAVAIL = 0, 7, 6, 9
TOKEN = b"correct horse"


def stack(bench, arguments="", after=("auth required pam_permit.so",)):
    bench.service("login", [bench.ours(arguments=arguments), bench.observe(), *after])


def test_token_and_user_reach_the_modules_behind(bench):
    agent = bench.agent(delivering(TOKEN))
    stack(bench)
    result = bench.run("auth", "user", "end", user=None)
    bench.finish()
    assert result.code("auth") == SUCCESS
    assert bench.observed == [(b"anna", TOKEN)]
    assert bytes.fromhex(result.of("user")[0]) == b"anna"
    assert agent.heard == ["authenticate", ("ended", 0), "eof"]


def test_what_is_asked(bench):
    asked = []

    def script(connection):
        asked.append(connection.receive())
        connection.send(unavailable())

    bench.agent(script)
    stack(bench, arguments="wait=7")
    bench.run("tty=/dev/tty3", "auth", "end")
    bench.run("auth", "end", user=None)
    bench.run("user=", "rhost=", "auth", "end")
    bench.finish()
    assert asked == [
        [1, 1, b"login", b"anna", b"/dev/tty3", None, 7],
        [1, 1, b"login", None, None, None, 7],
        [1, 1, b"login", None, None, b"", 7],
    ]


def password_file(bench, password):
    path = bench.directory / "passwords"
    path.write_text("anna:%s\n" % hashed(password))
    return "auth required pam_pwdfile.so nodelay pwdfile=%s use_first_pass" % path


@pytest.mark.parametrize("given, code", [(TOKEN, SUCCESS), (b"wrong", AUTH_ERR)])
def test_a_password_module_behind_decides(bench, given, code):
    bench.agent(delivering(given))
    stack(bench, after=[password_file(bench, TOKEN)])
    result = bench.run("auth", "end", user=None)
    assert result.code("auth") == code
    assert not result.of("asked"), "a password was asked for"


@pytest.mark.parametrize("given, status", [(TOKEN, 0), (b"wrong", 1)])
def test_pamtester_agrees(bench, given, status):
    bench.agent(delivering(given))
    bench.service("login", [
        bench.ours(), password_file(bench, TOKEN), "account required pam_permit.so",
        "session required pam_permit.so"])
    done = subprocess.run(
        ["pamtester", "login", "anna", "authenticate", "acct_mgmt", "setcred", "open_session", "close_session"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30,
        env={"LD_PRELOAD": "libpam_wrapper.so", "PAM_WRAPPER": "1", "PAM_WRAPPER_SERVICE_DIR": str(bench.confdir),
             "PATH": "/usr/bin:/bin"})
    assert done.returncode == status, done.stdout + done.stderr
    assert ("successfully authenticated" in done.stdout) == (status == 0)


@pytest.mark.parametrize("token", [
    b"x", b"\xff\xfe\x80", bytes(range(1, 256)), b"p\xe4ssw\xf6rd", b"  spaces \t", b"a" * 511,
])
def test_tokens_are_delivered_byte_by_byte(bench, token):
    bench.agent(delivering(token))
    stack(bench)
    assert bench.run("auth", "end").code("auth") == SUCCESS
    assert bench.observed == [(b"anna", token)]


@pytest.mark.parametrize("user", [
    "anna", "CORP\\anna", "anna@corp.example", "Анна Иванова", "a b", "$(id)", "x" * 255, "0",
])
def test_user_names_of_directory_services(bench, user):
    bench.agent(delivering(TOKEN, user=user.encode()))
    stack(bench)
    assert bench.run("auth", "end", user=None).code("auth") == SUCCESS
    assert bench.run("auth", "end", user=user).code("auth") == SUCCESS
    assert bench.observed == [(user.encode(), TOKEN)] * 2


@pytest.mark.parametrize("message", [
    pytest.param(credential(b"anna", b""), id="empty token"),
    pytest.param(credential(b"anna", b"a\0b"), id="NUL in the token"),
    pytest.param(credential(b"anna", b"\0"), id="only NUL"),
    pytest.param(credential(b"anna", b"a" * 512), id="token of 512 bytes"),
    pytest.param(credential(b"anna", b"a" * 4000), id="token of 4000 bytes"),
    pytest.param(credential(b"", TOKEN), id="no user"),
    pytest.param(credential(b"an\0na", TOKEN), id="NUL in the user"),
    pytest.param(credential(b"anna\n", TOKEN), id="line feed in the user"),
    pytest.param(credential(b"\x1b[2J", TOKEN), id="terminal sequence in the user"),
    pytest.param(credential(b"a" * 256, TOKEN), id="user of 256 bytes"),
    # The agent does not enrol users with such names either.
    pytest.param(credential(b"-anna", TOKEN), id="option as the user"),
    pytest.param(credential(b"../x", TOKEN), id="path as the user"),
    pytest.param(credential(b"anna:x", TOKEN), id="fields of passwd(5) as the user"),
])
def test_impossible_credentials_are_refused(bench, message):
    def script(connection):
        connection.receive()
        connection.send(message)
        connection.listen_to_the_end()

    agent = bench.agent(script)
    stack(bench, after=["auth required pam_deny.so"])
    result = bench.run("auth", "user", "end", user=None)
    bench.finish()
    assert result.code("auth") == AUTH_ERR  # from pam_deny
    assert bench.observed == [(None, None)]
    assert result.of("user") == [""]
    assert len(result.log) == 1
    assert agent.heard == ["authenticate", "eof"], "a refused credential has no verdict"


@pytest.mark.parametrize("user", [b"berta", b"Anna", b"ann", b"annaa", b"anna "])
def test_another_users_credential_is_refused(bench, user):
    agent = bench.agent(delivering(TOKEN, user=user))
    stack(bench, after=["auth required pam_permit.so"])
    result = bench.run("auth", "user", "end", user="anna")
    bench.finish()
    assert bench.observed == [(b"anna", None)]
    assert bytes.fromhex(result.of("user")[0]) == b"anna"
    assert "it is not for the requested user" in result.log[0]
    assert agent.heard == ["authenticate", "eof"]


def test_no_tap_leaves_the_handle_as_it_was(bench):
    bench.agent(refusing())
    stack(bench)
    result = bench.run("auth", "user", "end", user=None)
    assert bench.observed == [(None, None)]
    assert result.of("user") == [""]
    assert result.log == []


@pytest.mark.parametrize("host", ["192.0.2.7", "desk.example", "localhost", "::1", " ", "x" * 300])
def test_the_agent_is_not_even_asked_for_remote_callers(bench, host):
    agent = bench.agent(delivering(TOKEN))
    stack(bench, arguments="debug")
    result = bench.run("rhost=" + host, "auth", "end")
    bench.finish()
    assert agent.connections == []
    assert bench.observed == [(b"anna", None)]
    assert len(result.log) == 1


@pytest.mark.parametrize("item", ["tty=" + "t" * 129, "user=" + "u" * 256])
def test_items_too_long_to_ask_with_are_not_cut_short(bench, item):
    agent = bench.agent(delivering(TOKEN))
    stack(bench)
    result = bench.run(item, "auth", "end")
    bench.finish()
    assert agent.connections == []
    assert "too long" in result.log[0]


def test_a_password_that_is_there_already_is_kept(bench):
    """An earlier module has already asked for a password. Taking a tap as well would waste the tap."""
    agent = bench.agent(delivering(TOKEN))
    bench.service("login", [
        "auth [default=ignore] pam_unix.so", bench.ours(), bench.observe(), "auth required pam_permit.so"])
    result = bench.run("type=typed", "auth", "end", user="nobody")
    bench.finish()
    assert agent.connections == []
    assert bench.observed == [(b"nobody", b"typed")]
    assert result.of("asked") != []


def test_a_line_listed_twice_takes_one_tap_and_gives_no_verdict(bench):
    agent = bench.agent(delivering(TOKEN))
    bench.service("login", [bench.ours(), bench.ours(), bench.observe(), "auth required pam_permit.so"])
    assert bench.run("auth", "end").code("auth") == SUCCESS
    bench.finish()
    assert bench.observed == [(b"anna", TOKEN)]
    assert agent.heard == ["authenticate", ("ended", 0), "eof"]


def test_who_is_asked_on_the_phone_reads_so_even_if_the_program_wants_silence(bench):
    def script(connection):
        connection.receive()
        connection.send(asking(b"0042"))
        connection.send(credential(b"anna", TOKEN))
        connection.listen_to_the_end()

    bench.agent(script)
    stack(bench, arguments="wait=30 prompt")
    line = "Box 0042: allow this on your phone, or wait 30 seconds to type a password."
    assert bench.run("auth-silent", "end").of("info") == [line]
    stack(bench, arguments="wait=30")
    assert bench.run("auth-silent", "end").of("info") == [], "not asked for"


def test_the_prompt_names_the_box(bench):
    def script(connection):
        connection.receive()
        connection.send(waiting(b"0042"))
        connection.send(waiting(b"0042"))
        connection.send(credential(b"anna", TOKEN))
        connection.listen_to_the_end()

    bench.agent(script)
    stack(bench, arguments="wait=20 prompt")
    line = "Box 0042: tap Log in on your phone, or wait 20 seconds to type a password."
    assert bench.run("auth", "end").of("info") == [line]
    assert bench.run("auth-silent", "end").of("info") == [], "PAM_SILENT"
    failing = bench.run("conversation-fails", "auth", "end")
    assert failing.code("auth") == SUCCESS, "a program that cannot show a line has not failed to log in"
    stack(bench, arguments="wait=20")
    assert bench.run("auth", "end").of("info") == [], "not asked for"
    stack(bench, arguments="prompt")
    assert bench.run("auth", "end").of("info") == [], "nobody waits"


@pytest.mark.parametrize("argument", ["use_first_pass", "wait=soon", "wait=301", "Prompt", "socket=relative", "[a b]"])
def test_arguments_that_are_not_ours_are_logged_and_ignored(bench, argument):
    bench.agent(delivering(TOKEN))
    stack(bench, arguments=argument)
    result = bench.run("auth", "end")
    assert result.code("auth") == SUCCESS
    assert len(result.log) == 1 and result.log[0].startswith("ignored the argument \"")


def test_debug_says_why_nothing_was_delivered(bench):
    bench.agent(refusing())
    stack(bench, arguments="debug")
    assert bench.run("auth", "end").log == ["no phone tapped"]


def test_reasons_that_need_an_administrator_are_logged_without_debug(bench):
    for reason, logged in enumerate([False, False, True, True, True, True, False]):
        agent = bench.agent(refusing(reason))
        stack(bench)
        result = bench.run("auth", "end")
        bench.finish()
        assert bool(result.log) == logged, reason
        assert agent.heard == ["authenticate", "eof"]


def test_cbor_that_is_not_deterministic_is_refused(bench):
    plain = credential(b"anna", TOKEN)
    assert plain[0] == 0x83
    longer = b"\x98\x03" + plain[1:]
    assert cbor2.loads(longer) == cbor2.loads(plain)

    def script(connection):
        connection.receive()
        connection.send(longer)
        connection.listen_to_the_end()

    bench.agent(script)
    stack(bench)
    result = bench.run("auth", "end")
    assert bench.observed == [(b"anna", None)]
    assert len(result.log) == 1
