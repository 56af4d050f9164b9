import AuditLog
import Names
import Secrets
import Testing
import VaultPort

@testable import Vault

@Suite("The audit log")
struct AuditTests {
    /// Returns a vault with entries 1 to 5.
    private func logged() async throws -> (BoxFixture, BoxVault, [AuditHead]) {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        var heads: [AuditHead] = []
        for number in 1...5 {
            fixture.clock.advance(seconds: 1)
            heads.append(
                try await vault.append(
                    AuditEvent(
                        kind: .pinWrong, user: Array("ada".utf8), device: number == 3 ? nil : DeviceID(),
                        actor: .person(uid: 0, login: Array("root".utf8)), detail: Array("entry \(number)".utf8))))
        }
        return (fixture, vault, heads)
    }

    /// Changes the database like an attacker with access to the file, whom triggers do not stop.
    private func tamper(_ vault: BoxVault, _ sql: StaticString) async throws {
        try await vault.onDatabase { database in
            try database.execute("DROP TRIGGER audit_is_append_only_update")
            try database.execute("DROP TRIGGER audit_is_append_only_delete")
            try database.execute(sql)
        }
    }

    @Test("Entries come back in order, in pages, and hold together, also after a restart")
    func intact() async throws {
        let fixture = try BoxFixture()
        do {
            let vault = try fixture.open()
            #expect(try await vault.verifyAudit() == .intact(entries: 0, first: 1))
            for kind in AuditEvent.Kind.allCases {
                _ = try await vault.append(AuditEvent(kind: kind, user: nil, device: nil, actor: .agent))
            }
        }
        let vault = try fixture.open()
        let count = UInt64(AuditEvent.Kind.allCases.count)
        #expect(try await vault.verifyAudit() == .intact(entries: count, first: 1))
        #expect(try await vault.auditHead().number == count)
        let page = try await vault.auditEntries(after: 2, limit: 3)
        #expect(page.map(\.number) == [3, 4, 5])
        #expect(page.map(\.event) == AuditEvent.Kind.allCases[2..<5].map { Array($0.rawValue.utf8) })
    }

    @Test("The log cannot be changed through the vault's own connection")
    func appendOnly() async throws {
        let (_, vault, _) = try await logged()
        for sql: StaticString in ["UPDATE audit SET at = 1", "DELETE FROM audit WHERE number = 5"] {
            #expect(await failure { try await vault.onDatabase { try $0.execute(sql) } } != nil)
        }
        #expect(try await vault.verifyAudit() == .intact(entries: 5, first: 1))
    }

    @Test(
        "Whatever is changed, removed, reordered or cut off shows, and where",
        arguments: [
            ("UPDATE audit SET at = at + 1 WHERE number = 2" as StaticString, UInt64(2)),
            ("UPDATE audit SET event = CAST('login-correct' AS BLOB) WHERE number = 4", 4),
            ("UPDATE audit SET user = CAST('bob' AS BLOB) WHERE number = 1", 1),
            ("UPDATE audit SET user = NULL WHERE number = 5", 5),
            ("UPDATE audit SET device = zeroblob(16) WHERE number = 3", 3),
            ("UPDATE audit SET detail = x'' WHERE number = 5", 5),
            ("UPDATE audit SET actor_uid = 1000 WHERE number = 2", 2),
            ("UPDATE audit SET actor_name = CAST('eve' AS BLOB) WHERE number = 2", 2),
            ("UPDATE audit SET actor_place = CAST('tty1' AS BLOB) WHERE number = 2", 2),
            ("UPDATE audit SET actor = 1 WHERE number = 2", 2),
            ("UPDATE audit SET actor = NULL, actor_name = NULL, actor_uid = NULL WHERE number = 2", 2),
            ("UPDATE audit SET hash = zeroblob(32) WHERE number = 1", 1),
            ("DELETE FROM audit WHERE number = 1", 1),
            ("DELETE FROM audit WHERE number = 3", 3),
            ("DELETE FROM audit WHERE number = 5", 5),
            ("DELETE FROM audit WHERE number > 2", 3),
            ("DELETE FROM audit", 1),
            ("DELETE FROM audit WHERE number = 3; UPDATE audit SET number = number - 1 WHERE number > 3", 3),
            (
                """
                UPDATE audit SET number = 9 WHERE number = 2; UPDATE audit SET number = 2 WHERE number = 4;
                UPDATE audit SET number = 4 WHERE number = 9
                """, 2
            ),
            ("DELETE FROM settings WHERE name = 'audit-head'", 6),
            ("UPDATE settings SET value = zeroblob(80) WHERE name = 'audit-head'", 6),
        ])
    func tampered(sql: StaticString, place: UInt64) async throws {
        let (_, vault, _) = try await logged()
        try await tamper(vault, sql)
        #expect(try await vault.verifyAudit() == .broken(at: place))
    }

    @Test("A head from the journal finds out a whole older file, and a chain made anew")
    func journal() async throws {
        let (_, vault, heads) = try await logged()
        for head in heads { #expect(try await vault.verifyAudit(journalled: head) == .intact(entries: 5, first: 1)) }
        let later = AuditHead(number: 6, hash: [UInt8](repeating: 1, count: 32))
        #expect(try await vault.verifyAudit(journalled: later) == .broken(at: 6))
        let other = AuditHead(number: 2, hash: [UInt8](repeating: 1, count: 32))
        #expect(try await vault.verifyAudit(journalled: other) == .broken(at: 2))
    }

    @Test("A head is shown as 64 hexadecimal digits")
    func hex() {
        let hash = [0x00, 0x0F, 0xA0, 0xFF] + [UInt8](repeating: 0x12, count: 28)
        let text = AuditHead(number: 1, hash: hash).hex
        #expect(text.hasPrefix("000fa0ff1212") && text.utf8.count == 64)
    }

    @Test("A detail that is too long is cut")
    func bounded() {
        let event = AuditEvent(
            kind: .pinWrong, user: nil, device: nil, actor: .agent, detail: [UInt8](repeating: 65, count: 1_000))
        #expect(event.detail.count == 255)
    }
}
