import PhoneMessages
import Testing
import VaultPort

@testable import AgentCore

@Suite("The helpers in sessions")
struct SessionHelpersTests {
    private var bench = Bench()
    private var room = SessionHelpers()
    private let id = Array("c1".utf8)

    private mutating func come(
        _ caller: Caller, _ number: UInt64 = 1, found: LogindSession? = Sample.logind()
    ) -> Said {
        bench.run { room.came(Sample.control(number), in: id, found, caller, &$0) }
    }

    private var owned: OwnedSession {
        OwnedSession(
            device: testDevice(1), target: Sample.target(), openedAt: .zero, openedMicroseconds: 5, hasLasted: true)
    }

    private func helped(_ said: Said) -> [Bool] {
        said.effects.compactMap { if case .setHelped("c1", let isHelped) = $0 { isHelped } else { nil } }
    }

    @Test("Somebody helps in sessions of their own, and root in all")
    mutating func mayHelp() {
        #expect(come(Sample.person, found: nil).toControls == [Refusals.noSession])
        let other = Caller(uid: 1_001, pid: 5, daemonUID: 900)
        #expect(come(other).toControls == [Refusals.othersSession])
        let said = come(Sample.person)
        #expect(said.toControls == [.done(text: "")] && helped(said) == [true])
        #expect(come(Sample.person).toControls == [Refusals.oneAtATime])
        #expect(room.sessions == [id])
    }

    @Test("A helper that was started again takes the place of the first, whose end changes nothing then")
    mutating func replaced() {
        _ = come(Sample.person, 1)
        let said = come(Sample.root, 2)
        #expect(
            said.facts.contains { if case .session(.helperReplaced(Sample.control(1))) = $0 { true } else { false } })
        #expect(helped(bench.run { room.left(Sample.control(1), &$0) }).isEmpty)
        #expect(helped(bench.run { room.left(Sample.control(2), &$0) }) == [false])
    }

    @Test("A session that ends has no helper any more")
    mutating func ended() {
        _ = come(Sample.person)
        #expect(helped(bench.run { room.sessionRemoved(Sample.logind(), &$0) }) == [false])
        #expect(helped(bench.run { room.sessionRemoved(Sample.logind(), &$0) }).isEmpty)
    }

    @Test("A refusal to lock is passed on from the session's helper, and from nobody else")
    mutating func refusal() {
        _ = come(Sample.person, 1)
        let said = bench.run { room.refused(Sample.control(1), "no PAM", &$0) }
        #expect(said.effects.contains { if case .refuseLock("c1", "no PAM") = $0 { true } else { false } })
        #expect(bench.run { room.refused(Sample.control(2), "", &$0) }.effects.isEmpty)
    }

    @Test("The person is warned in the session where a helper can show it, and told when it does not come")
    mutating func warned() {
        let silent = bench.run { room.warned(owned, .idle, at: .seconds(1_060), &$0) }
        #expect(silent.toControls.isEmpty)
        #expect(silent.lines == ["warned alice's session: it was idle for too long"])
        _ = come(Sample.person)
        let said = bench.run { room.warned(owned, .closing, at: .seconds(1_060), &$0) }
        let text = "This session ends in 60 seconds: the site is closing."
        #expect(said.toControls == [.notice(text: text)])
        #expect(bench.run { room.warningWithdrawn(owned, &$0) }.toControls == [.notice(text: "")])
    }
}
