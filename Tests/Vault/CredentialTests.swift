import Names
import Secrets
import Testing
import VaultPort

@testable import Vault

@Suite("A credential that the box holds")
struct CredentialTests {
    @Test("It opens with PIN and device secret, also after a restart, byte for byte")
    func roundTrip() async throws {
        let fixture = try BoxFixture()
        let odd = secret([UInt8](1...255) + [UInt8](1...255) + [0xFF])
        let device: DeviceID
        do {
            let vault = try fixture.open()
            device = try await fixture.enrol(vault)
            try await vault.storeCredential(
                device: device, pin: fixture.pin, deviceSecret: fixture.deviceSecret, credential: odd)
        }
        let vault = try fixture.open()
        guard case .opened(let opened) = try await fixture.open(vault, device) else {
            Issue.record("it did not open")
            return
        }
        #expect(opened.plain == odd.plain)
    }

    @Test("The right PIN with another phone's device secret does not open it, and counts")
    func otherDeviceSecret() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        let outcome = try await vault.openCredential(
            device: device, pin: fixture.pin, deviceSecret: secret([UInt8](repeating: 0xD6, count: 32)))
        #expect(outcome.words == "wrong, 9 left")
    }

    @Test("The key that wraps is BLAKE2b-256 keyed with the box secret over label, ids, PIN hash and device secret")
    func wrappingKey() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        let (id, salt, wrapped) = try await vault.onDatabase { database in
            try #require(
                try database.first("SELECT id, salt, wrapped_key FROM credentials") {
                    ($0.bytes(0), $0.bytes(1), $0.bytes(2))
                })
        }
        // The test derives the key from the key file alone, because the vault uses the box secret unchanged.
        let boxSecret = SecretBytes(copying: Scratch.read(fixture.scratch.key))
        var hash = try KeyedHash(key: boxSecret, context: "boxagent/kek/1")
        hash.add(await vault.boxID + device.bytes + id)
        hash.add(try TestHasher.hash(fixture.pin.bytes, salt))
        hash.add(fixture.deviceSecret.bytes)
        let kek = hash.finish()
        let place = SealedColumn(table: "credentials", column: "wrapped_key", row: id)
        let count = place.open(wrapped, key: kek)?.count
        #expect(count == 32)
    }

    @Test("Two devices of one user share neither key, nor salt, nor tries")
    func separateRows() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let first = try await fixture.store(vault, 1)
        let second = try await fixture.store(vault, 2)
        try await fixture.spendWrong(9, vault, first)
        #expect(try await vault.credentialState(second)?.attemptsLeft == 10)
        try await fixture.spendWrong(1, vault, first)
        #expect(try await fixture.open(vault, second).words == "opened correct horse battery staple")
        let third = try await fixture.store(vault, 3)
        let columns = try await vault.onDatabase { database in
            try database.rows("SELECT salt, wrapped_key, sealed FROM credentials") { row in
                (0..<3).map { row.bytes($0) }
            }
        }
        #expect(try await vault.credentialState(third) != nil)
        #expect(columns.count == 2)
        #expect(Set(columns.flatMap { $0 }).count == 6)
    }

    @Test("A password's length does not show in what is stored")
    func padding() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        for (seed, count) in [(UInt8(1), 1), (2, 40), (3, 511)] {
            let device = try await fixture.enrol(vault, seed)
            try await vault.storeCredential(
                device: device, pin: fixture.pin, deviceSecret: fixture.deviceSecret,
                credential: secret([UInt8](repeating: 7, count: count)))
        }
        let lengths = try await vault.onDatabase { database in
            try database.rows("SELECT length(sealed) FROM credentials") { $0.integer(0) }
        }
        #expect(lengths == [553, 553, 553])
    }

    @Test(
        "Passwords that PAM could not take are refused before anything is spent",
        arguments: [[], [UInt8](repeating: 1, count: 512), [65, 0, 66]])
    func badCredentials(bytes: [UInt8]) async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        let error = await failure {
            try await vault.storeCredential(
                device: device, pin: fixture.pin, deviceSecret: fixture.deviceSecret, credential: secret(bytes))
        }
        #expect(error == .invalid(what: "a password must have 1 to 511 bytes and no zero byte; enter another"))
        #expect(try await fixture.open(vault, device).words == "opened correct horse battery staple")
    }

    @Test("A PIN or device secret of an impossible length costs no try")
    func badLengths() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        for (pin, deviceSecret) in [
            (secret(""), fixture.deviceSecret), (secret([UInt8](repeating: 49, count: 129)), fixture.deviceSecret),
            (fixture.pin, secret([1])), (fixture.pin, secret([UInt8](repeating: 1, count: 33))),
        ] {
            let error = await failure {
                _ = try await vault.openCredential(device: device, pin: pin, deviceSecret: deviceSecret)
            }
            #expect(error != nil)
        }
        #expect(try await vault.credentialState(device)?.attemptsLeft == 10)
    }

    @Test("Storing again takes a new key, forgets the old PIN and its tries")
    func storeAgain() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        try await fixture.spendWrong(9, vault, device)
        let before = try await storedBytes(vault)
        try await vault.storeCredential(
            device: device, pin: secret("1357"), deviceSecret: fixture.deviceSecret, credential: secret("new one"))
        #expect(try await vault.credentialState(device) == CredentialState(attemptsLeft: 10, stale: false))
        let files = fixture.scratch.files()
        for old in before {
            #expect(!files.values.contains { $0.holds(old) })
        }
        #expect(try await fixture.open(vault, device).words == "wrong, 9 left")
        #expect(try await fixture.open(vault, device, pin: secret("1357")).words == "opened new one")
    }

    @Test("A PIN change needs the old PIN, which is a try like any other, and leaves nothing of the old wrap")
    func changePIN() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        let before = try await storedBytes(vault)
        let new = secret("9999")
        let refused = try await vault.changePIN(
            device: device, old: secret("0000"), new: new, deviceSecret: fixture.deviceSecret)
        #expect(refused?.words == "wrong, 9 left")
        let done = try await vault.changePIN(
            device: device, old: fixture.pin, new: new, deviceSecret: fixture.deviceSecret)
        #expect(done == nil)
        let files = fixture.scratch.files()
        // The old salt and wrapped key are gone. The sealed credential stays.
        for old in before.prefix(2) {
            #expect(!files.values.contains { $0.holds(old) })
        }
        #expect(try await fixture.open(vault, device).words == "wrong, 9 left")
        #expect(try await fixture.open(vault, device, pin: new).words == "opened correct horse battery staple")
    }

    @Test("A changed password makes what that user's phones stored stale; storing again mends it")
    func stale() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault, 1, user: "ada")
        let other = try await fixture.store(vault, 2, user: "bob")
        #expect(try await vault.markStale(user: Array("ada".utf8)) == [device])
        #expect(try await vault.markStale(user: Array("ada".utf8)) == [])
        #expect(try await vault.credentialState(device)?.stale == true)
        #expect(try await fixture.open(vault, device).words == "stale")
        #expect(try await fixture.open(vault, other).words == "opened correct horse battery staple")
        try await vault.storeCredential(
            device: device, pin: fixture.pin, deviceSecret: fixture.deviceSecret, credential: secret("changed"))
        #expect(try await fixture.open(vault, device).words == "opened changed")
    }

    @Test("A phone that holds its credential itself, or is not enrolled, stores none here")
    func wrongMode() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let phoneHeld = try await fixture.enrol(vault, 1, mode: .phoneHeld)
        for device in [phoneHeld, DeviceID()] {
            let error = await failure {
                try await vault.storeCredential(
                    device: device, pin: fixture.pin, deviceSecret: fixture.deviceSecret,
                    credential: fixture.credential)
            }
            #expect(error != nil)
            #expect(try await fixture.open(vault, device).words == "no credential")
        }
    }

    /// Returns the salt, wrapped key and sealed credential of the only row.
    private func storedBytes(_ vault: BoxVault) async throws -> [[UInt8]] {
        try await vault.onDatabase { database in
            try #require(
                try database.first("SELECT salt, wrapped_key, sealed FROM credentials") { row in
                    (0..<3).map { row.bytes($0) }
                })
        }
    }
}
