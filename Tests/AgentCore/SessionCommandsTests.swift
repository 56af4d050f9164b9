import ControlProtocol
import AuditLog
import PhoneMessages
import Testing
import VaultPort

@testable import AgentCore

@Suite("Session commands")
struct SessionCommandsTests {
    private var bench = Bench()
    private var room = SessionOrders()
    private var sessions = [Sample.known("c1"), Sample.known("c2", device: nil)]
    private let other = Caller(uid: 1_001, pid: 5, daemonUID: 900)

    init() { room.heard(.available) }

    private mutating func order(
        _ action: SessionAction, _ selection: SessionSelection, _ caller: Caller, name: String? = "alice"
    ) throws -> Said {
        let asked = bench.run { room.ordered(Sample.control(), action, selection, caller, &$0) }
        let id = try #require(asked.operations.first)
        let answer = Answer.person(
            .person(uid: caller.uid, login: name.map { Array($0.utf8) }), name: name.map { Array($0.utf8) })
        return bench.run { room.answered(id, answer, sessions, &$0) }
    }

    private mutating func answer(_ id: OperationID?, _ outcome: SessionOutcome) throws -> Said {
        let id = try #require(id)
        return bench.run { room.answered(id, .acted(outcome), sessions, &$0) }
    }

    private func outcomes(_ said: Said) -> [SessionListing.Outcome?] {
        said.toControls.compactMap { if case .session(let listing) = $0 { listing.outcome } else { nil } }
    }

    @Test("A command hears of each session, in order, once all have answered")
    mutating func answered() throws {
        let said = try order(.lock, .all, Sample.root)
        #expect(said.acts == ["lock c1", "lock c2"] && said.toControls.isEmpty)
        let first = try answer(said.operation(1), .cannot(reason: "no locker"))
        #expect(first.toControls.isEmpty)
        #expect(first.lines.isEmpty && first.entries.isEmpty, "no phone opened it")
        let all = try answer(said.operation(0), .done)
        #expect(outcomes(all) == [.done, .cannot])
        #expect(all.toControls.last == Refusals.operationFailed(.lock, 1, of: 2))
        #expect(all.entries.map(\.actor.kind) == [.person])
    }

    @Test("Whoever is at the box pays for what they order, not the phone")
    mutating func pays() throws {
        let said = try order(.lock, .session(Array("c1".utf8)), Sample.person)
        let done = try answer(said.operation(0), .done)
        let payers = done.facts.compactMap {
            if case .ledger(.happenedAgain(_, _, let payer)) = $0 { payer } else { nil }
        }
        #expect(payers == [.person(Array("alice".utf8))])
        #expect(done.toControls.last == .done(text: ""))
    }

    @Test("Nobody but root acts on others' sessions, and nothing is done to any")
    mutating func others() throws {
        let said = try order(.logout, .user(Array("alice".utf8)), other, name: "bob")
        #expect(said.toControls == [Refusals.othersSession] && said.acts.isEmpty)
        #expect(try order(.logout, .own, other, name: "bob").toControls == [Refusals.noSession])
    }

    @Test("While logind's sessions are not known, no command hears that a session is not open")
    mutating func unread() throws {
        room = SessionOrders()
        let early = "logind's sessions are not read yet"
        #expect(try order(.logout, .own, other, name: "bob").toControls == [Refusals.sessionsUnread(early)])
        room.heard(.available)
        room.heard(.unavailable("systemd-logind is not running"))
        let why = "systemd-logind is not running"
        #expect(try order(.logout, .own, other, name: "bob").toControls == [Refusals.sessionsUnread(why)])
        let all = bench.run { room.list(for: Sample.control(), Sample.root, sessions, &$0) }
        #expect(all.toControls.count == 3 && all.toControls.last == .done(text: Refusals.doubt(why)))
        room.heard(.available)
        #expect(try order(.logout, .own, other, name: "bob").toControls == [Refusals.noSession])
    }

    @Test("A logout by root is the administrator's, one by the person is at the box")
    mutating func endings() throws {
        #expect(try order(.logout, .own, Sample.person).turns == ["ending c1, atTheBox"])
        #expect(try order(.logout, .all, Sample.root, name: "root").turns == ["ending c1, administrator"])
    }

    @Test("A command does not wait for a name for more than 5 s: the uid is known")
    mutating func noName() throws {
        let asked = bench.run { room.ordered(Sample.control(), .lock, .own, Sample.person, &$0) }
        bench.pass(.seconds(5))
        let said = bench.run { room.timeHasCome(sessions, &$0) }
        #expect(said.acts == ["lock c1", "lock c2"])
        let late = Answer.person(.person(uid: 1_000, login: nil), name: nil)
        let id = try #require(asked.operation(0))
        #expect(bench.run { room.answered(id, late, sessions, &$0) }.effects.isEmpty)
    }

    @Test("Root sees all sessions at once, others their own once it is known who they are")
    mutating func lists() throws {
        let all = bench.run { room.list(for: Sample.control(), Sample.root, sessions, &$0) }
        #expect(all.toControls.count == 3 && all.toControls.last == .done(text: ""))
        let asked = bench.run { room.list(for: Sample.control(), other, sessions, &$0) }
        let id = try #require(asked.operations.first)
        let answer = Answer.person(.person(uid: 1_001, login: nil), name: Array("bob".utf8))
        #expect(bench.run { room.answered(id, answer, sessions, &$0) }.toControls == [.done(text: "")])
    }
}
