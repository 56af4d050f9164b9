import Secrets
import Testing
import VaultPort

@testable import Vault

@Suite("Several tries at once")
struct ConcurrencyTests {
    @Test("While one credential's PIN is hashed, another's opens")
    func othersGoOn() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let slow = try await fixture.store(vault, 1, user: "ada")
        let quick = try await fixture.store(vault, 2, user: "bob")
        fixture.hasher.hold(Array("0000".utf8))
        let attempt = Task { try await fixture.open(vault, slow, pin: secret("0000")).words }
        await fixture.hasher.arrival(of: Array("0000".utf8))
        #expect(try await fixture.open(vault, quick).words == "opened correct horse battery staple")
        fixture.hasher.release(Array("0000".utf8))
        #expect(try await attempt.value == "wrong, 9 left")
    }

    @Test("Tries of one credential come one after the other: three at a time, twelve are ten tries and a wipe")
    func serialised() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        let before = fixture.hasher.tries
        var outcomes: [String] = []
        for _ in 0..<4 {
            outcomes += try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<3 {
                    group.addTask { try await fixture.open(vault, device, pin: secret("0000")).words }
                }
                var words: [String] = []
                for try await outcome in group { words.append(outcome) }
                return words
            }
        }
        #expect(fixture.hasher.tries - before == 10)
        #expect(outcomes.filter { $0 == "wiped" }.count == 3)
        #expect(Set(outcomes).count == 10)
    }

    @Test("More callers than may wait for one credential are refused, and spend nothing")
    func bounded() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        fixture.hasher.hold(Array("0000".utf8))
        let first = Task { try await fixture.open(vault, device, pin: secret("0000")).words }
        await fixture.hasher.arrival(of: Array("0000".utf8))
        let rest = (0..<8).map { _ in
            Task { await failure { _ = try await fixture.open(vault, device, pin: secret("0000")) } }
        }
        // Four tries are refused while the first try is held. The other four wait.
        let refused = (0..<4).map { _ in VaultError.busy }
        var answers: [VaultError?] = []
        await withTaskGroup(of: VaultError?.self) { group in
            for task in rest { group.addTask { await task.value } }
            for await answer in group {
                answers.append(answer)
                if answers.count == 4 { fixture.hasher.release(Array("0000".utf8)) }
            }
        }
        #expect(answers.prefix(4).elementsEqual(refused))
        #expect(answers.dropFirst(4).allSatisfy { $0 == nil })
        #expect(try await first.value == "wrong, 9 left")
        #expect(try await vault.credentialState(device)?.attemptsLeft == 5)
    }

    @Test("A device that is revoked while its PIN is hashed gets nothing, even with the right one")
    func revokedMeanwhile() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        fixture.hasher.hold(fixture.pin.plain)
        let attempt = Task { try await fixture.open(vault, device).words }
        await fixture.hasher.arrival(of: fixture.pin.plain)
        try await vault.revoke([device])
        fixture.hasher.release(fixture.pin.plain)
        #expect(try await attempt.value == "wiped")
        #expect(try await vault.credentialState(device) == nil)
    }

    @Test("A device that is revoked while it stores a credential has none")
    func revokedWhileStoring() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.enrol(vault)
        fixture.hasher.hold(fixture.pin.plain)
        let storing = Task {
            await failure {
                try await vault.storeCredential(
                    device: device, pin: fixture.pin, deviceSecret: fixture.deviceSecret,
                    credential: fixture.credential)
            }
        }
        await fixture.hasher.arrival(of: fixture.pin.plain)
        try await vault.revoke([device])
        fixture.hasher.release(fixture.pin.plain)
        #expect(await storing.value == .notFound(what: "device"))
        let rows = try await vault.onDatabase { try $0.integer("SELECT count(*) FROM credentials") }
        #expect(rows == 0)
    }

    @Test("A wipe while the new PIN of a change is hashed is not undone by the change")
    func wipedWhileChanging() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        let new = secret("7777")
        fixture.hasher.hold(new.plain)
        let change = Task {
            try await vault.changePIN(
                device: device, old: fixture.pin, new: new, deviceSecret: fixture.deviceSecret)?.words
        }
        await fixture.hasher.arrival(of: new.plain)
        #expect(try await vault.wipe(device))
        fixture.hasher.release(new.plain)
        #expect(try await change.value == "wiped")
        #expect(try await vault.credentialState(device) == nil)
    }
}
