import AgentClient
import CommandTool
import ControlProtocol
import Testing

@testable import BoxAgentCommand

@Suite("How the command ends")
struct CommandFailureTests {
    @Test("Every error has the exit status that the manual page names")
    func statuses() {
        let failures: [(FailureKind, Int32)] = [
            (.notPermitted, 77), (.notFound, 1), (.invalid, 65), (.busy, 75), (.timedOut, 75), (.fault, 70),
            (.declined, 1),
        ]
        for (kind, status) in failures {
            #expect(CommandFailure(kind, what: "", cure: "").status.rawValue == status)
        }
        let errors: [(AgentClientError, Int32)] = [
            (.notRunning(path: "/x"), 69), (.closed, 69), (.notPermitted(path: "/x"), 77),
            (.untrustedListener(path: "/x", user: 5), 77), (.pathTooLong(path: "/x"), 64), (.busy, 75),
            (.timedOut, 75), (.malformed(.notAMessage(.truncated)), 76), (.unsendable(.unknownMessage), 65),
            (.system(operation: "send", reason: "no"), 70),
        ]
        for (error, status) in errors {
            let failure = CommandFailure(error)
            #expect(failure.status.rawValue == status)
            #expect(!failure.problem.what.isEmpty && failure.problem.cures.count == 1, "\(failure)")
        }
    }

    @Test("What the agent says cannot move the cursor")
    func escaping() {
        let failure = CommandFailure(.notFound, what: "no \u{1B}[2J", cure: "a\nb")
        #expect(failure.problem == ProblemText("no \\u{1b}[2J", cures: ["a\\u{a}b"]))
    }

    @Test("An enrolment is waited for as long as its code lives, and a little longer")
    func waiting() {
        var wait = EnrolmentWait(answerLimit: .seconds(2))
        #expect(wait.line == nil)
        wait.codeShown(validSeconds: 2)
        #expect(wait.line == "waiting for the phone (2 s left)")
        #expect([wait.tick(), wait.tick(), wait.tick(), wait.tick()] == [true, true, true, false])
        wait.codeShown(validSeconds: .max)
        wait.contact()
        #expect(wait.line == "a phone has connected; waiting for it to finish (1 d left)")
    }

    @Test(
        "Command lines that contradict themselves are refused",
        arguments: [
            ["revoke"], ["revoke", "X", "--user", "y"], ["wipe"], ["wipe", "X", "--all"],
            ["lock", "--all", "--user", "x"],
            ["audit", "--limit", "0"], ["audit", "--limit", "10001"], ["audit", "--file", "x"], ["audit", "prune"],
            ["audit", "prune", "--before", "2026-02-30"], ["audit", "--verify", "--authority", "00"],
            ["test-login", "--wait", "301"], ["enrol"],
            ["enrol", ""], ["enrol", "x", "--label", String(repeating: "x", count: 65)], ["nonsense"],
        ])
    func usage(arguments: [String]) {
        #expect(throws: (any Error).self) { try BoxAgentTool.parseAsRoot(arguments) }
    }
}
