import Glibc
import Secrets
import Testing

@testable import Vault

/// A damaged database that was set aside still has wrapped keys. The key file that protects them still exists.
@Suite("Damaged databases that were set aside")
struct SetAsideTests {
    /// Damages a database and has it set aside. Returns a wrapped key that the set-aside file still contains.
    private func damaged(_ fixture: BoxFixture) async throws -> [UInt8] {
        var wrapped: [UInt8] = []
        do {
            let vault = try fixture.open()
            _ = try await fixture.store(vault)
            wrapped = try await vault.onDatabase { database in
                try database.rows("SELECT wrapped_key FROM credentials") { $0.bytes(0) }
            }.flatMap { $0 }
        }
        var bytes = Scratch.read(fixture.scratch.database)
        for index in 0..<16 { bytes[index] ^= 0x5A }
        try fixture.scratch.write(bytes, to: fixture.scratch.database)
        try fixture.scratch.write(Array(repeating: 7, count: 100), to: fixture.scratch.database + "-wal")
        guard case .damaged = await failure({ _ = try fixture.open() }) else {
            Issue.record("the file is not taken for damaged")
            return wrapped
        }
        #expect(wrapped.count == 72)
        #expect(isLeft(wrapped, fixture))
        #expect(Scratch.names(in: fixture.scratch.vault).count { $0.contains(".damaged-") } == 2)
        return wrapped
    }

    private func isLeft(_ trace: [UInt8], _ fixture: BoxFixture) -> Bool {
        fixture.scratch.files().values.contains { $0.holds(trace) }
    }

    @Test(
        "Whatever destroys a credential destroys what they hold, even where the new database holds none",
        arguments: ["wipe", "wipe of what is not there", "revoke", "wipe all", "ten wrong PINs"])
    func destroyed(means: String) async throws {
        let fixture = try BoxFixture()
        let wrapped = try await damaged(fixture)
        let vault = try fixture.open()
        switch means {
        case "wipe": #expect(try await vault.wipe(try await fixture.store(vault)))
        case "wipe of what is not there": #expect(try await !vault.wipe(try await fixture.enrol(vault)))
        case "revoke": try await vault.revoke([try await fixture.enrol(vault)])
        case "wipe all": #expect(try await vault.destroySetAside().count == 2)
        default: try await fixture.spendWrong(10, vault, try await fixture.store(vault))
        }
        #expect(!isLeft(wrapped, fixture))
        #expect(try await vault.setAside().isEmpty)
        #expect(Scratch.names(in: fixture.scratch.vault) == ["vault.key", "vault.sqlite3", "vault.sqlite3-wal"])
    }

    @Test("They are kept while nothing is to be destroyed: a login, a new phone and a restart leave them")
    func kept() async throws {
        let fixture = try BoxFixture()
        let wrapped = try await damaged(fixture)
        do {
            let vault = try fixture.open()
            let device = try await fixture.store(vault)
            #expect(try await fixture.open(vault, device).words == "opened correct horse battery staple")
            #expect(try await vault.setAside().count == 2)
        }
        _ = try fixture.open()
        #expect(isLeft(wrapped, fixture))
    }

    @Test("A wipe that was killed before it came to them is finished at the next start")
    func interrupted() async throws {
        let fixture = try BoxFixture()
        let wrapped = try await damaged(fixture)
        do {
            let vault = try fixture.open()
            let device = try await fixture.store(vault)
            try await vault.onDatabase { _ = try CredentialErasure.destroyKey(in: $0, device: device) }
        }
        #expect(isLeft(wrapped, fixture))
        _ = try fixture.open()
        #expect(!isLeft(wrapped, fixture))
    }

    @Test("A link in their place is not followed, and the order says that it failed")
    func link() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let target = fixture.scratch.path + "/target"
        try fixture.scratch.write([1, 2, 3], to: target)
        #expect(symlink(target, fixture.scratch.database + ".damaged-1") == 0)
        #expect(await failure { try await vault.destroySetAside() } != nil)
        #expect(Scratch.read(target) == [1, 2, 3])
    }

    @Test("A phone's own: forgetting a box and destroying its secret destroy them as well", arguments: [true, false])
    func phone(forgets: Bool) async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        let box = try await fixture.enrol(vault, 1)
        let kept = fixture.scratch.database + ".damaged-1790000000"
        try fixture.scratch.write([9, 9, 9], to: kept)
        if forgets { try await vault.forget(box) } else { try await vault.destroyDeviceSecret(box) }
        #expect(!FileCheck.exists(kept))
    }
}
