import PAMProtocol
import PhoneMessages
import Testing

@testable import AgentCore

@Suite("The stages of a delivered credential")
struct LoginVerdictTests {
    private static let opened = PAMEvent.sessionOpened(logindSession: [0x33], terminal: nil)
    private static let session = LoginVerdict.Action.sessionOpened(logindSession: [0x33], terminal: nil)
    private static let accepted = LoginVerdict.Action.progress(.passwordAccepted)

    /// Returns all actions for these events, which come 10 ms after the delivery.
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

    /// Returns the timer's actions, half a second after the last of these events.
    private func settled(_ purpose: LoginVerdict.Purpose = .login, _ events: PAMEvent...) -> [LoginVerdict.Action] {
        var machine = LoginVerdict(purpose, deliveredAt: .seconds(100))
        for event in events { _ = machine.handle(.module(event), now: .seconds(101)) }
        #expect(machine.deadline == .milliseconds(101_500))
        #expect(machine.handle(.timer, now: .milliseconds(101_499)) == [])
        return machine.handle(.timer, now: .milliseconds(101_500))
    }

    @Test("A session that is open half a second later is a login; every step is told once")
    func loggedIn() {
        var machine = LoginVerdict(.login, deliveredAt: .seconds(100))
        let steps = [PAMEvent.verdictReached, .accountEntered, .credentialsEntered, .credentialsEntered, Self.opened]
        let before = steps.flatMap { machine.handle(.module($0), now: .seconds(101)) }
        #expect(before == [Self.accepted, Self.session])
        #expect(machine.deadline == .milliseconds(101_500))
        #expect(machine.handle(.timer, now: .milliseconds(101_499)) == [])
        #expect(machine.handle(.timer, now: .milliseconds(101_500)) == [.sessionLasts, .answer(.correct)])
        #expect(machine.deadline == nil)
        #expect(machine.handle(.module(Self.opened), now: .seconds(102)) == [])
        #expect(machine.handle(.module(.sessionClosed), now: .seconds(500)) == [.sessionClosed(said: true)])
        #expect(machine.handle(.module(.ended(status: 0)), now: .seconds(500)) == [.finished])
        #expect(machine.handle(.connectionLost, now: .seconds(500)) == [])
    }

    @Test("Credentials that login(1) sets behind its session do not make it open: a line behind ours may still fail")
    func credentialsBehindTheSession() {
        #expect(settled(.login, Self.opened, .credentialsEntered) == [.sessionLasts, .answer(.correct)])
        #expect(settled(.login, Self.opened, .credentialsRefreshed) == [.sessionLasts, .answer(.correct)])
        #expect(
            actions(.login, Self.opened, .credentialsRefreshed, .ended(status: 14))
                == [Self.accepted, Self.session, .answer(.sessionFailed), .sessionClosed(said: false), .finished])
    }

    @Test("A session is unlocked when its credentials are set anew, and no module refuses behind ours")
    func unlocked() {
        #expect(settled(.login, .verdictReached, .accountEntered, .credentialsRefreshed) == [.answer(.correct)])
        let renewed: [LoginVerdict.Event] = [.module(.accountEntered), .module(.credentialsRefreshed)]
        for (end, code) in [
            (LoginVerdict.Event.module(.ended(status: 0)), ResultCode.correct),
            (.module(.ended(status: 17)), .notLetIn), (.connectionLost, .outcomeUnknown),
        ] {
            #expect(actions(.login, renewed + [end]) == [Self.accepted, .answer(code), .finished])
        }
    }

    @Test("An agent that was stopped reads what the program said meanwhile, before it calls silence a login")
    func stoppedAgent() {
        var machine = LoginVerdict(.login, deliveredAt: .seconds(100))
        _ = machine.handle(.module(Self.opened), now: .seconds(101))
        #expect(machine.handle(.timer, now: .seconds(110)) == [])
        #expect(machine.deadline == .milliseconds(110_500))
        var other = machine
        #expect(
            machine.handle(.module(.ended(status: 14)), now: .seconds(110))
                == [.answer(.sessionFailed), .sessionClosed(said: false), .finished])
        // As long as the timer was late, if that was less: a disk that took 300 ms to store the session.
        var slow = LoginVerdict(.login, deliveredAt: .seconds(100))
        _ = slow.handle(.module(Self.opened), now: .seconds(101))
        #expect(slow.handle(.timer, now: .milliseconds(101_530)) == [])
        #expect(slow.deadline == .milliseconds(101_560))
        #expect(
            slow.handle(.module(.ended(status: 14)), now: .milliseconds(101_540))
                == [.answer(.sessionFailed), .sessionClosed(said: false), .finished])
        // Two slow writes, one behind the other, hold the agent twice.
        #expect(other.handle(.timer, now: .seconds(120)) == [])
        // On a slow machine, each timer fires late. That counts as much as the agent reads in.
        #expect(other.handle(.timer, now: .milliseconds(120_519)) == [.sessionLasts, .answer(.correct)])
    }

    @Test("A timer that is a moment late lets the agent read first, as a disk may have held it until just now")
    func barelyLate() {
        var machine = LoginVerdict(.login, deliveredAt: .seconds(100))
        _ = machine.handle(.module(Self.opened), now: .seconds(101))
        #expect(machine.handle(.timer, now: .milliseconds(101_508)) == [])
        #expect(machine.deadline == .milliseconds(101_528))
        #expect(
            machine.handle(.module(.ended(status: 14)), now: .milliseconds(101_509))
                == [.answer(.sessionFailed), .sessionClosed(said: false), .finished])
    }

    @Test("An agent that is always late decides after a minute")
    func alwaysLate() {
        var machine = LoginVerdict(.login, deliveredAt: .seconds(100))
        _ = machine.handle(.module(Self.opened), now: .seconds(101))
        var now = Duration.seconds(102)
        while now < .seconds(162) {
            #expect(machine.handle(.timer, now: now) == [])
            now += .seconds(1)
        }
        #expect(machine.handle(.timer, now: now) == [.sessionLasts, .answer(.correct)])
    }

    @Test(
        "A second factor that gives up names no account as locked, expired or denied", arguments: [6, 10, 11, 12, 13])
    func secondFactor(status: UInt64) {
        #expect(
            actions(.login, .verdictReached, .ended(status: status)) == [Self.accepted, .answer(.notLetIn), .finished])
    }

    @Test(
        "A session module that fails behind ours logs nobody in, and no session is said to last",
        arguments: [LoginVerdict.Event.module(.ended(status: 14)), .module(.ended(status: 0)), .connectionLost])
    func sessionFails(_ end: LoginVerdict.Event) {
        func refused(said: Bool) -> [LoginVerdict.Action] {
            [Self.accepted, Self.session, .answer(.sessionFailed), .sessionClosed(said: said), .finished]
        }
        #expect(actions(.login, [.module(.verdictReached), .module(Self.opened), end]) == refused(said: false))
        #expect(actions(.login, [.module(Self.opened), .module(.sessionClosed), end]) == refused(said: true))
    }

    @Test("A session that logind removes before it counts logged nobody in; a later end is only an end")
    func sessionRemoved() {
        let refused: [LoginVerdict.Action] = [
            Self.accepted, Self.session, .answer(.sessionFailed), .sessionClosed(said: false),
        ]
        #expect(actions(.login, [.module(Self.opened), .sessionRemoved, .timer, .sessionRemoved]) == refused)
        var machine = LoginVerdict(.login, deliveredAt: .seconds(100))
        _ = machine.handle(.module(Self.opened), now: .seconds(101))
        _ = machine.handle(.timer, now: .milliseconds(101_500))
        #expect(machine.handle(.sessionRemoved, now: .seconds(102)) == [])
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
        // Too many refused new passwords do not lock the account.
        #expect(
            actions(.login, .accountEntered, .passwordExpired, .ended(status: 11))
                == start + [.answer(.passwordMustChange), .finished])
        #expect(
            settled(.login, .accountEntered, .passwordExpired, .credentialsEntered, Self.opened)
                == [.sessionLasts, .answer(.correct)])
        var machine = LoginVerdict(.login, deliveredAt: .seconds(100))
        _ = machine.handle(.module(.passwordExpired), now: .seconds(130))
        // The program may still wait for a new password.
        #expect(machine.handle(.timer, now: .seconds(190)) == [.answer(.outcomeUnknown)])
    }

    @Test("sudo is past its account phase for half a second, or ends well behind it, when the person is let in")
    func elevation() {
        let letIn: [LoginVerdict.Action] = [Self.accepted, .answer(.correct), .finished]
        #expect(settled(.elevation, .verdictReached, .accountEntered, .credentialsRefreshed) == [.answer(.correct)])
        #expect(settled(.elevation, .verdictReached, .accountEntered, .credentialsEntered) == [.answer(.correct)])
        #expect(settled(.elevation, .verdictReached, Self.opened) == [.sessionLasts, .answer(.correct)])
        // A short command, and polkit's helper.
        #expect(
            actions(.elevation, .credentialsEntered, Self.opened, .sessionClosed, .ended(status: 0))
                == [Self.accepted, Self.session, .sessionClosed(said: true), .answer(.correct), .finished])
        #expect(actions(.authorization, .verdictReached, .accountEntered, .ended(status: 0)) == letIn)
        #expect(
            actions(.elevation, .verdictReached, .ended(status: 7)) == [Self.accepted, .answer(.notLetIn), .finished])
        #expect(
            actions(.elevation, .verdictReached, .accountEntered, .ended(status: 13))
                == [Self.accepted, .answer(.accountExpired), .finished])
    }

    @Test("A module that fails behind ours, at the credentials or the session of sudo, lets nobody in")
    func elevationFails() {
        let refused: [LoginVerdict.Action] = [Self.accepted, .answer(.notLetIn), .finished]
        #expect(actions(.elevation, .accountEntered, .credentialsEntered, .ended(status: 17)) == refused)
        #expect(
            actions(.elevation, .credentialsEntered, Self.opened, .ended(status: 14))
                == [Self.accepted, Self.session, .answer(.notLetIn), .sessionClosed(said: false), .finished])
    }

    @Test("Where sudoers denies, sudo ends with 0 before it sets credentials; sudo -v has no end: nobody knows")
    func sudoWithoutACommand() {
        let unknown: [LoginVerdict.Action] = [Self.accepted, .answer(.outcomeUnknown), .finished]
        #expect(actions(.elevation, .verdictReached, .accountEntered, .ended(status: 0)) == unknown)
        let events: [LoginVerdict.Event] = [.module(.verdictReached), .module(.accountEntered), .connectionLost]
        #expect(actions(.elevation, events) == unknown)
        #expect(actions(.authorization, events) == unknown)
    }

    @Test("LightDM renews credentials for a login that its greeter drops: without a session to unlock nobody is in")
    func nothingUnlocked() {
        let events: [LoginVerdict.Event] = [.module(.accountEntered), .nothingUnlocked, .module(.ended(status: 0))]
        #expect(actions(.login, events) == [Self.accepted, .answer(.outcomeUnknown), .finished])
        var machine = LoginVerdict(.login, deliveredAt: .seconds(100))
        for event in events.prefix(2) { _ = machine.handle(event, now: .seconds(101)) }
        #expect(machine.handle(.timer, now: .seconds(161)) == [.answer(.outcomeUnknown)])
        // A session that opens afterwards is a login, as with login(1)'s order of calls.
        let opened = machine.handle(.module(Self.opened), now: .seconds(162))
        #expect(opened.contains(Self.session))
    }

    @Test("An agent that stops says that it does not know, and closes no session")
    func agentStops() {
        let events: [LoginVerdict.Event] = [.module(.accountEntered), .agentStops]
        #expect(actions(.login, events) == [Self.accepted, .answer(.outcomeUnknown)])
    }

    @Test("The end of a program that has not finished an elevation shows nothing, as doas's without a session")
    func elevationIsLost() {
        let events: [LoginVerdict.Event] = [.module(.accountEntered), .module(.credentialsEntered), .connectionLost]
        #expect(actions(.elevation, events) == [Self.accepted, .answer(.outcomeUnknown), .finished])
        let opened: [LoginVerdict.Event] = [.module(.credentialsRefreshed), .module(Self.opened), .connectionLost]
        #expect(actions(.elevation, opened).contains(.answer(.outcomeUnknown)))
    }

    @Test("Authentication asked again, or an end without more, means that the password was not accepted")
    func wrong() {
        #expect(actions(.login, .notAccepted) == [.answer(.wrongCredentials), .finished])
        #expect(actions(.login, .ended(status: 0)) == [.answer(.wrongCredentials), .finished])
        #expect(actions(.login, .ended(status: 7)) == [.answer(.wrongCredentials), .finished])
    }

    @Test(
        "A status that names the account's state is passed on",
        arguments: [(UInt64(12), ResultCode.passwordMustChange), (13, .accountExpired)])
    func refusal(status: UInt64, code: ResultCode) {
        #expect(actions(.login, .ended(status: status)) == [.answer(code), .finished])
    }

    @Test(
        "A status that says nothing of the password is not called a wrong one: no directory, no module, no access",
        arguments: [UInt64(4), 6, 9, 11, 14, 19, 26, 28, 99])
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
        var machine = LoginVerdict(.login, deliveredAt: .seconds(100))
        _ = machine.handle(module, now: .seconds(101))
        #expect(machine.handle(.timer, now: .milliseconds(101_500)) == [.answer(.correct)])
        #expect(machine.handle(.tested, now: .seconds(102)) == [])
    }

    @Test(
        "Each stage has a minute of its own; the last one's silence is told as what was seen",
        arguments: [
            ([], ResultCode.outcomeUnknown), ([PAMEvent.verdictReached], .outcomeUnknown),
            ([.verdictReached, .accountEntered], .outcomeUnknown), ([.credentialsEntered], .outcomeUnknown),
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
        // The verdict still follows a session that opens after the answer.
        #expect(machine.handle(.module(Self.opened), now: now + .seconds(90)) == [Self.session])
        #expect(machine.handle(.timer, now: now + .milliseconds(90_500)) == [.sessionLasts])
        #expect(
            machine.handle(.module(.ended(status: 7)), now: now + .seconds(91)) == [
                .sessionClosed(said: false), .finished,
            ])
    }
}
