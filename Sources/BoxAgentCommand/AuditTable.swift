import CommandTool
import ControlProtocol
import TextOutput

/// Entries of the audit log as text: one line each, or two on a narrow terminal.
enum AuditTable {
    static let head = ["NUMBER", "TIME", "EVENT", "USER", "PHONE", "BY", "DETAILS"]

    /// Indentation of an entry's second line.
    private static let indent = 4

    /// Returns all entries below a head. Without a width (in a pipe), nothing is shortened.
    static func lines(_ entries: [AuditListing], width: Int?) -> [String] {
        let rows = [head] + entries.map(row)
        guard let width, TextTable.width(rows) > width else { return TextTable.lines(rows) }
        // The starts of IDs tell the phones apart; the actor moves to the second line if there is no room.
        let count = ShortID.count(telling: rows.dropFirst().map { $0[4] })
        let short = rows.map { Array($0[..<4]) + [String($0[4].prefix(count))] + $0[5...] }
        let cells = TextTable.width(short.map { Array($0.prefix(6)) }) <= width ? 6 : 5
        let lines = TextTable.lines(short.map { Array($0.prefix(cells)) }, width: width, flexible: [3])
        // On an even narrower terminal, an entry takes as many lines as it needs.
        guard lines.count == rows.count else { return entries.flatMap { self.lines(of: $0, width: width) } }
        return zip(lines, rows).flatMap { [$0] + details($1, from: cells, width) }
    }

    /// Returns the lines of a single entry, for --follow.
    static func lines(of entry: AuditListing, width: Int?) -> [String] {
        let cells = row(entry)
        let line = cells.joined(separator: "  ")
        guard let width, line.count > width else { return [line] }
        return TextTable.lines([Array(cells.prefix(5))], width: width) + details(cells, from: 5, width)
    }

    /// Returns the lines for the cells that did not fit on the first line.
    private static func details(_ row: [String], from cells: Int, _ width: Int) -> [String] {
        let text = row[cells...].filter { !$0.isEmpty && $0 != "-" }.joined(separator: ": ")
        guard !text.isEmpty else { return [] }
        return WordWrap.lines(String(repeating: " ", count: indent) + text, width: width, hanging: indent)
    }

    private static func row(_ entry: AuditListing) -> [String] {
        [
            String(entry.number), Timestamp.local(entry.unixSeconds), Printable.text(entry.event),
            entry.user.map(Printable.text) ?? "-", entry.device.map(Printable.text) ?? "-",
            entry.actor.map(Self.text) ?? "-", details(Printable.text(entry.detail)),
        ]
    }

    /// Rewords a result name of the log for people; `SERVICE on PLACE: ` may precede it.
    private static func details(_ text: String) -> String {
        let start = text.utf8.lastIndex(of: UInt8(ascii: " ")).map { text.utf8.index(after: $0) } ?? text.startIndex
        // The name of the event already says so.
        if text == "correct" { return "" }
        if text.hasSuffix(": correct") { return String(text.dropLast(": correct".count)) }
        return results[String(text[start...])].map { text[..<start] + $0 } ?? text
    }

    /// The texts of login results by their names in the log; JSON keeps the names.
    private static let results = [
        "wrongCredentials": "wrong credential", "outcomeUnknown": "verdict unknown", "accountLocked": "account locked",
        "accountExpired": "account expired", "passwordMustChange": "password must be changed", "pinWrong": "wrong PIN",
        "lockedOut": "lockout", "notAllowed": "not allowed", "timedOut": "timed out", "noCredential": "no credential",
        "credentialStale": "credential out of date", "boxFault": "fault of the box", "noSession": "no session",
    ]

    /// Describes the actor in a few words.
    private static func text(_ actor: ActorListing) -> String {
        let name = actor.name.map(Printable.text)
        switch actor.kind {
        case .agent: return "boxagentd"
        case .phone: return "its phone"
        case .person:
            let uid = actor.uid.map { "uid \($0)" } ?? "unknown person"
            return name.map { "\($0) (\(uid))" } ?? uid
        case .program: return [name, actor.place.map(Printable.text)].compactMap { $0 }.joined(separator: " on ")
        }
    }
}
