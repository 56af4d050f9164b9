/// The fields of a form or a query, as browsers send them (application/x-www-form-urlencoded, URL Standard section 5).
public struct Form: Equatable, Sendable {
    private var fields: [String: String] = [:]

    public init() {}

    /// Returns nil if a bound is exceeded, a field occurs twice, an escape is not valid, or a value is not UTF-8.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count <= PageLimits.formBytes else { return nil }
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard let name = Self.text(pair[..<equals], limit: PageLimits.formNameBytes),
                let value = Self.text(pair[equals...].dropFirst(), limit: PageLimits.formValueBytes),
                fields[name] == nil, fields.count < PageLimits.formFields
            else { return nil }
            fields[name] = value
        }
    }

    public subscript(name: String) -> String? { fields[name] }

    /// Returns the rest of the field names that begin with `beginning` and have a value, as ticked checkboxes do.
    public func names(beginningWith beginning: String) -> [String] {
        fields.compactMap { name, value in
            name.hasPrefix(beginning) && !value.isEmpty ? String(name.dropFirst(beginning.count)) : nil
        }.sorted()
    }

    /// Returns a field without white space around it, or an empty text if it is missing.
    public func trimmed(_ name: String) -> String {
        let isSpace: (Character) -> Bool = { $0.isWhitespace }
        var text = (fields[name] ?? "")[...]
        text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return String(text)
    }

    private static func text(_ letters: ArraySlice<UInt8>, limit: Int) -> String? {
        var bytes: [UInt8] = []
        var index = letters.startIndex
        while index < letters.endIndex {
            switch letters[index] {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard letters.endIndex - index > 2, let high = digit(letters[index + 1]),
                    let low = digit(letters[index + 2])
                else { return nil }
                bytes.append(high << 4 | low)
                index += 2
            case let letter: bytes.append(letter)
            }
            index += 1
        }
        guard bytes.count <= limit else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ letter: UInt8) -> UInt8? {
        switch letter {
        case 0x30...0x39: letter - 0x30
        case 0x41...0x46: letter - 0x41 + 10
        case 0x61...0x66: letter - 0x61 + 10
        default: nil
        }
    }

    /// Returns `name=value&…` for a link. It escapes everything except letters, digits, hyphens and underscores.
    public static func query(_ pairs: [(String, String)]) -> String {
        pairs.filter { !$0.1.isEmpty }.map { escaped($0.0) + "=" + escaped($0.1) }.joined(separator: "&")
    }

    private static func escaped(_ text: String) -> String {
        var out = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: out.unicodeScalars.append(UnicodeScalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                out += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
            }
        }
        return out
    }
}
