/// The JSON that listings and events are printed as (RFC 8259), one value a line.
enum JSONValue: Sendable {
    case null
    case flag(Bool)
    case number(Int)
    case text(String)
    case list([JSONValue])
    /// In the order given, which is part of what scripts and people see.
    case record([(key: String, value: JSONValue)])

    static func text(orNull text: String?) -> JSONValue {
        text.map { .text($0) } ?? .null
    }

    static func number(orNull number: Int?) -> JSONValue {
        number.map { .number($0) } ?? .null
    }

    /// Without any white space, so that a line is a value.
    var line: String {
        switch self {
        case .null: "null"
        case .flag(let flag): flag ? "true" : "false"
        case .number(let number): String(number)
        case .text(let text): Self.quoted(text)
        case .list(let values): "[" + values.map(\.line).joined(separator: ",") + "]"
        case .record(let fields):
            "{" + fields.map { Self.quoted($0.key) + ":" + $0.value.line }.joined(separator: ",") + "}"
        }
    }

    /// Escapes what RFC 8259 section 7 asks for, and DEL, C1 and format characters for the terminal's sake.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            default:
                if String(scalar).escaped.unicodeScalars.count == 1 {
                    result.unicodeScalars.append(scalar)
                } else {
                    for unit in String(scalar).utf16 {
                        let digits = String(unit, radix: 16)
                        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                    }
                }
            }
        }
        return result + "\""
    }
}
