import Links
import PhoneMessages
import Testing
import Vault

@testable import PhoneCore
@testable import PhoneKit

@Suite("Two boxes with one key")
struct TwoBoxesTests {
    /// Enrols a phone at a box, and makes a copy of that box, as a copied disk image does. Neither is on the air.
    private func copies(_ fixture: PhoneFixture) async throws -> (box: FakeBox, copy: FakeBox) {
        let box = try FakeBox(keySeed: 9, in: fixture.world)
        let copy = try FakeBox(keySeed: 9, in: fixture.world)
        fixture.air.add(box)
        _ = try await fixture.enrolled(at: box)
        let devices = await box.devices
        await box.change { $0.script = LoginTests.accepting }
        await copy.change {
            $0.script = LoginTests.accepting
            $0.devices = devices
        }
        fixture.air.clear()
        return (box, copy)
    }

    private func login(_ fixture: PhoneFixture) async throws(PhoneError) -> RequestOutcome {
        let phone = fixture.phone()
        return try await phone.login(try await phone.target(nil), credential: secret("pw"), fixture.interaction)
    }

    /// Returns the time that a login took.
    private func timed(_ fixture: PhoneFixture) async throws -> Duration {
        let start = fixture.world.now()
        #expect(try await login(fixture) == .done)
        return fixture.world.now() - start
    }

    @Test("Two boxes that prove one key: neither gets the password, at this tap or the next, and the person is told")
    func neither() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let (box, copy) = try await copies(fixture)
            fixture.air.add(box)
            fixture.air.add(copy, after: .milliseconds(1_400))
            for _ in 0..<2 {
                await #expect(throws: PhoneError.twoBoxes(boxID: "1234")) { try await login(fixture) }
            }
            for one in [box, copy] { #expect(await one.passwords.isEmpty) }
        }
    }

    @Test("A copy that comes later is noticed when it is heard first, and from then on at each tap")
    func later() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let (box, copy) = try await copies(fixture)
            fixture.air.add(box)
            #expect(try await login(fixture) == .done)
            fixture.air.add(copy, after: .milliseconds(50))
            await #expect(throws: PhoneError.twoBoxes(boxID: "1234")) { try await login(fixture) }
            fixture.air.clear()
            fixture.air.add(box)
            fixture.air.add(copy, after: .milliseconds(500))
            await #expect(throws: PhoneError.twoBoxes(boxID: "1234")) { try await login(fixture) }
            #expect(await copy.passwords.isEmpty)
            #expect(await box.passwords.count == 1)
            // Once the copy has gone, the box is used again.
            fixture.air.clear()
            fixture.air.add(box)
            #expect(try await login(fixture) == .done)
        }
    }

    @Test("A box that is alone costs one longer scan, and nothing from then on")
    func costs() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let (box, _) = try await copies(fixture)
            fixture.air.add(box)
            let links = await box.links.count
            let first = try await timed(fixture)
            let second = try await timed(fixture)
            #expect(first - second == PhoneLimits().company)
            #expect(second < .milliseconds(500))
            #expect(await box.links.count == links + 2)
        }
    }

    @Test("A box whose radio address has changed is used, although its old address may still be heard")
    func newAddress() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let (box, _) = try await copies(fixture)
            fixture.air.add(box)
            #expect(try await login(fixture) == .done)
            for isOldHeard in [true, false] {
                fixture.air.clear()
                // The old address, at which no connection opens.
                fixture.air.add(box, showing: isOldHeard ? "1234" : "7777", failures: 99)
                fixture.air.add(box, after: .milliseconds(200))
                #expect(try await login(fixture) == .done)
            }
            #expect(await box.passwords.count == 3)
        }
    }

    @Test(
        "A device that copies a box's advertisement and identity beside it refuses no login, and delays it by seconds",
        arguments: [nil, .silentHandshake, .garbageMessage2] as [FakeBox.Fault?], [50, 500])
    func copiedAdvertisement(fault: FakeBox.Fault?, heardAfter: Int) throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let (box, _) = try await copies(fixture)
            let identity = try await box.identity
            let impostor = try FakeBox(in: fixture.world)
            await impostor.change {
                $0.shownIdentity = identity
                $0.fault = fault
            }
            fixture.air.add(box)
            fixture.air.add(impostor, after: .milliseconds(heardAfter))
            for _ in 0..<2 { #expect(try await timed(fixture) < .seconds(12)) }
            #expect(await impostor.requests.isEmpty)
            #expect(await box.passwords.count == 2)
        }
    }

    @Test("Of two boxes with one key and a third one with its number, the person chooses once, and is told of the two")
    func third() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let (box, copy) = try await copies(fixture)
            let other = try FakeBox(authoritySeed: 2, in: fixture.world)
            fixture.air.add(other)
            _ = try await fixture.enrolled(at: other)
            fixture.air.add(box)
            fixture.air.add(copy)
            let phone = fixture.phone()
            let target = try await phone.target("1234")
            let chosen = PhoneInteraction(chooseBox: { boxes in
                #expect(boxes.count == 2)
                return boxes.first { $0.boxKey == box.publicKey }
            })
            await #expect(throws: PhoneError.twoBoxes(boxID: "1234")) {
                try await phone.login(target, credential: secret("pw"), chosen)
            }
            for one in [box, copy, other] { #expect(await one.passwords.isEmpty) }
        }
    }

    @Test("A watch does not begin at one of two boxes with one key")
    func watch() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let (box, copy) = try await copies(fixture)
            fixture.air.add(box)
            fixture.air.add(copy)
            let phone = fixture.phone()
            let target = try await phone.target(nil)
            await #expect(throws: PhoneError.twoBoxes(boxID: "1234")) {
                try await phone.watch(target, PhoneInteraction()) { _ in true }
            }
        }
    }
}
