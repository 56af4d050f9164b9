/// A JSON value to write (RFC 8259), one on a line.
public enum JSONValue: Sendable {
    case null
    case flag(Bool)
    /// A whole number in decimal digits. Made by `number`.
    case digits(String)
    case text(String)
    case list([JSONValue])
    /// Fields keep the given order, which scripts and people see.
    case record([(key: String, value: JSONValue)])

    public static func number(_ number: some BinaryInteger) -> JSONValue {
        .digits(String(number))
    }

    /// Text from others. Bytes that are not UTF-8 appear as on the terminal.
    public static func bytes(_ bytes: [UInt8]) -> JSONValue {
        .text(String(validating: bytes, as: UTF8.self) ?? Printable.text(bytes))
    }

    public static func optional<Wrapped>(_ value: Wrapped?, _ make: (Wrapped) -> JSONValue) -> JSONValue {
        value.map(make) ?? .null
    }

    public static func text(orNull text: String?) -> JSONValue {
        optional(text) { .text($0) }
    }

    public static func number(orNull number: (some BinaryInteger)?) -> JSONValue {
        optional(number) { .number($0) }
    }

    /// The value without white space and line breaks, so that each line is one value.
    public var line: String {
        switch self {
        case .null: "null"
        case .flag(let flag): flag ? "true" : "false"
        case .digits(let digits): digits
        case .text(let text): Self.quoted(text)
        case .list(let values): "[" + values.map { $0.line }.joined(separator: ",") + "]"
        case .record(let fields):
            "{" + fields.map { Self.quoted($0.key) + ":" + $0.value.line }.joined(separator: ",") + "}"
        }
    }

    /// Escapes the characters that RFC 8259 section 7 requires, and those that control a terminal.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case _ where scalar.drivesTerminal:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
                }
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
