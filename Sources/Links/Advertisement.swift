/// A box that was heard.
public struct Advertisement: Sendable, Hashable {
    /// What the box calls itself.
    private let nameText: [UInt8]
    /// What `CentralRadio.connect` takes; it means nothing to others.
    public let address: String
    /// Signal strength in dBm, where the radio tells it.
    public let rssi: Int?

    /// Names longer than this many bytes are cut: a scan response carries 29.
    public static let nameBytes = 29

    public init(name: [UInt8], address: String, rssi: Int?) {
        nameText = Array(name.prefix(Self.nameBytes))
        self.address = address
        self.rssi = rssi
    }

    /// What the box calls itself, safe to print: anyone nearby may advertise anything.
    public var name: String { Self.escaped(nameText) }

    /// The four to six digits of a name "Box NNNN"; nil for other names.
    public var boxID: String? {
        guard nameText.starts(with: "Box ".bytes) else { return nil }
        let digits = Array(nameText.dropFirst(4))
        return Self.isBoxID(digits) ? String(bytes: digits) : nil
    }

    /// Whether a text is four to six ASCII digits.
    public static func isBoxID(_ text: String) -> Bool { isBoxID(text.bytes) }

    /// Whether bytes are four to six ASCII digits.
    public static func isBoxID(_ text: [UInt8]) -> Bool {
        (4...6).contains(text.count) && text.allSatisfy { (0x30...0x39).contains($0) }
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
