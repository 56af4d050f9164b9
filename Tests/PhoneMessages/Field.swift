import Wire

/// A piece of CBOR, for handwritten messages that the types cannot express.
indirect enum Field: Sendable {
    case number(UInt64)
    case negative(Int64)
    case bytes([UInt8])
    case text(String)
    case array([Field])
    case bool(Bool)
    case null

    /// Returns `count` bytes of 0x61.
    static func bytes(_ count: Int) -> Field { .bytes([UInt8](repeating: 0x61, count: count)) }
    /// Returns `count` letters.
    static func text(_ count: Int) -> Field { .text(String(repeating: "a", count: count)) }

    func write(with writer: inout CBORWriter, to output: inout MutableRawSpan) throws(WireError) {
        switch self {
        case .number(let value): try writer.writeUnsigned(value, to: &output)
        case .negative(let value): try writer.writeInteger(value, to: &output)
        case .bytes(let value): try writer.writeBytes(value, to: &output)
        case .text(let value): try writer.writeText(Array(value.utf8), to: &output)
        case .array(let fields):
            try writer.writeArrayHeader(fields.count, to: &output)
            for field in fields { try field.write(with: &writer, to: &output) }
        case .bool(let value): try writer.writeBool(value, to: &output)
        case .null: try writer.writeNull(to: &output)
        }
    }

    /// Returns the encoding of an array of `fields`.
    static func message(_ fields: [Field]) throws(WireError) -> [UInt8] {
        try [UInt8].encoding(limit: 20_000) { output throws(WireError) in
            var writer = CBORWriter()
            try Field.array(fields).write(with: &writer, to: &output)
            return writer.offset
        }
    }
}
