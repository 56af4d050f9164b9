import Wire

/// A field of a message, with its name.
struct NamedField {
    let name: String
    let value: FieldValue

    /// Returns whether the field precedes `other` in a map: in the order of encoded keys (RFC 8949 section 4.2.1). For
    /// keys shorter than 256 bytes, shorter keys come first.
    func precedes(_ other: NamedField) -> Bool {
        let (left, right) = (name.utf8, other.name.utf8)
        if left.count != right.count { return left.count < right.count }
        return left.lexicographicallyPrecedes(right)
    }
}

/// The value of a field, of the types that messages use.
enum FieldValue {
    case number(UInt64)
    case flag(Bool)
    case text(String)
    case bytes([UInt8])
    /// Bytes that stay in the receive buffer or with the sender.
    case secret(Range<Int>)
    case record([NamedField])
    /// A value of a type that no field uses.
    case other
}

extension CBORReader {
    /// Reads the fields of a map, in their only valid order. Does not copy the bytes of the field `secret`.
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
    /// Writes a map of the fields. `secret` is the content of the `.secret` field.
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
