import ControlProtocol
import PhoneMessages
import Testing
import VaultPort

@testable import AgentCore

@Suite("A credential that is destroyed logs nobody in")
struct WipeTests {
    private var box = MachineBench()
    private let boxHeld = Sample.sheet(1, mode: .boxHeld)

    /// Runs `boxagent wipe` for the phone.
    private mutating func order() -> Said {
        box.feed(.control(Sample.control(), .wipes([boxHeld.record], .user(Array("alice".utf8)), Sample.root)))
    }

    /// Answers the lookup of the caller's name, and returns the operations that follow.
    private mutating func write(_ ordered: Said) -> [OperationID] {
        box.answer(ordered.operations[0], .person(.agent, name: nil)).operations
    }

    private mutating func hold() {
        box.connect(1, boxHeld)
        let tries = box.tryPIN()
        _ = box.answer(tries[0], MachineBench.rightPIN)
        #expect(box.isTapHeld)
    }

    @Test("A wipe takes back the tap that waits before anything is written, and only then is called done")
    mutating func heldTap() {
        hold()
        let ordered = order()
        #expect(ordered.told == ["1.2 cancelled"] && !box.isTapHeld)
        #expect(ordered.commands.isEmpty && ordered.toControls.isEmpty)
        let wiped = write(ordered)
        #expect(box.answer(wiped[0], .vault(.wiped([testDevice(1)], setAsideDestroyed: false))).toControls.count == 1)
        #expect(box.program().toPrograms == [.waiting])
    }

    @Test("A PIN that was right before the wipe opens nothing behind it")
    mutating func whileThePINIsChecked() {
        box.connect(1, boxHeld)
        _ = box.program()
        let tries = box.tryPIN()
        let wiped = write(order())
        let late = box.answer(tries[0], MachineBench.rightPIN)
        #expect(late.told == ["1.2 cancelled"] && late.operations.isEmpty && !box.isTapHeld)
        _ = box.answer(wiped[0], .vault(.wiped([testDevice(1)], setAsideDestroyed: false)))
        #expect(!box.isTapHeld)
    }

    @Test("A PIN that comes while a wipe is ordered is checked behind it, also where the wipe fails or comes twice")
    mutating func comesMeanwhile() {
        box.connect(1, boxHeld)
        let (first, second) = (order(), order())
        #expect(box.tryPIN().isEmpty)
        let wiped = write(first)
        #expect(box.answer(wiped[0], .vault(.failed(.diskFull))).commands.isEmpty)
        let again = write(second)
        let done = box.answer(again[0], .vault(.wiped([testDevice(1)], setAsideDestroyed: false)))
        guard case .openCredential? = done.commands.last, let id = done.operations.last else {
            Issue.record("the PIN is not tried: \(done.commands)")
            return
        }
        #expect(box.answer(id, .vault(.opened(.wiped, nil))).told == ["1.2 wiped"])
    }

    @Test("Of another phone nothing is taken back by a wipe")
    mutating func others() {
        box.connect()
        _ = box.ask(.login(Sample.secret()))
        let other = Sample.record(2, user: "bob", mode: .boxHeld)
        _ = box.feed(.control(Sample.control(), .wipes([other], .user(Array("bob".utf8)), Sample.root)))
        #expect(box.isTapHeld)
    }

    @Test("The last wrong PIN takes back the tap that an earlier right one has opened")
    mutating func lastWrongPIN() {
        hold()
        box.connect(2, boxHeld)
        let last = box.tryPIN(on: 2)
        #expect(box.answer(last[0], .vault(.opened(.wiped, nil))).told.sorted() == ["1.2 cancelled", "2.2 wiped"])
        #expect(!box.isTapHeld)
    }
}
