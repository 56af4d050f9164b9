import PhoneMessages
import Secrets
import Testing
import Vault

@testable import PhoneCore
@testable import PhoneKit

@Suite("Login")
struct LoginTests {
    @Test(
        "What the box makes of a password reaches the caller unchanged",
        arguments: ResultCode.allCases.filter { ![.correct, .revoked, .protocolVersion].contains($0) })
    func verdicts(code: ResultCode) throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            _ = try await fixture.enrolled(at: box)
            let detail = ResultDetail(attemptsLeft: 4, retryAfterSeconds: 30)
            await box.change {
                $0.script = { [(.zero, .progress($0.id, .delivered)), (.seconds(3), .result($0.id, code, detail))] }
            }
            let phone = fixture.phone()
            let outcome = try await phone.login(
                try await phone.target(nil), credential: secret("pw"), fixture.interaction)
            #expect(outcome == .refused(code, detail))
            #expect(fixture.progress.contains(.request(.delivered)))
        }
    }

    @Test("The password arrives byte for byte, and logs in")
    func correct() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            _ = try await fixture.enrolled(at: box)
            await box.change { $0.script = LoginTests.accepting }
            let phone = fixture.phone()
            let outcome = try await phone.login(
                try await phone.target(nil), credential: secret("hunter2 \u{FF}"), fixture.interaction)
            #expect(outcome == .done)
            #expect(await box.passwords == [Array("hunter2 \u{FF}".utf8)])
        }
    }

    @Test("With the link up, hello and login go out together: two round trips to the verdict")
    func roundTrips() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            _ = try await fixture.enrolled(at: box)
            await box.change { $0.script = LoginTests.accepting }
            let before = await box.links.count
            let phone = fixture.phone()
            _ = try await phone.login(try await phone.target(nil), credential: secret("pw"), fixture.interaction)
            #expect(await box.links.count == before + 1)
            // A segment each for message 1, message 2, hello, login, hello's answer, the result, and the goodbye.
            let sent = try #require(await box.links.last).air
            #expect(await sent.segmentsSent <= 7)
        }
    }

    @Test("A stored password needs no typing; with a PIN it needs the PIN, and wrong ones are counted")
    func stored() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box)
            await box.change { $0.script = LoginTests.accepting }
            let phone = fixture.phone()
            let target = BoxTarget(known)
            #expect(try await phone.login(target, unlock: Answers([]), fixture.interaction) == .noCredential)
            #expect(try await phone.keepCredential(secret("pw"), for: known, pin: nil) == .done)
            #expect(try await phone.login(target, unlock: Answers([]), fixture.interaction) == .answered(.done))
            #expect(try await phone.changePhonePIN(old: nil, new: secret("2468")) == .done)
            #expect(try await phone.login(target, unlock: Answers([]), fixture.interaction) == .gaveUp)
            let twoTries = Answers(["0000", "2468"])
            #expect(try await phone.login(target, unlock: twoTries, fixture.interaction) == .answered(.done))
            #expect(await twoTries.asked.map(\.triesLeft) == [10, 9])
            #expect(await twoTries.asked.map(\.isRepeated) == [false, true])
            #expect(
                try await phone.login(target, unlock: Answers(["0000"]), fixture.interaction)
                    == .phonePINWrong(triesLeft: 9))
        }
    }

    @Test("Ten wrong PINs of the phone destroy its passwords; the last try is announced as the last")
    func phoneWipe() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box)
            let phone = fixture.phone()
            _ = try await phone.keepCredential(secret("pw"), for: known, pin: nil)
            _ = try await phone.changePhonePIN(old: nil, new: secret("2468"))
            let storm = Answers([String](repeating: "0000", count: 20))
            #expect(try await phone.login(BoxTarget(known), unlock: storm, fixture.interaction) == .phoneWiped)
            #expect(await storm.asked.count == 10)
            #expect(await storm.asked.last?.isLastTry == true)
            #expect(await storm.asked.dropLast().allSatisfy { !$0.isLastTry })
            let right = Answers(["2468"])
            #expect(try await phone.login(BoxTarget(known), unlock: right, fixture.interaction) == .noCredential)
            #expect(await box.passwords.isEmpty)
        }
    }

    @Test("A box-held password: PIN and device secret go to the box, and a person hears how many tries are left")
    func boxHeld() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box, mode: .boxHeld)
            await box.change { $0.script = PINScript(right: "2468").answer }
            let phone = fixture.phone()
            let target = BoxTarget(known)
            let person = Answers(["0000", "2468"], asksPerson: true)
            #expect(try await phone.login(target, unlock: person, fixture.interaction) == .answered(.done))
            #expect(await person.asked.map(\.triesLeft) == [10, 9])
            let keyStore = Answers(["0000"])
            #expect(
                try await phone.login(target, unlock: keyStore, fixture.interaction)
                    == .answered(.refused(.pinWrong, ResultDetail(attemptsLeft: 9))))
            let secrets = await box.deviceSecrets
            #expect(Set(secrets).count == 1)
            #expect(secrets.first?.count == 32)
        }
    }

    @Test("When the box has wiped, the phone destroys its half of the key, and storing anew makes another")
    func boxWipe() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box, mode: .boxHeld)
            await box.change { $0.script = PINScript(right: "2468").answer }
            let phone = fixture.phone()
            let target = BoxTarget(known)
            let storm = Answers([String](repeating: "0000", count: 20))
            #expect(
                try await phone.login(target, unlock: storm, fixture.interaction)
                    == .answered(.refused(.wiped, .none)))
            #expect(await storm.asked.count == 10)
            #expect(await storm.asked.last?.isLastTry == true)
            await #expect(throws: PhoneError.noDeviceSecret(boxID: "1234")) {
                try await phone.login(target, unlock: Answers(["2468"]), fixture.interaction)
            }
            let old = try #require(await box.deviceSecrets.last)
            await box.change { $0.script = { [(.zero, .result($0.id, .correct, .none))] } }
            _ = try await phone.storeCredential(
                target, credential: secret("pw"), pin: secret("1357"), fixture.interaction)
            #expect(await box.deviceSecrets.last != old)
        }
    }

    @Test(
        "A stored password that was refused is asked about by a program that is started anew, and not sent without a yes"
    )
    func refused() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box)
            _ = try await fixture.phone().keepCredential(secret("pw"), for: known, pin: nil)
            await box.change { $0.script = { [(.zero, .result($0.id, .wrongCredentials, .none))] } }
            let wrong = LoginOutcome.answered(.refused(.wrongCredentials, .none))
            let target = BoxTarget(known)
            #expect(try await fixture.phone().login(target, unlock: Answers([]), fixture.interaction) == wrong)
            for _ in 0..<3 {
                let outcome = try await fixture.phone().login(target, unlock: Answers([]), fixture.interaction)
                guard case .notSentAgain = outcome else { return #expect(Bool(false), "\(outcome)") }
            }
            #expect(await box.passwords.count == 1)
            let willing = PhoneInteraction(sendAgain: { _, _ in true })
            #expect(try await fixture.phone().login(target, unlock: Answers([]), willing) == wrong)
            #expect(await box.passwords.count == 2)
            _ = try await fixture.phone().keepCredential(secret("another"), for: known, pin: nil)
            await box.change { $0.script = LoginTests.accepting }
            #expect(
                try await fixture.phone().login(target, unlock: Answers([]), fixture.interaction) == .answered(.done))
        }
    }

    @Test("A revoked phone destroys key, device secret and password of that box, of no other, and says so")
    func revoked() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box, mode: .boxHeld)
            let other = try FakeBox("4321", in: fixture.world)
            fixture.air.add(other, showing: "4321")
            let kept = try await fixture.enrolled(at: other)
            await box.change { $0.script = { _ in [(.zero, .revoked)] } }
            let phone = fixture.phone()
            for box in [known, kept] { _ = try await phone.keepCredential(secret("correct horse"), for: box, pin: nil) }
            await #expect(throws: PhoneError.revoked(boxID: "1234")) {
                try await phone.login(BoxTarget(known), unlock: Answers(["2468"]), fixture.interaction)
            }
            // The revoked box's data is gone after a restart of the program as well.
            #expect(try await fixture.phone().boxes().map(\.id) == [kept.id])
            #expect(try await fixture.phone().boxes().first?.hasCredential == true)
        }
    }

    /// A script that accepts every login.
    static let accepting: FakeBox.Script = { [(.zero, .result($0.id, .correct, .none))] }
}

/// A user or a key store that answers requests for a PIN with `pins`, in order.
actor Answers: VaultUnlock {
    nonisolated let asksPerson: Bool
    private var pins: [String]
    private(set) var asked: [UnlockRequest] = []

    init(_ pins: [String], asksPerson: Bool = false) {
        self.pins = pins
        self.asksPerson = asksPerson
    }

    func pin(for request: UnlockRequest) -> HeldSecret? {
        asked.append(request)
        return pins.isEmpty ? nil : secret(pins.removeFirst())
    }
}
