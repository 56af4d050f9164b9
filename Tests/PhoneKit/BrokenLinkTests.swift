import PhoneMessages
import Secrets
import Testing

@testable import PhoneCore
@testable import PhoneKit

@Suite("Links that break and boxes that misbehave")
struct BrokenLinkTests {
    /// Logs in at a box with a fault. Returns the error, the time it took, and how often the box received the password.
    private func login(
        _ fault: FakeBox.Fault
    ) throws -> (error: PhoneError?, took: Duration, passwords: Int) {
        let fixture = try PhoneFixture()
        return try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            _ = try await fixture.enrolled(at: box)
            await box.change { box in
                box.fault = fault
                box.script = LoginTests.accepting
            }
            let start = fixture.world.now()
            let phone = fixture.phone()
            do throws(PhoneError) {
                _ = try await phone.login(
                    try await phone.target(nil), credential: secret("pw"), fixture.interaction)
                return (nil, fixture.world.now() - start, await box.passwords.count)
            } catch {
                return (error, fixture.world.now() - start, await box.passwords.count)
            }
        }
    }

    @Test("A box that never answers the handshake is given up after five seconds, twice")
    func silentHandshake() throws {
        let met = try login(.silentHandshake)
        #expect(met.error == .notAccepted(boxID: "1234"))
        #expect(met.took > .seconds(10) && met.took < .seconds(12))
        #expect(met.passwords == 0)
    }

    @Test("A box that closes at the handshake, or answers it with noise, did not accept this phone: no password leaves")
    func refusedHandshake() throws {
        for fault in [FakeBox.Fault.refusesHandshake, .garbageMessage2] {
            let met = try login(fault)
            #expect(met.error == .notAccepted(boxID: "1234"))
            #expect(met.passwords == 0)
        }
    }

    @Test("A box that closes without a word after the request is asked something harmless, not the password again")
    func closedUnanswered() throws {
        let met = try login(.closesUnanswered)
        #expect(met.error == .notAccepted(boxID: "1234"))
        #expect(met.passwords <= 1)
    }

    @Test("A link that breaks after the password was taken is reported; the password is not sent again")
    func losesAnswer() throws {
        let met = try login(.losesAnswer)
        #expect(met.error == .linkLost(boxID: "1234"))
        #expect(met.passwords == 1)
    }

    @Test("A replayed or forged message ends the channel; the password is not sent again")
    func forged() throws {
        for fault in [FakeBox.Fault.replaysAnswer, .garbageTransport] {
            let met = try login(fault)
            #expect(met.error != nil, "\(fault)")
            #expect(met.passwords <= 1, "\(fault)")
        }
    }

    @Test("Authentic nonsense is called that")
    func nonsense() throws {
        #expect(try login(.authenticNonsense).error == .nonsense(boxID: "1234"))
    }

    @Test("A box that accepts and never answers is given up")
    func silentRequests() throws {
        let met = try login(.silentRequests)
        #expect(met.error == .noAnswer(boxID: "1234"))
        #expect(met.took < .seconds(22))
        #expect(met.passwords == 1)
    }

    @Test("A link that fails is made anew, five times at most")
    func connectRetries() throws {
        for (failures, succeeds) in [(4, true), (5, false)] {
            let fixture = try PhoneFixture()
            try fixture.world.run {
                let box = try FakeBox(in: fixture.world)
                fixture.air.add(box)
                let known = try await fixture.enrolled(at: box)
                await box.change { $0.script = LoginTests.accepting }
                fixture.air.clear()
                fixture.air.add(box, failures: failures)
                let outcome = try? await fixture.phone().login(
                    BoxTarget(known), credential: secret("pw"), fixture.interaction)
                #expect((outcome == .done) == succeeds, "\(failures) failures")
            }
        }
    }

    @Test("A box that is not there is looked for about four seconds")
    func notFound() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box)
            fixture.air.clear()
            let start = fixture.world.now()
            await #expect(throws: PhoneError.boxNotFound(boxID: "1234")) {
                try await fixture.phone().login(BoxTarget(known), credential: secret("pw"), fixture.interaction)
            }
            #expect(fixture.world.now() - start == .seconds(4))
        }
    }

    @Test("Harmless requests are asked again after a lost link, and then given up")
    func harmless() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box)
            await box.change { box in
                box.fault = .losesAnswer
                box.script = { [(.zero, .result($0.id, .correct, .none))] }
            }
            await #expect(throws: PhoneError.linkLost(boxID: "1234")) {
                try await fixture.phone().lock(BoxTarget(known))
            }
            let locks = await box.requests.filter { if case .lock = $0 { true } else { false } }
            #expect(locks.count == 2)
        }
    }

    @Test("A person who gives up takes the password back")
    func cancelled() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box)
            await box.change { box in
                box.script = { message in
                    guard case .cancelLogin = message.request else {
                        return [(.zero, .progress(message.id, .waitingForPrompt))]
                    }
                    let login = RequestID.first.next ?? .first
                    return [
                        (.zero, .result(login, .cancelled, .none)), (.zero, .result(message.id, .correct, .none)),
                    ]
                }
            }
            let phone = fixture.phone()
            let interaction = fixture.interaction
            let tap = Task.detached(executorPreference: fixture.world) {
                try await phone.login(BoxTarget(known), credential: secret("pw"), interaction)
            }
            try await fixture.world.sleep(until: fixture.world.now() + .seconds(10))
            tap.cancel()
            await #expect(throws: PhoneError.cancelled) { try await tap.value }
            try await fixture.world.sleep(until: fixture.world.now() + .seconds(1))
            let withdrawn = await box.requests.contains { if case .cancelLogin = $0 { true } else { false } }
            #expect(withdrawn)
        }
    }

    @Test("Cut anywhere, a login ends in bounded time, and the password leaves the phone at most once")
    func cutAnywhere() throws {
        for segments in 0...10 {
            let fixture = try PhoneFixture()
            try fixture.world.run {
                let box = try FakeBox(in: fixture.world)
                fixture.air.add(box)
                let known = try await fixture.enrolled(at: box)
                await box.change { box in
                    box.cutAfterSegments = segments
                    box.script = { [(.seconds(1), .result($0.id, .correct, .none))] }
                }
                let start = fixture.world.now()
                let outcome = try? await fixture.phone().login(
                    BoxTarget(known), credential: secret("pw"), fixture.interaction)
                #expect(fixture.world.now() - start < .seconds(60), "cut after \(segments)")
                let passwords = await box.passwords.count
                #expect(passwords <= 1, "cut after \(segments)")
                #expect(outcome != .done || passwords == 1, "cut after \(segments)")
            }
        }
    }

    @Test("Whatever boxes do wrong and wherever links are cut, no request that spends a try is sent twice")
    func random() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = Seeded(seed)
        let faults: [FakeBox.Fault?] = [
            nil, nil, .silentHandshake, .refusesHandshake, .garbageMessage2, .closesUnanswered, .replaysAnswer,
            .garbageTransport, .authenticNonsense, .silentRequests, .losesAnswer,
        ]
        for round in 0..<60 {
            let fault = faults.randomElement(using: &generator) ?? nil
            let cut = Bool.random(using: &generator) ? Int.random(in: 0...12, using: &generator) : nil
            let pause = Duration.milliseconds(Int.random(in: 0...3_000, using: &generator))
            let failures = Int.random(in: 0...2, using: &generator)
            let fixture = try PhoneFixture()
            try fixture.world.run {
                let box = try FakeBox(in: fixture.world)
                fixture.air.add(box)
                let known = try await fixture.enrolled(at: box, mode: .boxHeld)
                fixture.air.clear()
                fixture.air.add(box, failures: failures)
                await box.change { box in
                    box.fault = fault
                    box.cutAfterSegments = cut
                    box.script = { [(pause, .result($0.id, .pinWrong, ResultDetail(attemptsLeft: 5)))] }
                }
                let start = fixture.world.now()
                _ = try? await fixture.phone().login(
                    BoxTarget(known), unlock: Answers(["0000"]), fixture.interaction)
                let tries = await box.deviceSecrets.count
                #expect(tries <= 1, "seed \(seed), round \(round)")
                #expect(fixture.world.now() - start < .seconds(120), "seed \(seed), round \(round)")
            }
        }
    }
}

/// SplitMix64, which yields the same numbers for the same seed.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
