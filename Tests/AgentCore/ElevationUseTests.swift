import PAMProtocol
import PhoneMessages
import Testing
import VaultPort

@testable import AgentCore

@Suite("A request that is allowed is looked at once more")
struct ElevationUseTests {
    private var box: MachineBench
    private let id = ElevationID(rawValue: 1)

    init() {
        box = MachineBench(Bench { $0.elevation.services = ["sudo"] })
    }

    private static func place(background: Bool = false, _ change: (inout LogindSession) -> Void = { _ in }) -> Answer {
        var session = LogindSession(id: "c1")
        session.sessionClass = "user"
        session.seat = "seat0"
        session.isActive = true
        session.user = "alice"
        change(&session)
        return .elevationPlace((session: session, isInBackground: background))
    }

    /// Has sudo ask, and expects that the phone is shown the request.
    private mutating func asks(_ sheet: DeviceSheet = Sample.sheet()) throws -> ElevationID {
        box.connect(1, sheet)
        let asked = box.feed(.program(Sample.program(), .asks(Sample.asks("alice", service: "sudo"), Sample.root)))
        #expect(box.answer(asked.operations[0], Self.place()).toPrograms == [.asking])
        return try #require(id)
    }

    @Test("A request that is allowed is handed over once its program was looked at again")
    mutating func allowed() throws {
        let id = try asks()
        let allowed = box.ask(.elevate(id, Sample.secret()))
        #expect(!allowed.handsOver)
        let looked = box.answer(try #require(allowed.operations.first), Self.place())
        #expect(looked.handsOver && looked.told.isEmpty)
    }

    @Test(
        "A program whose session has left the screen, is locked, or is another's gets no password that is allowed",
        arguments: 0..<6)
    mutating func elsewhere(_ number: Int) throws {
        let places: [Answer] = [
            Self.place { $0.isActive = false }, Self.place { $0.isLocked = true }, Self.place { $0.seat = "" },
            Self.place { $0.user = "bob" }, Self.place(background: true), .elevationPlace(nil),
        ]
        let id = try asks()
        let allowed = box.ask(.elevate(id, Sample.secret()))
        let looked = box.answer(try #require(allowed.operations.first), places[number])
        #expect(!looked.handsOver)
        #expect(looked.toPrograms == [.refused(.notAtSeat)] && looked.told == ["1.2 timedOut"])
        #expect(looked.toPhones.contains { $0.message == .elevationOver(id) })
    }

    @Test("While its program is looked at, an allowed request ends with its phone, its revocation and a decline")
    mutating func endsMeanwhile() throws {
        let id = try asks()
        box.connect(2)
        let allowed = box.ask(.elevate(id, Sample.secret()))
        let look = try #require(allowed.operations.first)
        _ = box.ask(.declineElevation(id), 2, on: 2)
        #expect(box.answer(look, Self.place()).told == ["1.2 timedOut"])
        for end in [
            Event.phone(Sample.channel(), .left(.linkClosed, peer: "a phone")),
            .control(Sample.control(9), .revokes([Sample.record()], all: false, named: [], Sample.root)),
        ] {
            self = Self()
            let id = try asks()
            let look = try #require(box.ask(.elevate(id, Sample.secret())).operations.first)
            box.connect(2)
            _ = box.feed(end)
            #expect(box.answer(look, Self.place()).effects.isEmpty)
        }
    }

    @Test("A phone that declines what another phone has allowed meanwhile is told that it is too late")
    mutating func declinedTooLate() throws {
        let id = try asks()
        box.connect(2)
        let allowed = box.ask(.elevate(id, Sample.secret()))
        #expect(box.answer(try #require(allowed.operations.first), Self.place()).handsOver)
        #expect(box.ask(.declineElevation(id), 2, on: 2).told == ["2.2 timedOut"])
    }

    @Test("A request that is declined is over, and whoever declines it after that is too late")
    mutating func declinedTwice() throws {
        let id = try asks()
        box.connect(2)
        let declined = box.ask(.declineElevation(id))
        #expect(box.stored(declined).told == ["1.2 correct"])
        #expect(box.ask(.declineElevation(id), 2, on: 2).told == ["2.2 timedOut"])
    }

    @Test("A wipe takes back what was allowed with the credential, and the request goes on")
    mutating func wiped() throws {
        let sheet = Sample.sheet(1, mode: .boxHeld)
        let id = try asks(sheet)
        let wish = PhoneRequest.elevateWithPIN(id, pin: Sample.secret("4711"), deviceSecret: Sample.secret())
        let opened = Answer.vault(.opened(.opened(Sample.secret()), nil))
        let allowed = box.answer(box.ask(wish).operations[0], opened)
        let look = try #require(allowed.operations.first)
        let ordered = box.feed(
            .control(Sample.control(), .wipes([sheet.record], .user(Array("alice".utf8)), Sample.root)))
        #expect(ordered.told == ["1.2 cancelled"])
        let looked = box.answer(look, Self.place())
        #expect(looked.effects.isEmpty)
    }

    @Test("When the agent stops, what is looked at is answered with a fault")
    mutating func stops() throws {
        let id = try asks()
        _ = box.ask(.elevate(id, Sample.secret()))
        #expect(box.feed(.stop).told == ["1.2 boxFault"])
    }
}
