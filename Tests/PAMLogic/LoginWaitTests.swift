import PAMProtocol
import PAMLogic
import Testing

@Suite("How long a program is held up")
struct LoginWaitTests {
    private let box = [UInt8]("1234".utf8)
    private let start: Duration = .seconds(1_000)

    private func wait(_ seconds: UInt64) -> LoginWait {
        LoginWait(startedAt: start, waitSeconds: seconds)
    }

    @Test("An agent that says nothing is given up within a second, whatever wait= says", arguments: [0, 1, 30, 300])
    func silent(seconds: UInt64) {
        var machine = wait(seconds)
        #expect(machine.deadline == start + .milliseconds(950))
        #expect(machine.handle(.timer, now: start + .milliseconds(949)) == .keepWaiting)
        #expect(machine.handle(.timer, now: start + .milliseconds(950)) == .giveUp(.agentSilent))
    }

    @Test("A credential is delivered at once, before and after the agent said that it waits")
    func credential() {
        var direct = wait(0)
        let reply = LoginWait.Event.reply(.credential(user: [0x61], authtok: 4..<9))
        #expect(direct.handle(reply, now: start) == .deliver(user: [0x61], authtok: 4..<9))
        var later = wait(20)
        #expect(later.handle(.reply(.waiting(boxID: box)), now: start) == .prompt(boxID: box, isAsking: false))
        #expect(later.handle(reply, now: start + .seconds(1)) == .deliver(user: [0x61], authtok: 4..<9))
    }

    @Test("With wait=0 an agent that waits cannot hold up the password prompt")
    func noWait() {
        var machine = wait(0)
        #expect(machine.handle(.reply(.waiting(boxID: box)), now: start) == .keepWaiting)
        #expect(machine.deadline == start + .milliseconds(950))
        #expect(machine.handle(.timer, now: start + .milliseconds(950)) == .giveUp(.agentSilent))
    }

    @Test("Signs of life carry a wait to its end and not beyond, and the person is told once")
    func heartbeats() {
        var machine = wait(5)
        #expect(machine.handle(.reply(.waiting(boxID: box)), now: start) == .prompt(boxID: box, isAsking: false))
        for second in 1...4 {
            let now = start + .seconds(second)
            #expect(machine.handle(.reply(.waiting(boxID: box)), now: now) == .keepWaiting)
            #expect(machine.deadline == min(start + .seconds(5), now + .milliseconds(2_500)))
        }
        #expect(machine.handle(.timer, now: start + .seconds(5)) == .giveUp(.noTap))
    }

    @Test("An agent that asks on the phone holds a program up as one that waits, and the person reads what to do")
    func asking() {
        var machine = wait(30)
        #expect(machine.handle(.reply(.asking(boxID: box)), now: start) == .prompt(boxID: box, isAsking: true))
        #expect(machine.handle(.reply(.asking(boxID: box)), now: start + .seconds(1)) == .keepWaiting)
        #expect(
            machine.handle(.reply(.unavailable(.declined)), now: start + .seconds(2))
                == .giveUp(.unavailable(.declined)))
        #expect(!LoginWaitEnd.unavailable(.declined).isFault)
    }

    @Test("One sign of life missed is nothing, two end the wait")
    func missed() {
        var machine = wait(60)
        _ = machine.handle(.reply(.waiting(boxID: box)), now: start)
        #expect(machine.handle(.timer, now: start + .milliseconds(1_999)) == .keepWaiting)
        #expect(machine.handle(.reply(.waiting(boxID: box)), now: start + .seconds(2)) == .keepWaiting)
        #expect(machine.handle(.timer, now: start + .milliseconds(4_500)) == .giveUp(.heartbeatStopped))
    }

    @Test("An agent that talks without end is given up after a bounded number of messages")
    func flood() {
        var machine = wait(10)
        var taken = 0
        while machine.handle(.reply(.waiting(boxID: box)), now: start) != .giveUp(.flooded) {
            taken += 1
            guard taken < 1_000 else { break }
        }
        #expect(taken == 28)
    }

    @Test("What is not an answer ends the wait")
    func ends() {
        var machine = wait(10)
        #expect(machine.handle(.closed, now: start) == .giveUp(.closed))
        #expect(machine.handle(.garbled, now: start) == .giveUp(.garbled))
        #expect(machine.handle(.reply(.noted), now: start) == .giveUp(.garbled))
        #expect(machine.handle(.reply(.unavailable(.busy)), now: start) == .giveUp(.unavailable(.busy)))
    }

    @Test("A wait above the limit is cut to the limit")
    func limit() {
        var machine = wait(.max)
        _ = machine.handle(.reply(.waiting(boxID: box)), now: start + .seconds(299))
        #expect(machine.deadline == start + .seconds(300))
    }

    @Test("Every end says what is wrong in one line that fits a log")
    func lines() {
        let reasons: [UnavailableReason] = [
            .noTap, .serviceNotAllowed, .remote, .callerNotAllowed, .busy, .agentFault, .withdrawn,
        ]
        let ends: [LoginWaitEnd] =
            [.noTap, .agentSilent, .heartbeatStopped, .closed, .garbled, .flooded] + reasons.map { .unavailable($0) }
        var lines: Set<String> = []
        for end in ends {
            #expect(end.line.bytes.count < TextLine.limitBytes)
            lines.insert(String(decoding: end.line.bytes, as: UTF8.self))
        }
        // Two ends have the same line: a wait without a tap, as found by the module and as reported by the agent.
        #expect(lines.count == ends.count - 1)
    }
}
