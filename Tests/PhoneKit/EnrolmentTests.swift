import PhoneMessages
import Secrets
import Testing

@testable import PhoneCore
@testable import PhoneKit

@Suite("Enrolment")
struct EnrolmentTests {
    @Test("The phone knows the box once the administrator has said yes, and shows six digits before")
    func enrols() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box, mode: .boxHeld)
            #expect(known.confirmed)
            #expect(known.mode == .boxHeld)
            #expect(known.digits == "1234")
            #expect(await box.devices.count == 1)
            let digits = fixture.progress.compactMap { if case .compare(let digits) = $0 { digits } else { nil } }
            #expect(digits.count == 1)
            #expect(digits.first?.utf8.count == 6)
            #expect(await box.digits == digits.map { Array($0.utf8) }, "both sides show the same")
            #expect(fixture.progress.last == .waitingForAdministrator)
        }
    }

    @Test("A box that says enrolled before it has said its nonce is not believed: nobody compared anything")
    func skipped() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            await box.change { $0.fault = .skipsTheDigits }
            fixture.air.add(box)
            await #expect(throws: PhoneError.nonsense(boxID: "1234")) { try await fixture.enrolled(at: box) }
            #expect(!fixture.progress.contains { if case .compare = $0 { true } else { false } })
            #expect(try await fixture.phone().boxes().allSatisfy { !$0.confirmed })
        }
    }

    @Test("Each try commits to a nonce of its own")
    func freshNonces() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            await box.change { $0.administrator = (.zero, false) }
            fixture.air.add(box)
            for _ in 0..<3 { _ = try? await fixture.enrolled(at: box) }
            let nonces = await box.requests.compactMap { if case .reveal(let nonce) = $0 { nonce } else { nil } }
            #expect(Set(nonces).count == 3)
        }
    }

    @Test("A key that the box knew already, and revoked, is destroyed; the next try has another")
    func alreadyEnrolled() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            await box.change { $0.refuses = .alreadyEnrolled }
            fixture.air.add(box)
            await #expect(throws: PhoneError.alreadyEnrolled(boxID: "1234")) { try await fixture.enrolled(at: box) }
            #expect(try await fixture.phone().boxes().isEmpty)
        }
    }

    @Test("An administrator who says no leaves nothing on the phone")
    func declined() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            await box.change { $0.administrator = (.seconds(3), false) }
            fixture.air.add(box)
            await #expect(throws: PhoneError.enrolmentRefused(boxID: "1234")) {
                try await fixture.enrolled(at: box)
            }
            #expect(try await fixture.phone().boxes().isEmpty)
        }
    }

    @Test(
        "A refusal that leaves before the box has heard the phone's nonce comes under the first request's id, and counts"
    )
    func refusedBehindTheNonce() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            await box.change { $0.refusesBeforeReveal = .cancelled }
            fixture.air.add(box)
            await #expect(throws: PhoneError.enrolmentRefused(boxID: "1234")) {
                try await fixture.enrolled(at: box)
            }
            #expect(try await fixture.phone().boxes().isEmpty)
        }
    }

    @Test("A box of another authority hears nothing, and the real one behind it is found")
    func evilTwin() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            let twin = try FakeBox(authoritySeed: 9, in: fixture.world)
            fixture.air.add(twin)
            let code = try await box.openCode()
            await #expect(throws: PhoneError.notTheBox(boxID: "1234", .otherAuthority)) {
                try await fixture.phone().enrol(code, label: [], fixture.interaction)
            }
            #expect(await twin.firstMessages == 0)
            #expect(try await fixture.phone().boxes().isEmpty)
            fixture.air.add(box, after: .seconds(1))
            let known = try await fixture.phone().enrol(code, label: [], fixture.interaction)
            #expect(known.confirmed)
            #expect(await twin.firstMessages == 0)
        }
    }

    @Test("A wrong code is refused by the box, said so, and leaves nothing")
    func wrongCode() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let code = try await box.openCode()
            await box.change { $0.codes = [:] }
            await #expect(throws: PhoneError.codeNotAccepted(boxID: "1234")) {
                try await fixture.phone().enrol(code, label: [], fixture.interaction)
            }
            #expect(try await fixture.phone().boxes().isEmpty)
        }
    }

    @Test("An enrolment whose answer was lost is found again by the next question, without the code")
    func lostAnswer() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            await box.change { box in
                box.fault = .losesAnswer
                box.enrolResult.credentialMode = .boxHeld
                box.script = { [(.zero, .state(.quiet)), (.zero, .result($0.id, .correct, .none))] }
            }
            let code = try await box.openCode()
            await #expect(throws: PhoneError.enrolmentUncertain(boxID: "1234")) {
                try await fixture.phone().enrol(code, label: [], fixture.interaction)
            }
            let waiting = try #require(try await fixture.phone().boxes().first)
            #expect(!waiting.confirmed)
            await box.change { $0.fault = nil }
            let phone = fixture.phone()
            _ = try await phone.status(try await phone.target(nil))
            let known = try #require(try await phone.boxes().first)
            #expect(known.confirmed)
            #expect(known.mode == .boxHeld)
            #expect(known.id == waiting.id)
        }
    }

    @Test("However early or late the link is cut, trying again with the same code ends with both sides agreed")
    func cutAnywhere() throws {
        for segments in 0...12 {
            let fixture = try PhoneFixture()
            try fixture.world.run {
                let box = try FakeBox(in: fixture.world)
                fixture.air.add(box)
                await box.change { box in
                    box.cutAfterSegments = segments
                    box.script = { [(.zero, .state(.quiet)), (.zero, .result($0.id, .correct, .none))] }
                }
                let code = try await box.openCode()
                let first = try? await fixture.phone().enrol(code, label: [], fixture.interaction)
                await box.change { $0.cutAfterSegments = nil }
                if first == nil {
                    let second = try await fixture.phone().enrol(code, label: [], fixture.interaction)
                    #expect(second.confirmed, "cut after \(segments) segments")
                }
                #expect(try await fixture.phone().boxes().count == 1, "cut after \(segments) segments")
                #expect(await box.devices.count == 1, "cut after \(segments) segments")
                let phone = fixture.phone()
                #expect(try await phone.status(try await phone.target(nil)) == .quiet)
            }
        }
    }

    @Test("A second try that is refused does not lose the first one, which the administrator has just confirmed")
    func confirmedBehindTheBack() throws {
        for refusal in [ResultCode.timedOut, .notAllowed, .busy, .boxFault] {
            let fixture = try PhoneFixture()
            try fixture.world.run {
                let box = try FakeBox(in: fixture.world)
                fixture.air.add(box)
                await box.change { box in
                    box.cutAfterSegments = 4
                    box.script = { [(.zero, .state(.quiet)), (.zero, .result($0.id, .correct, .none))] }
                }
                let code = try await box.openCode()
                _ = try? await fixture.phone().enrol(code, label: [], fixture.interaction)
                #expect(try await fixture.phone().boxes().map(\.confirmed) == [false])
                await box.change { box in
                    box.cutAfterSegments = nil
                    box.refusesAfterConfirming = refusal
                }
                let known = try await fixture.phone().enrol(code, label: [], fixture.interaction)
                #expect(known.confirmed, "\(refusal)")
            }
        }
    }

    @Test("A refusal that may be about this phone's own earlier try keeps the key; one that is final does not")
    func refusedAgain() throws {
        for (refusal, kept) in [(ResultCode.busy, 1), (.boxFault, 1), (.notAllowed, 0), (.timedOut, 0)] {
            let fixture = try PhoneFixture()
            try fixture.world.run {
                let box = try FakeBox(in: fixture.world)
                fixture.air.add(box)
                await box.change { $0.cutAfterSegments = 4 }
                let code = try await box.openCode()
                _ = try? await fixture.phone().enrol(code, label: [], fixture.interaction)
                await box.change { box in
                    box.cutAfterSegments = nil
                    box.refuses = refusal
                }
                _ = try? await fixture.phone().enrol(code, label: [], fixture.interaction)
                #expect(try await fixture.phone().boxes().count == kept, "\(refusal)")
                let fresh = fixture.phone(vault: "another")
                _ = try? await fresh.enrol(code, label: [], fixture.interaction)
                #expect(try await fresh.boxes().isEmpty, "a phone that never asked before keeps nothing")
            }
        }
    }

    @Test("A new enrolment at a known box takes the old one's place once it is confirmed, not before")
    func again() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let old = try await fixture.enrolled(at: box)
            await box.change { $0.administrator = (.zero, false) }
            _ = try? await fixture.enrolled(at: box)
            #expect(try await fixture.phone().boxes().map(\.id) == [old.id])
            await box.change { $0.administrator = (.zero, true) }
            let new = try await fixture.enrolled(at: box)
            #expect(new.id != old.id)
            #expect(try await fixture.phone().boxes().map(\.id) == [new.id])
        }
    }

    @Test("An administrator who never answers is waited for as long as a code lives, and the key stays")
    func neverConfirmed() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            await box.change { $0.administrator = nil }
            fixture.air.add(box)
            let start = fixture.world.now()
            await #expect(throws: PhoneError.enrolmentUncertain(boxID: "1234")) {
                try await fixture.enrolled(at: box)
            }
            let waited = fixture.world.now() - start
            #expect(waited >= .seconds(3_600) && waited < .seconds(3_700))
            #expect(try await fixture.phone().boxes().map(\.confirmed) == [false])
        }
    }
}

extension BoxState {
    /// The state of a box without a session, whose phone has chosen no settings.
    static let quiet = BoxState(
        session: .none, user: nil,
        autoLogout: AutoLogout(seconds: 0, minimumSeconds: 60, maximumSeconds: 3_600, mayBeOff: true),
        logoutInSeconds: nil, credentialStale: false, pinAttemptsLeft: nil)
}
