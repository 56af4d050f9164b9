import PAMProtocol
import Testing

@testable import BoxAgent

@Suite("What the doctor says of session hooks")
struct SessionHookCheckTests {
    private static let right = [
        "auth [default=ignore] pam_boxagent.so wait=20 keep", "auth requisite pam_unix.so use_first_pass",
        "auth [default=ignore] /usr/lib/security/pam_boxagent.so verdict", "-session optional pam_systemd.so",
        "session [success=ok default=ignore] pam_boxagent.so debug hook=/etc/boxagent/hook",
    ]

    private func problems(_ lines: [String], _ trust: ProgramTrust.Problem? = nil) -> [String]? {
        let words = lines.map { $0.split(separator: " ") }
        return SessionHookCheck.problems(in: words) { path in path == "/etc/boxagent/hook" ? trust : .absent }
    }

    @Test("A service without a hook has no finding; a hook as documented has no problem")
    func right() {
        #expect(problems([]) == nil)
        #expect(problems(Self.right.dropLast()) == nil)
        #expect(problems(["auth optional pam_other.so hook=/x", "session optional pam_other.so hook=/x"]) == nil)
        #expect(problems(Self.right) == [])
    }

    @Test("What keeps it from running is named, all of it")
    func wrong() throws {
        let without = try #require(problems([Self.right[1], Self.right[4]]))
        #expect(without.count == 2)
        #expect(without[0].contains("keep") && without[1].contains("verdict"))
        let order = try #require(problems([Self.right[0], Self.right[2], Self.right[4], Self.right[3]]))
        #expect(order == ["its line comes before pam_systemd.so's"])
        let trust = try #require(problems(Self.right, .writableByOthers))
        #expect(trust.count == 1 && trust[0].hasPrefix("/etc/boxagent/hook is writable by others"))
    }

    @Test("The program is looked at where it is, and a missing one said so")
    func program() {
        #expect(SessionHookCheck.distrust("/nowhere/hook") == .absent)
        #expect(SessionHookCheck.distrust("/usr") == .notAProgram)
        #expect(SessionHookCheck.distrust("/usr/bin/env") == nil)
    }
}
