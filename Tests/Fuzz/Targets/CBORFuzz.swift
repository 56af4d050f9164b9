import Wire

/// Any item within the profile. An accepted item must be the only encoding of its value.
enum CBORFuzz {
    static let entry: FuzzEntry = { data, count in
        let bytes = input(data, count)
        var reader = CBORReader()
        guard (try? reader.skip(in: bytes.span.bytes)) != nil, (try? reader.finish(in: bytes.span.bytes)) != nil else {
            return 0
        }
        let copy = try? [UInt8].encoding(limit: bytes.count) { output throws(WireError) in
            var reader = CBORReader()
            var writer = CBORWriter()
            try copyItem(from: bytes, &reader, to: &output, &writer)
            return writer.offset
        }
        promise(copy == bytes || hasLongNegative(bytes), "accepted bytes are not the only encoding")
        return 0
    }

    /// A negative number below Int64.min is well-formed and can be skipped, but no typed read accepts it.
    private static func hasLongNegative(_ bytes: [UInt8]) -> Bool {
        bytes.contains(0x3B)
    }

    private static func copyItem(
        from bytes: [UInt8], _ reader: inout CBORReader, to output: inout MutableRawSpan, _ writer: inout CBORWriter
    ) throws(WireError) {
        let span = bytes.span.bytes
        switch try reader.peekType(in: span) {
        case .unsigned:
            try writer.writeUnsigned(try reader.readUnsigned(in: span), to: &output)
        case .negative: try writer.writeInteger(try reader.readInteger(in: span), to: &output)
        case .bytes:
            let range = try reader.readBytes(in: span, limit: bytes.count)
            try writer.writeBytes(span.extracting(range), to: &output)
        case .text:
            let range = try reader.readText(in: span, limit: bytes.count)
            promise(String(validating: bytes[range], as: UTF8.self) != nil, "text that is not UTF-8 was accepted")
            try writer.writeText(span.extracting(range), to: &output)
        case .array:
            let elements = try reader.readArrayHeader(in: span)
            try writer.writeArrayHeader(elements, to: &output)
            for _ in 0..<elements { try copyItem(from: bytes, &reader, to: &output, &writer) }
        case .map:
            let pairs = try reader.readMapHeader(in: span)
            try writer.writeMapHeader(pairs, to: &output)
            for _ in 0..<(2 * pairs) { try copyItem(from: bytes, &reader, to: &output, &writer) }
        case .simple:
            if try reader.readNull(in: span) {
                try writer.writeNull(to: &output)
            } else {
                try writer.writeBool(try reader.readBool(in: span), to: &output)
            }
        default: throw .unexpectedType
        }
    }
}
