import Glibc
import Secrets
import Testing
import VaultPort

@testable import Vault

/// Tests databases that the vault must not use in their present state.
@Suite("Opening a database")
struct OpeningTests {
    private static let known = Migrations().all.count
    /// A migration of a later program.
    private static let later = EmbeddedMigration(name: "9999_more.sql", sql: "CREATE TABLE more (id INTEGER) STRICT;")

    private func open(_ fixture: BoxFixture, _ migrations: Migrations) throws {
        _ = try VaultFile(
            path: fixture.scratch.vault, role: .box, source: .keyFile, clock: fixture.clock, migrations: migrations)
    }

    /// Leaves the files as after a crash, with a write-ahead log that was not written back.
    private func copyAsAfterCrash(_ fixture: BoxFixture, _ body: (BoxVault) async throws -> Void) async throws {
        var files: [String: [UInt8]] = [:]
        do {
            let vault = try fixture.open()
            try await body(vault)
            files = fixture.scratch.files()
        }
        for (name, bytes) in files { try fixture.scratch.write(bytes, to: fixture.scratch.vault + "/" + name) }
    }

    @Test("A later program's migrations are applied once, each recorded with its hash")
    func migrates() async throws {
        let fixture = try BoxFixture()
        do { _ = try fixture.open() }
        var migrations = Migrations()
        migrations.all.append(Self.later)
        try open(fixture, migrations)
        try open(fixture, migrations)
        let database = try Database(path: fixture.scratch.database, hasLog: false)
        let rows = try database.rows("SELECT number, name, hash FROM migrations ORDER BY number") {
            ($0.integer(0), $0.bytes(1), $0.bytes(2))
        }
        #expect(rows.map(\.0) == Array(1...Int64(Self.known + 1)))
        #expect(rows.last?.1 == Array("9999_more.sql".utf8))
        #expect(rows.last?.2 == SHA256.hash(Array("CREATE TABLE more (id INTEGER) STRICT;".utf8)))
    }

    @Test("A newer schema is refused, and every file stays byte for byte what it was", arguments: [false, true])
    func newerSchema(withLog: Bool) async throws {
        let fixture = try BoxFixture()
        var migrations = Migrations()
        migrations.all.append(Self.later)
        do { try open(fixture, migrations) }
        if withLog {
            // The newer program crashed and left a write-ahead log.
            var files: [String: [UInt8]] = [:]
            do {
                let file = try VaultFile(
                    path: fixture.scratch.vault, role: .box, source: .keyFile, clock: fixture.clock,
                    migrations: migrations)
                try file.database.run("INSERT INTO more (id) VALUES (1)")
                files = fixture.scratch.files()
            }
            for (name, bytes) in files { try fixture.scratch.write(bytes, to: fixture.scratch.vault + "/" + name) }
        }
        let before = fixture.scratch.files()
        #expect((before["vault.sqlite3-wal"] ?? []).isEmpty != withLog)
        #expect(await failure { _ = try fixture.open() } == .newerSchema(found: Self.known + 1, known: Self.known))
        #expect(fixture.scratch.files() == before)
    }

    @Test("A migration that reads differently than when it was applied is refused, and nothing is touched")
    func changedMigration() async throws {
        let fixture = try BoxFixture()
        do { _ = try fixture.open() }
        let before = fixture.scratch.files()
        var migrations = Migrations()
        migrations.all[0] = EmbeddedMigration(
            name: "0001_vault.sql", sql: "CREATE TABLE other (id INTEGER) STRICT;")
        let error = await failure { try open(fixture, migrations) }
        #expect(error == .changedMigration(name: "0001_vault.sql"))
        #expect(fixture.scratch.files() == before)
    }

    @Test("A migration that fails leaves the schema before it, whole")
    func failingMigration() async throws {
        let fixture = try BoxFixture()
        do { _ = try fixture.open() }
        var migrations = Migrations()
        migrations.all.append(
            EmbeddedMigration(name: "9999_bad.sql", sql: "CREATE TABLE good (id INTEGER) STRICT; CREATE TABLE bad ("))
        #expect(await failure { try open(fixture, migrations) } != nil)
        #expect(await failure { _ = try fixture.open() } == nil)
        let database = try Database(path: fixture.scratch.database, hasLog: false)
        #expect(try database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'good'") == 0)
    }

    @Test("Another program's database is refused and stays byte for byte what it was")
    func otherProgram() async throws {
        let fixture = try BoxFixture()
        do { _ = try fixture.open() }
        unlink(fixture.scratch.database)
        try fixture.scratch.write([], to: fixture.scratch.database)
        do {
            let database = try Database(path: fixture.scratch.database, hasLog: false)
            try database.execute("CREATE TABLE bookmarks (url TEXT)")
        }
        let before = fixture.scratch.files()
        let expected = VaultError.unusable(
            path: fixture.scratch.database, reason: "it is a database of another program")
        #expect(await failure { _ = try fixture.open() } == expected)
        #expect(fixture.scratch.files() == before)
    }

    @Test("A damaged database is set aside whole, with its log, and named; the next start makes a new one")
    func damaged() async throws {
        let fixture = try BoxFixture()
        try await copyAsAfterCrash(fixture) { _ = try await fixture.enrol($0) }
        var bytes = Scratch.read(fixture.scratch.database)
        for index in bytes.indices.dropFirst(100) { bytes[index] ^= 0x5A }
        try fixture.scratch.write(bytes, to: fixture.scratch.database)
        let log = Scratch.read(fixture.scratch.database + "-wal")
        // The write-ahead log still has most pages intact, and would hide the damage, so the test cuts it as well.
        try fixture.scratch.write(Array(log.prefix(64)), to: fixture.scratch.database + "-wal")
        let kept = fixture.scratch.database + ".damaged-1790000000"
        let error = await failure { _ = try fixture.open() }
        #expect(error == .damaged(keptAs: kept))
        #expect(error?.description.contains(kept) == true)
        #expect(Scratch.read(kept) == bytes)
        #expect(Scratch.read(kept + "-wal") == Array(log.prefix(64)))
        #expect(!FileCheck.exists(fixture.scratch.database))
        let vault = try fixture.open()
        #expect(try await vault.devices().isEmpty)
    }

    @Test("A second damaged database in the same second does not overwrite the first")
    func neverOverwritten() async throws {
        let fixture = try BoxFixture()
        do { _ = try fixture.open() }
        let kept = fixture.scratch.database + ".damaged-1790000000"
        for (round, suffix) in ["", "-1", "-2"].enumerated() {
            let garbage = [UInt8](repeating: UInt8(round + 1), count: 5_000)
            try fixture.scratch.write(garbage, to: fixture.scratch.database)
            #expect(await failure { _ = try fixture.open() } == .damaged(keptAs: kept + suffix))
        }
        #expect(["", "-1", "-2"].map { Scratch.read(kept + $0).first } == [1, 2, 3])
    }

    @Test("A log whose database is gone is set aside, not thrown away")
    func orphanedLog() async throws {
        let fixture = try BoxFixture()
        try await copyAsAfterCrash(fixture) { _ = try await fixture.enrol($0) }
        let log = Scratch.read(fixture.scratch.database + "-wal")
        #expect(!log.isEmpty)
        unlink(fixture.scratch.database)
        let kept = fixture.scratch.database + ".damaged-1790000000"
        #expect(await failure { _ = try fixture.open() } == .damaged(keptAs: kept))
        #expect(Scratch.read(kept + "-wal") == log)
    }

    @Test("What was committed before a crash is there after it, from the log")
    func recovers() async throws {
        let fixture = try BoxFixture()
        try await copyAsAfterCrash(fixture) { _ = try await fixture.enrol($0, 7) }
        let vault = try fixture.open()
        #expect(try await vault.devices().map(\.publicKey) == [[UInt8](repeating: 7, count: 32)])
    }

    @Test("A full disk is named, nothing that was acknowledged is lost, and room mends it")
    func fullDisk() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        // A limit of a few more pages acts like a full disk.
        let pages = try await vault.onDatabase { database in
            try database.execute("PRAGMA max_page_count = 64")
            return try database.integer("PRAGMA page_count")
        }
        #expect(try #require(pages) < 60)
        var enrolled = 1
        var error: VaultError?
        while error == nil, enrolled < 10_000 {
            let seed = enrolled
            error = await failure {
                _ = try await vault.enrol(
                    publicKey: (0..<32).map { UInt8(truncatingIfNeeded: seed >> $0) }.reversed(),
                    user: Array("user\(seed)".utf8), label: [UInt8](repeating: 65, count: 64), mode: .phoneHeld)
            }
            if error == nil { enrolled += 1 }
        }
        #expect(error == .diskFull)
        #expect(try await vault.devices().count == enrolled)
        // A try changes an existing row, which needs no new page.
        #expect(try await fixture.open(vault, device).words == "opened correct horse battery staple")
        try await vault.onDatabase { try $0.execute("PRAGMA max_page_count = 100000") }
        _ = try await fixture.enrol(vault, 99)
        #expect(try await vault.devices().count == enrolled + 1)
    }

    @Test("An error inside a transaction undoes all of it")
    func rollback() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let error = await failure {
            try await vault.onDatabase { database in
                try database.transaction { () throws(VaultError) in
                    try database.run("INSERT INTO settings (name, value) VALUES ('x', x'01')")
                    throw VaultError.busy
                }
            }
        }
        #expect(error == .busy)
        let count = try await vault.onDatabase { try $0.integer("SELECT count(*) FROM settings WHERE name = 'x'") }
        #expect(count == 0)
    }

    @Test("Every error says what is wrong and what to do next, in one line")
    func descriptions() {
        let errors: [VaultError] = [
            .wrongPermissions(path: "/p", reason: "q", cure: "chmod 600 '/p'"), .unusable(path: "/p", reason: "r"),
            .locked(path: "/p"), .newerSchema(found: 2, known: 1), .changedMigration(name: "0001"),
            .damaged(keptAs: "/p"), .readOnly(path: "/p"), .diskFull, .wrongKey(what: "w"), .outOfMemory,
            .notFound(what: "device"), .alreadyEnrolled, .busy, .cancelled, .invalid(what: "w"), .database(code: 1),
        ]
        for error in errors { #expect(!error.description.isEmpty && !error.description.contains("\n")) }
        #expect(Set(errors.map(\.description)).count == errors.count)
    }
}
