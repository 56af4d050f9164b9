import PAMProtocol
import PhoneMessages
import Testing

@testable import AgentCore

@Suite("The stages of a delivered credential")
struct LoginVerdictTests {
    private static let opened = PAMEvent.sessionOpened(logindSession: [0x33], terminal: nil)
    private static let session = LoginVerdict.Action.sessionOpened(logindSession: [0x33], terminal: nil)
    private static let accepted = LoginVerdict.Action.progress(.passwordAccepted)

    /// All that is done about these events, a hundredth of a second after the delivery.
    private func actions(
        _ purpose: LoginVerdict.Purpose = .login, _ events: [LoginVerdict.Event]
    ) -> [LoginVerdict.Action] {
        var machine = LoginVerdict(purpose, deliveredAt: .seconds(100))
        return events.flatMap { machine.handle($0, now: .milliseconds(100_010)) }
    }

    private func actions(_ purpose: LoginVerdict.Purpose = .login, _ events: PAMEvent...) -> [LoginVerdict.Action] {
        actions(purpose, events.map { .module($0) })
    }

    @Test(
        "A password that was accepted is told as that, once, and logs nobody in",
        arguments: [PAMEvent.verdictReached, .accountEntered, .credentialsEntered])
    func accepted(_ event: PAMEvent) {
        #expect(actions(.login, event, event) == [Self.accepted])
    }

    @Test("A session that is open half a second later is a login; every step is told once")
    func loggedIn() {
        var machine = LoginVerdict(.login, deliveredAt: .seconds(100))
        let steps = [PAMEvent.verdictReached, .accountEntered, .credentialsEntered, .credentialsEntered, Self.opened]
        let before = steps.flatMap { machine.handle(.module($0), now: .seconds(101)) }
        #expect(before == [Self.accepted, Self.session])
        #expect(machine.deadline == .milliseconds(101_500))
        #expect(machine.handle(.timer, now: .milliseconds(101_499)) == [])
        #expect(machine.handle(.timer, now: .milliseconds(101_500)) == [.answer(.correct)])
        #expect(machine.deadline == nil)
        #expect(machine.handle(.module(.sessionClosed), now: .seconds(500)) == [.sessionClosed])
        #expect(machine.handle(.module(.ended(status: 0)), now: .seconds(500)) == [.finished])
        #expect(machine.handle(.connectionLost, now: .seconds(500)) == [])
    }

    @Test("Credentials that are set behind an open session, or anew for an old one, need no waiting")
    func atOnce() {
        #expect(
            actions(.login, .verdictReached, Self.opened, .credentialsRefreshed)
                == [Self.accepted, Self.session, .answer(.correct)])
        #expect(actions(.login, Self.opened, .credentialsEntered) == [Self.accepted, Self.session, .answer(.correct)])
        #expect(
            actions(.login, .verdictReached, .accountEntered, .credentialsRefreshed, .ended(status: 0))
                == [Self.accepted, .answer(.correct), .finished])
    }

    @Test(
        "A session module that fails behind ours logs nobody in",
        arguments: [LoginVerdict.Event.module(.ended(status: 14)), .module(.ended(status: 0)), .connectionLost])
    func sessionFails(_ end: LoginVerdict.Event) {
        #expect(
            actions(.login, [.module(.verdictReached), .module(Self.opened), end])
                == [Self.accepted, Self.session, .answer(.sessionFailed), .sessionClosed, .finished])
        #expect(
            actions(.login, Self.opened, .sessionClosed, .ended(status: 0))
                == [Self.accepted, Self.session, .answer(.sessionFailed), .sessionClosed, .finished])
    }

    @Test("Neither does one that fails before ours", arguments: [UInt64(0), 6, 14, 17])
    func sessionFailsEarlier(status: UInt64) {
        #expect(
            actions(.login, .accountEntered, .credentialsEntered, .ended(status: status))
                == [Self.accepted, .answer(.sessionFailed), .finished])
    }

    @Test(
        "A check beside the password that refuses is told as one: a locked account, a second factor",
        arguments: [UInt64(0), 7, 4])
    func anotherCheck(status: UInt64) {
        #expect(
            actions(.login, .verdictReached, .ended(status: status)) == [Self.accepted, .answer(.notLetIn), .finished])
        #expect(
            actions(.login, .verdictReached, .notAccepted) == [Self.accepted, .answer(.notLetIn), .finished])
    }

    @Test("LightDM ends with 0 and greetd's worker without a word where the account refuses: nobody is logged in")
    func silentRefusals() {
        #expect(
            actions(.login, .verdictReached, .accountEntered, .ended(status: 0))
                == [Self.accepted, .answer(.notLetIn), .finished])
        #expect(
            actions(.login, [.module(.verdictReached), .module(.accountEntered), .connectionLost])
                == [Self.accepted, .answer(.notLetIn), .finished])
    }

    @Test(
        "The account's refusal is told with its reason",
        arguments: [
            (UInt64(6), ResultCode.accountDenied), (10, .accountDenied), (11, .accountLocked),
            (12, .passwordMustChange), (13, .accountExpired), (14, .notLetIn), (17, .notLetIn),
        ])
    func account(status: UInt64, code: ResultCode) {
        #expect(
            actions(.login, .verdictReached, .accountEntered, .ended(status: status))
                == [Self.accepted, .answer(code), .finished])
    }

    @Test("A password that must be changed is a stage; where it is not changed, that is the answer")
    func mustChange() {
        let start: [LoginVerdict.Action] = [Self.accepted, .progress(.passwordMustChange)]
        #expect(
            actions(.login, .accountEntered, .passwordExpired, .passwordExpired, .ended(status: 20))
                == start + [.answer(.passwordMustChange), .finished])
        #expect(
            actions(.login, .accountEntered, .passwordExpired, .ended(status: 0))
                == start + [.answer(.passwordMustChange), .finished])
        #expect(
            actions(.login, .accountEntered, .passwordExpired, .credentialsEntered, Self.opened, .credentialsRefreshed)
                == start + [Self.session, .answer(.correct)])
        var machine = LoginVerdict(.login, deliveredAt: .seconds(100))
        _ = machine.handle(.module(.passwordExpired), now: .seconds(130))
        #expect(machine.handle(.timer, now: .seconds(190)) == [.answer(.passwordMustChange)])
    }

    @Test("sudo is past its account phase, or ends well behind it, when the person is let in")
    func elevation() {
        let letIn: [LoginVerdict.Action] = [Self.accepted, .answer(.correct)]
        #expect(actions(.elevation, .verdictReached, .accountEntered, .credentialsRefreshed) == letIn)
        #expect(actions(.elevation, .verdictReached, .accountEntered, .credentialsEntered) == letIn)
        #expect(actions(.elevation, .verdictReached, Self.opened) == [Self.accepted, Self.session, .answer(.correct)])
        // polkit's helper and `sudo -v`.
        #expect(
            actions(.elevation, .verdictReached, .accountEntered, .ended(status: 0))
                == letIn + [.finished])
        #expect(actions(.elevation, .verdictReached, .ended(status: 0)) == letIn + [.finished])
        #expect(
            actions(.elevation, .verdictReached, .ended(status: 7)) == [Self.accepted, .answer(.notLetIn), .finished])
        #expect(
            actions(.elevation, .verdictReached, .accountEntered, .ended(status: 13))
                == [Self.accepted, .answer(.accountExpired), .finished])
    }

    @Test("Authentication asked again, or an end without more, means that the password was not accepted")
    func wrong() {
        #expect(actions(.login, .notAccepted) == [.answer(.wrongCredentials), .finished])
        #expect(actions(.login, .ended(status: 0)) == [.answer(.wrongCredentials), .finished])
        #expect(actions(.login, .ended(status: 7)) == [.answer(.wrongCredentials), .finished])
    }

    @Test(
        "A status that names the account's state is passed on",
        arguments: [(UInt64(11), ResultCode.accountLocked), (12, .passwordMustChange), (13, .accountExpired)])
    func refusal(status: UInt64, code: ResultCode) {
        #expect(actions(.login, .ended(status: status)) == [.answer(code), .finished])
    }

    @Test("A directory that did not answer is not called a wrong password", arguments: [UInt64(9), 19, 26])
    func unreachable(status: UInt64) {
        #expect(actions(.login, .ended(status: status)) == [.answer(.outcomeUnknown), .finished])
    }

    @Test("A program that is killed leaves the outcome unknown, never wrong")
    func killed() {
        #expect(actions(.login, [.connectionLost]) == [.answer(.outcomeUnknown), .finished])
    }

    @Test("A trial of the administrator's is told as one, and nothing that comes later changes it")
    func tested() {
        let module = LoginVerdict.Event.module(.credentialsRefreshed)
        #expect(actions(.login, [.tested]) == [.answer(.tested), .finished])
        #expect(actions(.login, [.tested, .connectionLost, module]) == [.answer(.tested), .finished])
        #expect(actions(.login, [module, .tested]) == [Self.accepted, .answer(.correct)])
    }

    @Test(
        "Each stage has a minute of its own; the last one's silence is told as what was seen",
        arguments: [
            ([], ResultCode.outcomeUnknown), ([PAMEvent.verdictReached], .notLetIn),
            ([.verdictReached, .accountEntered], .notLetIn), ([.credentialsEntered], .outcomeUnknown),
        ])
    func silence(events: [PAMEvent], code: ResultCode) {
        var machine = LoginVerdict(.login, deliveredAt: .seconds(100))
        var now = Duration.seconds(100)
        for event in events {
            now += .seconds(59)
            _ = machine.handle(.module(event), now: now)
        }
        #expect(machine.deadline == now + .seconds(60))
        #expect(machine.handle(.timer, now: now + .seconds(59)) == [])
        #expect(machine.handle(.timer, now: now + .seconds(60)) == [.answer(code)])
        #expect(machine.deadline == nil)
        // A session that opens after the answer is still followed.
        #expect(machine.handle(.module(Self.opened), now: now + .seconds(90)) == [Self.session])
        #expect(machine.handle(.module(.ended(status: 7)), now: now + .seconds(91)) == [.sessionClosed, .finished])
    }
}
