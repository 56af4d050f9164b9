import Glibc
import Secrets
import Testing
import VaultPort

@testable import Vault

@Suite("The directory of a vault")
struct StorageTests {
    private func opening(_ fixture: BoxFixture) async -> VaultError? {
        await failure { _ = try fixture.open() }
    }

    @Test("It is made for its owner alone, whatever the umask lets through")
    func modes() throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        #expect(Scratch.mode(fixture.scratch.vault) == 0o700)
        let names = Scratch.names(in: fixture.scratch.vault)
        #expect(names == ["vault.key", "vault.sqlite3", "vault.sqlite3-wal"])
        for name in names { #expect(Scratch.mode(fixture.scratch.vault + "/" + name) == 0o600) }
        withExtendedLifetime(vault) {}
    }

    @Test(
        "What others may use is refused with the command that mends it",
        arguments: [
            ("", mode_t(0o750), "700"), ("", 0o701, "700"), ("/vault.sqlite3", 0o640, "600"),
            ("/vault.sqlite3", 0o602, "600"), ("/vault.key", 0o604, "600"),
        ])
    func permissions(name: String, mode: mode_t, cure: String) async throws {
        let fixture = try BoxFixture()
        do { _ = try fixture.open() }
        let path = fixture.scratch.vault + name
        #expect(chmod(path, mode) == 0)
        let error = await opening(fixture)
        let reason = "is accessible to other users (mode \(String(mode, radix: 8)))"
        #expect(error == .wrongPermissions(path: path, reason: reason, cure: "chmod \(cure) '\(path)'"))
        #expect(error?.description.hasSuffix("run: chmod \(cure) '\(path)'") == true)
        // The shown command fixes the permissions.
        #expect(chmod(path, cure == "700" ? 0o700 : 0o600) == 0)
        #expect(await opening(fixture) == nil)
    }

    @Test("A quote in a path does not end the command that is shown")
    func quoting() {
        #expect(FileCheck.quoted("/a b/it's") == "'/a b/it'\\''s'")
    }

    @Test(
        "Symbolic links are refused, also those that lead nowhere",
        arguments: ["", "/vault.sqlite3", "/vault.sqlite3-wal", "/vault.key", "/vault.key.new"], [true, false])
    func links(name: String, leadsSomewhere: Bool) async throws {
        let fixture = try BoxFixture()
        let path = fixture.scratch.vault + name
        if !name.isEmpty { #expect(mkdir(fixture.scratch.vault, 0o700) == 0) }
        let target = fixture.scratch.path + "/target"
        if leadsSomewhere {
            if name.isEmpty { #expect(mkdir(target, 0o700) == 0) } else { try fixture.scratch.write([], to: target) }
        }
        #expect(symlink(target, path) == 0)
        let kind = name.isEmpty ? "directory" : "file"
        let expected = VaultError.unusable(
            path: path, reason: "it is a symbolic link; replace it with the \(kind) itself")
        #expect(await opening(fixture) == expected)
        #expect(unlink(path) == 0)
    }

    @Test("Something that is no plain file is refused by what it should be")
    func otherKinds() async throws {
        let fixture = try BoxFixture()
        #expect(mkdir(fixture.scratch.vault, 0o700) == 0)
        #expect(mkfifo(fixture.scratch.database, 0o600) == 0)
        let expected = VaultError.unusable(path: fixture.scratch.database, reason: "it must be a plain file")
        #expect(await opening(fixture) == expected)
    }

    @Test("A second opening is told that the vault is in use; after the first ends, it opens")
    func locked() async throws {
        let fixture = try BoxFixture()
        do {
            let vault = try fixture.open()
            #expect(await opening(fixture) == .locked(path: fixture.scratch.vault))
            // The refused opening did not release the lock of the first opening.
            #expect(await opening(fixture) == .locked(path: fixture.scratch.vault))
            _ = try await fixture.enrol(vault)
        }
        #expect(await opening(fixture) == nil)
    }

    @Test("The lock ends with the vault, though a child that was forked meanwhile still has the directory open")
    func lockIsGivenUp() async throws {
        let fixture = try BoxFixture()
        var inherited: Int32 = -1
        do {
            let vault = try fixture.open()
            inherited = dup(try #require(Scratch.descriptors(of: fixture.scratch.vault).first))
            withExtendedLifetime(vault) {}
        }
        defer { close(inherited) }
        #expect(inherited >= 0)
        #expect(await opening(fixture) == nil)
    }

    @Test("Another connection to the file is refused for as long as the vault is open")
    func exclusive() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let error = await failure {
            let other = try Database(path: fixture.scratch.database, hasLog: false)
            _ = try other.isWhole()
        }
        #expect(error == .locked(path: fixture.scratch.database))
        withExtendedLifetime(vault) {}
    }

    @Test("What is kept in memory of the log leaves no shared-memory file")
    func noSharedMemory() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        _ = try await fixture.store(vault)
        #expect(!Scratch.names(in: fixture.scratch.vault).contains("vault.sqlite3-shm"))
    }

    @Test("Every setting of the design holds on the open connection")
    func settings() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let modes = try await vault.onDatabase { database in
            try [
                database.first("PRAGMA journal_mode") { $0.bytes(0) },
                database.first("PRAGMA locking_mode") { $0.bytes(0) },
            ]
        }
        #expect(modes == [Array("wal".utf8), Array("exclusive".utf8)])
        let numbers = try await vault.onDatabase { database in
            try [
                database.integer("PRAGMA synchronous"), database.integer("PRAGMA secure_delete"),
                database.integer("PRAGMA foreign_keys"), database.integer("PRAGMA trusted_schema"),
                database.integer("PRAGMA cell_size_check"),
                // The number of tables that are not STRICT, except SQLite's own.
                database.integer(
                    "SELECT count(*) FROM pragma_table_list WHERE strict = 0 AND name NOT LIKE 'sqlite_%'"),
            ]
        }
        #expect(numbers == [2, 1, 1, 0, 1, 0])
    }
}

@Suite("The key file")
struct KeyFileTests {
    @Test("It holds 32 random bytes and is not made twice")
    func made() async throws {
        let fixture = try BoxFixture()
        do { _ = try fixture.open() }
        let key = Scratch.read(fixture.scratch.key)
        #expect(key.count == 32 && Set(key).count > 8)
        do { _ = try fixture.open() }
        #expect(Scratch.read(fixture.scratch.key) == key)
    }

    @Test("A database whose key is gone is not given a new one")
    func missing() async throws {
        let fixture = try BoxFixture()
        do { _ = try fixture.open() }
        let database = Scratch.read(fixture.scratch.database)
        #expect(unlink(fixture.scratch.key) == 0)
        let error = await failure { _ = try fixture.open() }
        let expected = VaultError.unusable(
            path: fixture.scratch.key, reason: "the key file is missing; restore it from a backup")
        #expect(error == expected)
        #expect(!FileCheck.exists(fixture.scratch.key))
        #expect(Scratch.read(fixture.scratch.database) == database)
    }

    @Test("Another key is named as such, and the database is not set aside")
    func other() async throws {
        let fixture = try BoxFixture()
        do { _ = try fixture.open() }
        try fixture.scratch.write([UInt8](repeating: 3, count: 32), to: fixture.scratch.key)
        #expect(await failure { _ = try fixture.open() } == .wrongKey(what: "the database"))
        #expect(Scratch.names(in: fixture.scratch.vault).allSatisfy { !$0.contains("damaged") })
    }

    @Test("A key of another length is refused", arguments: [0, 31, 33, 64])
    func lengths(count: Int) async throws {
        let fixture = try BoxFixture()
        do { _ = try fixture.open() }
        try fixture.scratch.write([UInt8](repeating: 3, count: count), to: fixture.scratch.key)
        let expected = VaultError.unusable(
            path: fixture.scratch.key, reason: "it must hold exactly 32 bytes; restore it from a backup")
        #expect(await failure { _ = try fixture.open() } == expected)
    }

    @Test("What a crash left of a key that was being made is replaced")
    func halfMade() async throws {
        let fixture = try BoxFixture()
        #expect(mkdir(fixture.scratch.vault, 0o700) == 0)
        try fixture.scratch.write([1, 2, 3], to: fixture.scratch.vault + "/vault.key.new")
        do { _ = try fixture.open() }
        #expect(Scratch.read(fixture.scratch.key).count == 32)
        #expect(!FileCheck.exists(fixture.scratch.vault + "/vault.key.new"))
    }

    @Test("A key that systemd provides is used, and makes no key file; one that others may read is refused")
    func provided() async throws {
        let fixture = try BoxFixture()
        let path = fixture.scratch.path + "/credential"
        let open = {
            try BoxVault(
                directory: fixture.scratch.vault, keySource: .file(path: path), executor: Lane(),
                clock: fixture.clock, hasher: fixture.hasher)
        }
        try fixture.scratch.write([UInt8](repeating: 9, count: 32), to: path, mode: 0o440)
        do { _ = try open() }
        #expect(!FileCheck.exists(fixture.scratch.key))
        #expect(chmod(path, 0o444) == 0)
        let error = await failure { _ = try open() }
        let reason = "is accessible to other users (mode 444)"
        #expect(error == .wrongPermissions(path: path, reason: reason, cure: "chmod 640 '\(path)'"))
    }

    @Test("A phone's vault is not opened as a box's, nor the other way round")
    func roles() async throws {
        let fixture = try BoxFixture()
        do { _ = try fixture.open() }
        let error = await failure {
            _ = try PhoneVault(directory: fixture.scratch.vault, executor: Lane())
        }
        #expect(error == .unusable(path: fixture.scratch.database, reason: "it is not the vault of a phone"))
        #expect(await failure { _ = try fixture.open() } == nil)
    }
}
