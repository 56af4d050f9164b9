import Names

/// The text of an export, one item a line, as docs/reference/audit.md describes it.
public enum AuditExport {
    static let title = "boxagent-audit-export 1"
    /// The longest line of an entry, in bytes. An entry fits even if every byte is escaped to three.
    public static let lineBytes = 8_192
    /// The longest user name and detail, in bytes.
    static let fieldBytes = UserName.byteLimit
    /// The longest event name, in bytes.
    static let eventBytes = 64

    /// Returns the title and two lines: the public keys of the authority that signs and of the box.
    public static func opening(authority: [UInt8], box: [UInt8]) -> [String] {
        [title, "authority \(Hexadecimal.text(authority))", "box \(Hexadecimal.text(box))"]
    }

    /// Returns the line before the entries of a segment.
    public static func opening(of segment: AuditSegment) -> String {
        """
        segment \(segment.number) entries \(segment.firstEntry) \(segment.lastEntry) \
        times \(segment.fromSeconds) \(segment.toSeconds) after \(segment.previous.hex)
        """
    }

    public static func line(_ entry: AuditEntry) -> String {
        var words = ["entry", "\(entry.number)", "\(entry.unixSeconds)", escaped(entry.event)]
        func add(_ name: String, _ value: [UInt8]?) {
            if let value { words.append("\(name)=\(escaped(value))") }
        }
        add("user", entry.user)
        add("device", entry.device.map { Array(CrockfordBase32.text($0).utf8) })
        if !entry.detail.isEmpty { add("detail", entry.detail) }
        if let actor = entry.actor {
            add("actor", Array(actor.kind.word.utf8))
            add("name", actor.name)
            add("place", actor.place)
            add("uid", actor.uid.map { Array("\($0)".utf8) })
        }
        return words.joined(separator: " ")
    }

    /// Parses the line of an entry. Returns nil if `line(_:)` would not write it.
    public static func entry(_ line: [UInt8]) -> AuditEntry? {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        return words.first.map { $0.elementsEqual("entry".utf8) } == true ? AuditEntry(words) : nil
    }

    /// Returns the line after the entries of a segment.
    public static func closing(of segment: AuditSegment) -> String {
        "head \(segment.head.hex) signature \(Hexadecimal.text(segment.signature))"
    }

    /// Returns the last line, which a truncated file lacks.
    public static func closing(segments: UInt64) -> String { "end \(segments)" }

    /// Keeps letters, digits and `-._:/@+,`. Writes every other byte as % and two hexadecimal digits.
    package static func escaped(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            if isPlain(byte) {
                text.append(byte)
            } else {
                text += Array(("%" + Hexadecimal.text([byte])).utf8)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns nil if a byte should have been escaped, or if an escape is not valid.
    package static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            if isPlain(byte) {
                bytes.append(byte)
                index += 1
                continue
            }
            guard byte == UInt8(ascii: "%"), text.endIndex - index >= 3,
                let decoded = Hexadecimal.bytes(Array(text[index + 1..<index + 3]), count: 1), !isPlain(decoded[0])
            else { return nil }
            bytes += decoded
            index += 3
        }
        return bytes
    }

    private static let marks = Array("-._:/@+,".utf8)

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: marks.contains(byte)
        }
    }
}
