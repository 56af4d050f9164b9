import Links
import PhoneMessages
import Testing

@testable import PhoneCore
@testable import PhoneKit

@Suite("Pings, and what a radio is asked for")
struct PingTests {
    @Test("A radio is asked for little up to 4096 bytes, and for much above")
    func size() {
        let choice = DemandChoice()
        #expect(choice.demand(for: 0) == .little)
        #expect(choice.demand(for: 4_096) == .little)
        #expect(choice.demand(for: 4_097) == .much)
    }

    @Test(
        "After a slow handshake a radio is asked for much, and for little again after a quick one on the same carrier")
    func measured() {
        var choice = DemandChoice()
        choice.measured(.milliseconds(500), over: .little)
        #expect(choice.demand(for: 0) == .little)
        choice.measured(.milliseconds(501), over: .little)
        #expect(choice.demand(for: 0) == .much)
        // A measurement over the other carrier does not count for the slow carrier.
        choice.measured(.milliseconds(1), over: .much)
        #expect(choice.demand(for: 0) == .much)
        choice.measured(.milliseconds(1), over: .little)
        #expect(choice.demand(for: 0) == .little)
    }

    /// The outcome of a ping at a box.
    private struct Outcome: Sendable {
        var report: PingReport?
        var error: PhoneError?
        var progress: [PhoneProgress] = []
        var opened: [LinkDemand] = []
    }

    private func ping(
        size: Int, hasQuickCarrier: Bool = true,
        answer: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
    ) throws -> Outcome {
        let fixture = try PhoneFixture()
        return try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            _ = try await fixture.enrolled(at: box)
            await box.change { box in
                box.hasQuickCarrier = hasQuickCarrier
                box.script = { message in
                    guard case .ping(let bytes) = message.request else { return [] }
                    return [(.zero, .pong(message.id, answer(bytes)))]
                }
            }
            let phone = fixture.phone()
            var outcome = Outcome()
            do throws(PhoneError) {
                outcome.report = try await phone.ping(
                    try await phone.target(nil), size: size, count: 3, fixture.interaction)
            } catch {
                outcome.error = error
            }
            outcome.progress = fixture.progress
            outcome.opened = await box.links.last?.air.opened ?? []
            return outcome
        }
    }

    @Test(
        "Pings of every size come back whole over the carrier that they ask for, which is opened once",
        arguments: [0, 1, 4_096, 4_097, 16_384, 16_385, 100_000])
    func whole(_ size: Int) throws {
        let outcome = try ping(size: size)
        #expect(outcome.error == nil)
        #expect(outcome.report?.carrier.name == (size > 4_096 ? "quick memory" : "memory"))
        #expect(outcome.report?.carrier.binding == (size > 4_096 ? [0x4D, 1] : [0x4D]))
        #expect(outcome.report?.roundTrips.count == 3)
        #expect(outcome.opened == [size > 4_096 ? .much : .little])
    }

    @Test("Where the radio has less than was asked, the person is told in the radio's words")
    func shortcoming() throws {
        let told = PhoneProgress.lesserCarrier(boxID: "1234", shortcoming: "is slow today")
        let outcome = try ping(size: 5_000, hasQuickCarrier: false)
        #expect(outcome.report?.carrier.name == "memory")
        #expect(outcome.opened == [.little])
        #expect(outcome.progress.contains(told))
        #expect(try !ping(size: 10, hasQuickCarrier: false).progress.contains(told))
        #expect(try !ping(size: 5_000).progress.contains(told))
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
                carrier: Carrier(
                    name: "memory", binding: [0x4D], limits: SegmentLimits(sentBytes: 180, receivedBytes: 180),
                    carries: .little),
                size: 1_000, roundTrips: milliseconds.map { .milliseconds($0) })
        }
        #expect(report([30, 10, 20]).median == .milliseconds(20))
        #expect(report([30, 10, 20, 40]).median == .milliseconds(25))
        #expect(report([30, 10, 20, 40]).minimum == .milliseconds(10))
        #expect(report([30, 10, 20, 40]).maximum == .milliseconds(40))
        #expect(report([250, 250]).bytesPerSecond == 4_000)
        #expect(report([]).bytesPerSecond == 0)
    }
}
