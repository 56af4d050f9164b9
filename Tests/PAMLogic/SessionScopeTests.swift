import Testing

@testable import PAMLogic

@Suite("Whose session a process is in, by its control group")
struct SessionScopeTests {
    private func find(_ process: String, below manager: String = "0::/init.scope\n") -> SessionScope? {
        SessionScope.find(in: Array(process.utf8), below: Array(manager.utf8))
    }

    @Test("A process in a session's scope is that user's, in the unified hierarchy and in systemd's own of version 1")
    func found() {
        let expected = SessionScope(user: 1_000, session: Array("c12".utf8))
        #expect(find("0::/user.slice/user-1000.slice/session-c12.scope\n") == expected)
        #expect(
            find(
                """
                12:pids:/user.slice/user-1000.slice/session-c12.scope
                1:name=systemd:/user.slice/user-1000.slice/session-c12.scope
                0::/
                """, below: "1:name=systemd:/init.scope\n0::/\n") == expected)
        #expect(
            find(
                "0::/machine.slice/box.scope/user.slice/user-1000.slice/session-c12.scope\n",
                below: "0::/machine.slice/box.scope/init.scope\n") == expected)
        #expect(find("0::/user.slice/user-0.slice/session-1.scope\n")?.user == 0)
    }

    @Test(
        "Groups that users can make for themselves, and services, are nobody's session",
        arguments: [
            "", "0::/", "0::/init.scope", "0::/system.slice/ssh.service", "0::/user.slice/user-1000.slice",
            "0::/user.slice/user-1000.slice/user@1000.service/session-1.scope",
            "0::/user.slice/user-1000.slice/user@1000.service/user.slice/user-0.slice/session-1.scope",
            "0::/user.slice/user-1000.slice/session-1.scope/user.slice/user-0.slice/session-2.scope",
            "0::/user.slice/user-1000.slice/session-1.scope/x", "0::/user.slice/user-1000.slice/session-.scope",
            "0::/user.slice/user-1000.slice/session-1 --x.scope", "0::/user.slice/user-1000.slice/session-../1.scope",
            "0::/user.slice/user-1000.slice/session-12345678901234567.scope",
            "0::/user.slice/user-.slice/session-1.scope", "0::/user.slice/user-01.slice/session-1.scope",
            "0::/user.slice/user-4294967295.slice/session-1.scope",
            "0::/user.slice/user-99999999999.slice/session-1.scope",
            "0::/user.slice/user-1000.slice/session-1.scope (deleted)",
            "0:x:/user.slice/user-1000.slice/session-1.scope",
            "7::/user.slice/user-1000.slice/session-1.scope",
            "7:name=mine:/user.slice/user-1000.slice/session-1.scope",
            "0::user.slice/user-1000.slice/session-1.scope", "0::/user.slice//user-1000.slice/session-1.scope",
            "0::/../user.slice/user-1000.slice/session-1.scope",
        ])
    func refused(group: String) {
        #expect(find(group) == nil)
    }

    @Test("Below another root than the service manager's there is no session")
    func otherRoot() {
        let group = "0::/user.slice/user-1000.slice/session-1.scope\n"
        #expect(find(group, below: "0::/machine.slice/box.scope/init.scope\n") == nil)
        #expect(find(group, below: "") != nil)
        #expect(find(group + String(repeating: "x", count: 20_000)) == nil)
    }

    @Test("Virtual consoles, with and without their directory, and no other terminals")
    func consoles() {
        for name in ["tty1", "/dev/tty1", "tty63", "/dev/tty12"] { #expect(ConsoleName.isConsole(Array(name.utf8))) }
        for name in [
            "", "tty", "tty0", "tty01", "ttyS0", "ttyACM0", "pts/3", "/dev/pts/3", ":0", "ssh", "/dev/", "/tty1",
            "/dev//tty1", "tty1/", "tty 1", "tty123", "console",
        ] { #expect(!ConsoleName.isConsole(Array(name.utf8))) }
    }
}
