"""Every way to put the module into a stack. Alone it never logs a user in, and as shipped it never locks a user out. The module
never returns PAM_SUCCESS: an `optional` module that does, before a failing `sufficient` one, logs in without a password."""

import pytest

from pam_agent import delivering, refusing

SUCCESS, PERM_DENIED, AUTH_ERR, CRED_ERR, AUTHINFO_UNAVAIL, IGNORE = 0, 6, 7, 17, 9, 25

# The results of libpam (measured on Linux-PAM 1.5.2), as
#   control word: the result with a delivered credential, the result without one. Each result is a triple: with later
#   modules that all fail, without later modules, and with later modules that all succeed.
TABLE = {
    "required": ((7, 6, 0), (9, 9, 9)),
    "requisite": ((7, 6, 0), (9, 9, 9)),
    "sufficient": ((7, 6, 0), (7, 6, 0)),
    "optional": ((7, 6, 0), (7, 6, 0)),
    "[default=ignore]": ((7, 6, 0), (7, 6, 0)),
    "[default=ok]": ((7, 25, 25), (7, 9, 9)),
    "[default=done]": ((25, 25, 25), (9, 9, 9)),
    "[default=bad]": ((6, 6, 6), (9, 9, 9)),
    "[default=die]": ((6, 6, 6), (9, 9, 9)),
    "[default=reset]": ((7, 6, 0), (7, 6, 0)),
    "[default=1]": ((7, 6, 0), (7, 6, 0)),
    "[default=2]": ((6, 6, 6), (6, 6, 6)),
    "[success=ok default=ignore]": ((7, 6, 0), (7, 6, 0)),
    "[success=done default=ignore]": ((7, 6, 0), (7, 6, 0)),
    "[success=1 default=ignore]": ((7, 6, 0), (7, 6, 0)),
    "[success=2 default=ignore]": ((7, 6, 0), (7, 6, 0)),
    "[ignore=ignore default=bad]": ((7, 6, 0), (9, 9, 9)),
    "[ignore=ok default=bad]": ((7, 25, 25), (9, 9, 9)),
    "[ignore=done default=die]": ((25, 25, 25), (9, 9, 9)),
    "[ignore=1 default=bad]": ((7, 6, 0), (9, 9, 9)),
    "[authinfo_unavail=ignore default=bad]": ((6, 6, 6), (7, 6, 0)),
    "[authinfo_unavail=ok default=ignore]": ((7, 6, 0), (7, 9, 9)),
    "[authinfo_unavail=done default=ignore]": ((7, 6, 0), (9, 9, 9)),
    "[success=ok new_authtok_reqd=ok ignore=ignore default=bad]": ((7, 6, 0), (9, 9, 9)),
}
LATER = {"all fail": ["pam_deny.so"] * 2, "none": [], "all succeed": ["pam_permit.so"] * 2}
# The control words of the shipped profiles and the manual page.
SHIPPED = ["[default=ignore]", "optional"]


def results(bench, control, later_control, arguments=""):
    codes = []
    for modules in LATER.values():
        bench.service("login", [
            bench.ours(control, arguments), *("auth %s %s" % (later_control, module) for module in modules)])
        codes.append(bench.run("auth", "setcred", "end").code("auth"))
    return tuple(codes)


@pytest.mark.parametrize("control", TABLE)
def test_every_control_word(bench, control):
    for script, expected in zip((delivering(b"token"), refusing()), TABLE[control]):
        bench.agent(script)
        assert results(bench, control, "required") == expected
        bench.finish()


@pytest.mark.parametrize("later", ["requisite", "sufficient", "optional", "[success=done default=die]"])
@pytest.mark.parametrize("control", TABLE)
def test_nothing_but_a_later_success_logs_in(bench, control, later):
    for script in delivering(b"token"), refusing():
        bench.agent(script)
        failing, none, succeeding = results(bench, control, later)
        bench.finish()
        assert failing != SUCCESS
        assert none != SUCCESS
        if control in SHIPPED:
            assert succeeding == SUCCESS


@pytest.mark.parametrize("control", TABLE)
def test_the_verdict_line_logs_nobody_in(bench, control):
    bench.agent(delivering(b"token"))
    for modules in LATER["all fail"], LATER["none"]:
        lines = ["auth required " + module for module in modules]
        bench.service("login", [bench.ours(), *lines, bench.ours(control, "verdict")])
        assert bench.run("auth", "setcred", "end").code("auth") != SUCCESS
    bench.service("login", [bench.ours(), "auth required pam_permit.so", bench.ours("[default=ignore]", "verdict")])
    assert bench.run("auth", "setcred", "end").code("auth") == SUCCESS


@pytest.mark.parametrize("control", TABLE)
def test_alone_it_opens_no_account_and_no_session_and_changes_no_password(bench, control):
    bench.agent(delivering(b"token"))
    kinds = {"account": "acct", "session": "open", "password": "chauthtok"}
    bench.service("login", [bench.ours(control, kind=kind) for kind in ("auth", *kinds)])
    result = bench.run("auth", "acct", "setcred", "open", "close", "chauthtok", "end")
    for step in ("auth", "acct", "setcred", "open", "close", "chauthtok"):
        assert result.code(step) != SUCCESS, step


@pytest.mark.parametrize("control", SHIPPED)
def test_as_shipped_it_breaks_nothing_without_an_agent(bench, control):
    lines = [bench.ours(control, kind=kind) for kind in ("auth", "account", "session", "password")]
    lines += ["%s required pam_permit.so" % kind for kind in ("auth", "account", "session", "password")]
    bench.service("login", lines + [bench.ours(control, "verdict")])
    result = bench.run("auth", "acct", "setcred", "open", "close", "chauthtok", "end")
    for step in ("auth", "acct", "setcred", "open", "close", "chauthtok"):
        assert result.code(step) == SUCCESS, step
