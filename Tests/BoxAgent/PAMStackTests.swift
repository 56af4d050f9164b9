import Testing

@testable import BoxAgent

@Suite("What the doctor reads of PAM's files")
struct PAMStackTests {
    private func asks(_ line: String) -> Bool { PAMStack.asksAndWaits([line.split(separator: " ")]) }

    @Test("Only a line for authentication that has the module wait asks on the phone")
    func asksAndWaits() {
        #expect(asks("auth [default=ignore] pam_boxagent.so wait=30 prompt"))
        #expect(asks("auth [success=1 default=ignore] /usr/lib/security/pam_boxagent.so prompt wait=5"))
        #expect(!asks("auth [default=ignore] pam_boxagent.so"))
        #expect(!asks("auth [default=ignore] pam_boxagent.so wait=0"))
        #expect(!asks("auth [default=ignore] pam_other.so wait=30"))
        #expect(!asks("session optional pam_boxagent.so wait=30"))
    }

    @Test("Text in brackets is one word, such as a module's path with a blank")
    func words() {
        let line: Substring = "auth\t[success=1 default=ignore]  [/opt/my modules/pam_boxagent.so] wait=30 [prompt"
        #expect(
            PAMStack.words(of: line)
                == ["auth", "success=1 default=ignore", "/opt/my modules/pam_boxagent.so", "wait=30", "prompt"])
        #expect(PAMStack.asksAndWaits([PAMStack.words(of: line)]))
        #expect(PAMStack.words(of: " \t").isEmpty && PAMStack.words(of: "[").count == 1)
    }

    @Test("A line that has pam_exec start the helper of a session is found, wherever the helper is, and no other")
    func oldSessionLine() {
        func isOld(_ line: String) -> Bool { OldSessionLine.isOld(line.split(separator: " ")) }
        #expect(isOld("session [default=ignore] pam_exec.so quiet /usr/libexec/boxagent/boxagent-session --x"))
        #expect(isOld("session optional /lib/security/pam_exec.so /usr/bin/boxagent-session"))
        #expect(!isOld("session optional pam_exec.so /usr/bin/something"))
        #expect(!isOld("session [default=ignore] pam_boxagent.so console"))
        #expect(!isOld("session optional pam_boxagent.so console=/usr/bin/boxagent-session"))
    }
}
