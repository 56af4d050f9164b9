import Names
import Secrets
import Testing
import VaultPort

@testable import Vault

@Suite("Tries of a PIN")
struct AttemptTests {
    @Test("Every wrong PIN counts, the tenth wipes, and the caller learns what is left")
    func tenWrong() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        for left in (1...9).reversed() {
            #expect(try await fixture.open(vault, device, pin: secret("0000")).words == "wrong, \(left) left")
        }
        #expect(try await vault.credentialState(device)?.attemptsLeft == 1)
        #expect(try await fixture.open(vault, device, pin: secret("0000")).words == "wiped")
        #expect(try await vault.credentialState(device) == nil)
        let tries = fixture.hasher.tries
        #expect(try await fixture.open(vault, device).words == "wiped")
        #expect(fixture.hasher.tries == tries)
    }

    @Test("The right PIN as the tenth try opens, and gives ten tries again")
    func tenthIsRight() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        try await fixture.spendWrong(9, vault, device)
        #expect(try await fixture.open(vault, device).words == "opened correct horse battery staple")
        #expect(try await vault.credentialState(device)?.attemptsLeft == 10)
    }

    @Test("The count outlives a restart")
    func countIsStored() async throws {
        let fixture = try BoxFixture()
        let device: DeviceID
        do {
            let vault = try fixture.open()
            device = try await fixture.store(vault)
            try await fixture.spendWrong(7, vault, device)
        }
        let vault = try fixture.open()
        #expect(try await fixture.open(vault, device, pin: secret("0000")).words == "wrong, 2 left")
    }

    @Test("The try is on disk before the PIN is hashed")
    func spentFirst() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        fixture.hasher.hold(fixture.pin.plain)
        let attempt = Task { try await fixture.open(vault, device).words }
        await fixture.hasher.arrival(of: fixture.pin.plain)
        #expect(try await vault.credentialState(device)?.attemptsLeft == 9)
        fixture.hasher.release(fixture.pin.plain)
        #expect(try await attempt.value == "opened correct horse battery staple")
    }

    @Test("A try that cannot be written down is not tried")
    func unwritableSpend() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        let tries = fixture.hasher.tries
        try await vault.onDatabase { try $0.execute("PRAGMA query_only = ON") }
        let error = await failure { _ = try await fixture.open(vault, device) }
        #expect(error == .readOnly(path: fixture.scratch.database))
        #expect(fixture.hasher.tries == tries)
        try await vault.onDatabase { try $0.execute("PRAGMA query_only = OFF") }
        #expect(try await vault.credentialState(device)?.attemptsLeft == 10)
    }

    @Test("Running out of memory costs no try, before the try is spent or after")
    func outOfMemory() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        try await fixture.spendWrong(9, vault, device)
        fixture.hasher.failReservations()
        let tries = fixture.hasher.tries
        #expect(await failure { _ = try await fixture.open(vault, device) } == .outOfMemory)
        #expect(fixture.hasher.tries == tries)
        fixture.hasher.failReservations(false)
        fixture.hasher.failHashes()
        #expect(await failure { _ = try await fixture.open(vault, device) } == .outOfMemory)
        #expect(try await vault.credentialState(device)?.attemptsLeft == 1)
        fixture.hasher.failHashes(false)
        #expect(try await fixture.open(vault, device).words == "opened correct horse battery staple")
    }

    @Test("Ten spent tries that are found at the start are wiped, and the audit log says so")
    func tenFoundAtStart() async throws {
        let fixture = try BoxFixture()
        let device: DeviceID
        do {
            let vault = try fixture.open()
            device = try await fixture.store(vault)
            // The state after a crash between the tenth spent try and its hash.
            try await vault.onDatabase { _ = try $0.run("UPDATE credentials SET attempts = 10, last_attempt = 1") }
        }
        let vault = try fixture.open()
        #expect(try await vault.credentialState(device) == nil)
        #expect(try await fixture.open(vault, device).words == "wiped")
        let entries = try await vault.auditEntries(after: 0, limit: 10)
        let kinds = ["device-enrolled", "credential-stored", "credential-wiped"]
        #expect(entries.map { String(decoding: $0.event, as: UTF8.self) } == kinds)
        #expect(entries.last?.device == device.bytes)
    }

    @Test("A caller that gave up while it waited spends nothing")
    func cancelled() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        fixture.hasher.hold(Array("1111".utf8))
        let first = Task { try await fixture.open(vault, device, pin: secret("1111")).words }
        await fixture.hasher.arrival(of: Array("1111".utf8))
        let second = Task { await failure { _ = try await fixture.open(vault, device) } }
        second.cancel()
        fixture.hasher.release(Array("1111".utf8))
        #expect(try await first.value == "wrong, 9 left")
        #expect(await second.value == .cancelled)
        #expect(try await vault.credentialState(device)?.attemptsLeft == 9)
    }
}

@Suite("Delays after wrong PINs")
struct DelayTests {
    @Test("With delays, the fifth to the ninth wrong PIN cost 1, 5, 15, 15 and 60 minutes")
    func schedule() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        await vault.setPolicy(AttemptPolicy(delays: .growing))
        try await fixture.spendWrong(4, vault, device)
        for (left, seconds) in [(5, 60), (4, 300), (3, 900), (2, 900), (1, 3_600)] {
            #expect(try await fixture.open(vault, device, pin: secret("0000")).words == "wrong, \(left) left")
            let tries = fixture.hasher.tries
            #expect(try await fixture.open(vault, device).words == "locked out for \(seconds) s")
            fixture.clock.advance(seconds: Int64(seconds) - 1)
            #expect(try await fixture.open(vault, device).words == "locked out for 1 s")
            #expect(fixture.hasher.tries == tries)
            #expect(try await vault.credentialState(device)?.attemptsLeft == UInt8(left))
            fixture.clock.advance(seconds: 1)
        }
        #expect(try await fixture.open(vault, device).words == "opened correct horse battery staple")
    }

    @Test("A reboot starts the delay again, and does not end it")
    func reboot() async throws {
        let fixture = try BoxFixture()
        let device: DeviceID
        do {
            let vault = try fixture.open()
            device = try await fixture.store(vault)
            await vault.setPolicy(AttemptPolicy(delays: .growing))
            try await fixture.spendWrong(5, vault, device)
            fixture.clock.advance(seconds: 59)
        }
        fixture.clock.reboot()
        let vault = try fixture.open()
        await vault.setPolicy(AttemptPolicy(delays: .growing))
        #expect(try await fixture.open(vault, device).words == "locked out for 60 s")
        fixture.clock.advance(seconds: 59)
        #expect(try await fixture.open(vault, device).words == "locked out for 1 s")
        fixture.clock.advance(seconds: 1)
        #expect(try await fixture.open(vault, device).words == "opened correct horse battery staple")
    }

    @Test("Without delays, which is the default, wrong PINs cost no time")
    func offByDefault() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        try await fixture.spendWrong(9, vault, device)
        #expect(try await fixture.open(vault, device).words == "opened correct horse battery staple")
    }

    @Test("A hash that could not be made gives the try back with the delay it had")
    func refundKeepsDelay() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        await vault.setPolicy(AttemptPolicy(delays: .growing))
        try await fixture.spendWrong(4, vault, device)
        fixture.hasher.failHashes()
        #expect(await failure { _ = try await fixture.open(vault, device) } == .outOfMemory)
        fixture.hasher.failHashes(false)
        #expect(try await fixture.open(vault, device).words == "opened correct horse battery staple")
    }
}
