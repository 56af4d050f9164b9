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

/// Returns the rows of a table with `count` entries.
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

/// `#expect` cannot call a mutating method.
private func hears(_ witness: inout AuditWitness, _ head: AuditHead) -> SiteAuditWalk? { witness.hears(head) }

private func says(_ witness: inout AuditWitness, _ head: AuditHead) -> Bool { witness.says(head) }

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
        // The whole table was rewritten, which only a witness of the old table notices.
        #expect(walk(rows, remembered: AuditHead(number: 3, hash: [UInt8](repeating: 1, count: 32))) == .replaced(3))
        #expect(
            walk(Array(rows.prefix(2)), remembered: AuditHead(number: 3, hash: rows[2].hash))
                == .cut(after: 2, newest: 3))
    }

    @Test("A table that grows is followed, and one that was written anew with more entries than before is noticed")
    func witnesses() throws {
        let rows = try table(5)
        func head(_ number: Int) -> AuditHead { AuditHead(number: UInt64(number), hash: rows[number - 1].hash) }
        var witness = AuditWitness()
        #expect(hears(&witness, head(2)) == nil && witness.seen == head(2))
        #expect(hears(&witness, head(2)) == nil && witness.fault == nil)
        var walk = try #require(hears(&witness, head(4)))
        for row in rows[2..<4] { try walk.take(row.entry, hash: row.hash) }
        try walk.finish(newest: head(4))
        witness.followed(from: head(2), to: walk.head)
        #expect(witness.seen == head(4) && witness.fault == nil)
        // A slower walk from the same start changes nothing.
        witness.followed(from: head(2), to: head(3))
        witness.lost(from: head(2), .changed(3))
        #expect(witness.seen == head(4) && witness.fault == nil)
        // The table was rewritten with one more entry, which does not follow from the known fourth entry.
        var forged = AuditHead.start
        for number in 1...4 { forged = try #require(forged.next(entry(UInt64(number), detail: "nothing").chained)) }
        let last = try #require(forged.next(rows[4].entry.chained))
        walk = try #require(hears(&witness, last))
        do throws(SiteAuditWalk.Fault) {
            try walk.take(rows[4].entry, hash: last.hash)
            Issue.record("a forged end was followed")
        } catch {
            witness.lost(from: head(4), error)
        }
        #expect(witness.fault == .changed(5) && witness.seen == head(4))
        // The fault is permanent.
        #expect(hears(&witness, head(5)) == nil && witness.fault == .changed(5))
    }

    @Test("A table that ends earlier, or elsewhere with the same number, is noticed; each end is said once")
    func witnessOfBackups() throws {
        let rows = try table(5)
        func head(_ number: Int) -> AuditHead { AuditHead(number: UInt64(number), hash: rows[number - 1].hash) }
        var cut = AuditWitness()
        _ = hears(&cut, head(4))
        #expect(hears(&cut, head(3)) == nil && cut.fault == .cut(after: 3, newest: 4))
        var lacking = AuditWitness()
        _ = hears(&lacking, head(4))
        #expect(hears(&lacking, .start) == nil && lacking.fault == .cut(after: 0, newest: 4))
        var other = AuditWitness()
        _ = hears(&other, head(4))
        #expect(hears(&other, AuditHead(number: 4, hash: rows[0].hash)) == nil && other.fault == .replaced(4))
        #expect([4, 4, 5].map { says(&other, head($0)) } == [true, false, true])
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
        // No hash covers names, but a line of names must follow its entry, once, and in one form.
        for line in [
            "names 1 actor=anna", "names 2 actor=anna subject=x", "names 1", "names 1 subject=x actor=y",
            "names 01 actor=x", "names 1 actor=a b", "names 1 actor=a%61", "names 1 actor=x actor=x", "names 1 name=x",
        ] {
            let expected: SiteAuditExportCheck.Fault? = line == "names 1 actor=anna" ? nil : .unreadable(line: 3)
            #expect(check(bytes[..<2] + [Array(line.utf8)] + bytes[3...]) == expected, "\(line)")
        }
        #expect(check(bytes[..<3] + [bytes[2]] + bytes[3...]) == .unreadable(line: 4))
        #expect(check(bytes[..<1] + [bytes[2]] + bytes[1...]) == .unreadable(line: 2))
        #expect(check([[UInt8](repeating: 0x61, count: SiteAuditExport.lineBytes + 1)]) == .unreadable(line: 1))
    }
}
