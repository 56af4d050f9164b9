import PhoneMessages
import Testing
import Transport

@testable import PhoneKit

@Suite("Which bearer, and pings over it")
struct BearerTests {
    @Test("Automatic takes GATT for little and L2CAP for much")
    func automatic() {
        let choice = BearerChoice(.automatic)
        #expect(choice.bearer(for: 0) == .gatt)
        #expect(choice.bearer(for: 4_096) == .gatt)
        #expect(choice.bearer(for: 4_097) == .l2cap)
    }

    @Test("Automatic takes L2CAP after a slow handshake over GATT, and GATT again after a quick one")
    func measured() {
        var choice = BearerChoice(.automatic)
        choice.measured(.milliseconds(500), on: .gatt)
        #expect(choice.bearer(for: 0) == .gatt)
        choice.measured(.milliseconds(501), on: .gatt)
        #expect(choice.bearer(for: 0) == .l2cap)
        // Over L2CAP nothing is learnt of GATT.
        choice.measured(.milliseconds(1), on: .l2cap)
        #expect(choice.bearer(for: 0) == .l2cap)
        choice.measured(.milliseconds(1), on: .gatt)
        #expect(choice.bearer(for: 0) == .gatt)
    }

    @Test("A person's choice is kept whatever the size and the time")
    func fixed() {
        for (preference, bearer) in [(BearerPreference.gatt, Bearer.gatt), (.l2cap, .l2cap)] {
            var choice = BearerChoice(preference)
            choice.measured(.seconds(9), on: .gatt)
            #expect(choice.bearer(for: 0) == bearer)
            #expect(choice.bearer(for: 1_000_000) == bearer)
        }
    }

    /// What a ping came to at a box of this kind.
    private struct Outcome: Sendable {
        var report: PingReport?
        var error: PhoneError?
        var progress: [PhoneProgress] = []
        var subscriptions = 0
    }

    private func ping(
        size: Int, _ preference: BearerPreference = .automatic, psm: UInt16 = 0x0080, takesChannels: Bool = true,
        answer: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
    ) throws -> Outcome {
        let fixture = try PhoneFixture()
        return try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            _ = try await fixture.enrolled(at: box)
            await box.change { box in
                box.offeredPSM = psm
                box.takesChannels = takesChannels
                box.script = { message in
                    guard case .ping(let bytes) = message.request else { return [] }
                    return [(.zero, .pong(message.id, answer(bytes)))]
                }
            }
            let phone = fixture.phone(bearer: preference)
            var outcome = Outcome()
            do throws(PhoneError) {
                outcome.report = try await phone.ping(
                    try await phone.target(nil), size: size, count: 3, fixture.interaction)
            } catch {
                outcome.error = error
            }
            outcome.progress = fixture.progress
            outcome.subscriptions = await box.links.last?.air.subscriptions ?? -1
            return outcome
        }
    }

    @Test(
        "Pings of every size come back whole over the bearer that was chosen, and never over both",
        arguments: [0, 1, 4_096, 4_097, 16_384, 16_385, 100_000])
    func whole(_ size: Int) throws {
        let outcome = try ping(size: size)
        #expect(outcome.error == nil)
        #expect(outcome.report?.bearer == (size > 4_096 ? .l2cap : .gatt))
        #expect(outcome.report?.psm == (size > 4_096 ? 0x0080 : 0))
        #expect(outcome.report?.roundTrips.count == 3)
        #expect(outcome.subscriptions == (size > 4_096 ? 0 : 1))
    }

    @Test("A box without L2CAP, with a PSM that cannot be, or that refuses is talked to over GATT, and a word said")
    func fallback() throws {
        for outcome in [
            try ping(size: 10, .l2cap, psm: 0), try ping(size: 10, .l2cap, psm: 0x0101),
            try ping(size: 10, .l2cap, takesChannels: false), try ping(size: 5_000, psm: 0),
        ] {
            #expect(outcome.report?.bearer == .gatt)
            #expect(outcome.subscriptions == 1)
            #expect(outcome.progress.contains(.withoutL2CAP(boxID: "1234")))
        }
        #expect(try !ping(size: 5_000, .gatt).progress.contains(.withoutL2CAP(boxID: "1234")))
    }

    @Test("A byte that comes back changed, missing or added is found at its place")
    func differs() throws {
        let changed = try ping(size: 20_000) { bytes in
            bytes.count < 10_000 && !bytes.isEmpty ? bytes.dropLast() + [bytes[bytes.count - 1] ^ 1] : bytes
        }
        #expect(changed.error == .pingDiffers(boxID: "1234", at: 19_999))
        let short = try ping(size: 100) { $0.dropLast() }
        #expect(short.error == .pingDiffers(boxID: "1234", at: 99))
        let long = try ping(size: 100) { $0.isEmpty ? $0 : $0 + [0] }
        #expect(long.error == .pingDiffers(boxID: "1234", at: 100))
    }

    @Test("The median is the one in the middle, and the throughput counts one way")
    func report() {
        func report(_ milliseconds: [Int]) -> PingReport {
            PingReport(
                bearer: .gatt, psm: 0, segmentBytes: 180, size: 1_000,
                roundTrips: milliseconds.map { .milliseconds($0) }, elapsed: .milliseconds(milliseconds.reduce(0, +)))
        }
        #expect(report([30, 10, 20]).median == .milliseconds(20))
        #expect(report([30, 10, 20, 40]).median == .milliseconds(25))
        #expect(report([30, 10, 20, 40]).minimum == .milliseconds(10))
        #expect(report([30, 10, 20, 40]).maximum == .milliseconds(40))
        #expect(report([250, 250]).bytesPerSecond == 4_000)
        #expect(report([]).bytesPerSecond == 0)
    }
}
