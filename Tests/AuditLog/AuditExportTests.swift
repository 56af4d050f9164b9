import Names
import Secrets
import TestSupport
import Testing

@testable import AuditLog

@Suite("The text of an exported audit log")
struct AuditExportTests {
    static let box = [UInt8](repeating: 0xB0, count: 32)

    /// Entries of every form: each actor, names that are not text, and the first format.
    static let entries: [AuditEntry] = {
        let device = (0..<16).map { UInt8($0 * 17) }
        let actors: [AuditActor?] = [
            nil, .agent, .phone(DeviceID(known: device)), .person(uid: 0, login: Array("anna".utf8)),
            .person(uid: .max, login: nil),
            .program(service: Array("login".utf8), terminal: Array("tty1".utf8)),
            .program(service: Array("a b=%\u{1B}[31m\n".utf8), terminal: [0xFF, 0x00, 0x20]),
        ]
        return actors.enumerated().map { index, actor in
            AuditEntry(
                number: UInt64(index + 1), unixSeconds: 1_790_000_000 - Int64(index),
                event: Array("login-correct".utf8),
                user: index % 3 == 0 ? nil : Array("Zoë = 100%".utf8), device: index % 2 == 0 ? device : nil,
                detail: index % 2 == 0 ? [] : Array("three tries, left".utf8), actor: actor)
        }
    }()

    /// Returns an export of `entries` in segments of `size`.
    static func export(_ entries: [AuditEntry] = entries, size: Int = 3) throws -> [String] {
        let authority = try Ed25519KeyPair(seed: SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
        var lines = AuditExport.opening(authority: authority.publicKey, box: box)
        var last = AuditHead(number: entries[0].number - 1, hash: AuditHead.start.hash)
        var count: UInt64 = 0
        for start in stride(from: 0, to: entries.count, by: size) {
            let part = entries[start..<min(start + size, entries.count)]
            var walk = AuditWalk(after: last)
            for entry in part where !walk.take(entry) { Issue.record("entry \(entry.number) is not the next one") }
            count += 1
            let signed = walk.sign(number: count, box: box, authority: authority)
            let segment = try #require(signed)
            lines.append(AuditExport.opening(of: segment))
            lines += part.map { AuditExport.line($0) }
            lines.append(AuditExport.closing(of: segment))
            last = walk.head
        }
        return lines + [AuditExport.closing(segments: count)]
    }

    static func check(
        _ lines: [[UInt8]], after before: AuditExportCheck = AuditExportCheck()
    ) throws(AuditExportFault) -> AuditExportSummary {
        var check = before
        for line in lines { try check.take(line) }
        return try check.finish()
    }

    static func check(_ lines: [String]) throws(AuditExportFault) -> AuditExportSummary {
        try check(lines.map { Array($0.utf8) })
    }

    @Test("Every entry comes back from its line, and the whole holds together")
    func roundTrip() throws {
        for entry in Self.entries {
            let line = AuditExport.line(entry)
            #expect(line.utf8.allSatisfy { (0x21...0x7E).contains($0) || $0 == 0x20 })
            #expect(AuditExport.entry(Array(line.utf8)) == entry)
        }
        let summary = try Self.check(try Self.export())
        #expect(summary.entries == 7 && summary.segments == 3 && summary.box == Self.box)
        #expect(summary.base == .start && summary.head.number == 7)
    }

    @Test("The form is the one that docs/reference/audit.md shows")
    func form() {
        #expect(
            AuditExport.line(Self.entries[3])
                == "entry 4 1789999997 login-correct detail=three%20tries,%20left actor=person name=anna uid=0")
        #expect(AuditExport.line(Self.entries[0]).hasSuffix("login-correct device=008j4ct4ank7f24snaxwsqfezw"))
    }

    @Test("A file that lost its end is told from one that was changed")
    func cutOff() throws {
        let lines = try Self.export()
        for count in 0..<lines.count {
            #expect(throws: AuditExportFault.cutOff) { try Self.check(Array(lines.prefix(count))) }
        }
        #expect(throws: AuditExportFault.self) { try Self.check(lines + [""]) }
    }

    @Test("No line can be left out, doubled or put elsewhere")
    func order() throws {
        let lines = try Self.export()
        for index in lines.indices {
            var fewer = lines
            fewer.remove(at: index)
            #expect(throws: AuditExportFault.self) { try Self.check(fewer) }
            #expect(throws: AuditExportFault.self) { try Self.check(Array(lines[...index]) + lines[index...]) }
            guard index + 1 < lines.count else { continue }
            var other = lines
            other.swapAt(index, index + 1)
            #expect(throws: AuditExportFault.self) { try Self.check(other) }
        }
    }

    @Test("No byte of any line can be changed")
    func everyByte() throws {
        let lines = try Self.export().map { Array($0.utf8) }
        var before = AuditExportCheck()
        for (index, line) in lines.enumerated() {
            for position in line.indices {
                for change: UInt8 in [0x01, 0x20, 0x80] {
                    var other = line
                    other[position] ^= change
                    let rest = [other] + lines[(index + 1)...]
                    #expect(throws: AuditExportFault.self, "line \(index + 1), byte \(position)") {
                        try Self.check(rest, after: before)
                    }
                }
            }
            try before.take(line)
        }
    }

    @Test("Segments of another box, or signed by another authority, are not joined")
    func others() throws {
        var lines = try Self.export()
        lines[1] = AuditExport.opening(authority: Self.box, box: Self.box)[1]
        #expect(throws: AuditExportFault.broken(line: 8)) { try Self.check(lines) }
        lines = try Self.export()
        lines[2] = "box " + String(repeating: "11", count: 32)
        #expect(throws: AuditExportFault.broken(line: 8)) { try Self.check(lines) }
    }

    @Test("Bytes that nobody wrote are refused, whatever they are", arguments: seeds)
    func rubbish(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let lines = try Self.export().map { Array($0.utf8) }
        var before = [AuditExportCheck()]
        for line in lines {
            var next = before[before.count - 1]
            try next.take(line)
            before.append(next)
        }
        for _ in 0..<2_000 {
            let index = Int.random(in: 0..<lines.count, using: &numbers)
            let length = Int.random(in: 0...200, using: &numbers)
            let other = (0..<length).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            let rest = [other] + lines[(index + 1)...]
            #expect(throws: AuditExportFault.self, "seed \(seed)") { try Self.check(rest, after: before[index]) }
        }
        #expect(throws: AuditExportFault.unreadable(line: 1)) {
            try Self.check([[UInt8](repeating: 0x61, count: AuditExport.lineBytes + 1)])
        }
    }

    @Test("The longest entry fits a line")
    func longest() {
        let full = [UInt8](repeating: 0xFF, count: 255)
        let entry = AuditEntry(
            number: .max, unixSeconds: .min, event: [UInt8](repeating: 0xFF, count: 64), user: full,
            device: [UInt8](repeating: 0xFF, count: 16), detail: full,
            actor: AuditActor(kind: .person, name: full, place: full, uid: .max))
        let line = Array(AuditExport.line(entry).utf8)
        #expect(line.count < AuditExport.lineBytes)
        #expect(AuditExport.entry(line) == entry)
    }
}
