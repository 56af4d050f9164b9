import PhoneMessages
import Secrets
import Testing
import Vault

@testable import PhoneKit

@Suite("Several boxes")
struct SeveralBoxesTests {
    /// A phone that is enrolled at two boxes of different sites that show the same digits.
    private func twins(_ fixture: PhoneFixture) async throws -> (one: FakeBox, two: FakeBox) {
        let one = try FakeBox(authoritySeed: 1, in: fixture.world)
        let two = try FakeBox(authoritySeed: 2, in: fixture.world)
        for box in [one, two] {
            fixture.air.add(box)
            _ = try await fixture.enrolled(at: box)
            await box.change { $0.script = LoginTests.accepting }
        }
        return (one, two)
    }

    @Test("Two trusted boxes in range with the same digits: the person chooses, and only that one gets the password")
    func asks() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let (one, two) = try await twins(fixture)
            let phone = fixture.phone()
            let target = try await phone.target("1234")
            #expect(target.candidates.count == 2)
            let chosen = PhoneInteraction(chooseBox: { $0.first { $0.boxKey == two.publicKey } })
            #expect(try await phone.login(target, credential: secret("pw"), chosen) == .done)
            #expect(await one.passwords.isEmpty)
            #expect(await two.passwords.count == 1)
        }
    }

    @Test("Nobody to ask: nothing is sent, and the error names both")
    func nobodyToAsk() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let (one, two) = try await twins(fixture)
            let phone = fixture.phone()
            let names = try await phone.target("1234").candidates.map { "1234-" + $0.fingerprint.prefix(8) }
            do throws(PhoneError) {
                _ = try await phone.login(
                    try await phone.target("1234"), credential: secret("pw"), PhoneInteraction())
                Issue.record("one was chosen")
            } catch {
                guard case .sameDigits("1234", let listed) = error else { throw error }
                #expect(Set(listed) == Set(names))
            }
            #expect(await one.passwords.isEmpty)
            #expect(await two.passwords.isEmpty)
            let name = try #require(names.first)
            let named = try await phone.target(name)
            #expect(try await phone.login(named, credential: secret("pw"), PhoneInteraction()) == .done)
        }
    }

    @Test("Only one of two namesakes in range: it is taken without asking")
    func onlyOneInRange() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let (_, two) = try await twins(fixture)
            fixture.air.clear()
            fixture.air.add(two)
            let phone = fixture.phone()
            let target = try await phone.target("1234")
            #expect(try await phone.login(target, credential: secret("pw"), PhoneInteraction()) == .done)
        }
    }

    @Test("A name means digits, or digits and a fingerprint; with one box none is needed")
    func names() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let phone = fixture.phone()
            await #expect(throws: PhoneError.noBoxes) { try await phone.target(nil) }
            let one = try FakeBox("1234", in: fixture.world)
            fixture.air.add(one)
            await one.change { $0.enrolResult.boxID = Array("1234".utf8) }
            let known = try await fixture.enrolled(at: one)
            #expect(try await phone.target(nil).candidates == [known])
            #expect(try await phone.target("1234-\(known.fingerprint)").candidates == [known])
            await #expect(throws: PhoneError.unknownBox("4321")) { try await phone.target("4321") }
            await #expect(throws: PhoneError.unknownBox("1234-zz")) { try await phone.target("1234-zz") }
            let two = try FakeBox("4321", in: fixture.world)
            fixture.air.add(two, showing: "4321")
            _ = try await fixture.enrolled(at: two)
            await #expect(throws: PhoneError.severalBoxes(["1234", "4321"])) { try await phone.target(nil) }
            try await phone.forget(known)
            #expect(try await phone.target(nil).boxID == "4321")
        }
    }

    @Test("A scan tells known boxes from strangers and from those that only show the digits of a known one")
    func scan() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box)
            let double = try FakeBox(authoritySeed: 5, in: fixture.world)
            fixture.air.add(double)
            fixture.air.add(try FakeBox("7777", in: fixture.world), showing: "7777", after: .seconds(2))
            fixture.air.add(try FakeBox("8888", in: fixture.world), showing: "8888", after: .seconds(5))
            let start = fixture.world.now()
            let seen = try await fixture.phone().scan()
            #expect(fixture.world.now() - start < .seconds(5))
            #expect(seen.map(\.boxID) == ["1234", "1234", "7777"])
            #expect(seen.map(\.hasDouble) == [true, true, false])
            let standings = seen.map(\.standing)
            #expect(standings.contains(.known(known)))
            #expect(standings.contains(.other(.otherAuthority)))
            #expect(standings.contains(.unknown))
            #expect(await double.firstMessages == 0)
        }
    }
}
