import PhoneMessages
import Testing

@testable import PhoneCore
@testable import PhoneKit

@Suite("A box that was given other digits")
struct NewDigitsTests {
    private static let answering: FakeBox.Script = {
        [(.zero, .state(.quiet)), (.zero, .result($0.id, .correct, .none))]
    }

    /// Runs `test` with a phone that was enrolled at box 1234. The box now shows 567890 and `serial`.
    private func renumbered(
        serial: UInt64, _ test: @escaping @Sendable (PhoneFixture, FakeBox) async throws -> Void
    ) throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            _ = try await fixture.enrolled(at: box)
            await box.change { box in
                box.serial = serial
                box.shownDigits = Array("567890".utf8)
                box.script = Self.answering
            }
            fixture.air.clear()
            fixture.air.add(box, showing: "567890")
            try await test(fixture, box)
        }
    }

    @Test("A newer certificate for the pinned key is believed: the phone keeps the new digits, for good")
    func newer() throws {
        try renumbered(serial: 2) { fixture, _ in
            let target = try await fixture.phone().target("567890")
            #expect(try await fixture.phone().status(target) == .quiet)
            let known = try await fixture.phone().boxes()
            #expect(known.map(\.digits) == ["567890"])
            #expect(known.first?.highestSerial == 2)
            let phone = fixture.phone()
            await #expect(throws: PhoneError.unknownBox("1234")) { try await phone.target("1234") }
        }
    }

    @Test("A certificate that is no newer gives a box no other digits, and nothing is sent to it")
    func notNewer() throws {
        try renumbered(serial: 1) { fixture, box in
            let before = await box.firstMessages
            let phone = fixture.phone()
            await #expect(throws: PhoneError.unknownBox("567890")) { try await phone.target("567890") }
            #expect(await box.firstMessages == before)
            let known = try await phone.boxes()
            #expect(known.map(\.digits) == ["1234"])
        }
    }

    @Test("Another box of the same authority takes nobody's place, however new its certificate is")
    func otherBox() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            _ = try await fixture.enrolled(at: box)
            let other = try FakeBox("5678", in: fixture.world)
            await other.change { $0.serial = 99 }
            fixture.air.add(other, showing: "5678")
            await #expect(throws: PhoneError.unknownBox("5678")) { try await fixture.phone().target("5678") }
            #expect(await other.firstMessages == 0)
        }
    }

    @Test("What a later box says behind the part that is known is read, bound, and otherwise ignored")
    func longerIdentity() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box)
            let identity = try await box.identity
            for rest in [1, 391] {
                await box.change { box in
                    box.shownIdentity = identity + [UInt8](repeating: 0xA5, count: rest)
                    box.script = Self.answering
                }
                #expect(try await fixture.phone().status(BoxTarget(known)) == .quiet)
            }
            await box.change { $0.shownIdentity = identity + [UInt8](repeating: 0xA5, count: 392) }
            await #expect(throws: PhoneError.notTheBox(boxID: "1234", .unreadable)) {
                _ = try await fixture.phone().status(BoxTarget(known))
            }
        }
    }
}
