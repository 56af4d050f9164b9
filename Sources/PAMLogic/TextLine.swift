/// One line for a log or a user, as bytes: Embedded Swift's String would bring Unicode tables into every program that
/// loads the module.
///
/// It never exceeds `limitBytes`. Text from other programs becomes printable ASCII, so that it cannot contain terminal
/// sequences or forge log lines.
public struct TextLine: Equatable, Sendable {
    public static let limitBytes = 400

    public private(set) var bytes: [UInt8] = []

    public init(_ text: StaticString) {
        append(text)
    }

    public mutating func append(_ text: StaticString) {
        // SAFETY: the buffer is the literal's own bytes, and is read only inside the closure.
        text.withUTF8Buffer { buffer in
            unsafe buffer.forEach { appendByte($0) }
        }
    }

    /// Appends text from another program or a configuration file. Anything but printable ASCII becomes `?`.
    public mutating func append(foreign text: [UInt8]) {
        for byte in text {
            appendByte(byte >= 0x20 && byte <= 0x7E ? byte : 0x3F)
        }
    }

    public mutating func append(_ number: UInt64) {
        var digits: [UInt8] = []
        var rest = number
        repeat {
            digits.append(0x30 &+ UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        for digit in digits.reversed() {
            appendByte(digit)
        }
    }

    private mutating func appendByte(_ byte: UInt8) {
        if bytes.count < Self.limitBytes { bytes.append(byte) }
    }
}
