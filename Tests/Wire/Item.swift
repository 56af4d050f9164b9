import Wire

/// Any item of the profile as a value, for comparison in tests.
indirect enum Item: Equatable, Sendable {
    case unsigned(UInt64)
    case negative(Int64)
    case bytes([UInt8])
    case text(String)
    case array([Item])
    case map([Pair])
    case bool(Bool)
    case null

    struct Pair: Equatable, Sendable {
        let key: Item
        let value: Item
    }

    /// Reads one message that is one item.
    static func decode(_ bytes: [UInt8]) throws(WireError) -> Item {
        try bytes.withRawSpan { span throws(WireError) in
            // The generic walk checks depth and the order of keys. The typed reads below return the values.
            var walker = CBORReader()
            try walker.skip(in: span)
            try walker.finish(in: span)
            var reader = CBORReader()
            let item = try Item(reading: span, with: &reader)
            try reader.finish(in: span)
            return item
        }
    }

    init(reading input: RawSpan, with reader: inout CBORReader) throws(WireError) {
        switch try reader.peekType(in: input) {
        case .unsigned: self = .unsigned(try reader.readUnsigned(in: input))
        case .negative: self = .negative(try reader.readInteger(in: input))
        case .bytes: self = .bytes(input.copy(try reader.readBytes(in: input, limit: input.byteCount)))
        case .text:
            let utf8 = input.copy(try reader.readText(in: input, limit: input.byteCount))
            self = .text(String(decoding: utf8, as: UTF8.self))
        case .array:
            var items: [Item] = []
            for _ in 0..<(try reader.readArrayHeader(in: input)) {
                items.append(try Item(reading: input, with: &reader))
            }
            self = .array(items)
        case .map:
            var pairs: [Pair] = []
            for _ in 0..<(try reader.readMapHeader(in: input)) {
                let key = try Item(reading: input, with: &reader)
                pairs.append(Pair(key: key, value: try Item(reading: input, with: &reader)))
            }
            self = .map(pairs)
        case .simple:
            if try reader.readNull(in: input) {
                self = .null
            } else {
                self = .bool(try reader.readBool(in: input))
            }
        case .tag: throw .unexpectedType
        }
    }

    func encoded(limit: Int = 4_096) throws(WireError) -> [UInt8] {
        try [UInt8].encoding(limit: limit) { output throws(WireError) in
            var writer = CBORWriter()
            try write(with: &writer, to: &output)
            return writer.offset
        }
    }

    private func write(with writer: inout CBORWriter, to output: inout MutableRawSpan) throws(WireError) {
        switch self {
        case .unsigned(let value): try writer.writeUnsigned(value, to: &output)
        case .negative(let value): try writer.writeInteger(value, to: &output)
        case .bytes(let value): try writer.writeBytes(value, to: &output)
        case .text(let value): try writer.writeText(Array(value.utf8), to: &output)
        case .array(let items):
            try writer.writeArrayHeader(items.count, to: &output)
            for item in items { try item.write(with: &writer, to: &output) }
        case .map(let pairs):
            try writer.writeMapHeader(pairs.count, to: &output)
            for pair in pairs {
                try pair.key.write(with: &writer, to: &output)
                try pair.value.write(with: &writer, to: &output)
            }
        case .bool(let value): try writer.writeBool(value, to: &output)
        case .null: try writer.writeNull(to: &output)
        }
    }
}
