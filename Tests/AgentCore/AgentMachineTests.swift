import PAMProtocol
import PhoneMessages
import Testing
import VaultPort

@testable import AgentCore

@Suite("All that the agent decides, as one machine")
struct AgentMachineTests {
    private var box = MachineBench()

    @Test("A tap reaches the program, and its verdict the phone: what is given comes before what is told")
    mutating func login() throws {
        box.connect()
        _ = box.program()
        let tapped = box.ask(.login(Sample.secret()))
        let looked = box.feed(.answered(tapped.operations[0], .seats([Sample.program(): Sample.atSeat])))
        guard case .handOver(let id, let program, let user, _)? = looked.effects.first else {
            Issue.record("nothing is handed over first: \(looked.effects)")
            return
        }
        #expect(program == Sample.program() && user == Array("alice".utf8))
        #expect(looked.toPhones.map(\.message) == [.progress(testRequest(2), .delivered)])
        _ = box.feed(.answered(id, .handedOver(.taken)))
        let accepted = box.feed(.program(program, .says(.verdictReached)))
        #expect(accepted.toPhones.map(\.message) == [.progress(testRequest(2), .passwordAccepted)])
        #expect(accepted.commands.isEmpty, "nobody is logged in yet, and nothing is written")
        #expect(box.feed(.program(program, .says(.credentialsRefreshed))).results.isEmpty)
        let judged = box.feed(.program(program, .says(.ended(status: 0))))
        // The audit entry and the device's use.
        #expect(judged.commands.count == 2)
        #expect(judged.results.isEmpty, "told before written")
        #expect(box.answer(try #require(judged.entry), .vault(.done)).results == [.correct])
    }

    @Test("A session that a PAM module refuses while it opens is not shown to the phone", arguments: [true, false])
    mutating func refusedSession(_ lasts: Bool) throws {
        box.connect()
        _ = box.program()
        let tapped = box.ask(.login(Sample.secret()))
        _ = box.feed(.answered(tapped.operations[0], .seats([Sample.program(): Sample.atSeat])))
        let opened = PAMEvent.sessionOpened(logindSession: nil, terminal: nil)
        _ = box.feed(.program(Sample.program(), .says(opened)))
        #expect(box.machine.view(of: testDevice(1))?.state.session == SessionState.none)
        box.now = Moment(sinceBoot: box.now.sinceBoot + (lasts ? LoginVerdict.settling : .milliseconds(100)))
        if lasts {
            _ = box.feed(.timeHasCome)
            #expect(box.machine.view(of: testDevice(1))?.state.session == .active)
        }
        let ended = box.stored(box.feed(.program(Sample.program(), .says(.ended(status: lasts ? 0 : 14)))))
        let ends = ended.toPhones.filter { if case .sessionEnded = $0.message { true } else { false } }
        #expect(ends.count == (lasts ? 1 : 0))
        #expect(ended.results == (lasts ? [] : [.sessionFailed]))
    }

    /// Returns the output of the event by which the program's login succeeds.
    private mutating func judged() throws -> Said {
        box.connect()
        _ = box.program()
        let tapped = box.ask(.login(Sample.secret()))
        _ = box.feed(.answered(tapped.operations[0], .seats([Sample.program(): Sample.atSeat])))
        _ = box.feed(.program(Sample.program(), .says(.credentialsRefreshed)))
        return box.feed(.program(Sample.program(), .says(.ended(status: 0))))
    }

    @Test("A phone is told when the audit entry cannot be stored, too, or the disk needs a second; once each time")
    mutating func toldWithoutEntry() throws {
        let failing = try judged()
        let entry = try #require(failing.entry)
        #expect(box.answer(entry, .vault(.failed(.diskFull))).results == [.correct])
        box.now = Moment(sinceBoot: box.now.sinceBoot + HeldAnswers.limit)
        #expect(box.feed(.timeHasCome).results.isEmpty)

        box = MachineBench()
        let slow = try judged()
        #expect(box.machine.deadline == box.now.sinceBoot + HeldAnswers.limit)
        box.now = Moment(sinceBoot: box.now.sinceBoot + HeldAnswers.limit)
        #expect(box.feed(.timeHasCome).results == [.correct])
        #expect(box.answer(try #require(slow.entry), .vault(.done)).results.isEmpty)
    }

    @Test("An answer does not overtake one that waits for its entry on the same channel")
    mutating func order() throws {
        let entry = try #require(try judged().entry)
        #expect(box.ask(.cancelLogin, 3).told.isEmpty)
        #expect(box.answer(entry, .vault(.done)).told == ["1.2 correct", "1.3 correct"])
    }

    @Test("Another channel that ends makes no answer leave before its entry")
    mutating func otherEnds() throws {
        let entry = try #require(try judged().entry)
        // A link that gave its place away.
        let ended = box.feed(.phone(Sample.channel(9), .proved(Sample.sheet())))
        #expect(ended.effects.contains { if case .finish = $0 { true } else { false } })
        #expect(ended.results.isEmpty)
        #expect(box.answer(entry, .vault(.done)).results == [.correct])
    }

    @Test("An agent that stops tells what it has decided before it ends the channel")
    mutating func toldBeforeStop() throws {
        #expect(try judged().results.isEmpty)
        let stopped = box.feed(.stop)
        #expect(stopped.results == [.correct])
        if case .tellPhone? = stopped.effects.first {} else { Issue.record("ended before told") }
    }

    @Test("A session that logind removes within the half second is told as one that failed, and leaves no entry of one")
    mutating func removedWhileOpening() throws {
        box.connect()
        _ = box.program()
        let tapped = box.ask(.login(Sample.secret()))
        _ = box.feed(.answered(tapped.operations[0], .seats([Sample.program(): Sample.atSeat])))
        _ = box.feed(.logind(.appeared(Sample.logind())))
        let opened = PAMEvent.sessionOpened(logindSession: Array("c1".utf8), terminal: nil)
        let asked = box.feed(.program(Sample.program(), .says(opened)))
        _ = box.answer(try #require(asked.operations.first), .claim(.confirmed(Sample.logind())))
        let removed = box.feed(.logind(.removed(Sample.logind())))
        let entries = removed.commands.compactMap { if case .append(let event) = $0 { event.kind } else { nil } }
        #expect(entries == [.loginRefused])
        #expect(removed.toPrograms == [.judged], "its connection may be closed for another program's")
        #expect(box.answer(try #require(removed.entry), .vault(.done)).results == [.sessionFailed])
    }

    @Test("An agent that stops records the login of a program that still waits as unknown")
    mutating func stopsDuringLogin() {
        box.connect()
        _ = box.program()
        let tapped = box.ask(.login(Sample.secret()))
        _ = box.feed(.answered(tapped.operations[0], .seats([Sample.program(): Sample.atSeat])))
        _ = box.feed(.program(Sample.program(), .says(.accountEntered)))
        let stopped = box.feed(.stop)
        let entries = stopped.commands.compactMap { if case .append(let event) = $0 { event.kind } else { nil } }
        #expect(entries == [.loginUnknown])
    }

    @Test("A login in the hands of a stopped program holds up nobody else's")
    mutating func stopped() {
        box.connect()
        _ = box.program()
        let tapped = box.ask(.login(Sample.secret()))
        _ = box.feed(.answered(tapped.operations[0], .seats([Sample.program(): Sample.atSeat])))
        // The handover never ends. Another user taps at another program.
        box.connect(2, DeviceSheet(record: Sample.record(2, user: "bob")))
        let asked = box.feed(.program(Sample.program(2), .asks(Sample.asks("bob"), Sample.root)))
        _ = box.feed(.answered(asked.operations[0], .seat(session: nil, Sample.atSeat)))
        let other = box.ask(.login(Sample.secret()), on: 2)
        let looked = box.feed(.answered(other.operations[0], .seats([Sample.program(2): Sample.atSeat])))
        #expect(looked.toPhones.map(\.message) == [.progress(testRequest(2), .delivered)])
    }

    @Test("A revocation makes deaf at once, is written down, and only then told as the last word")
    mutating func revocation() {
        box.connect()
        _ = box.program()
        let tapped = box.ask(.login(Sample.secret()))
        let ordered = box.feed(
            .control(Sample.control(9), .revokes([Sample.record()], all: false, named: [], Sample.root)))
        guard case .mute(let muted)? = ordered.effects.first else {
            Issue.record("not deaf first: \(ordered.effects)")
            return
        }
        #expect(muted == Sample.channel() && ordered.finished.isEmpty)
        // The lookup for the tap ends too late, so the tap is not used.
        let late = box.feed(.answered(tapped.operations[0], .seats([Sample.program(): Sample.atSeat])))
        #expect(late.effects.isEmpty)
        let named = box.feed(.answered(ordered.operations[0], .person(.agent, name: nil)))
        #expect(named.commands.count == 1 && named.toControls.isEmpty && named.finished.isEmpty)
        let stored = box.feed(.answered(named.operations[0], .vault(.revoked(Revocation(unfinished: nil)))))
        #expect(stored.finished == [.revoked])
        #expect(stored.toControls.count == 1)
    }

    @Test("A revocation that cannot be written down ends the channels without the last word, and bars all the same")
    mutating func revocationFails() {
        box.connect()
        let ordered = box.feed(
            .control(Sample.control(9), .revokes([Sample.record()], all: false, named: [], Sample.root)))
        let named = box.feed(.answered(ordered.operations[0], .person(.agent, name: nil)))
        let failed = box.feed(.answered(named.operations[0], .vault(.failed(.diskFull))))
        let words = failed.effects.compactMap { if case .finish(_, _, let words) = $0 { words } else { nil } }
        #expect(failed.finished == [.vaultUnavailable] && words.isEmpty)
        _ = box.feed(.phone(Sample.channel(2), .arrived(connection: "c2")))
        #expect(box.feed(.phone(Sample.channel(2), .proved(Sample.sheet()))).finished == [.revoked])
    }

    @Test("The last word of a revocation is all that its phone hears of what it asked before")
    mutating func silence() {
        box.connect(1, Sample.sheet(1, mode: .boxHeld))
        let tries = box.ask(.loginWithPIN(pin: Sample.secret("4711"), deviceSecret: Sample.secret()))
        _ = box.feed(.control(Sample.control(9), .revokes([Sample.record()], all: false, named: [], Sample.root)))
        let opened = box.feed(.answered(tries.operations[0], .vault(.opened(.opened(Sample.secret()), nil))))
        #expect(opened.effects.isEmpty)
    }

    @Test("A tap that waits is withdrawn when its phone leaves, and when its channel gives way to newer ones")
    mutating func withdrawn() {
        box.connect()
        _ = box.ask(.login(Sample.secret()))
        #expect(box.isTapHeld)
        _ = box.feed(.phone(Sample.channel(), .left(.linkClosed, peer: "a phone")))
        #expect(!box.isTapHeld)
        box.connect(2)
        _ = box.ask(.login(Sample.secret()), on: 2)
        for number in 3...5 as ClosedRange<UInt64> { box.connect(number) }
        #expect(box.isTapHeld)
        box.connect(6)
        #expect(!box.isTapHeld)
    }

    @Test("Each request gets exactly one result, and its place among the open ones back")
    mutating func oneResult() {
        box.connect()
        for number in UInt32(2)...40 {
            #expect(box.ask(.status, number).results == [.correct])
        }
    }

    @Test("A wish for another time away is told to every channel of the device before its result")
    mutating func stateBeforeResult() {
        box.connect()
        box.connect(2)
        let asked = box.ask(.setAutoLogout(seconds: 900))
        let stored = box.feed(.answered(asked.operations[0], .vault(.done)))
        let order = stored.toPhones.map { told -> String in
            switch told.message {
            case .state: "state on \(told.channel.number)"
            case .result: "result on \(told.channel.number)"
            default: "\(told.message)"
            }
        }
        #expect(order == ["state on 1", "state on 2", "result on 1"])
    }

    @Test(
        "A session of an earlier run ends when that run had written down that it would, though its phone never returns")
    mutating func earlierDeadline() {
        let end = box.now.sinceBoot + .seconds(300)
        var sheet = Sample.sheet()
        sheet.autoLogout = 900
        var answers: [(OperationID, Answer)] = []
        var loggedOut: [Duration] = []
        func perform(_ said: Said) {
            for effect in said.effects {
                switch effect {
                case .vault(let id, .readDeadlines):
                    let kept = StoredDeadline(device: testDevice(1), kind: .awayLogout, at: end)
                    answers.append((id, .vault(.deadlines([kept]))))
                case .vault(let id, .readSessions):
                    answers.append((id, .vault(.sessions(ofEarlierBoots: [], ofThisBoot: [Sample.stored()]))))
                case .vault(let id, .readDevice): answers.append((id, .vault(.sheet(sheet))))
                case .vault(let id, _): answers.append((id, .vault(.done)))
                case .act(let id, let operation, _):
                    if operation == .logout { loggedOut.append(box.now.sinceBoot) }
                    answers.append((id, .acted(.done)))
                default: break
                }
            }
        }
        for event in [Event.started, .logind(.appeared(Sample.logind())), .logind(.available)] {
            perform(box.feed(event))
        }
        for _ in 0..<1_000 {
            while !answers.isEmpty {
                let (id, answer) = answers.removeFirst()
                perform(box.feed(.answered(id, answer)))
            }
            guard box.now.sinceBoot < end else { break }
            box.now.sinceBoot = min(box.machine.deadline ?? end, end)
            perform(box.feed(.timeHasCome))
        }
        #expect(loggedOut == [end])
    }

    @Test("Where nothing runs there is no deadline but the radio's, and later none at all")
    mutating func idle() {
        _ = box.feed(.radio(.working("")))
        while let due = box.machine.deadline {
            #expect(due > box.now.sinceBoot)
            box.now.sinceBoot = due
            _ = box.feed(.timeHasCome)
            if due > .seconds(10_000) {
                Issue.record("it never rests")
                return
            }
        }
        #expect(box.machine.deadline == nil)
    }

    @Test("When the agent stops, programs, phones and administrators hear it, and nothing is delivered any more")
    mutating func stops() {
        box.connect()
        _ = box.program()
        let stopped = box.feed(.stop)
        #expect(stopped.toPrograms == [.refused(.agentFault)])
        #expect(stopped.finished == [.agentStops])
        let late = box.feed(.program(Sample.program(5), .asks(Sample.asks(), Sample.root)))
        #expect(late.toPrograms == [.refused(.agentFault)])
    }

    @Test("A greeter is shown the tap that waits, and not one that another greeter has claimed")
    mutating func greeters() {
        _ = box.feed(.control(Sample.control(1), .asks(.greet(terminal: Array("tty1".utf8)), Sample.root)))
        _ = box.feed(.control(Sample.control(2), .asks(.greet(terminal: Array("tty2".utf8)), Sample.root)))
        box.connect()
        let tapped = box.ask(.login(Sample.secret()))
        #expect(shownUsers(tapped) == [Array("alice".utf8), Array("alice".utf8)])
        let claimed = box.feed(.control(Sample.control(1), .asks(.claimTap(user: Array("alice".utf8)), Sample.root)))
        #expect(claimed.toControls.contains(.tapClaimed(true)))
        let again = box.feed(.control(Sample.control(2), .asks(.claimTap(user: Array("alice".utf8)), Sample.root)))
        #expect(again.toControls == [.tapClaimed(false)])
    }

    private func shownUsers(_ said: Said) -> [[UInt8]?] {
        said.toControls.compactMap { if case .greeter(let state) = $0 { state.tapUser } else { nil } }
    }
}
