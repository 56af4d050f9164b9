import AuditLog

/// The text of a site's exported audit table: one item on each line, checked without server and database.
///
/// ```
/// boxsite-audit-export 1
/// entry 1 1763707212 init detail=site%20document%201 actor=person name=root
/// names 2 actor=anna subject=ward3-1
/// end 2 <hash of the last entry, 64 hexadecimal digits>
/// ```
/// An `entry` line has the format of a box's export (docs/reference/audit.md). A `names` line follows its entry, and no
/// hash covers it.
public enum SiteAuditExport {
    public static let title = "boxsite-audit-export 1"
    public static let lineBytes = AuditExport.lineBytes

    public static func lines(_ entry: SiteAuditEntry) -> [String] {
        let names = (entry.actorName.map { Array($0.utf8) }, entry.subjectName.map { Array($0.utf8) })
        let line = AuditExport.line(entry.chained)
        return names == (nil, nil) ? [line] : [line, namesLine(entry.number, names.0, names.1)]
    }

    private static func namesLine(_ number: UInt64, _ actor: [UInt8]?, _ subject: [UInt8]?) -> String {
        let names = [("actor", actor), ("subject", subject)].compactMap { word, name in
            name.map { "\(word)=\(AuditExport.escaped($0))" }
        }
        return (["names", "\(number)"] + names).joined(separator: " ")
    }

    /// Returns the number of the entry to which a line of names belongs, or nil if `lines` would not write that line.
    package static func entryNamed(_ line: [UInt8]) -> UInt64? {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard (3...4).contains(words.count), let number = UInt64(String(decoding: words[1], as: UTF8.self)) else {
            return nil
        }
        func name(_ word: String) -> [UInt8]? {
            words.dropFirst(2).first { $0.starts(with: (word + "=").utf8) }
                .flatMap { AuditExport.unescaped($0.dropFirst(word.utf8.count + 1)) }
        }
        let (actor, subject) = (name("actor"), name("subject"))
        guard [actor, subject].allSatisfy({ $0?.count ?? 0 <= SiteAuditEntry.nameBytes }),
            // Accepts only the text that `namesLine` writes for this content.
            namesLine(number, actor, subject).utf8.elementsEqual(line)
        else { return nil }
        return number
    }

    public static func closing(_ head: AuditHead) -> String { "end \(head.number) \(head.hex)" }
}

/// Reads an export line by line and checks its chain.
public struct SiteAuditExportCheck: Sendable {
    public enum Fault: Error, Sendable, Equatable {
        /// The line is not part of an export, or is out of place.
        case unreadable(line: UInt64)
        /// An entry is missing, or the hash in the last line does not match the entries.
        case broken(line: UInt64)
        /// The file ends before its last line.
        case cutOff
    }

    private enum Place { case title, entries, names, over }

    private var place = Place.title
    private var line: UInt64 = 0
    private var head = AuditHead.start

    public init() {}

    /// Takes one line, without its line break.
    public mutating func take(_ text: [UInt8]) throws(Fault) {
        line += 1
        guard text.count <= SiteAuditExport.lineBytes else { throw .unreadable(line: line) }
        switch place {
        case .title:
            guard text == Array(SiteAuditExport.title.utf8) else { throw .unreadable(line: line) }
            place = .entries
        case .entries, .names:
            if text.starts(with: Array("names ".utf8)) {
                // An entry is followed by at most one line of names.
                guard place == .entries, head.number > 0, SiteAuditExport.entryNamed(text) == head.number else {
                    throw .unreadable(line: line)
                }
                place = .names
                return
            }
            if text.starts(with: Array("end ".utf8)) {
                guard text == Array(SiteAuditExport.closing(head).utf8) else { throw .broken(line: line) }
                place = .over
                return
            }
            guard let entry = AuditExport.entry(text) else { throw .unreadable(line: line) }
            guard let next = head.next(entry) else { throw .broken(line: line) }
            head = next
            place = .entries
        case .over: throw .unreadable(line: line)
        }
    }

    /// Ends the check. Returns the file's newest entry, for comparison with a journal or a server.
    public func finish() throws(Fault) -> AuditHead {
        guard place == .over else { throw .cutOff }
        return head
    }
}
