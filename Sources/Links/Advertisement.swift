/// A box that was heard.
public struct Advertisement: Sendable, Hashable {
    /// What the box calls itself, safe to print: anyone nearby may advertise anything.
    public let name: String
    /// What `CentralRadio.connect` takes; it means nothing to others.
    public let address: String
    /// Signal strength in dBm, where the radio tells it.
    public let rssi: Int?

    /// Names longer than this many bytes are cut: a scan response carries 29.
    public static let nameBytes = 29

    public init(name: [UInt8], address: String, rssi: Int?) {
        self.name = Self.escaped(Array(name.prefix(Self.nameBytes)))
        self.address = address
        self.rssi = rssi
    }

    /// The four to six digits of a name "Box NNNN"; nil for other names.
    public var boxID: String? {
        let bytes = Array(name.utf8)
        guard bytes.starts(with: Array("Box ".utf8)) else { return nil }
        let digits = String(decoding: bytes.dropFirst(4), as: UTF8.self)
        return Self.isBoxID(digits) ? digits : nil
    }

    /// Whether a text is four to six ASCII digits.
    public static func isBoxID(_ text: String) -> Bool {
        (4...6).contains(text.utf8.count)
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    public static func name(boxID: String) -> String { "Box \(boxID)" }

    /// The text with whatever could steer a terminal, or deceive its reader, written as escapes: bytes that are not
    /// UTF-8 and control characters as `\x1b`, invisible and direction-changing characters as `\u{202e}`.
    public static func escaped(_ bytes: [UInt8]) -> String {
        var text = ""
        var rest = bytes[...]
        while let first = rest.first {
            var decoder = UTF8()
            var iterator = rest.makeIterator()
            if case .scalarValue(let scalar) = decoder.decode(&iterator) {
                text += printable(scalar)
                rest = rest.dropFirst(UTF8.width(scalar))
            } else {
                text += hexEscape(first)
                rest = rest.dropFirst()
            }
        }
        return text
    }

    private static func printable(_ scalar: Unicode.Scalar) -> String {
        if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
            return hexEscape(UInt8(truncatingIfNeeded: scalar.value))
        }
        switch scalar.properties.generalCategory {
        case .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate, .control:
            return "\\u{\(String(scalar.value, radix: 16))}"
        default:
            // The escapes' own sign is escaped, so that no name can imitate one.
            return scalar == "\\" ? "\\\\" : String(Character(scalar))
        }
    }

    private static func hexEscape(_ byte: UInt8) -> String {
        "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
