import ControlProtocol
import Names
import EventLoop
import PhoneCore
import PhoneKit
import PhoneMessages
import Secrets
import Testing
import Transport
import TransportMemory
import Vault
import VaultPort

/// The clock of the phone.
private struct PhoneClock: LinkClock {
    let loop: EpollLoop
    func now() -> Duration { loop.now() }
    func sleep(until deadline: Duration) async throws(CancellationError) { try await loop.sleep(until: deadline) }
}

@Suite("A radio that has no GATT", .timeLimit(.minutes(14)))
struct MemoryRadioTests {
    /// Runs `body` with a box and an enrolled phone, over a radio in memory.
    private func withEnrolledPhone<Value: Sendable>(
        _ body: @escaping @Sendable (Phone, BoxInMemory) async throws -> Value
    ) async throws -> Value {
        let directory = try TemporaryDirectory()
        return try await EpollLoop.withThread { loop in
            let air = MemoryAir()
            let box = try await BoxInMemory("4711", on: MemoryPeripheral(in: air), in: directory, loop: loop)
            let clock = PhoneClock(loop: loop)
            let vault = try PhoneVault(directory: directory.path + "/phone", executor: loop)
            let phone = Phone(
                vault: KeptVault(vault), radio: MemoryCentral(in: air, clock: clock), clock: clock, executor: loop)
            let enrolling = try await box.command()
            try await enrolling.ask(
                .enrol(EnrolmentWish(user: Array("alice".utf8), isConfirmed: true)))
            let (reply, bytes) = try await enrolling.next()
            guard case .enrolmentCode(let uri, _) = reply else { throw TestFailure(text: "\(reply)") }
            let code = try EnrolmentCode(parsing: SecretBytes(copying: Array(bytes[uri])))
            _ = try await phone.enrol(code, label: Array("test".utf8), PhoneInteraction())
            let value = try await body(phone, box)
            await box.stop()
            return value
        }
    }

    @Test("A phone enrols over it, and its password arrives where a login waits")
    func login() async throws {
        let (outcome, stages) = try await withEnrolledPhone { phone, box in
            let program = try await box.command()
            try await program.ask(.testLogin(user: nil, waitSeconds: 30))
            let password = HeldSecret(SecretBytes(copying: Array("hunter2".utf8)))
            let outcome = try await phone.login(
                try await phone.target("4711"), credential: password, PhoneInteraction())
            return (outcome, try await program.stagesToTheEnd())
        }
        // The waiting program is `boxagent test-login`, which checks no password.
        #expect(outcome == .refused(.tested, .none))
        #expect(stages.last == "a credential for alice arrived")
    }

    @Test("More than one message's bytes go both ways, and the report names the carrier in the radio's words")
    func ping() async throws {
        let report = try await withEnrolledPhone { phone, _ in
            try await phone.ping(try await phone.target("4711"), size: 100_000, count: 2, PhoneInteraction())
        }
        #expect(report.carrier.name == "memory")
        #expect(report.carrier.binding == [0x4D])
        #expect(report.carrier.limits.sentBytes == 1_000)
        #expect(report.roundTrips.count == 2)
    }
}
