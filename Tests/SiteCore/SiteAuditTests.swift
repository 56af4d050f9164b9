import AuditLog
import Testing

@testable import SiteCore

private func entry(
    _ number: UInt64, _ event: String = "phone revoke", detail: String = "lost on the bus", actorName: String? = "anna",
    subject: String = "phone 4f3k", subjectName: String? = "Bert | <b>"
) -> SiteAuditEntry {
    SiteAuditEntry(
        number: number, unixSeconds: 1_763_707_212 + Int64(number), event: event, actor: "administrator 3, page",
        subject: subject, detail: detail, actorName: actorName, subjectName: subjectName)
}

/// Entries as a table has them, with their hashes.
private func table(_ count: UInt64) throws -> [(entry: SiteAuditEntry, hash: [UInt8])] {
    var head = AuditHead.start
    return try (1...count).map { number in
        let it = entry(number)
        head = try #require(head.next(it.chained))
        return (it, head.hash)
    }
}

private func walk(
    _ rows: [(entry: SiteAuditEntry, hash: [UInt8])], newest: AuditHead? = nil, remembered: AuditHead? = nil
) -> SiteAuditWalk.Fault? {
    var walk = SiteAuditWalk(remembered: remembered)
    do throws(SiteAuditWalk.Fault) {
        for row in rows { try walk.take(row.entry, hash: row.hash) }
        try walk.finish(newest: newest ?? walk.head)
        return nil
    } catch {
        return error
    }
}

@Suite("The audit table of a site")
struct SiteAuditTests {
    @Test("A changed, missing or moved row is found, and a name that was forgotten is none")
    func faults() throws {
        let rows = try table(5)
        let newest = AuditHead(number: 5, hash: rows[4].hash)
        #expect(walk(rows, newest: newest, remembered: AuditHead(number: 3, hash: rows[2].hash)) == nil)
        #expect(walk(rows.map { (entry($0.entry.number, actorName: nil, subjectName: nil), $0.hash) }) == nil)
        for change in [entry(3, "box remove"), entry(3, detail: "stolen"), entry(3, subject: "phone 9")] {
            var changed = rows
            changed[2].entry = change
            #expect(walk(changed) == .changed(3))
        }
        var moved = rows
        moved[1] = (entry(2, detail: "x"), rows[2].hash)
        #expect(walk(moved) == .changed(2))
        moved = rows
        moved.swapAt(1, 2)
        #expect(walk(moved) == .gap(after: 1))
        var short = rows
        short.remove(at: 3)
        #expect(walk(short) == .gap(after: 3))
        #expect(walk(Array(rows.dropFirst())) == .gap(after: 0))
        #expect(walk(Array(rows.dropLast()), newest: newest) == .cut(after: 4, newest: 5))
        #expect(walk([], newest: newest) == .cut(after: 0, newest: 5))
        // All of it written anew: only who has seen the old one notices.
        #expect(walk(rows, remembered: AuditHead(number: 3, hash: [UInt8](repeating: 1, count: 32))) == .replaced(3))
        #expect(
            walk(Array(rows.prefix(2)), remembered: AuditHead(number: 3, hash: rows[2].hash))
                == .cut(after: 2, newest: 3))
    }

    @Test("An export is read back, and each byte of an entry that is changed is found")
    func exports() throws {
        var head = AuditHead.start
        var lines = [SiteAuditExport.title]
        for row in try table(3) {
            lines += SiteAuditExport.lines(row.entry)
            head = AuditHead(number: row.entry.number, hash: row.hash)
        }
        lines.append(SiteAuditExport.closing(head))
        func check(_ lines: [[UInt8]]) -> SiteAuditExportCheck.Fault? {
            var check = SiteAuditExportCheck()
            do throws(SiteAuditExportCheck.Fault) {
                for line in lines { try check.take(line) }
                _ = try check.finish()
                return nil
            } catch {
                return error
            }
        }
        let bytes = lines.map { Array($0.utf8) }
        #expect(check(bytes) == nil && lines.count == 8)
        #expect(lines[2] == "names 1 actor=anna subject=Bert%20%7c%20%3cb%3e")
        #expect(check(bytes.dropLast()) == .cutOff)
        #expect(check(bytes + [bytes[1]]) == .unreadable(line: 9))
        #expect(check(Array(bytes[...2] + bytes[5...])) != nil)
        for index in bytes[3].indices {
            var changed = bytes
            changed[3][index] ^= 1
            #expect(check(changed) != nil, "byte \(index)")
        }
        #expect(check([[UInt8](repeating: 0x61, count: SiteAuditExport.lineBytes + 1)]) == .unreadable(line: 1))
    }
}
