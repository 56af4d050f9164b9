import Testing

@testable import AgentCore

@Suite("Automatic logout")
struct AwayLogoutTests {
    typealias Machine = AwayLogout<String>

    private func away(limit: Duration?) -> (Machine, [Machine.Action]) {
        var machine = Machine()
        _ = machine.handle(.limitSet("phone", limit), now: .zero)
        _ = machine.handle(.connected("phone"), now: .zero)
        _ = machine.handle(.sessionOpened("phone"), now: .seconds(1))
        let actions = machine.handle(.disconnected("phone"), now: .seconds(10))
        return (machine, actions)
    }

    @Test("A session whose phone stays away is logged out after the set time, once")
    func logsOut() {
        var (machine, actions) = away(limit: .seconds(900))
        #expect(actions == [.writeDeadline("phone", .seconds(910))])
        #expect(machine.handle(.timer, now: .seconds(909)) == [])
        #expect(machine.handle(.timer, now: .seconds(910)) == [.clearDeadline("phone"), .logout("phone")])
        #expect(machine.handle(.timer, now: .seconds(2_000)) == [])
    }

    @Test("A phone that comes back stops the clock")
    func comesBack() {
        var (machine, _) = away(limit: .seconds(900))
        #expect(machine.handle(.connected("phone"), now: .seconds(20)) == [.clearDeadline("phone")])
        #expect(machine.deadline == nil)
        #expect(machine.handle(.timer, now: .seconds(10_000)) == [])
    }

    @Test("Without a limit nothing runs, and switching it off stops what runs")
    func off() {
        #expect(away(limit: nil).1 == [])
        var (machine, _) = away(limit: .seconds(900))
        #expect(machine.handle(.limitSet("phone", nil), now: .seconds(11)) == [.clearDeadline("phone")])
        #expect(machine.deadline == nil)
    }

    @Test("A new limit counts from when the phone went away")
    func changedWhileAway() {
        var (machine, _) = away(limit: .seconds(900))
        let actions = machine.handle(.limitSet("phone", .seconds(60)), now: .seconds(30))
        #expect(actions == [.writeDeadline("phone", .seconds(70))])
    }

    @Test("A deadline that an earlier run wrote down still ends the session")
    func restored() {
        var machine = Machine()
        #expect(machine.handle(.restored("phone", deadline: .seconds(500)), now: .seconds(100)) == [])
        #expect(machine.handle(.limitSet("phone", .seconds(900)), now: .seconds(100)) == [])
        #expect(machine.handle(.timer, now: .seconds(500)) == [.clearDeadline("phone"), .logout("phone")])
    }

    @Test("A deadline that is read when the phone is here already is over")
    func restoredLate() {
        var machine = Machine()
        _ = machine.handle(.connected("phone"), now: .seconds(100))
        #expect(
            machine.handle(.restored("phone", deadline: .seconds(500)), now: .seconds(101)) == [.clearDeadline("phone")]
        )
        #expect(machine.deadline == nil)
    }

    @Test("A limit that is guessed moves no deadline of an earlier run, and the one that is read later neither")
    func guessed() {
        var machine = Machine()
        _ = machine.handle(.restored("phone", deadline: .seconds(500)), now: .seconds(100))
        #expect(machine.handle(.limitSet("phone", .seconds(60), isGuess: true), now: .seconds(100)) == [])
        #expect(machine.handle(.limitSet("phone", .seconds(900)), now: .seconds(110)) == [])
        #expect(machine.deadline == .seconds(500))
        #expect(
            machine.handle(.limitSet("phone", .seconds(800)), now: .seconds(120))
                == [.writeDeadline("phone", .seconds(400))])
    }

    @Test("A guess counts for whoever goes, until the limit is read")
    func guessedFirst() {
        var machine = Machine()
        _ = machine.handle(.limitSet("phone", .seconds(60), isGuess: true), now: .zero)
        _ = machine.handle(.sessionOpened("phone"), now: .zero)
        #expect(machine.deadline == .seconds(60))
        _ = machine.handle(.limitSet("phone", .seconds(900)), now: .seconds(10))
        #expect(machine.deadline == .seconds(900))
    }

    @Test("Several phones' deadlines come in the order in which they became known")
    func order() {
        let names = (1...12).map { "phone \($0)" }
        var machine = Machine()
        for name in names { _ = machine.handle(.restored(name, deadline: .seconds(5)), now: .zero) }
        #expect(machine.devices == names)
        let logouts = machine.handle(.timer, now: .seconds(5)).filter { if case .logout = $0 { true } else { false } }
        #expect(logouts == names.map { .logout($0) })
    }

    @Test("The session's end stops the clock")
    func sessionEnds() {
        var (machine, _) = away(limit: .seconds(900))
        #expect(machine.handle(.sessionsEnded("phone"), now: .seconds(20)) == [.clearDeadline("phone")])
        #expect(machine.deadline == nil)
    }
}
