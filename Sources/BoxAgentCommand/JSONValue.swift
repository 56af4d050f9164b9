/// JSON to be written (RFC 8259). Objects keep the order in which they were made.
indirect enum JSONValue {
    case null
    case flag(Bool)
    case number(UInt64)
    case text(String)
    case array([JSONValue])
    case object([(String, JSONValue)])

    /// Text that others chose: what is not UTF-8 is shown as on the terminal.
    static func bytes(_ bytes: [UInt8]) -> JSONValue {
        .text(String(validating: bytes, as: UTF8.self) ?? Printable.text(bytes))
    }

    static func optional<Wrapped>(_ value: Wrapped?, _ make: (Wrapped) -> JSONValue) -> JSONValue {
        value.map(make) ?? .null
    }

    /// One line without line breaks.
    var rendered: String {
        switch self {
        case .null: "null"
        case .flag(let flag): flag ? "true" : "false"
        case .number(let number): String(number)
        case .text(let text): Self.quote(text)
        case .array(let elements): "[" + elements.map(\.rendered).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quote($0.0) + ":" + $0.1.rendered }.joined(separator: ",") + "}"
        }
    }

    private static func quote(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            // Controls must be escaped; C1 and the line separators are, because terminals obey them.
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value),
                "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
