import AgentConfiguration
import PhoneMessages
import Testing
import VaultPort

@testable import AgentCore

@Suite("Taps that put a logout off")
struct LogoutExtensionTests {
    private let failed = Answer.vault(.failed(.diskFull))
    private let stored = Answer.vault(.done)
    private let putOff: StepTextLogouts = [
        "answer 1: correct", "warning withdrawn: c1", "log notice: bob postpones the automatic logout from the phone",
        "audit sessionOperation: extend",
    ]

    /// Opens sessions at second 0 that may last an hour, and runs until their warning.
    private func warned(
        _ sessions: String..., change: (inout Configuration.AutoLogout) -> Void = { _ in }
    ) -> LogoutsBench {
        var bench = LogoutsBench {
            $0.longestSeconds = 3_600
            change(&$0)
        }
        for session in sessions { _ = bench.open(session, at: 0) }
        _ = bench.timeHasCome(at: 3_540)
        return bench
    }

    @Test("An extension counts, and the phone hears of it, when it is stored and not before")
    func durableBeforeTold() {
        var bench = warned("c1")
        let asked = bench.tap(1, at: 3_550)
        #expect(asked == ["write c1: 1 extensions"])
        #expect(bench.room.nextEnd(of: testDevice(1))?.at == .seconds(3_600))
        #expect(bench.room.warning(of: testDevice(1)) != nil)
        let told = bench.answer(asked.operation(), stored)
        #expect(told == putOff)
        #expect(bench.room.nextEnd(of: testDevice(1))?.at == .seconds(4_500))
        #expect(bench.answer(asked.operation(), stored) == [])
    }

    @Test("An extension that could not be stored changes nothing; the next tap may")
    func notStored() {
        var bench = warned("c1")
        let asked = bench.tap(1, at: 3_550)
        #expect(
            bench.answer(asked.operation(), failed) == [
                "log error: a session's extension could not be stored: \(VaultError.diskFull)", "answer 1: boxFault",
            ])
        #expect(bench.room.nextEnd(of: testDevice(1))?.at == .seconds(3_600))
        #expect(bench.tap(2, at: 3_560) == ["write c1: 1 extensions"])
    }

    @Test("Of several sessions each is put off that could be stored, and the phone hears of the fault")
    func several() {
        var bench = warned("c1", "c2")
        let asked = bench.tap(1, at: 3_550)
        #expect(asked == ["write c1: 1 extensions", "write c2: 1 extensions"])
        #expect(bench.answer(asked.operation(1), stored) == ["warning withdrawn: c2"])
        #expect(bench.answer(asked.operation(), failed).lines.last == "answer 1: boxFault")
        #expect(bench.timeHasCome(at: 3_600) == ["due: c1, longest"])
    }

    @Test("A tap before any warning is not due; one that does not help is not allowed")
    func refused() {
        var bench = warned("c1", change: { $0.extensionLimit = 0 })
        #expect(bench.tap(1, at: 3_550) == ["answer 1: notAllowed"])
        var early = LogoutsBench { $0.longestSeconds = 3_600 }
        _ = early.open("c1", at: 0)
        #expect(early.tap(1, at: 10) == ["answer 1: notDue"])
    }

    @Test("A second tap while the first is written down is told to wait, and counts for nothing")
    func twice() {
        var bench = warned("c1")
        let asked = bench.tap(1, at: 3_550)
        #expect(bench.tap(2, at: 3_551) == ["answer 2: busy"])
        _ = bench.answer(asked.operation(), stored)
        #expect(bench.room.nextEnd(of: testDevice(1))?.at == .seconds(4_500))
    }

    @Test("Idleness is put off at once: nothing is to be written down")
    func idle() {
        var bench = LogoutsBench { $0.idleSeconds = 600 }
        _ = bench.open("c1", at: 0)
        _ = bench.step(at: 1) { $0.idle(.logind(Array("c1".utf8)), since: .zero, &$1) }
        _ = bench.timeHasCome(at: 540)
        #expect(bench.tap(1, at: 550) == putOff)
        #expect(bench.room.nextEnd(of: testDevice(1))?.at == .seconds(1_150))
    }

    @Test("A session that ended while its extension was written down is not said to go on")
    func endedMeanwhile() {
        var bench = warned("c1")
        let asked = bench.tap(1, at: 3_599)
        #expect(bench.timeHasCome(at: 3_600) == ["due: c1, longest"])
        #expect(bench.answer(asked.operation(), stored) == ["answer 1: noSession"])
        #expect(bench.room.nextEnd(of: testDevice(1)) == nil)
    }

    @Test("What a phone asked for before it was revoked is neither done nor answered")
    func revoked() {
        var bench = warned("c1")
        let asked = bench.tap(1, at: 3_550)
        #expect(bench.step(at: 3_551) { $0.barred([testDevice(1)], &$1) } == [])
        #expect(bench.answer(asked.operation(), stored) == [])
        #expect(bench.room.nextEnd(of: testDevice(1))?.at == .seconds(3_600))
    }

    @Test("A vault that does not answer leaves the tap answered in the end, and nothing changed")
    func noAnswer() {
        var bench = warned("c1", "c2", change: { $0.longestSeconds = 7_200 })
        _ = bench.timeHasCome(at: 7_140)
        let asked = bench.tap(1, at: 7_150)
        #expect(bench.timeHasCome(at: 7_209).lines == ["due: c1, longest", "due: c2, longest"])
        #expect(
            bench.timeHasCome(at: 7_210) == [
                "log error: a session's extension could not be stored: the vault does not answer", "answer 1: boxFault",
            ])
        #expect(bench.answer(asked.operation(), stored) == [])
    }

    @Test("A session without logind is put off at once: it does not outlive the agent")
    func withoutLogind() {
        var bench = LogoutsBench { $0.longestSeconds = 3_600 }
        _ = bench.step(at: 0) { room, out in
            room.sessionTracked(
                .program(ProgramID(number: 3)), by: testDevice(1), user: [], since: .zero, extensions: 0,
                sheet: DeviceSheet(device: 1), isHere: true, &out)
        }
        _ = bench.timeHasCome(at: 3_540)
        #expect(bench.tap(1, at: 3_550).lines.contains("answer 1: correct"))
        #expect(bench.room.nextEnd(of: testDevice(1))?.at == .seconds(4_500))
    }

    @Test("An extension of an earlier run counts")
    func earlier() {
        var bench = LogoutsBench { $0.longestSeconds = 3_600 }
        _ = bench.open("c1", extensions: 2, at: 0)
        #expect(bench.room.nextEnd(of: testDevice(1))?.at == .seconds(5_400))
    }
}
