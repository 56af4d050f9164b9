import Names
import Secrets
import Testing
import VaultPort

@testable import Vault

@Suite("A limit of tries that the administrator sets")
struct AttemptLimitTests {
    private func left(_ vault: BoxVault, _ device: DeviceID) async throws -> UInt8? {
        try await vault.credentialState(device)?.attemptsLeft
    }

    @Test("With a limit of three, two wrong PINs leave one try, and the third destroys; the audit log has the number")
    func three() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        await vault.setPolicy(AttemptPolicy(limit: 3))
        let device = try await fixture.store(vault)
        #expect(try await left(vault, device) == 3)
        for words in ["wrong, 2 left", "wrong, 1 left", "wiped"] {
            #expect(try await fixture.open(vault, device, pin: secret("0000")).words == words)
        }
        let entry = try await vault.auditEntries(after: 0, limit: 10).last
        #expect(entry?.detail == Array("3 wrong PINs".utf8))
    }

    @Test(
        "A limit lowered under what is used leaves one try, also after a restart; the right PIN then gives the new limit"
    )
    func lowered() async throws {
        let fixture = try BoxFixture()
        let device: DeviceID
        do {
            let vault = try fixture.open()
            device = try await fixture.store(vault)
            try await fixture.spendWrong(6, vault, device)
            await vault.setPolicy(AttemptPolicy(limit: 3))
            #expect(try await left(vault, device) == 1)
        }
        let vault = try fixture.open()
        await vault.setPolicy(AttemptPolicy(limit: 3))
        #expect(try await left(vault, device) == 1)
        #expect(try await fixture.open(vault, device).words == "opened correct horse battery staple")
        #expect(try await left(vault, device) == 3)
    }

    @Test("A wrong PIN as the one try that a lowered limit leaves destroys")
    func loweredAndWrong() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        try await fixture.spendWrong(6, vault, device)
        await vault.setPolicy(AttemptPolicy(limit: 4))
        #expect(try await fixture.open(vault, device, pin: secret("0000")).words == "wiped")
    }

    @Test("A raised limit leaves its number without the tries that are used")
    func raised() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        await vault.setPolicy(AttemptPolicy(limit: 3))
        let device = try await fixture.store(vault)
        try await fixture.spendWrong(2, vault, device)
        await vault.setPolicy(AttemptPolicy(limit: 5))
        #expect(try await left(vault, device) == 3)
        #expect(try await fixture.open(vault, device, pin: secret("0000")).words == "wrong, 2 left")
    }

    @Test("A last try stays the last when the limit is raised while its PIN is hashed")
    func raisedMeanwhile() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        await vault.setPolicy(AttemptPolicy(limit: 3))
        let device = try await fixture.store(vault)
        try await fixture.spendWrong(2, vault, device)
        fixture.hasher.hold(Array("0000".utf8))
        let attempt = Task { try await fixture.open(vault, device, pin: secret("0000")).words }
        await fixture.hasher.arrival(of: Array("0000".utf8))
        await vault.setPolicy(AttemptPolicy(limit: 10))
        #expect(try await left(vault, device) == 0)
        fixture.hasher.release(Array("0000".utf8))
        #expect(try await attempt.value == "wiped")
    }

    @Test("A limit lowered while a PIN is hashed destroys nothing with this try, and with the next")
    func loweredMeanwhile() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        try await fixture.spendWrong(4, vault, device)
        fixture.hasher.hold(Array("0000".utf8))
        let attempt = Task { try await fixture.open(vault, device, pin: secret("0000")).words }
        await fixture.hasher.arrival(of: Array("0000".utf8))
        await vault.setPolicy(AttemptPolicy(limit: 3))
        fixture.hasher.release(Array("0000".utf8))
        #expect(try await attempt.value == "wrong, 1 left")
        #expect(try await fixture.open(vault, device, pin: secret("0000")).words == "wiped")
    }

    @Test("A last try whose hash could not be made is given back, mark and all")
    func refunded() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        await vault.setPolicy(AttemptPolicy(limit: 3))
        let device = try await fixture.store(vault)
        try await fixture.spendWrong(2, vault, device)
        fixture.hasher.failHashes()
        #expect(await failure { _ = try await fixture.open(vault, device) } == .outOfMemory)
        fixture.hasher.failHashes(false)
        #expect(try await left(vault, device) == 1)
        #expect(try await fixture.open(vault, device).words == "opened correct horse battery staple")
    }

    @Test("Not even the right PIN gives tries back that were counted while it was hashed")
    func countedMeanwhile() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        fixture.hasher.hold(fixture.pin.plain)
        let attempt = Task { await failure { _ = try await fixture.open(vault, device) } }
        await fixture.hasher.arrival(of: fixture.pin.plain)
        try await vault.onDatabase { _ = try $0.run("UPDATE credentials SET attempts = 6") }
        fixture.hasher.release(fixture.pin.plain)
        #expect(await attempt.value == .busy)
        #expect(try await left(vault, device) == 4)
    }

    @Test("A count that no policy makes is damage, and no try", arguments: [-1, 11])
    func impossible(count: Int64) async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        try await vault.onDatabase { database in
            try database.execute("PRAGMA ignore_check_constraints = ON")
            _ = try database.run("UPDATE credentials SET attempts = ?", .integer(count))
        }
        let tries = fixture.hasher.tries
        #expect(
            await failure { _ = try await fixture.open(vault, device) } == .damaged(keptAs: fixture.scratch.database))
        #expect(fixture.hasher.tries == tries)
    }
}
