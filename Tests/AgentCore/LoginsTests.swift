import PhoneMessages
import Testing

@testable import AgentCore

@Suite("Programs that ask for a login, and taps")
struct LoginsTests {
    private var bench = Bench()
    private var logins: Logins

    init() {
        logins = Logins(bench.policy)
    }

    private mutating func waiting(_ number: UInt64 = 1, user: String? = nil) -> Said {
        let asked = bench.run { logins.asks(Sample.program(number), Sample.asks(user), Sample.root, &$0) }
        return bench.run { logins.answered(asked.operations[0], .seat(session: nil, Sample.atSeat), &$0) }
    }

    @Test("A program waits once it is known to stand at a seat, and not before")
    mutating func waits() {
        let asked = bench.run { logins.asks(Sample.program(), Sample.asks(), Sample.root, &$0) }
        #expect(asked.toPrograms.isEmpty && logins.waitingCount == 0)
        let known = bench.run { logins.answered(asked.operations[0], .seat(session: nil, Sample.atSeat), &$0) }
        #expect(known.toPrograms == [.waiting])
        #expect(logins.waitingCount == 1)
    }

    @Test("A program that does not stand in front of a person is refused, and the log says why")
    mutating func misplaced() {
        let asked = bench.run { logins.asks(Sample.program(), Sample.asks(), Sample.root, &$0) }
        let known = bench.run { logins.answered(asked.operations[0], .seat(session: nil, Sample.behind), &$0) }
        #expect(known.toPrograms == [.refused(.notAtSeat)])
        #expect(logins.waitingCount == 0)
    }

    @Test("Another service, a caller who is not root, and who comes over a network are refused unseen")
    mutating func policy() {
        let service = bench.run { logins.asks(Sample.program(), Sample.asks(service: "sshd"), Sample.root, &$0) }
        #expect(service.toPrograms == [.refused(.serviceNotAllowed)] && service.operations.isEmpty)
        let caller = bench.run { logins.asks(Sample.program(), Sample.asks(), Sample.person, &$0) }
        #expect(caller.toPrograms == [.refused(.callerNotAllowed)] && caller.operations.isEmpty)
        var fromElsewhere = Sample.asks()
        fromElsewhere.remoteHost = Array("elsewhere".utf8)
        let remote = bench.run { logins.asks(Sample.program(), fromElsewhere, Sample.root, &$0) }
        #expect(remote.toPrograms == [.refused(.remote)] && remote.operations.isEmpty)
    }

    @Test(
        "A refusal is logged where a tap was withheld or the program would wait, and not at each prompt without a tap")
    mutating func refusalLines() {
        func lines(_ said: Said) -> Int { said.facts.count { if case .ledger(.logged) = $0 { true } else { false } } }
        let elsewhere = Sample.asks(service: "sshd", wait: 0)
        let prompt = bench.run { logins.asks(Sample.program(1), elsewhere, Sample.root, &$0) }
        #expect(prompt.toPrograms == [.refused(.serviceNotAllowed)] && lines(prompt) == 0)
        let patient = bench.run { logins.asks(Sample.program(2), Sample.asks(service: "sshd"), Sample.root, &$0) }
        #expect(lines(patient) == 1)
        _ = bench.run { logins.tapped(Sample.tap(), &$0) }
        let withheld = bench.run { logins.asks(Sample.program(3), elsewhere, Sample.root, &$0) }
        #expect(lines(withheld) == 1)
    }

    @Test("A program that left while it was looked at waits for nothing, whatever the answer is")
    mutating func leftEarly() {
        let asked = bench.run { logins.asks(Sample.program(), Sample.asks(), Sample.root, &$0) }
        _ = bench.run { logins.left(Sample.program(), &$0) }
        let known = bench.run { logins.answered(asked.operations[0], .seat(session: nil, Sample.atSeat), &$0) }
        #expect(known.effects.isEmpty && logins.waitingCount == 0)
    }

    @Test("A tap is granted to the program that waits, once that was looked at again")
    mutating func granted() {
        _ = waiting()
        let tapped = bench.run { logins.tapped(Sample.tap(), &$0) }
        #expect(tapped.facts.isEmpty)
        let seats = [Sample.program(): Sample.atSeat]
        let looked = bench.run { logins.answered(tapped.operations[0], .seats(seats), &$0) }
        guard case .login(.granted(let applicant, let tap, nil))? = looked.facts.first else {
            Issue.record("not granted: \(looked.facts)")
            return
        }
        #expect(applicant.program == Sample.program() && tap.id == Sample.tap().id)
        #expect(looked.toPhones.map(\.message) == [.progress(testRequest(2), .delivered)])
        #expect(logins.waitingCount == 0)
    }

    @Test("Whoever has left the foreground since they asked gets nothing: the tap waits for another program")
    mutating func dismissed() {
        _ = waiting()
        let tapped = bench.run { logins.tapped(Sample.tap(), &$0) }
        let looked = bench.run {
            logins.answered(tapped.operations[0], .seats([Sample.program(): Sample.behind]), &$0)
        }
        #expect(looked.toPrograms == [.refused(.notAtSeat)])
        #expect(looked.facts.isEmpty && logins.holdsCredential)
    }

    @Test("Where no program waits a tap is held at once, and nobody is looked at")
    mutating func held() {
        let tapped = bench.run { logins.tapped(Sample.tap(), &$0) }
        #expect(tapped.operations.isEmpty)
        #expect(tapped.toPhones.map(\.message) == [.progress(testRequest(2), .waitingForPrompt)])
        #expect(logins.unclaimedUser == Array("alice".utf8))
    }

    @Test("A device that is revoked while its tap is looked at gets no program, nor keeps a held tap")
    mutating func revokedMeanwhile() {
        _ = waiting()
        let tapped = bench.run { logins.tapped(Sample.tap(), &$0) }
        _ = bench.run { logins.barred([testDevice(1)], &$0) }
        let looked = bench.run {
            logins.answered(tapped.operations[0], .seats([Sample.program(): Sample.atSeat]), &$0)
        }
        #expect(looked.effects.isEmpty && looked.facts.isEmpty)
        #expect(!logins.holdsCredential && logins.waitingCount == 1)
    }

    @Test("A phone that goes takes its tap with it, also while that is looked at")
    mutating func phoneGone() {
        _ = waiting()
        let tapped = bench.run { logins.tapped(Sample.tap(), &$0) }
        _ = bench.run { logins.withdraw(Sample.channel(), &$0) }
        let looked = bench.run {
            logins.answered(tapped.operations[0], .seats([Sample.program(): Sample.atSeat]), &$0)
        }
        #expect(looked.facts.isEmpty && logins.waitingCount == 1)
    }

    @Test("A tap that waited beside a prompt that is not at a seat says so", arguments: [false, true])
    mutating func notServed(isPromptFirst: Bool) {
        if isPromptFirst {
            _ = waiting()
            let tapped = bench.run { logins.tapped(Sample.tap(), &$0) }
            _ = bench.run { logins.answered(tapped.operations[0], .seats([Sample.program(): Sample.behind]), &$0) }
        } else {
            _ = bench.run { logins.tapped(Sample.tap(), &$0) }
            let asked = bench.run { logins.asks(Sample.program(), Sample.asks(), Sample.root, &$0) }
            _ = bench.run { logins.answered(asked.operations[0], .seat(session: nil, Sample.behind), &$0) }
        }
        bench.pass(.seconds(30))
        #expect(bench.run { logins.timeHasCome(&$0) }.results == [.promptNotServed])
    }

    @Test("A tap that waited beside a prompt that gets no taps by the policy says so")
    mutating func notServedByPolicy() {
        _ = bench.run { logins.tapped(Sample.tap(), &$0) }
        _ = bench.run { logins.asks(Sample.program(), Sample.asks(service: "swaylock"), Sample.root, &$0) }
        bench.pass(.seconds(30))
        #expect(bench.run { logins.timeHasCome(&$0) }.results == [.promptNotServed])
    }

    @Test("A held tap times out, and its phone hears it")
    mutating func timesOut() {
        _ = bench.run { logins.tapped(Sample.tap(), &$0) }
        let due = logins.deadline
        #expect(due == bench.now.sinceBoot + .seconds(30))
        bench.pass(.seconds(30))
        let late = bench.run { logins.timeHasCome(&$0) }
        #expect(late.results == [.timedOut])
        #expect(!logins.holdsCredential && logins.deadline == nil)
    }

    @Test("When the agent stops, programs fall back to their prompt and phones hear a fault")
    mutating func stops() {
        _ = waiting(1, user: "bob")
        _ = bench.run { logins.asks(Sample.program(2), Sample.asks(), Sample.root, &$0) }
        let tapped = bench.run { logins.tapped(Sample.tap(), &$0) }
        #expect(tapped.operations.count == 1)
        let stopped = bench.run { logins.stop(&$0) }
        #expect(stopped.toPrograms == [.refused(.agentFault), .refused(.agentFault)])
        #expect(stopped.results == [.boxFault])
    }
}
