import Wire

/// A field of a message, by name.
struct NamedField {
    let name: String
    let value: FieldValue

    /// Whether the field comes before `other` in a map: by the bytes of the encoded keys (RFC 8949 section 4.2.1), which for keys of
    /// less than 256 bytes is by length first.
    func precedes(_ other: NamedField) -> Bool {
        let (left, right) = (name.utf8, other.name.utf8)
        if left.count != right.count { return left.count < right.count }
        return left.lexicographicallyPrecedes(right)
    }
}

/// The value of a field, as far as messages have such.
enum FieldValue {
    case number(UInt64)
    case flag(Bool)
    case text(String)
    case bytes([UInt8])
    /// Bytes that stay where they were received, or with whoever sends them.
    case secret(Range<Int>)
    case record([NamedField])
    /// No field of ours has such a value.
    case other
}

extension CBORReader {
    /// The fields of a map, in their one order. Bytes in the field `secret` are not copied.
    mutating func readFields(
        in input: RawSpan, secret: String, isNested: Bool = false
    ) throws(WireError) -> [NamedField] {
        var left = try readMapHeader(in: input, limit: ControlLimits.fields)
        var fields: [NamedField] = []
        while left > 0 {
            let name = String(
                decoding: input.copy(try readText(in: input, limit: ControlLimits.fieldNameBytes)), as: UTF8.self)
            let field = NamedField(
                name: name, value: try readValue(in: input, secret: name == secret ? name : nil, isNested: isNested))
            if let last = fields.last, !last.precedes(field) { throw .notDeterministic }
            fields.append(field)
            left -= 1
        }
        return fields
    }

    private mutating func readValue(
        in input: RawSpan, secret: String?, isNested: Bool
    ) throws(WireError) -> FieldValue {
        switch try peekType(in: input) {
        case .unsigned: return .number(try readUnsigned(in: input))
        case .bytes:
            let range = try readBytes(in: input, limit: ControlLimits.messageBytes)
            return secret == nil ? .bytes(input.copy(range)) : .secret(range)
        case .text:
            let range = try readText(in: input, limit: ControlLimits.messageBytes)
            return .text(String(decoding: input.copy(range), as: UTF8.self))
        case .map where !isNested: return .record(try readFields(in: input, secret: "", isNested: true))
        case .simple where try !readNull(in: input): return .flag(try readBool(in: input))
        case .simple: return .other
        case .negative, .array, .map, .tag:
            try skip(in: input)
            return .other
        }
    }
}

extension CBORWriter {
    /// A map of the fields. `secret` are the bytes of the one field that is `.secret`.
    mutating func writeFields(
        _ fields: [NamedField], secret: RawSpan, to output: inout MutableRawSpan
    ) throws(WireError) {
        try writeMapHeader(fields.count, to: &output)
        for field in fields.sorted(by: { $0.precedes($1) }) {
            try writeText(Array(field.name.utf8), to: &output)
            switch field.value {
            case .number(let value): try writeUnsigned(value, to: &output)
            case .flag(let value): try writeBool(value, to: &output)
            case .text(let value): try writeText(Array(value.utf8), to: &output)
            case .bytes(let value): try writeBytes(value, to: &output)
            case .record(let fields): try writeFields(fields, secret: RawSpan(), to: &output)
            case .secret(let range) where range.count == secret.byteCount: try writeBytes(secret, to: &output)
            case .secret, .other: throw .unknown
            }
        }
    }
}
