/// The major types of CBOR (RFC 8949 section 3.1). Tags (6) are refused, because no schema uses them.
public enum CBORType: UInt8, Sendable {
    case unsigned = 0
    case negative = 1
    case bytes = 2
    case text = 3
    case array = 4
    case map = 5
    case tag = 6
    case simple = 7
}

/// A position in deterministic CBOR (RFC 8949 section 4.2.1).
///
/// The reader holds no bytes. Each call gets the input again, and byte strings are returned as ranges of it. So a
/// secret stays in the one buffer that its owner wipes, and the parser needs no unsafe code.
public struct CBORReader: Sendable {
    public private(set) var offset: Int

    public init(offset: Int = 0) {
        self.offset = offset
    }

    /// Returns the type of the next item without consuming it.
    public func peekType(in input: RawSpan) throws(WireError) -> CBORType {
        guard offset >= 0, offset < input.byteCount else { throw .truncated }
        guard let type = CBORType(rawValue: input.byte(at: offset) >> 5) else { throw .unexpectedType }
        return type
    }

    /// Reads an unsigned integer of at most `limit`.
    public mutating func readUnsigned(
        in input: RawSpan, limit: UInt64 = .max
    ) throws(WireError) -> UInt64 {
        let value = try readHead(.unsigned, in: input)
        guard value <= limit else { throw .outOfRange }
        return value
    }

    /// Reads an integer of either sign that fits into 64 bits.
    public mutating func readInteger(in input: RawSpan) throws(WireError) -> Int64 {
        if try peekType(in: input) == .unsigned {
            return Int64(try readUnsigned(in: input, limit: UInt64(Int64.max)))
        }
        let argument = try readHead(.negative, in: input)
        guard argument <= UInt64(Int64.max) else { throw .outOfRange }
        return -1 - Int64(argument)
    }

    /// Reads a byte string of at most `limit` bytes. Returns its range in `input`.
    public mutating func readBytes(in input: RawSpan, limit: Int) throws(WireError) -> Range<Int> {
        try readString(.bytes, in: input, limit: limit)
    }

    /// Reads a text of at most `limit` bytes of valid UTF-8. Returns its range in `input`.
    public mutating func readText(in input: RawSpan, limit: Int) throws(WireError) -> Range<Int> {
        let range = try readString(.text, in: input, limit: limit)
        guard UTF8Validation.isValid(input, in: range) else { throw .invalidUTF8 }
        return range
    }

    /// Reads the number of an array's elements, at most `limit`. The elements follow.
    public mutating func readArrayHeader(
        in input: RawSpan, limit: Int = CBORLimits.elements
    ) throws(WireError) -> Int {
        try readCount(.array, in: input, limit: limit)
    }

    /// Reads the number of a map's pairs, at most `limit`. The caller reads the pairs and checks the order of the keys.
    public mutating func readMapHeader(
        in input: RawSpan, limit: Int = CBORLimits.elements
    ) throws(WireError) -> Int {
        try readCount(.map, in: input, limit: limit)
    }

    public mutating func readBool(in input: RawSpan) throws(WireError) -> Bool {
        guard try peekType(in: input) == .simple else { throw .unexpectedType }
        switch input.byte(at: offset) {
        case 0xF4:
            offset += 1
            return false
        case 0xF5:
            offset += 1
            return true
        default: throw .unexpectedType
        }
    }

    /// Consumes the next item if it is null. Returns whether it was.
    public mutating func readNull(in input: RawSpan) throws(WireError) -> Bool {
        guard try peekType(in: input) == .simple, input.byte(at: offset) == 0xF6 else { return false }
        offset += 1
        return true
    }

    /// Skips one item of any type in our profile, nested at most `CBORLimits.depth` levels.
    public mutating func skip(in input: RawSpan) throws(WireError) {
        try skip(in: input, depth: CBORLimits.depth)
    }

    /// Ends the message. Throws if bytes are left.
    public func finish(in input: RawSpan) throws(WireError) {
        guard offset == input.byteCount else { throw .trailingBytes }
    }

    private mutating func skip(in input: RawSpan, depth: Int) throws(WireError) {
        guard depth > 0 else { throw .tooDeep }
        switch try peekType(in: input) {
        case .unsigned: _ = try readUnsigned(in: input)
        case .negative: _ = try readHead(.negative, in: input)
        case .bytes: _ = try readBytes(in: input, limit: input.byteCount)
        case .text: _ = try readText(in: input, limit: input.byteCount)
        case .array:
            var left = try readArrayHeader(in: input)
            while left > 0 {
                try skip(in: input, depth: depth - 1)
                left -= 1
            }
        case .map:
            var left = try readMapHeader(in: input)
            var key = offset..<offset
            while left > 0 {
                let start = offset
                try skip(in: input, depth: depth - 1)
                // Keys ascend in the order of their encodings (RFC 8949 section 4.2.1), so there are no duplicates.
                guard Self.ascends(key, start..<offset, in: input) else { throw .notDeterministic }
                key = start..<offset
                try skip(in: input, depth: depth - 1)
                left -= 1
            }
        case .simple:
            if try readNull(in: input) { return }
            _ = try readBool(in: input)
        case .tag: throw .unexpectedType
        }
    }

    /// Returns whether `first` sorts before `second`. An empty `first`, before the first key, sorts before every key.
    /// Different keys differ in a byte that both have.
    private static func ascends(_ first: Range<Int>, _ second: Range<Int>, in input: RawSpan) -> Bool {
        var index = 0
        while index < first.count, index < second.count {
            let left = input.byte(at: first.lowerBound + index)
            let right = input.byte(at: second.lowerBound + index)
            if left != right { return left < right }
            index += 1
        }
        return first.count < second.count
    }

    private mutating func readCount(
        _ type: CBORType, in input: RawSpan, limit: Int
    ) throws(WireError) -> Int {
        let count = try readHead(type, in: input)
        guard count <= UInt64(min(limit, CBORLimits.elements)) else { throw .tooLarge }
        return Int(count)
    }

    private mutating func readString(
        _ type: CBORType, in input: RawSpan, limit: Int
    ) throws(WireError) -> Range<Int> {
        let count = try readHead(type, in: input)
        guard limit >= 0, count <= UInt64(limit) else { throw .tooLarge }
        guard count <= UInt64(input.byteCount - offset) else { throw .truncated }
        let range = offset..<(offset + Int(count))
        offset = range.upperBound
        return range
    }

    /// Reads the head of an item: its type and the shortest argument (RFC 8949 section 3).
    private mutating func readHead(_ type: CBORType, in input: RawSpan) throws(WireError) -> UInt64 {
        guard try peekType(in: input) == type else { throw .unexpectedType }
        let short = input.byte(at: offset) & 0x1F
        if short < 24 {
            offset += 1
            return UInt64(short)
        }
        // 28 to 30 are reserved, and 31 is an indefinite length. None of them is deterministic.
        guard short <= 27 else { throw .notDeterministic }
        let width = 1 << Int(short - 24)
        guard input.byteCount - offset > width else { throw .truncated }
        var value: UInt64 = 0
        var at = offset + 1
        while at <= offset + width {
            value = value << 8 | UInt64(input.byte(at: at))
            at += 1
        }
        guard value >= Self.smallestArgument(width: width) else { throw .notDeterministic }
        offset += 1 + width
        return value
    }

    private static func smallestArgument(width: Int) -> UInt64 {
        switch width {
        case 1: 24
        case 2: 0x100
        case 4: 0x1_0000
        default: 0x1_0000_0000
        }
    }
}
