/// An advertisement that was received from a box.
public struct Advertisement: Sendable, Hashable {
    /// The name that the box advertises.
    private let nameText: [UInt8]
    /// The address that `CentralRadio.connect` takes. Only the radio can interpret it.
    public let address: String
    /// The signal strength in dBm, if the radio reports one.
    public let rssi: Int?

    /// The longest name kept, in bytes; longer names are cut. A scan response carries 29 bytes.
    public static let nameBytes = 29

    public init(name: [UInt8], address: String, rssi: Int?) {
        nameText = Array(name.prefix(Self.nameBytes))
        self.address = address
        self.rssi = rssi
    }

    /// The box's advertised name, escaped for printing, because anyone nearby may advertise anything.
    public var name: String { Self.escaped(nameText) }

    /// The four to six digits of a name "Box NNNN". Returns nil for other names.
    public var boxID: String? {
        guard nameText.starts(with: "Box ".bytes) else { return nil }
        let digits = Array(nameText.dropFirst(4))
        return Self.isBoxID(digits) ? String(bytes: digits) : nil
    }

    /// Returns whether a text is four to six ASCII digits.
    public static func isBoxID(_ text: String) -> Bool { isBoxID(text.bytes) }

    /// Returns whether bytes are four to six ASCII digits.
    public static func isBoxID(_ text: [UInt8]) -> Bool {
        (4...6).contains(text.count) && text.allSatisfy { (0x30...0x39).contains($0) }
    }

    public static func name(boxID: String) -> String { "Box \(boxID)" }

    /// Returns the text with all characters escaped that could control a terminal or deceive a reader. Control
    /// characters and invalid UTF-8 become escapes such as `\x1b`. Invisible, direction-changing and undefined
    /// characters become escapes such as `\u{202e}`.
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
            // Escape the backslash itself, so that a name cannot imitate an escape.
            return scalar == "\\" ? "\\\\" : String(Character(scalar))
        }
    }

    private static func hexEscape(_ byte: UInt8) -> String {
        "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
