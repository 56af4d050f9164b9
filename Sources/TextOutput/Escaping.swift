extension String {
    /// Text that somebody else chose (labels, names, what a peer says) with everything that could drive a terminal, or
    /// turn the direction of writing, shown as its number: `\u{1b}`.
    public var escaped: String {
        var result = ""
        for scalar in unicodeScalars {
            if scalar.drivesTerminal {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// Names that others chose, harmless on a terminal and in a log.
public enum Printable {
    public static func text(_ text: String) -> String { text.escaped }

    /// Bytes that are not UTF-8 are shown as `\xNN`.
    public static func text(_ bytes: [UInt8]) -> String {
        if let valid = String(validating: bytes, as: UTF8.self) { return valid.escaped }
        return bytes.map { byte in
            (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\\")
                ? String(UnicodeScalar(byte)) : "\\x" + Hex.text([byte])
        }.joined()
    }
}

extension Unicode.Scalar {
    /// Control characters (C0, DEL, C1), line and paragraph separators, marks and overrides of direction (UAX #9),
    /// invisible format characters, and what Unicode gives no shape.
    var drivesTerminal: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        default: false
        }
    }
}

/// Lower-case hexadecimal digits.
public enum Hex {
    public static func text(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
