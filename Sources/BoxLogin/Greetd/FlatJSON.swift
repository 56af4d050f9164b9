/// Reads a JSON object (RFC 8259) with text members, as greetd sends it (greetd-ipc(7)). Bounded in length and depth.
///
/// Members of other types are skipped, so that a newer greetd may add some.
package struct FlatJSON {
    /// In bytes. Messages of greetd are about a sentence long.
    static let limitBytes = 16_384
    static let limitDepth = 8
    package static let limitMembers = 32

    package struct Malformed: Error, Equatable {}

    private let bytes: [UInt8]
    private var position = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the text members of the object. A duplicate name makes the object malformed.
    package static func texts(in bytes: [UInt8]) throws(Malformed) -> [String: String] {
        guard bytes.count <= limitBytes else { throw Malformed() }
        var reader = FlatJSON(bytes)
        let texts = try reader.object()
        reader.skipSpace()
        guard reader.position == bytes.count else { throw Malformed() }
        return texts
    }

    private mutating func object() throws(Malformed) -> [String: String] {
        var texts: [String: String] = [:]
        var names: Set<String> = []
        try members { reader, name throws(Malformed) in
            guard names.insert(name).inserted, names.count <= Self.limitMembers else { throw Malformed() }
            if reader.peek() == UInt8(ascii: "\"") {
                texts[name] = try reader.text()
            } else {
                try reader.skipValue(depth: 1)
            }
        }
        return texts
    }

    private mutating func members(
        _ each: (inout FlatJSON, String) throws(Malformed) -> Void
    ) throws(Malformed) {
        try take("{")
        if takeIf("}") { return }
        repeat {
            let name = try text()
            try take(":")
            skipSpace()
            try each(&self, name)
        } while takeIf(",")
        try take("}")
    }

    private mutating func skipValue(depth: Int) throws(Malformed) {
        guard depth < Self.limitDepth else { throw Malformed() }
        switch peek() {
        case UInt8(ascii: "\""): _ = try text()
        case UInt8(ascii: "{"):
            try members { reader, _ throws(Malformed) in try reader.skipValue(depth: depth + 1) }
        case UInt8(ascii: "["):
            try take("[")
            if takeIf("]") { return }
            repeat { try skipValue(depth: depth + 1) } while takeIf(",")
            try take("]")
        default: try skipWord()
        }
    }

    /// Skips a number, true, false or null. Checks its characters, but not its value.
    private mutating func skipWord() throws(Malformed) {
        let start = position
        let allowed = Array("+-.0123456789Eaeflnrstu".utf8)
        while position < bytes.count, allowed.contains(bytes[position]) { position += 1 }
        guard position > start else { throw Malformed() }
    }

    private mutating func text() throws(Malformed) -> String {
        try take("\"")
        var content: [UInt8] = []
        while true {
            let byte = try next()
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: content, as: UTF8.self) else { throw Malformed() }
                return text
            case UInt8(ascii: "\\"): content += try escape()
            case 0..<0x20: throw Malformed()
            default: content.append(byte)
            }
        }
    }

    private mutating func escape() throws(Malformed) -> [UInt8] {
        switch try next() {
        case UInt8(ascii: "\""): return [0x22]
        case UInt8(ascii: "\\"): return [0x5C]
        case UInt8(ascii: "/"): return [0x2F]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            var number = UInt32(try unit())
            if (0xD800..<0xDC00).contains(number) {
                guard try next() == UInt8(ascii: "\\"), try next() == UInt8(ascii: "u") else { throw Malformed() }
                let low = UInt32(try unit())
                guard (0xDC00..<0xE000).contains(low) else { throw Malformed() }
                number = 0x10000 + ((number - 0xD800) << 10) + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(number) else { throw Malformed() }
            return Array(String(scalar).utf8)
        default: throw Malformed()
        }
    }

    /// Reads four hexadecimal digits.
    private mutating func unit() throws(Malformed) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(try next())).hexDigitValue else { throw Malformed() }
            value = value << 4 | UInt16(digit)
        }
        return value
    }

    // MARK: - Characters

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func next() throws(Malformed) -> UInt8 {
        guard let byte = peek() else { throw Malformed() }
        position += 1
        return byte
    }

    private mutating func skipSpace() {
        while let byte = peek(), [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) throws(Malformed) {
        guard takeIf(character) else { throw Malformed() }
    }

    /// Also skips white space before the character, and after it unless the character begins a text.
    private mutating func takeIf(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard peek() == UInt8(ascii: character) else { return false }
        position += 1
        if character != "\"" { skipSpace() }
        return true
    }
}
