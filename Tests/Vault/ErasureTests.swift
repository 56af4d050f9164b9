import Names
import Secrets
import Testing
import VaultPort

@testable import Vault

@Suite("Wiping")
struct ErasureTests {
    /// Returns the parts of a credential that the files contain: wrapped key, sealed bytes, salt.
    private func traces(_ vault: BoxVault) async throws -> [[UInt8]] {
        try await vault.onDatabase { database in
            try database.rows("SELECT wrapped_key, sealed, salt FROM credentials") { row in
                (0..<3).map { row.bytes($0) }
            }.flatMap { $0 }
        }
    }

    private func isAnyLeft(_ traces: [[UInt8]], _ fixture: BoxFixture) -> Bool {
        let files = fixture.scratch.files().filter { !$0.key.hasSuffix(".key") }
        return traces.contains { trace in files.values.contains { $0.holds(trace) } }
    }

    @Test("Neither password nor PIN nor device secret is ever in a file, and the wrap is gone after ten wrong PINs")
    func nothingLeft() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        let traces = try await traces(vault)
        #expect(traces.count == 3)
        #expect(isAnyLeft(traces, fixture))
        try await fixture.spendWrong(10, vault, device)
        #expect(!isAnyLeft(traces, fixture))
        for planted in [fixture.credential.plain, fixture.deviceSecret.plain] {
            #expect(!fixture.scratch.files().values.contains { $0.holds(planted) })
        }
    }

    @Test(
        "A wipe, a revocation and a restart leave nothing of what was stored", arguments: ["wipe", "revoke", "restart"])
    func byOtherMeans(means: String) async throws {
        let fixture = try BoxFixture()
        var traces: [[UInt8]] = []
        do {
            let vault = try fixture.open()
            let device = try await fixture.store(vault, 1)
            // A second credential keeps the page in use.
            _ = try await fixture.store(vault, 2)
            traces = try await vault.onDatabase { database in
                try database.rows(
                    "SELECT wrapped_key, sealed, salt FROM credentials WHERE device = ?", [.blob(device.bytes)]
                ) { row in (0..<3).map { row.bytes($0) } }.flatMap { $0 }
            }
            switch means {
            case "wipe": #expect(try await vault.wipe(device))
            case "revoke": try await vault.revoke([device])
            default:
                try await vault.onDatabase {
                    _ = try $0.run(
                        "UPDATE credentials SET attempts = 10, last_attempt = 1 WHERE device = ?", .blob(device.bytes))
                }
            }
            #expect(isAnyLeft(traces, fixture) == (means == "restart"))
        }
        let vault = try fixture.open()
        #expect(!isAnyLeft(traces, fixture))
        #expect(try await vault.devices().count == 2)
    }

    /// Uses the files as a wipe leaves them that was killed after the first or the second of its three steps.
    @Test("A wipe that was killed after any of its steps is finished at the next start", arguments: [1, 2])
    func interrupted(steps: Int) async throws {
        let fixture = try BoxFixture()
        var traces: [[UInt8]] = []
        var files: [String: [UInt8]] = [:]
        let device: DeviceID
        do {
            let vault = try fixture.open()
            device = try await fixture.store(vault)
            // Wrong PINs change the row, so the write-ahead log has it as well.
            try await fixture.spendWrong(3, vault, device)
            traces = try await self.traces(vault)
            try await vault.onDatabase { database in
                _ = try CredentialErasure.destroyKey(in: database, device: device)
                if steps > 1 { try database.run("DELETE FROM credentials WHERE device = ?", .blob(device.bytes)) }
            }
            files = fixture.scratch.files()
        }
        for (name, bytes) in files { try fixture.scratch.write(bytes, to: fixture.scratch.vault + "/" + name) }
        // The write-ahead log still has the earlier content.
        #expect(isAnyLeft(traces, fixture))
        let vault = try fixture.open()
        #expect(!isAnyLeft(traces, fixture))
        #expect(try await vault.credentialState(device) == nil)
        #expect(try await fixture.open(vault, device).words == "wiped")
    }

    @Test("After a wipe the phone hears so until it stores something anew")
    func remembered() async throws {
        let fixture = try BoxFixture()
        let device: DeviceID
        do {
            let vault = try fixture.open()
            device = try await fixture.enrol(vault)
            #expect(try await fixture.open(vault, device).words == "no credential")
            #expect(try await vault.wipe(device) == false)
            #expect(try await fixture.open(vault, device).words == "no credential")
            try await vault.storeCredential(
                device: device, pin: fixture.pin, deviceSecret: fixture.deviceSecret, credential: fixture.credential)
            #expect(try await vault.wipe(device))
            #expect(try await vault.wipe(device) == false)
        }
        let vault = try fixture.open()
        #expect(try await fixture.open(vault, device).words == "wiped")
        try await vault.storeCredential(
            device: device, pin: fixture.pin, deviceSecret: fixture.deviceSecret, credential: fixture.credential)
        #expect(try await fixture.open(vault, device).words == "opened correct horse battery staple")
    }
}

@Suite("Ciphertexts that were moved or changed")
struct MovedTests {
    @Test("A sealed value opens in its own table, row, column and schema version only")
    func places() throws {
        let held = HeldSecret(SecretBytes(randomCount: 32))
        let home = SealedColumn(table: "credentials", column: "sealed", row: [1, 2])
        let sealed = try home.seal(SecretBytes(copying: [7, 8, 9]), key: held.bytes)
        let opens = { (place: SealedColumn, bytes: [UInt8]) in place.open(bytes, key: held.bytes) != nil }
        #expect(opens(home, sealed))
        for other in [
            SealedColumn(table: "credential", column: "sealed", row: [1, 2]),
            SealedColumn(table: "credentials", column: "wrapped_key", row: [1, 2]),
            SealedColumn(table: "credentials", column: "sealed", row: [1, 3]),
            SealedColumn(table: "credentials", column: "ealed", row: [1, 2, 115]),
            SealedColumn(table: "credentialss", column: "ealed", row: [1, 2]),
        ] {
            #expect(!opens(other, sealed))
        }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(!opens(home, changed))
        }
        #expect(!opens(home, Array(sealed.dropLast())))
        #expect(!opens(home, []))
        #expect(SealedColumn.schemaVersion == 1)
    }

    @Test("Nonces are random: the same value sealed twice differs from the first byte")
    func nonces() throws {
        let key = SecretBytes(randomCount: 32)
        let place = SealedColumn(table: "t", column: "c", row: [])
        let nonces = try (0..<100).map { _ in
            Array(try place.seal(SecretBytes(copying: [1]), key: key).prefix(24))
        }
        #expect(Set(nonces).count == 100)
    }

    @Test("One device's wrapped key in another's row does not open, although PIN and device secret are the same")
    func movedWrap() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let first = try await fixture.store(vault, 1)
        let second = try await fixture.store(vault, 2)
        try await vault.onDatabase { database in
            _ = try database.run(
                """
                UPDATE credentials SET
                    wrapped_key = (SELECT wrapped_key FROM credentials WHERE device = ?1),
                    salt = (SELECT salt FROM credentials WHERE device = ?1)
                WHERE device = ?2
                """, .blob(first.bytes), .blob(second.bytes))
        }
        #expect(try await fixture.open(vault, second).words == "wrong, 9 left")
        #expect(try await fixture.open(vault, first).words == "opened correct horse battery staple")
    }

    @Test("One device's sealed credential in another's row is an error, not a login")
    func movedCredential() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let first = try await fixture.store(vault, 1)
        let second = try await fixture.store(vault, 2)
        try await vault.onDatabase { database in
            _ = try database.run(
                "UPDATE credentials SET sealed = (SELECT sealed FROM credentials WHERE device = ?1) WHERE device = ?2",
                .blob(first.bytes), .blob(second.bytes))
        }
        let error = await failure { _ = try await fixture.open(vault, second) }
        #expect(error == .wrongKey(what: "the stored credential"))
    }

    @Test("The box's keys exchanged for one another are an error")
    func movedIdentity() async throws {
        let fixture = try BoxFixture()
        do {
            let vault = try fixture.open()
            try await vault.onDatabase { database in
                try database.execute("UPDATE box_identity SET static_key = authority_seed")
            }
        }
        let vault = try fixture.open()
        let error = await failure {
            _ = try await vault.withKeys { (_, _, serial) throws(VaultError) in serial }
        }
        #expect(error == .wrongKey(what: "the box's key"))
    }
}
