import PAMProtocol
import PhoneMessages
import Testing

@testable import AgentCore

@Suite("The verdict on a delivered credential")
struct LoginVerdictTests {
    private func verdict(_ events: [LoginVerdict.Event]) -> [LoginVerdict.Action] {
        var machine = LoginVerdict(deliveredAt: .seconds(100))
        return events.flatMap { machine.handle($0, now: .seconds(101)) }
    }

    @Test(
        "The verdict line, the account stack, setcred and open_session each show that the password was right",
        arguments: [PAMEvent.verdictReached, .accountEntered, .credentialsEntered])
    func correct(_ event: PAMEvent) {
        #expect(verdict([.module(event)]) == [.answer(.correct)])
        #expect(verdict([.module(event), .module(.ended(status: 0))]) == [.answer(.correct), .finished])
    }

    @Test("A trial of the administrator's is told as one, and nothing that comes later changes it")
    func tested() {
        #expect(verdict([.tested]) == [.answer(.tested), .finished])
        #expect(verdict([.tested, .connectionLost, .module(.verdictReached)]) == [.answer(.tested), .finished])
        #expect(verdict([.module(.verdictReached), .tested]) == [.answer(.correct)])
    }

    @Test("The phone is told once, however much the program goes on to do")
    func once() {
        let actions = verdict([
            .module(.verdictReached), .module(.accountEntered), .module(.credentialsEntered),
            .module(.sessionOpened(logindSession: [0x33], terminal: nil)), .module(.sessionClosed),
            .module(.ended(status: 0)), .connectionLost,
        ])
        #expect(
            actions == [
                .answer(.correct), .sessionOpened(logindSession: [0x33], terminal: nil), .sessionClosed, .finished,
            ])
    }

    @Test("Authentication asked again, or an end without more, means that the password was wrong")
    func wrong() {
        #expect(verdict([.module(.authenticationRepeated)]) == [.answer(.wrongCredentials), .finished])
        #expect(verdict([.module(.ended(status: 0))]) == [.answer(.wrongCredentials), .finished])
        #expect(verdict([.module(.ended(status: 7))]) == [.answer(.wrongCredentials), .finished])
    }

    @Test(
        "A status that names the account's state is passed on",
        arguments: [(UInt64(11), ResultCode.accountLocked), (12, .passwordMustChange), (13, .accountExpired)])
    func refusal(status: UInt64, code: ResultCode) {
        #expect(verdict([.module(.ended(status: status))]) == [.answer(code), .finished])
    }

    @Test("A directory that did not answer is not called a wrong password", arguments: [UInt64(9), 19, 26])
    func unreachable(status: UInt64) {
        #expect(verdict([.module(.ended(status: status))]) == [.answer(.outcomeUnknown), .finished])
    }

    @Test("A program that is killed leaves the outcome unknown, never wrong")
    func killed() {
        #expect(verdict([.connectionLost]) == [.answer(.outcomeUnknown), .finished])
    }

    @Test("Sixty seconds of silence leave the outcome unknown, and a late end adds nothing")
    func silence() {
        var machine = LoginVerdict(deliveredAt: .seconds(100))
        #expect(machine.deadline == .seconds(160))
        #expect(machine.handle(.timer, now: .seconds(159)) == [])
        #expect(machine.handle(.timer, now: .seconds(160)) == [.answer(.outcomeUnknown)])
        #expect(machine.deadline == nil)
        #expect(machine.handle(.module(.ended(status: 7)), now: .seconds(161)) == [.finished])
    }

    @Test("An account's refusal after the right password is told apart from a wrong password")
    func accountProblems() {
        #expect(
            verdict([.module(.accountEntered), .module(.ended(status: 13))])
                == [.answer(.correct), .accountProblem(.expired), .finished])
        #expect(
            verdict([.module(.accountEntered), .module(.passwordExpired), .module(.ended(status: 12))])
                == [.answer(.correct), .accountProblem(.mustChangePassword), .finished])
        #expect(
            verdict([.module(.accountEntered), .module(.ended(status: 6))])
                == [.answer(.correct), .accountProblem(.denied), .finished])
    }

    @Test("A session ends with its close, its handle or its program, whichever is first")
    func sessions() {
        let opened = LoginVerdict.Event.module(.sessionOpened(logindSession: nil, terminal: [1]))
        let start: [LoginVerdict.Action] = [
            .answer(.correct), .sessionOpened(logindSession: nil, terminal: [1]), .sessionClosed,
        ]
        #expect(verdict([opened, .connectionLost]) == start + [.finished])
        #expect(verdict([opened, .module(.ended(status: 14))]) == start + [.finished])
        #expect(verdict([opened, .module(.sessionClosed)]) == start)
    }
}
