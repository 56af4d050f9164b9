"""A session that a program names belongs to the phone only if logind confirms it, because users write into the PAM environment."""

import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "agent"))
from test_logind import listing, log_in, owned  # noqa: E402
from test_sessions import Login  # noqa: E402


def claim(box, session):
    """Starts a login of alice whose environment names that session."""
    if not hasattr(box, "alice"):
        box.alice = box.phone("alice").enrol("alice", b"correct horse")
    login = Login(box, "alice", terminal="tty2", session=session)
    box.wait_until(box.programs_waiting)
    return login


def finish(box, login):
    box.alice.command("login").ok()
    login.program.wait_for("session is open")
    box.wait_until(lambda: box.json("status")["sessions_owned"] == 1)
    return login


def test_another_users_session_in_the_environment_is_not_the_phones(box, logind):
    logind.add("c9", "bob", type="wayland")
    login = claim(box, "c9")
    # The session is ignored even if logind calls this program its leader.
    logind.change("c9", "Leader", login.program.process.pid)
    finish(box, login)
    box.agent.wait_for("session c9, named in a login of alice, is ignored: logind says that it belongs to another user")
    assert not owned(box, "c9")
    box.alice.command("logout").wait()
    box.alice.command("lock").wait()
    assert logind.calls() == []
    login.close()
    box.wait_until(lambda: box.json("status")["sessions_owned"] == 0)


def test_another_session_of_the_same_user_is_not_the_phones(box, logind):
    logind.add("c9", "alice", type="wayland")
    login = finish(box, claim(box, "c9"))
    box.agent.wait_for("is ignored: logind says that the program did not open it")
    assert not owned(box, "c9")
    login.close()


def test_a_program_in_the_session_that_it_names_need_not_have_opened_it(box, logind):
    logind.add("c9", "alice", type="wayland")
    logind.put_processes_in("c9")
    login = finish(box, claim(box, "c9"))
    box.wait_until(lambda: owned(box, "c9"))
    login.close()


def test_a_session_that_opens_while_logind_cannot_be_asked_is_looked_at_when_it_can(box, logind):
    box.agent.wait_for("ready")
    logind.kill()
    box.agent.wait_for("the sessions of logind cannot be read")
    login = finish(box, claim(box, "c9"))
    assert box.alice.command("lock").wait() == 9
    # A restarted logind lists its sessions at once. This fake gets its session a moment later, so the agent is stopped meanwhile.
    box.agent.process.send_signal(signal.SIGSTOP)
    logind.start()
    logind.add("c9", "alice", type="wayland", leader=login.program.process.pid)
    box.agent.process.send_signal(signal.SIGCONT)
    box.wait_until(lambda: owned(box, "c9"))
    box.alice.command("lock").ok()
    login.close()


def test_an_id_that_is_used_again_after_an_outage_does_not_keep_its_old_owner(box, logind):
    login, phone = log_in(box, logind, type="wayland")
    # Stops the agent meanwhile. When it asks logind again, a session with the old ID exists.
    box.agent.process.send_signal(signal.SIGSTOP)
    logind.kill()
    logind.start()
    logind.add("other", "bob", type="wayland")
    logind.add("c42", "bob", type="wayland")
    box.agent.process.send_signal(signal.SIGCONT)
    box.wait_until(lambda: any(one["id"] == "c42" and one["user"] == "bob" for one in listing(box)))
    box.wait_until(lambda: box.json("status")["sessions_owned"] == 0)
    assert not owned(box, "c42")
    assert phone.command("logout").wait() == 9
    assert logind.calls() == []
    login.close()
