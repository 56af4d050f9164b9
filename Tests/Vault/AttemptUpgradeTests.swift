import Secrets
import Testing
import VaultPort

@testable import Vault

/// Uses databases with the limit of ten in their schema.
@Suite("Tries of a database from before the limit could be set")
struct AttemptUpgradeTests {
    /// The migrations before the one that removed the limit from the schema.
    private static var earlier: Migrations {
        var migrations = Migrations()
        migrations.all = migrations.all.filter { "\($0.name)" < "0007" }
        return migrations
    }

    private static let columns: StaticString = """
        SELECT id, device, salt, wrapped_key, sealed, stale, attempts FROM credentials ORDER BY device
        """

    private struct Row: Equatable {
        var parts: [[UInt8]]
        var stale: Int64
        var attempts: Int64

        init(_ row: borrowing Statement) {
            parts = (0..<5).map { row.bytes($0) }
            stale = row.integer(5)
            attempts = row.integer(6)
        }
    }

    /// Creates a database as the earlier program left it, with one device and one credential. Returns that credential.
    private func earlierVault(_ fixture: BoxFixture, attempts: Int64, wasWiped: Bool = false) throws -> Row {
        let file = try VaultFile(
            path: fixture.scratch.vault, role: .box, source: .keyFile, clock: fixture.clock, migrations: Self.earlier)
        let device = [UInt8](repeating: 7, count: 16)
        try file.database.run(
            """
            INSERT INTO devices (id, public_key, user, label, mode, state, enrolled_at) VALUES (?, ?, ?, ?, 1, 1, 0)
            """, .blob(device), .blob([UInt8](repeating: 1, count: 32)), .blob(Array("ada".utf8)), .blob([]))
        try file.database.run(
            """
            INSERT INTO credentials (id, device, salt, memory_kib, passes, wrapped_key, sealed, attempts, lockout_boot,
                lockout_until, stale)
            VALUES (?, ?, ?, 32768, 3, ?, ?, ?, ?, 5, 1)
            """, .blob([UInt8](repeating: 8, count: 16)), .blob(device), .blob([UInt8](repeating: 9, count: 16)),
            .optional(wasWiped ? nil : [UInt8](repeating: 10, count: 72)), .blob([UInt8](repeating: 11, count: 553)),
            .integer(attempts), .blob([UInt8](repeating: 12, count: 36)))
        return try #require(try file.database.first(Self.columns) { Row($0) })
    }

    @Test("Nothing of a credential is lost, and its tries stay used", arguments: Array<Int64>(0...9))
    func kept(attempts: Int64) async throws {
        let fixture = try BoxFixture()
        let before = try earlierVault(fixture, attempts: attempts)
        let vault = try fixture.open()
        #expect(try await vault.onDatabase { try $0.rows(Self.columns) { Row($0) } } == [before])
        let device = try #require(try await vault.devices().first?.id)
        let state = try await vault.credentialState(device)
        #expect(state == CredentialState(attemptsLeft: UInt8(10 - attempts), stale: true))
        let row = try #require(
            try await vault.onDatabase { try CredentialRow.read($0, device: device).map { $0.attempts } })
        #expect(row.lockedUntil?.boot == [UInt8](repeating: 12, count: 36) && row.lockedUntil?.nanoseconds == 5)
    }

    @Test("A tenth try that a crash left is wiped, and so is what was half wiped", arguments: [false, true])
    func finished(wasWiped: Bool) async throws {
        let fixture = try BoxFixture()
        _ = try earlierVault(fixture, attempts: wasWiped ? 3 : 10, wasWiped: wasWiped)
        let vault = try fixture.open()
        let device = try #require(try await vault.devices().first?.id)
        #expect(try await vault.credentialState(device) == nil)
        let entries = try await vault.auditEntries(after: 0, limit: 10)
        #expect(entries.map(\.detail) == (wasWiped ? [] : [Array("10 tries were spent".utf8)]))
    }

    @Test("A phone's own PIN stays as it was, with its tries", arguments: [Int64(0), 9, 10])
    func phone(attempts: Int64) async throws {
        let fixture = try PhoneFixture()
        do {
            let file = try VaultFile(
                path: fixture.scratch.vault, role: .phone, source: .keyFile, clock: fixture.clock,
                migrations: Self.earlier)
            try file.database.run(
                """
                INSERT INTO phone_lock (id, has_pin, salt, memory_kib, passes, wrapped_key, attempts)
                VALUES (1, 1, ?, 32768, 3, ?, ?)
                """, .blob([UInt8](repeating: 9, count: 16)), .blob([UInt8](repeating: 10, count: 72)),
                .integer(attempts))
        }
        let vault = try fixture.open()
        #expect(try await vault.attemptsLeft() == (attempts == 10 ? nil : UInt8(10 - attempts)))
        let wrapped = try await vault.onDatabase { try $0.first("SELECT wrapped_key FROM phone_lock") { $0.bytes(0) } }
        #expect(wrapped == (attempts == 10 ? nil : [UInt8](repeating: 10, count: 72)))
    }
}
