import Names
import PhoneMessages
import Testing

@testable import PhoneCore
@testable import PhoneKit

@Suite("Taps for which the password is needed, while the phone watches")
struct WatchTapTests {
    private static let prompt: ElevationPrompt = {
        guard let id = ElevationID(rawValue: 7) else { preconditionFailure("7 is an id") }
        return ElevationPrompt(
            id: id, service: Array("sudo".utf8), terminal: Array("/dev/tty2".utf8), requester: Array("alice".utf8),
            seconds: 30)
    }()

    /// A box that shows an elevation request on a status request, and accepts any answer.
    private static let asks: FakeBox.Script = { message in
        switch message.request {
        case .status:
            [
                (.zero, .elevation(prompt)), (.zero, .state(.quiet)), (.zero, .result(message.id, .correct, .none)),
            ]
        case .elevate, .elevateWithPIN:
            [
                (.zero, .elevationOver(prompt.id)), (.zero, .progress(message.id, .delivered)),
                (.zero, .result(message.id, .correct, .none)),
            ]
        case .declineElevation:
            [(.zero, .elevationOver(prompt.id)), (.zero, .result(message.id, .correct, .none))]
        case .login: [(.zero, .progress(message.id, .delivered)), (.zero, .result(message.id, .correct, .none))]
        default: []
        }
    }

    /// Watches until `limit` events and runs `answer` after 5 s. Returns the events and the requests at the box.
    private func watch(
        _ mode: CredentialMode = .phoneHeld, events limit: Int,
        _ answer: @escaping @Sendable (Phone, BoxTarget) async throws -> LoginOutcome?
    ) throws -> (told: [WatchEvent], reached: [PhoneRequest], outcome: LoginOutcome?) {
        let fixture = try PhoneFixture()
        return try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box, mode: mode)
            let phone = fixture.phone()
            if mode == .phoneHeld {
                _ = try await phone.keepCredential(secret("correct horse"), for: known, pin: nil)
            } else {
                await box.change { $0.script = { [(.zero, .result($0.id, .correct, .none))] } }
                _ = try await phone.storeCredential(
                    BoxTarget(known), credential: secret("correct horse"), pin: secret("2468"), fixture.interaction)
            }
            await box.change {
                $0.capabilities = .elevation
                $0.script = Self.asks
            }
            let before = await box.requests.count
            let watcher = Watcher(limit: limit)
            let watch = fixture.watch(known, by: phone, watcher)
            try await fixture.world.sleep(until: fixture.world.now() + .seconds(5))
            let outcome = try await answer(phone, BoxTarget(known))
            try await watch.value
            return (watcher.events, Array(await box.requests.dropFirst(before)), outcome)
        }
    }

    @Test("The watcher is shown the request, and the password goes with its id and a tap only")
    func allows() throws {
        let (told, reached, outcome) = try watch(events: 4) { phone, target in
            try await phone.allow(Self.prompt, at: target, unlock: Answers([]))
        }
        #expect(outcome == nil)
        #expect(told == [.state(.quiet), .elevation(Self.prompt), .answered(allowed: true, .done), .elevation(nil)])
        let answers = reached.compactMap {
            if case .elevate(let id, let password) = $0 { (id, password.array) } else { nil }
        }
        #expect(answers.count == 1)
        #expect(answers.first?.0 == Self.prompt.id)
        #expect(answers.first?.1 == Array("correct horse".utf8))
    }

    @Test("A tap logs in over the channel that is watched, with what is stored")
    func logsIn() throws {
        let (told, reached, outcome) = try watch(events: 3) { phone, target in
            try await phone.logIn(at: target, unlock: Answers([]))
        }
        #expect(outcome == nil)
        #expect(told.last == .loggedIn(.done))
        #expect(
            reached.contains {
                if case .login(let password) = $0 { password.array == Array("correct horse".utf8) } else { false }
            })
    }

    @Test("For a password that the box holds the person gives the PIN, and the phone its half of the key")
    func allowsBoxHeld() throws {
        let pins = Answers(["2468"])
        let (told, reached, outcome) = try watch(.boxHeld, events: 4) { phone, target in
            try await phone.allow(Self.prompt, at: target, unlock: pins)
        }
        #expect(outcome == nil)
        #expect(told.contains(.answered(allowed: true, .done)))
        let pinsSent = reached.compactMap { if case .elevateWithPIN(_, let pin, _) = $0 { pin.array } else { nil } }
        #expect(pinsSent == [Array("2468".utf8)])
    }

    @Test("A person who gives no PIN, or no password, sends nothing")
    func gaveUp() throws {
        let (_, reached, outcome) = try watch(.boxHeld, events: 4) { phone, target in
            let outcome = try await phone.allow(Self.prompt, at: target, unlock: Answers([]))
            await phone.decline(Self.prompt, at: target)
            return outcome
        }
        #expect(outcome == .gaveUp)
        let kinds = reached.map { "\($0)".prefix { $0 != "(" } }
        #expect(!kinds.contains("elevateWithPIN"))
        #expect(kinds.contains("declineElevation"))
    }

    @Test("A decline says no more than that")
    func declines() throws {
        let (told, reached, _) = try watch(events: 4) { phone, target in
            await phone.decline(Self.prompt, at: target)
            return nil
        }
        #expect(told.suffix(2) == [.answered(allowed: false, .done), .elevation(nil)])
        #expect(!reached.contains { if case .elevate = $0 { true } else { false } })
    }

    @Test("Who does not watch the box cannot answer it")
    func notWatching() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box)
            let phone = fixture.phone()
            await #expect(throws: PhoneError.linkLost(boxID: "1234")) {
                _ = try await phone.allow(Self.prompt, at: BoxTarget(known), unlock: Answers([]))
            }
        }
    }
}
