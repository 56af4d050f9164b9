import PhoneMessages
import Secrets
import Testing
import Vault

@testable import PhoneCore
@testable import PhoneKit

@Suite("Several boxes")
struct SeveralBoxesTests {
    /// Enrols a phone at two boxes that show the same digits but have different authorities.
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

    @Test("What was tapped for one box never reaches its namesake, which comes in its place when the link is lost")
    func tapAfterReconnection() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let (one, two) = try await twins(fixture)
            let quiet: FakeBox.Script = { message in
                if case .status = message.request {
                    return [(.zero, .state(.quiet)), (.zero, .result(message.id, .correct, .none))]
                }
                return [(.zero, .result(message.id, .correct, .none))]
            }
            for box in [one, two] { await box.change { $0.script = quiet } }
            let phone = fixture.phone()
            let target = try await phone.target("1234")
            for box in target.candidates {
                _ = try await phone.keepCredential(
                    secret(box.boxKey == one.publicKey ? "for one" : "for two"), for: box, pin: nil)
            }
            // The user chooses the first box, or any box in range once the first has gone.
            let chosen = PhoneInteraction(chooseBox: { $0.first { $0.boxKey == one.publicKey } ?? $0.first })
            let watcher = Watcher(limit: 4)
            let watch = Task.detached(executorPreference: fixture.world) {
                try await phone.watch(target, chosen) { watcher.take($0) }
            }
            try await fixture.world.sleep(until: fixture.world.now() + .seconds(10))
            #expect(watcher.events == [.state(.quiet)])
            // The link of the first box breaks just before the tap, and only the second box is in range.
            fixture.air.clear()
            fixture.air.add(two)
            let reached = await two.requests.count
            await one.closeLinks()
            _ = try? await phone.logIn(at: target, unlock: Answers([]))
            await phone.tap(.unlock, at: target)
            try await fixture.world.sleep(until: fixture.world.now() + .seconds(60))
            #expect(await two.passwords.isEmpty)
            #expect(await two.requests.count == reached, "the phone goes on watching the box that it watched")
            fixture.air.add(one)
            watch.cancel()
            _ = try? await watch.value
        }
    }

    @Test("A login that is tried again after a lost link stays with the box that was chosen")
    func loginStays() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let (one, two) = try await twins(fixture)
            let air = fixture.air
            // At the moment of the choice, the chosen box goes out of range, and the other box answers in its place.
            let chosen = PhoneInteraction(chooseBox: { boxes in
                air.clear()
                air.add(two, failures: 1)
                return boxes.first { $0.boxKey == one.publicKey }
            })
            let phone = fixture.phone()
            let target = try await phone.target("1234")
            _ = try? await phone.login(target, credential: secret("for one"), chosen)
            #expect(await two.passwords.isEmpty)
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
