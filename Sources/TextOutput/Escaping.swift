extension String {
    /// This text made harmless, for labels, names and messages of a peer. Characters that could control a terminal or
    /// change the direction of writing appear by number: `\u{1b}`.
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

/// Makes names from others harmless on a terminal and in a log.
public enum Printable {
    public static func text(_ text: String) -> String { text.escaped }

    /// Shows bytes that are not UTF-8 as `\xNN`.
    public static func text(_ bytes: [UInt8]) -> String {
        if let valid = String(validating: bytes, as: UTF8.self) { return valid.escaped }
        return bytes.map { byte in
            (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\\")
                ? String(UnicodeScalar(byte)) : "\\x" + Hex.text([byte])
        }.joined()
    }
}

extension Unicode.Scalar {
    /// True for a control character (C0, DEL, C1), a line or paragraph separator, a mark or override of
    /// direction (UAX #9), an invisible format character, or a character without a shape in Unicode.
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
