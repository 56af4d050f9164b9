/// Makes names that others chose harmless on a terminal: what would move the cursor, change colours or turn the
/// direction of writing is shown as its number.
enum Printable {
    static func text(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.flatMap(escaped)))
    }

    /// Bytes that are not UTF-8 are shown as `\xNN`.
    static func text(_ bytes: [UInt8]) -> String {
        if let valid = String(validating: bytes, as: UTF8.self) { return text(valid) }
        return bytes.map { byte in
            (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\\")
                ? String(UnicodeScalar(byte)) : "\\x" + Hex.text([byte])
        }.joined()
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        guard isHarmful(scalar) else { return [scalar] }
        return Array("\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Cc, Cf (the marks of direction among them), Zl, Zp, Cs, Cn
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: true
        default: false
        }
    }
}

/// Lower-case hexadecimal digits.
enum Hex {
    static func text(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
