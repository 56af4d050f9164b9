/// JSON to be written (RFC 8259), one value a line.
public enum JSONValue: Sendable {
    case null
    case flag(Bool)
    /// A whole number, in decimal; made by `number`.
    case digits(String)
    case text(String)
    case list([JSONValue])
    /// In the order given, which is part of what scripts and people see.
    case record([(key: String, value: JSONValue)])

    public static func number(_ number: some BinaryInteger) -> JSONValue {
        .digits(String(number))
    }

    /// Text that others chose: what is not UTF-8 is shown as on the terminal.
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

    /// Without white space and line breaks, so that a line is a value.
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

    /// Escapes what RFC 8259 section 7 asks for, and what drives a terminal.
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
