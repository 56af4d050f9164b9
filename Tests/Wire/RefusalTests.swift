import TestSupport
import Testing
import Wire

/// Returns the error of a read of `input`, or nil if the read succeeds.
private func refusal<Value>(
    of input: [UInt8], from offset: Int = 0, _ read: (inout CBORReader, RawSpan) throws(WireError) -> Value
) -> WireError? {
    input.withRawSpan { span -> WireError? in
        var reader = CBORReader(offset: offset)
        do throws(WireError) {
            _ = try read(&reader, span)
            return nil
        } catch {
            // A read that finds an unexpected type consumes nothing.
            #expect(reader.offset == offset || error != .unexpectedType)
            return error
        }
    }
}

@Suite("What the CBOR reader refuses")
struct RefusalTests {
    @Test(
        "An argument longer than it needs to be is refused",
        arguments: [
            "1800", "1817", "190000", "1900ff", "1a00000000", "1a0000ffff", "1b0000000000000000",
            "1b00000000ffffffff", "3817", "3900ff", "5800", "581700", "7800", "9800", "b800", "590000",
        ])
    func longArgument(_ hex: String) {
        #expect(throws: WireError.notDeterministic) { try Item.decode(bytes(hex)) }
    }

    @Test("Reserved arguments are refused in every type", arguments: [28, 29, 30, 31] as [UInt8])
    func reservedArgument(_ short: UInt8) {
        for major in UInt8(0)...5 {
            #expect(throws: WireError.notDeterministic) { try Item.decode([major << 5 | short, 0, 0]) }
        }
    }

    @Test("Map keys out of order, or twice, are refused", arguments: ["a203000100", "a201000100", "a2616200616100"])
    func keyOrder(_ hex: String) {
        #expect(throws: WireError.notDeterministic) { try Item.decode(bytes(hex)) }
    }

    @Test("Map keys are ordered by their encodings, shorter ones before longer ones of the same type")
    func keyOrderAcrossTypes() throws {
        let map = bytes("a6 0a00 186400 2000 617a00 62616100 f400")
        #expect(try Item.decode(map).encoded() == map)
        #expect(throws: WireError.notDeterministic) { try Item.decode(bytes("a2 62616100 617a00")) }
    }

    @Test("Nesting over the limit is refused, whatever is nested")
    func depth() throws {
        let allowed = [UInt8](repeating: 0x81, count: CBORLimits.depth - 1) + [0x00]
        #expect(throws: Never.self) { try Item.decode(allowed) }
        #expect(throws: WireError.tooDeep) { try Item.decode([0x81] + allowed) }
        // {null: {null: … }}
        let maps = [UInt8]((0..<CBORLimits.depth).map { _ in [UInt8]([0xA1, 0xF6]) }.joined()) + [0x00]
        #expect(throws: WireError.tooDeep) { try Item.decode(maps) }
        #expect(throws: WireError.tooDeep) { try Item.decode([UInt8](repeating: 0x81, count: 60_000)) }
    }

    @Test("An array or map of more elements than the limit is refused before they are read")
    func elements() throws {
        let most = [0x99, 0x04, 0x00] + [UInt8](repeating: 0, count: CBORLimits.elements)
        #expect(try Item.decode(most).encoded() == most)
        #expect(throws: WireError.tooLarge) { try Item.decode([0x99, 0x04, 0x01]) }
        #expect(throws: WireError.tooLarge) { try Item.decode(bytes("9bffffffffffffffff")) }
        #expect(throws: WireError.tooLarge) { try Item.decode(bytes("bbffffffffffffffff")) }
    }

    @Test("A string longer than its limit or than the input is refused, up to the largest length there is")
    func stringLengths() {
        #expect(
            refusal(of: bytes("4401")) { reader, span throws(WireError) in try reader.readBytes(in: span, limit: 4) }
                == .truncated)
        #expect(throws: WireError.tooLarge) { try Item.decode(bytes("5bffffffffffffffff")) }
        #expect(throws: WireError.tooLarge) { try Item.decode(bytes("7b7fffffffffffffff")) }
        let four = bytes("4401020304")
        #expect(refusal(of: four) { reader, span throws(WireError) in try reader.readBytes(in: span, limit: 4) } == nil)
        for limit in [3, 0, -1, Int.min] {
            #expect(
                refusal(of: four) { reader, span throws(WireError) in try reader.readBytes(in: span, limit: limit) }
                    == .tooLarge)
        }
        #expect(
            refusal(of: bytes("63616263")) { reader, span throws(WireError) in try reader.readText(in: span, limit: 2) }
                == .tooLarge)
    }

    @Test("A number over its limit is refused, and one at the limit is not")
    func numberLimit() {
        for (limit, expected) in [(254, WireError.outOfRange), (255, nil)] as [(UInt64, WireError?)] {
            #expect(
                refusal(of: bytes("18ff")) { reader, span throws(WireError) in
                    try reader.readUnsigned(in: span, limit: limit)
                } == expected)
        }
    }

    @Test("The smallest and the largest signed numbers pass, the next ones do not")
    func signedBounds() throws {
        #expect(try Item.decode(bytes("3b7fffffffffffffff")) == .negative(.min))
        #expect(try Item.negative(.min).encoded() == bytes("3b7fffffffffffffff"))
        #expect(throws: WireError.outOfRange) { try Item.decode(bytes("3b8000000000000000")) }
        #expect(
            refusal(of: bytes("1b8000000000000000")) { reader, span throws(WireError) in
                try reader.readInteger(in: span)
            } == .outOfRange)
    }

    /// Each typed read of the reader.
    enum Read: CaseIterable {
        case unsigned, integer, bytes, text, array, map, bool

        func callAsFunction(_ reader: inout CBORReader, _ span: RawSpan) throws(WireError) {
            switch self {
            case .unsigned: _ = try reader.readUnsigned(in: span)
            case .integer: _ = try reader.readInteger(in: span)
            case .bytes: _ = try reader.readBytes(in: span, limit: 9)
            case .text: _ = try reader.readText(in: span, limit: 9)
            case .array: _ = try reader.readArrayHeader(in: span)
            case .map: _ = try reader.readMapHeader(in: span)
            case .bool: _ = try reader.readBool(in: span)
            }
        }
    }

    @Test("Every type but the one asked for is refused, and nothing is consumed by it", arguments: Read.allCases)
    func wrongType(_ read: Read) {
        let leads: [(UInt8, [Read])] = [
            (0x00, [.unsigned, .integer]), (0x20, [.integer]), (0x40, [.bytes]), (0x60, [.text]), (0x80, [.array]),
            (0xA0, [.map]), (0xF4, [.bool]), (0xF6, []), (0xC0, []),
        ]
        for (lead, accepting) in leads {
            let error = refusal(of: [lead]) { reader, span throws(WireError) in try read(&reader, span) }
            #expect(error == (accepting.contains(read) ? nil : .unexpectedType), "\(lead)")
        }
    }

    @Test("Bytes after the message are refused")
    func trailing() {
        #expect(throws: WireError.trailingBytes) { try Item.decode([0x00, 0x00]) }
    }

    @Test("A reader that starts outside its input says truncated")
    func offsetOutside() {
        for offset in [-1, 1, 2, Int.max, Int.min] {
            #expect(
                refusal(of: [0x00], from: offset) { reader, span throws(WireError) in
                    try reader.readUnsigned(in: span)
                } == .truncated)
            #expect(
                refusal(of: [0x00], from: offset) { reader, span throws(WireError) in
                    try reader.skip(in: span)
                } == .truncated)
        }
    }

    @Test("A buffer that is too small is refused at every size short of the message's", arguments: 0..<24)
    func outputFull(_ size: Int) throws {
        let item = Item.array([
            .unsigned(1_000), .bytes([1, 2, 3]), .text("caf\u{e9}"), .negative(-500),
            .map([
                .init(key: .null, value: .bool(true))
            ]),
        ])
        let whole = try item.encoded()
        #expect(whole.count == 20)
        if size < whole.count {
            #expect(throws: WireError.outputFull) { try item.encoded(limit: size) }
        } else {
            #expect(try item.encoded(limit: size) == whole)
        }
    }

    @Test("The writer refuses text that is not UTF-8 and counts over the limit")
    func writerRefuses() {
        #expect(throws: WireError.invalidUTF8) {
            try [UInt8].encoding(limit: 8) { output throws(WireError) in
                var writer = CBORWriter()
                try writer.writeText([0xC0, 0x80], to: &output)
                return writer.offset
            }
        }
        for count in [-1, CBORLimits.elements + 1] {
            #expect(throws: WireError.tooLarge) {
                try [UInt8].encoding(limit: 8) { output throws(WireError) in
                    var writer = CBORWriter()
                    try writer.writeArrayHeader(count, to: &output)
                    return writer.offset
                }
            }
        }
    }
}
