"""The module leaves no trace in the program that loads it."""

import os
import re
import shutil
import subprocess

import pytest

from pam_agent import credential, delivering, refusing, unavailable, waiting
from pam_bench import ROOT

SUCCESS, SYSTEM_ERR = 0, 4
TOKEN = b"planted-7f3a-token"


def stack(bench, arguments=""):
    bench.service("login", [
        bench.ours(arguments=arguments), "auth required pam_permit.so", bench.ours(arguments="verdict"),
        bench.ours(kind="account"), "account required pam_permit.so",
        bench.ours(kind="session"), "session required pam_permit.so"])


def hidden(token):
    """Encodes the token for pam_client's arguments. A plain argument would put the token into pam_client's memory."""
    return bytes(byte ^ 0x5A for byte in token).hex()


def test_the_module_passes_its_own_check(module):
    subprocess.run([ROOT / "Scripts" / "check-pam-module", module], check=True)


def test_the_check_refuses_another_module(tools):
    done = subprocess.run(
        [ROOT / "Scripts" / "check-pam-module", tools / "pam_observe.so"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "missing" in done.stderr and "not stripped" in done.stderr


def test_it_calls_nothing_that_reads_the_environment_or_looks_users_up(module):
    output = subprocess.run(["readelf", "-W", "--dyn-syms", module], capture_output=True, text=True, check=True).stdout
    imported = {line.split()[7].split("@")[0] for line in output.splitlines() if " UND " in line and len(line.split()) > 7}
    assert "recv" in imported
    # execve is allowed, because the module passes an empty environment to it.
    assert not {name for name in imported if re.match(r"(secure_)?getenv|environ|getpw|getgr|getaddrinfo|initgroups|"
                                                      r"gethost|system|popen|exec(?!ve$)|signal|sigaction|atexit|"
                                                      r"pthread_create|setlocale|abort|exit", name)}


def test_the_environment_makes_no_difference(bench):
    agent = bench.agent(delivering(TOKEN))
    stack(bench)
    environment = {name: "/nowhere" for name in ("BOXAGENT_SOCKET", "TMPDIR", "HOME", "XDG_RUNTIME_DIR", "LANG")}
    assert bench.run("auth", "end", env=environment).code("auth") == SUCCESS
    bench.finish()
    assert len(agent.connections) == 1


def test_the_token_is_nowhere_in_memory_when_pam_authenticate_has_returned(bench):
    bench.agent(delivering(TOKEN))
    stack(bench)
    result = bench.run(
        "scan=" + hidden(b"pam_client"), "auth", "scan=" + hidden(TOKEN), "acct", "setcred", "open",
        "scan=" + hidden(TOKEN), "close", "end", "scan=" + hidden(TOKEN))
    found = [int(count) for count in result.of("found")]
    assert found[0] > 0, "the search finds what is there"
    assert found[1:] == [0, 0, 0]
    assert result.of("unmapped") == ["0", "0"], "both buffers were wiped before they were given back"


def test_a_refused_token_is_nowhere_in_memory_either(bench):
    def script(connection):
        connection.receive()
        connection.send(credential(b"berta", TOKEN))

    bench.agent(script)
    stack(bench)
    result = bench.run("auth", "scan=" + hidden(TOKEN), "end")
    assert "it is not for the requested user" in result.log[0]
    assert result.of("found") == result.of("unmapped") == ["0"]

    bench.finish()
    bench.agent(lambda connection: (connection.receive(), connection.send(credential(b"anna", TOKEN) + b"\0")))
    result = bench.run("auth", "scan=" + hidden(TOKEN), "end")
    assert "sent an unknown message" in result.log[0]
    assert result.of("found") == result.of("unmapped") == ["0"]


def test_no_log_line_has_the_token(bench):
    bench.agent(delivering(TOKEN))
    stack(bench, arguments="debug prompt wait=3 nonsense")
    result = bench.run("auth", "acct", "setcred", "open", "close", "end")
    assert result.log
    assert TOKEN.decode() not in result.output


def test_the_buffer_is_locked_and_in_no_dump_and_no_child(bench):
    import socket
    import struct
    seen = []

    def script(connection):
        connection.receive()
        connection.send(waiting())
        raw = connection.socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        with open("/proc/%d/smaps" % struct.unpack("3i", raw)[0], encoding="utf-8") as file:
            seen.append(file.read())
        connection.send(unavailable())

    bench.agent(script)
    stack(bench, arguments="wait=5")
    bench.run("auth", "end")
    flags = [set(line.split()[1:]) for line in seen[0].splitlines() if line.startswith("VmFlags:")]
    # lo: locked, dd: not in core dumps, dc: not in children.
    assert [mapping for mapping in flags if {"lo", "dd", "dc"} <= mapping]


def test_without_memory_to_lock_no_password_is_taken(bench):
    if os.geteuid() == 0:
        prefix = ["setpriv", "--reuid=23456", "--regid=23456", "--clear-groups", "prlimit", "--memlock=0"]
    else:
        prefix = ["prlimit", "--memlock=0"]
    agent = bench.agent(delivering(TOKEN))
    os.chmod(bench.directory, 0o755)
    stack(bench)
    result = bench.run("auth", "end", prefix=prefix)
    bench.finish()
    assert result.code("auth") == SUCCESS
    assert "ulimit -l" in result.log[0]
    assert agent.connections == []


@pytest.mark.parametrize("script", [delivering(TOKEN), refusing()])
def test_no_descriptor_stays_open(bench, script):
    bench.agent(script)
    stack(bench)
    result = bench.run("descriptors", *["auth"] * 3, "acct", "setcred", "open", "close", "end", "descriptors")
    before, after = result.of("descriptors")
    assert before == after


@pytest.mark.parametrize("steps", [[], ["close-standard"]])
def test_the_socket_is_closed_on_exec_and_never_standard_input_output_or_error(bench, steps):
    """Even if the program has closed its standard descriptors: otherwise the program's output would be sent to the agent."""
    import socket
    import struct
    numbers = []

    def script(connection):
        connection.receive()
        raw = connection.socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        directory = "/proc/%d/fd" % struct.unpack("3i", raw)[0]
        for name in os.listdir(directory):
            if os.readlink(os.path.join(directory, name)).startswith("socket:"):
                with open(os.path.join(directory, "..", "fdinfo", name), encoding="utf-8") as file:
                    flags = int(re.search(r"flags:\s+(\d+)", file.read()).group(1), 8)
                numbers.append((int(name), bool(flags & os.O_CLOEXEC)))
        connection.send(credential(b"anna", TOKEN))
        connection.listen_to_the_end()

    agent = bench.agent(script)
    stack(bench)
    result = bench.run(*steps, "auth", "acct", "end")
    bench.finish()
    assert result.code("auth") == SUCCESS
    assert len(numbers) == 1 and numbers[0][0] > 2 and numbers[0][1], numbers
    assert agent.heard[-2:] == [("ended", 0), "eof"]


def test_a_program_without_a_descriptor_to_spare(bench):
    agent = bench.agent(delivering(TOKEN))
    stack(bench)
    # libpam loads the modules at the first call.
    result = bench.run("auth", "no-more-descriptors", "auth", "end")
    bench.finish()
    assert result.log[0] == "this program cannot get a socket, memory or a descriptor"
    # libpam itself returns the error, because it has no descriptor for its audit record either.
    assert result.code("auth") == SYSTEM_ERR
    assert len(agent.connections) == 1


def test_eight_threads(bench):
    bench.agent(delivering(TOKEN))
    stack(bench)
    result = bench.run("threads=8", "descriptors", timeout=60)
    assert result.of("threads") == [str(8 * 20)]
    assert result.log == []


def test_eight_threads_without_an_agent(bench):
    stack(bench)
    assert bench.run("threads=8", timeout=60).of("threads") == [str(8 * 20)]


@pytest.mark.parametrize("script, user", [
    pytest.param(delivering(TOKEN), "anna", id="delivered"),
    pytest.param(refusing(), "anna", id="no tap"),
    pytest.param(delivering(TOKEN), "berta", id="refused"),
])
def test_loading_and_unloading_leaves_memory_flat(bench, script, user):
    """libpam unloads a module with its handle, so each cycle loads it again."""
    bench.agent(script)
    stack(bench)
    result = bench.run("cycles=300", "resident", "descriptors", "cycles=1200", "resident", "descriptors",
                       user=user, timeout=60)
    before, after = (int(kib) for kib in result.of("resident"))
    # A leak of 100 bytes in each cycle would be 117 KiB.
    assert 0 < after <= before + 96, "%d KiB grew to %d KiB" % (before, after)
    assert len(set(result.of("descriptors"))) == 1


def test_memcheck_finds_nothing(bench):
    """Runs a login, a retry, a fork, refusals, invalid messages and an absent agent under valgrind."""
    valgrind = shutil.which("valgrind")
    assert valgrind, "valgrind is not installed: apt-get install valgrind"
    prefix = [valgrind, "--quiet", "--error-exitcode=99", "--leak-check=full", "--trace-children=no",
              "--errors-for-leak-kinds=definite,indirect,possible", "--show-leak-kinds=definite,indirect,possible"]
    answers = [credential(b"anna", TOKEN), credential(b"anna", TOKEN), credential(b"berta", TOKEN), b"\xff" * 50,
               unavailable(), credential(b"anna", b"a" * 512)]

    def serve(connection):
        connection.receive()
        connection.send(waiting())
        connection.send(answers.pop(0) if answers else credential(b"anna", TOKEN))
        connection.listen_to_the_end()

    bench.agent(serve)
    stack(bench, arguments="wait=9 prompt debug nonsense")
    result = bench.run(
        "auth", "child:end", "auth", "acct", "setcred", "open", "close", "chauthtok", *["auth"] * 5, "end",
        "start", "auth", "end-silent", prefix=prefix, timeout=120)
    assert result.code("auth") == SUCCESS
    bench.finish()
    assert answers == []
    bench.run("auth", "acct", "end", prefix=prefix, timeout=60)
