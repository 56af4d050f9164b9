import PhoneMessages
import Testing
import VaultPort

@testable import AgentCore

@Suite("A login that is taken back is taken back")
struct WithdrawalTests {
    private var box = MachineBench()
    private let boxHeld = Sample.sheet(1, mode: .boxHeld)

    @Test(
        "A login that is taken back while its PIN is checked opens nothing, on whichever channel of its phone",
        arguments: [1, 2] as [UInt64])
    mutating func whileThePINIsChecked(channel: UInt64) {
        box.connect(1, boxHeld)
        box.connect(2, boxHeld)
        _ = box.program()
        let tries = box.tryPIN()
        #expect(box.ask(.cancelLogin, 3, on: channel).told == ["\(channel).3 correct"])
        let late = box.answer(tries[0], MachineBench.rightPIN)
        #expect(late.told == ["1.2 cancelled"] && late.operations.isEmpty && !late.handsOver)
        #expect(!box.isTapHeld)
    }

    @Test("A login that waits for a program is taken back on another channel of its phone, and on no other phone's")
    mutating func fromAnotherChannel() {
        box.connect()
        box.connect(2)
        box.connect(3, DeviceSheet(record: Sample.record(2)))
        _ = box.ask(.login(Sample.secret()))
        #expect(box.ask(.cancelLogin, 2, on: 3).told == ["3.2 correct"])
        #expect(box.isTapHeld)
        #expect(box.ask(.cancelLogin, 2, on: 2).told == ["1.2 cancelled", "2.2 correct"])
        #expect(!box.isTapHeld)
    }

    @Test("A held tap, and a PIN under check, do not outlive a change of their password; another user's do")
    mutating func passwordChanged() {
        let root = Caller(uid: 0, pid: 7, daemonUID: 900)
        box.connect(1, boxHeld)
        box.connect(2, DeviceSheet(record: Sample.record(2)))
        let tries = box.tryPIN()
        _ = box.ask(.login(Sample.secret()), 2, on: 2)
        _ = box.feed(.program(Sample.program(9), .changedPassword(of: Array("bob".utf8), root)))
        #expect(box.isTapHeld)
        let changed = box.feed(.program(Sample.program(9), .changedPassword(of: Array("alice".utf8), root)))
        #expect(changed.told == ["2.2 cancelled"])
        #expect(!box.isTapHeld)
        let late = box.answer(tries[0], MachineBench.rightPIN)
        #expect(late.told == ["1.2 cancelled"] && !box.isTapHeld)
    }

    @Test("A login that is taken back before its PIN is checked spends no try")
    mutating func beforeThePINIsChecked() {
        box.connect(1, boxHeld)
        let first = box.tryPIN(2)
        #expect(box.tryPIN(3).isEmpty)
        #expect(box.ask(.cancelLogin, 4).told == ["1.3 cancelled", "1.4 correct"])
        #expect(box.answer(first[0], MachineBench.rightPIN).commands.isEmpty)
    }

    @Test("A wrong PIN of a login that is taken back, or whose phone has left, is written down; who is there hears it")
    mutating func wrongPIN() {
        box.connect(1, boxHeld)
        let wrong = Answer.vault(.opened(.pinWrong(attemptsLeft: 3), CredentialState(attemptsLeft: 3, stale: false)))
        func isWritten(_ said: Said) -> Bool {
            said.commands.contains { if case .append(let event) = $0 { event.kind == .pinWrong } else { false } }
        }
        let tries = box.tryPIN()
        _ = box.ask(.cancelLogin, 3)
        let told = box.stored(box.answer(tries[0], wrong))
        #expect(told.told == ["1.2 pinWrong"] && isWritten(told))
        let more = box.tryPIN(4)
        _ = box.feed(.phone(Sample.channel(), .left(.linkClosed, peer: "a phone")))
        let unheard = box.stored(box.answer(more[0], wrong))
        #expect(unheard.told.isEmpty && isWritten(unheard))
    }

    @Test("A login that a program has already is not called taken back")
    mutating func tooLate() {
        box.connect()
        box.connect(2)
        _ = box.program()
        let tapped = box.ask(.login(Sample.secret()))
        let looked = box.answer(tapped.operations[0], .seats([Sample.program(): Sample.atSeat]))
        #expect(looked.handsOver)
        #expect(box.ask(.cancelLogin, 3).told == ["1.3 timedOut"])
        #expect(box.ask(.cancelLogin, 3, on: 2).told == ["2.3 timedOut"])
        _ = box.feed(.program(Sample.program(), .says(.credentialsRefreshed)))
        let judged = box.feed(.program(Sample.program(), .says(.ended(status: 0))))
        #expect(box.stored(judged).told == ["1.2 correct"])
        #expect(box.ask(.cancelLogin, 4).told == ["1.4 correct"])
    }

    @Test("A login whose program is looked at is taken back, and answered once")
    mutating func whileTheProgramIsLookedAt() {
        box.connect()
        _ = box.program()
        let tapped = box.ask(.login(Sample.secret()))
        #expect(box.ask(.cancelLogin, 3).told == ["1.2 cancelled", "1.3 correct"])
        let looked = box.answer(tapped.operations[0], .seats([Sample.program(): Sample.atSeat]))
        #expect(looked.effects.isEmpty)
    }
}
