import AuditLog
import PhoneMessages
import Testing
import VaultPort

@testable import AgentCore

@Suite("Sessions that phones own")
struct OwnedSessionsTests {
    private var bench = Bench()
    private var room = OwnedSessions()

    private mutating func hear(_ event: LogindEvent) -> Said { bench.run { room.heard(event, &$0) } }

    private mutating func open(
        _ id: String? = "c1", program: UInt64 = 1, device: UInt8 = 1, lasts: Bool = true
    ) -> Said {
        bench.run {
            room.opened(Sample.program(program), Sample.target(id), by: testDevice(device), process: 40, &$0)
            if lasts { room.lasts(Sample.program(program)) }
        }
    }

    private mutating func answer(_ id: OperationID?, _ answer: Answer) throws -> Said {
        let id = try #require(id)
        return bench.run { room.answered(id, answer, &$0) }
    }

    private mutating func own(_ id: String = "c1", opened: Int64 = 5, program: UInt64 = 1, device: UInt8 = 1) throws {
        _ = hear(.appeared(Sample.logind(id, opened: opened)))
        let asked = open(id, program: program, device: device)
        _ = try answer(asked.operations.first, .claim(.confirmed(Sample.logind(id, opened: opened))))
    }

    @Test("A session is the phone's once logind has confirmed it, is written down, and then its limits count")
    mutating func confirmed() throws {
        _ = hear(.appeared(Sample.logind()))
        let asked = open()
        #expect(asked.turns.isEmpty && room.count == 0)
        let said = try answer(asked.operations.first, .claim(.confirmed(Sample.logind())))
        #expect(said.turns == ["tracked c1"])
        #expect(said.kinds.isEmpty, "the verdict writes down that it has opened")
        #expect(said.rows == ["keep c1"])
        #expect(room.state(of: testDevice(1)) == .active)
    }

    @Test("What logind has not told of yet is written down when it does")
    mutating func keptLater() throws {
        let asked = open()
        let said = try answer(asked.operations.first, .claim(.confirmed(Sample.logind())))
        #expect(said.rows.isEmpty)
        #expect(hear(.appeared(Sample.logind())).rows == ["keep c1"])
        #expect(hear(.appeared(Sample.logind())).rows.isEmpty)
    }

    @Test("A session that logind refuses is known by its program, and the log says why")
    mutating func refused() throws {
        let asked = open("c9")
        let said = try answer(asked.operations.first, .claim(.refused("logind does not know it")))
        #expect(
            said.lines == ["session c9, named in a login of alice, is ignored: logind does not know it"])
        #expect(said.turns == ["tracked program 1"])
        #expect(room.session(.program(Sample.program()))?.target.logindSession == nil)
        #expect(said.rows.isEmpty)
    }

    @Test("A program without a logind session owns one until it says that it has ended")
    mutating func programAlone() {
        #expect(open(nil).turns == ["tracked program 1"])
        let said = bench.run { room.programEnded(Sample.program(), said: false, &$0) }
        #expect(said.turns == ["ended program 1, last"])
        #expect(said.kinds == [.sessionClosed])
        #expect(room.count == 0)
    }

    @Test("A session that a PAM module refuses while it opens has no end in the audit log, as it has no beginning")
    mutating func refusedWhileOpening() {
        #expect(open(nil, lasts: false).turns == ["tracked program 1"])
        let said = bench.run { room.programEnded(Sample.program(), said: false, &$0) }
        #expect(said.turns == ["ended program 1, last"])
        #expect(said.kinds.isEmpty)
    }

    @Test("A logind session ends when logind says so, not with its program")
    mutating func logindHasTheLastWord() throws {
        try own()
        #expect(bench.run { room.programEnded(Sample.program(), said: false, &$0) }.turns.isEmpty)
        let said = hear(.removed(Sample.logind()))
        #expect(said.turns == ["ended c1, last"])
        #expect(said.rows == ["forget c1"])
    }

    @Test("A logind session that its program closes has ended, although logind keeps it for what the user left running")
    mutating func closedByItsProgram() throws {
        try own()
        let said = bench.run { room.programEnded(Sample.program(), said: true, &$0) }
        #expect(said.turns == ["ended c1, last"] && said.kinds == [.sessionClosed] && said.rows == ["forget c1"])
        #expect(hear(.removed(Sample.logind())).turns.isEmpty)
    }

    @Test("A refused session that logind still has is not restored after a restart")
    mutating func refusedIsForgotten() throws {
        _ = hear(.appeared(Sample.logind()))
        let asked = open("c1", lasts: false)
        _ = try answer(asked.operations.first, .claim(.confirmed(Sample.logind())))
        let said = bench.run { room.programEnded(Sample.program(), said: false, &$0) }
        #expect(said.turns.isEmpty && said.kinds.isEmpty && said.rows == ["forget c1"])
    }

    @Test("A session that logind never described ends as well, also while its claim is checked")
    mutating func endsUndescribed() throws {
        try own(opened: 7)
        #expect(hear(.removed(LogindSession(id: "c1"))).turns == ["ended c1, last"])
        let asked = open(program: 2)
        _ = hear(.removed(LogindSession(id: "c1")))
        let said = try answer(asked.operations.first, .claim(.confirmed(Sample.logind(opened: 9))))
        #expect(said.turns == ["tracked c1", "ended c1, last"] && room.count == 0)
    }

    @Test("An inner login that closes does not end the session of the outer one")
    mutating func nested() throws {
        try own(opened: 7)
        let asked = open(program: 2)
        _ = try answer(asked.operations.first, .claim(.confirmed(Sample.logind(opened: 7))))
        #expect(bench.run { room.programEnded(Sample.program(2), said: true, &$0) }.turns.isEmpty && room.count == 1)
        #expect(bench.run { room.programEnded(Sample.program(), said: true, &$0) }.turns == ["ended c1, last"])
    }

    @Test("An end under an id that is used again is another session's")
    mutating func idUsedAgain() throws {
        try own(opened: 7)
        #expect(hear(.removed(Sample.logind(opened: 5))).turns.isEmpty)
        #expect(room.count == 1)
    }

    @Test("An end by its program while logind is asked ends the session as soon as it has begun")
    mutating func endsWhileClaimed() throws {
        let asked = open()
        _ = bench.run { room.programEnded(Sample.program(), said: false, &$0) }
        let said = try answer(asked.operations.first, .claim(.refused("it is gone")))
        #expect(said.kinds == [.sessionClosed])
        #expect(said.turns == ["tracked program 1", "ended program 1, last"])
    }

    @Test("An end by logind that overtakes its answer ends the session as soon as it has begun")
    mutating func removedWhileClaimed() throws {
        _ = hear(.appeared(Sample.logind()))
        let asked = open()
        _ = hear(.removed(Sample.logind()))
        let said = try answer(asked.operations.first, .claim(.confirmed(Sample.logind())))
        #expect(said.turns == ["tracked c1", "ended c1, last"])
        #expect(room.count == 0)
    }

    @Test("A claim that logind could not answer is held, and settled when logind is back, without an end in between")
    mutating func heldClaim() throws {
        let asked = open()
        let said = try answer(asked.operations.first, .claim(.unknown))
        #expect(said.turns == ["tracked program 1"])
        _ = hear(.appeared(Sample.logind()))
        let again = hear(.available)
        #expect(again.operations.isEmpty, "it was asked when the session appeared")
        let settled = try answer(OperationID(room: .sessions, number: 2), .claim(.confirmed(Sample.logind())))
        #expect(settled.turns == ["tracked c1", "rekeyed program 1 to c1"])
        #expect(settled.kinds.isEmpty)
        #expect(settled.rows == ["keep c1"])
        #expect(room.sessions(of: testDevice(1)).map(\.key) == [Sample.key()])
    }

    @Test("A claim that cannot be answered again stays held")
    mutating func heldAgain() throws {
        let asked = open()
        _ = try answer(asked.operations.first, .claim(.unknown))
        for _ in 0..<3 {
            let again = hear(.available)
            #expect(try answer(again.operations.first, .idlenessRead).turns.isEmpty)
        }
        #expect(room.count == 1)
    }

    @Test("A refusal that is older than what logind said since is asked again")
    mutating func asksAgain() throws {
        let asked = open()
        _ = hear(.appeared(Sample.logind()))
        let again = try answer(asked.operations.first, .claim(.refused("logind does not know it")))
        #expect(again.lines.isEmpty && again.operations.count == 1)
        #expect(try answer(again.operations.first, .claim(.confirmed(Sample.logind()))).turns == ["tracked c1"])
    }

    @Test("A question that logind does not answer within 30 s counts as unknown; its late answer is dropped")
    mutating func lateClaim() throws {
        let asked = open()
        #expect(room.deadline == .seconds(1_030))
        bench.pass(.seconds(30))
        #expect(bench.run { room.timeHasCome(&$0) }.turns == ["tracked program 1"])
        let late = try answer(asked.operations.first, .claim(.confirmed(Sample.logind())))
        #expect(late.turns.isEmpty)
        #expect(hear(.available).operations.count == 1)
    }

    @Test("A held claim of a program that has left is not asked for")
    mutating func leftWithClaim() throws {
        let asked = open()
        _ = try answer(asked.operations.first, .claim(.unknown))
        _ = bench.run { room.programLeft(Sample.program(), &$0) }
        #expect(hear(.available).operations.isEmpty)
    }

    @Test("What cannot be written holds in memory and is tried again, and only while it is still true")
    mutating func retriedRow() throws {
        _ = hear(.appeared(Sample.logind()))
        let asked = open()
        let said = try answer(asked.operations.first, .claim(.confirmed(Sample.logind())))
        let failed = try answer(said.operations.first, .vault(.failed(.diskFull)))
        #expect(failed.lines == ["a session could not be stored: \(VaultError.diskFull)"])
        #expect(room.unwrittenCount == 1 && room.deadline == .seconds(1_001))
        bench.pass(.seconds(1))
        let again = bench.run { room.timeHasCome(&$0) }
        #expect(again.rows == ["keep c1"])
        #expect(hear(.removed(Sample.logind())).rows == ["forget c1"])
        _ = try answer(again.operations.first, .vault(.failed(.diskFull)))
        bench.pass(.seconds(60))
        #expect(bench.run { room.timeHasCome(&$0) }.rows.isEmpty, "the session is gone: it is not written any more")
    }

    @Test("Another phone's login in the same session takes it over, and the first phone's is over")
    mutating func takenOver() throws {
        try own()
        let asked = open(program: 2, device: 2)
        let said = try answer(asked.operations.first, .claim(.confirmed(Sample.logind())))
        #expect(said.turns == ["ended c1, last", "tracked c1"])
        #expect(said.rows == ["forget c1", "keep c1"])
        #expect(room.devices == [testDevice(2)])
    }

    @Test("A program whose session is gone ends no other one that has got its id")
    mutating func programOfAGoneSession() throws {
        try own(opened: 5, program: 1)
        _ = hear(.removed(Sample.logind(opened: 5)))
        let asked = open(program: 2, device: 2)
        _ = try answer(asked.operations.first, .claim(.confirmed(Sample.logind(opened: 9))))
        #expect(bench.run { room.programEnded(Sample.program(1), said: false, &$0) }.turns.isEmpty)
        #expect(room.count == 1)
    }

    @Test("What logind says of a lock holds, and idleness is told on the clock that goes on in sleep")
    mutating func changes() throws {
        try own()
        var locked = Sample.logind(isLocked: true)
        locked.idleSince = .seconds(100)
        bench.now.asleep = .seconds(7)
        let said = hear(.changed(locked))
        #expect(room.state(of: testDevice(1)) == .locked && room.isLocked(session: Array("c1".utf8)))
        let idle = said.facts.compactMap { if case .session(.idle(_, let since)) = $0 { since } else { nil } }
        #expect(idle == [.seconds(107)])
    }

    @Test("A closing session has ended if its program is gone; a connected program says so itself")
    mutating func closing() throws {
        try own()
        _ = hear(.appeared(Sample.logind()))
        var closing = Sample.logind()
        closing.state = "closing"
        #expect(hear(.changed(closing)).turns.isEmpty)
        _ = bench.run { room.programEnded(Sample.program(1), said: false, &$0) }
        #expect(hear(.changed(closing)).turns == ["ended c1, last"])
    }

    @Test("What is no longer there when logind is back has ended")
    mutating func reconciled() throws {
        try own()
        _ = hear(.unavailable("the bus is gone"))
        #expect(room.count == 1)
        try own("c2", opened: 6, program: 2, device: 2)
        room.logind[Array("c1".utf8)] = nil
        #expect(hear(.available).turns == ["ended c1, last"])
    }

    @Test("A lock that was done holds for the session it was meant for, and for no other that has got its id")
    mutating func actedOnAnother() throws {
        try own()
        let old = try #require(room.session(Sample.key()))
        bench.pass(.seconds(1))
        _ = hear(.removed(Sample.logind()))
        try own(opened: 9, program: 2)
        _ = bench.run { room.acted(Sample.key(), old, .lock, .done, changes: true, &$0) }
        #expect(room.state(of: testDevice(1)) == .active)
        let new = try #require(room.session(Sample.key()))
        _ = bench.run { room.acted(Sample.key(), new, .lock, .done, changes: true, &$0) }
        #expect(room.state(of: testDevice(1)) == .locked)
    }

    @Test("The phone is told why its session ended; a logout that fails takes the reason back")
    mutating func endings() throws {
        try own()
        let session = try #require(room.session(Sample.key()))
        room.ending(Sample.key(), session, .closing)
        _ = bench.run {
            room.acted(Sample.key(), session, .logout, .failed(reason: "it is there"), changes: true, &$0)
        }
        #expect(room.session(Sample.key())?.ending == nil)
        room.ending(Sample.key(), session, .idle)
        #expect(hear(.removed(Sample.logind())).turns == ["ended c1, last, idle"])
    }

    @Test("Rows of sessions that are there are adopted; others have ended; those of earlier boots are told once")
    mutating func restored() {
        _ = hear(.appeared(Sample.logind("c1", isLocked: true)))
        _ = hear(.appeared(Sample.logind("c2", opened: 99)))
        _ = hear(.available)
        let said = bench.run {
            room.rowsRead(
                ofEarlierBoots: [Sample.stored("c7")],
                ofThisBoot: [Sample.stored("c1", extensions: 2), Sample.stored("c2", device: 2)], &$0)
        }
        #expect(said.details == ["the machine was restarted", "while boxagentd was not running"])
        #expect(said.turns == ["tracked c1", "read"])
        #expect(said.rows == ["forget c2"])
        #expect(room.state(of: testDevice(1)) == .locked)
        #expect(said.lines == ["session c1 of alice continues, opened by device \(testDevice(1))"])
    }

    @Test("Without logind nobody knows what has ended: rows wait until it is back")
    mutating func rowsWithoutLogind() {
        _ = hear(.unavailable("no bus"))
        let said = bench.run {
            room.rowsRead(ofEarlierBoots: [], ofThisBoot: [Sample.stored()], &$0)
        }
        #expect(said.turns.isEmpty && said.rows.isEmpty && said.entries.isEmpty)
    }

    @Test("A row that was read before its end was written is not told to have ended again")
    mutating func rowOfAnEndedSession() throws {
        _ = hear(.available)
        try own()
        _ = hear(.removed(Sample.logind()))
        let said = bench.run { room.rowsRead(ofEarlierBoots: [], ofThisBoot: [Sample.stored()], &$0) }
        #expect(said.entries.isEmpty && said.rows.isEmpty)
    }

    @Test("Listings show what phones opened and what else people have, by id")
    mutating func known() throws {
        try own("c2", device: 3)
        _ = hear(.appeared(Sample.logind("c10")))
        var greeter = Sample.logind("c11")
        greeter.sessionClass = "greeter"
        _ = hear(.appeared(greeter))
        _ = open(nil, program: 5)
        let known = room.known(helped: [Array("c10".utf8)], bench.policy.configuration)
        #expect(known.map { String(decoding: $0.target.logindSession ?? [], as: UTF8.self) } == ["", "c10", "c2"])
        #expect(known.map(\.canLock) == [false, true, false])
        #expect(known.withoutLocker == ["", "c2"])
        // A session that is closing has released its locker.
        var ending = Sample.logind("c2")
        ending.state = "closing"
        _ = hear(.changed(ending))
        #expect(room.known(helped: [], bench.policy.configuration).withoutLocker == [""])
    }
}
