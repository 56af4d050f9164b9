import AuditLog
import Glibc
import Names
import Secrets
import Testing
import VaultPort

@testable import Vault

/// Uses segments of two entries each, so a few entries make several segments.
@Suite("Segments of the audit log")
struct AuditSegmentTests {
    static let limits = AuditSegmentLimits(entries: 2, seconds: 86_400)

    /// Returns a vault with `count` entries, a second apart.
    static func logged(_ count: Int, _ fixture: BoxFixture) async throws -> BoxVault {
        let vault = try fixture.open()
        await vault.setSegmentLimits(limits)
        for number in 1...count {
            fixture.clock.advance(seconds: 1)
            try await vault.append(
                AuditEvent(
                    kind: .loginCorrect, user: Array("ada".utf8), device: DeviceID(),
                    actor: .program(service: Array("login".utf8), terminal: Array("tty1".utf8)),
                    detail: Array("entry \(number)".utf8)))
        }
        return vault
    }

    /// Returns the lines that `boxagent audit export` writes.
    static func export(_ vault: BoxVault) async throws -> [String] {
        try await vault.sealAudit()
        let signer = try await vault.auditSigner()
        var lines = AuditExport.opening(authority: signer.authority, box: signer.box)
        let segments = try await vault.auditSegments(after: 0, limit: 100)
        for segment in segments {
            lines.append(AuditExport.opening(of: segment))
            let entries = try await vault.auditEntries(
                after: segment.previous.number, limit: segment.lastEntry - segment.previous.number)
            lines += entries.map { AuditExport.line($0) }
            lines.append(AuditExport.closing(of: segment))
        }
        return lines + [AuditExport.closing(segments: UInt64(segments.count))]
    }

    static func check(_ lines: [String]) throws -> AuditExportSummary {
        var check = AuditExportCheck()
        for line in lines { try check.take(Array(line.utf8)) }
        return try check.finish()
    }

    @Test("Entries are closed to segments by their number, each with a head that the authority signed")
    func byNumber() async throws {
        let fixture = try BoxFixture()
        let vault = try await Self.logged(5, fixture)
        let segments = try await vault.auditSegments(after: 0, limit: 10)
        #expect(segments.map(\.firstEntry) == [1, 3] && segments.map(\.lastEntry) == [2, 4])
        let signer = try await vault.auditSigner()
        for segment in segments { #expect(segment.isSigned(by: signer.authority, box: signer.box)) }
        #expect(!segments[0].isSigned(by: signer.authority, box: [UInt8](repeating: 1, count: 32)))
        #expect(try await vault.verifyAudit() == .intact(entries: 5, first: 1))
    }

    @Test("An open segment is closed when its first entry is too old")
    func byTime() async throws {
        let fixture = try BoxFixture()
        let vault = try await Self.logged(1, fixture)
        #expect(try await vault.auditSegments(after: 0, limit: 10).isEmpty)
        fixture.clock.advance(seconds: 86_400)
        try await vault.append(AuditEvent(kind: .loginCorrect, user: nil, device: nil, actor: .agent))
        #expect(try await vault.auditSegments(after: 0, limit: 10).map(\.lastEntry) == [1])
    }

    @Test("What was dropped is gone, the rest holds together from its first segment's head, and the drop is an entry")
    func prune() async throws {
        let fixture = try BoxFixture()
        do {
            let vault = try await Self.logged(7, fixture)
            let head = try #require(await vault.auditSegments(after: 1, limit: 1).first).head
            let anna = AuditActor.person(uid: 0, login: Array("anna".utf8))
            #expect(try await vault.pruneAudit(through: 2, by: anna) == 4)
            #expect(try await vault.verifyAudit() == .intact(entries: 4, first: 5))
            let entries = try await vault.auditEntries(after: 0, limit: 10)
            #expect(entries.map(\.number) == [5, 6, 7, 8])
            #expect(entries.last?.event == Array("audit-pruned".utf8) && entries.last?.actor == anna)
            #expect(entries.last?.detail == Array("entries 1 to 4, head \(head.hex)".utf8))
            #expect(try await vault.auditSegments(after: 0, limit: 10).first?.previous == head)
        }
        let vault = try fixture.open()
        await vault.setSegmentLimits(Self.limits)
        #expect(try await vault.verifyAudit() == .intact(entries: 4, first: 5))
        // Prunes again, up to the end of all segments.
        try await vault.sealAudit()
        #expect(try await vault.pruneAudit(through: 4, by: .agent) == 4)
        #expect(try await vault.verifyAudit() == .intact(entries: 1, first: 9))
        #expect(!fixture.scratch.files().values.contains { $0.holds(Array("entry 3".utf8)) })
    }

    @Test("Only what was closed can be dropped, and nothing of a log that does not hold together")
    func prunePrecautions() async throws {
        let fixture = try BoxFixture()
        let vault = try await Self.logged(5, fixture)
        for number: UInt64 in [0, 3, .max] {
            let error = await failure { try await vault.pruneAudit(through: number, by: .agent) }
            #expect(error == .notFound(what: "segment of the audit log"))
        }
        for sql: StaticString in ["DELETE FROM audit WHERE number = 1", "DELETE FROM audit_segments"] {
            #expect(await failure { try await vault.onDatabase { try $0.execute(sql) } } != nil)
        }
        try await vault.onDatabase { database in
            try database.execute("DROP TRIGGER audit_is_append_only_update")
            try database.execute("UPDATE audit SET at = 1 WHERE number = 1")
        }
        guard case .invalid = await failure({ try await vault.pruneAudit(through: 1, by: .agent) }) else {
            Issue.record("a broken log was pruned")
            return
        }
        #expect(try await vault.auditEntries(after: 0, limit: 10).count == 5)
    }

    @Test(
        "Whoever drops the beginning, moves the base or changes a segment without the box secret is found out",
        arguments: [
            "DELETE FROM audit WHERE number <= 2; DELETE FROM audit_segments WHERE number = 1" as StaticString,
            """
            INSERT INTO audit_base (id, segment, entry, head, sealed)
            SELECT 1, number, to_entry, head, zeroblob(100) FROM audit_segments WHERE number = 1;
            DELETE FROM audit WHERE number <= 2; DELETE FROM audit_segments WHERE number = 1
            """,
            "UPDATE audit_segments SET signature = zeroblob(64) WHERE number = 2",
            "UPDATE audit_segments SET to_seconds = to_seconds + 1 WHERE number = 1",
            "DELETE FROM audit_segments WHERE number = 1",
            "UPDATE audit_segments SET number = 9 WHERE number = 2",
            """
            INSERT INTO audit_segments SELECT 3, 5, 9, from_seconds, to_seconds, previous, head, signature
            FROM audit_segments WHERE number = 2
            """,
        ])
    func tampered(sql: StaticString) async throws {
        let fixture = try BoxFixture()
        let vault = try await Self.logged(5, fixture)
        try await vault.onDatabase { database in
            for name: StaticString in [
                "DROP TRIGGER audit_is_append_only_delete", "DROP TRIGGER audit_segments_are_append_only_update",
                "DROP TRIGGER audit_segments_are_append_only_delete",
            ] { try database.execute(name) }
            try database.execute(sql)
        }
        guard case .broken = try await vault.verifyAudit() else {
            Issue.record("not found out")
            return
        }
    }

    @Test("What was changed before its segment is closed is not signed")
    func notSigned() async throws {
        let fixture = try BoxFixture()
        let vault = try await Self.logged(1, fixture)
        try await vault.onDatabase { database in
            try database.execute("DROP TRIGGER audit_is_append_only_update")
            try database.execute("UPDATE audit SET at = 1 WHERE number = 1")
        }
        try await vault.sealAudit()
        #expect(try await vault.auditSegments(after: 0, limit: 10).isEmpty)
        // The log accepts further entries, but is reported as broken.
        try await vault.append(AuditEvent(kind: .loginCorrect, user: nil, device: nil, actor: .agent))
        #expect(try await vault.verifyAudit() == .broken(at: 1))
    }

    @Test("An export of everything holds together, and two exports join where the first was dropped")
    func export() async throws {
        let fixture = try BoxFixture()
        let vault = try await Self.logged(5, fixture)
        let signer = try await vault.auditSigner()
        let first = try Self.check(try await Self.export(vault))
        #expect(first.authority == signer.authority && first.box == signer.box)
        #expect(first.entries == 5 && first.base == .start && first.segments == 3)
        try await vault.pruneAudit(through: 3, by: .agent)
        let second = try Self.check(try await Self.export(vault))
        #expect(second.base == first.head && second.entries == 1)
    }

    /// Starts with a database as the last program with the first format left it.
    @Test("A log of the first format is taken over: it stays verifiable, and can be closed, exported and dropped")
    func migrates() async throws {
        let fixture = try BoxFixture()
        var old = Migrations()
        old.all = old.all.filter { "\($0.name)".utf8.lexicographicallyPrecedes("0005".utf8) }
        do {
            let file = try VaultFile(
                path: fixture.scratch.vault, role: .box, source: .keyFile, clock: fixture.clock, migrations: old)
            let place = SealedColumn(table: "settings", column: "value", row: Array("audit-head".utf8))
            var last = AuditHead.start
            for number in 1...3 as ClosedRange<UInt64> {
                let entry = AuditEntry(
                    number: number, unixSeconds: 7, event: Array("login-correct".utf8), user: Array("ada".utf8),
                    device: nil, detail: [], actor: nil)
                last = try #require(last.next(entry))
                try file.database.run(
                    "INSERT INTO audit (number, at, event, user, device, detail, hash) VALUES (?, 7, ?, ?, NULL, ?, ?)",
                    .integer(Int64(number)), .blob(entry.event), .optional(entry.user), .blob([]), .blob(last.hash))
            }
            let sealed = try place.seal(SecretBytes(copying: last.bytes), key: file.sealingKey)
            try file.database.run("INSERT INTO settings (name, value) VALUES ('audit-head', ?)", .blob(sealed))
        }
        let vault = try await Self.logged(2, fixture)
        #expect(try await vault.verifyAudit() == .intact(entries: 5, first: 1))
        let entries = try await vault.auditEntries(after: 0, limit: 9)
        #expect(entries.map { $0.actor == nil } == [true, true, true, false, false])
        #expect(try Self.check(try await Self.export(vault)).entries == 5)
        // The age limit closed entry 3 in a separate segment.
        try await vault.pruneAudit(through: 2, by: .agent)
        #expect(try await vault.verifyAudit() == .intact(entries: 3, first: 4))
    }

    /// Computes the hash as the last program with the first format did.
    @Test("The first format's hash has not changed")
    func firstFormat() {
        let entry = AuditEntry(
            number: 1, unixSeconds: 2, event: Array("x".utf8), user: nil, device: nil, detail: [], actor: nil)
        var input = Array("boxagent/audit/1".utf8) + [UInt8](repeating: 0, count: 32)
        input += [0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 2]
        input += [1, 0, 0, 0, 0, 0, 0, 0, 1, 0x78] + [0] + [0] + [1, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(entry.hash(after: AuditHead.start.hash) == SHA256.hash(input))
    }

    @Test("Each new head is told to the journal, once it is durable: that of a wipe by ten wrong PINs as well")
    func journalled() async throws {
        let fixture = try BoxFixture()
        let heads = Guarded<[AuditHead]>([])
        let vault = try BoxVault(
            directory: fixture.scratch.vault, executor: Lane(), clock: fixture.clock, hasher: fixture.hasher
        ) { head, _ in heads { $0.append(head) } }
        let device = try await fixture.store(vault)
        try await fixture.spendWrong(10, vault, device)
        let entry = try #require(await vault.auditEntries(after: 0, limit: 10).last)
        #expect(entry.event == Array("credential-wiped".utf8) && entry.actor == .phone(device))
        #expect(entry.user == Array("ada".utf8))
        #expect(heads { $0.map(\.number) } == [1, 2, 3])
        for head in heads({ $0 }) {
            #expect(try await vault.verifyAudit(journalled: head) == .intact(entries: 3, first: 1))
        }
    }

    @Test("What is wiped is wiped once: no entry for the tries after it, nor for another wipe")
    func wipedOnce() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        try await fixture.spendWrong(10, vault, device)
        let before = try await vault.auditHead()
        let files = fixture.scratch.files()
        try await fixture.spendWrong(20, vault, device)
        #expect(fixture.scratch.files() == files)
        #expect(try await !vault.wipe(device))
        #expect(try await vault.auditHead() == before)
    }
}
