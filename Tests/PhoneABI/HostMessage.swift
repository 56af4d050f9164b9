import Testing
import Wire

/// The items of a message, as a host writes them.
indirect enum Item {
    case text(String)
    case bytes([UInt8])
    case number(Int64)
    case flag(Bool)
    case null
    case array([Item])
}

/// Returns a host's message: an array that begins with a word.
func message(_ word: String, _ items: Item...) throws -> [UInt8] {
    try [UInt8].encoding(limit: 70_000) { output throws(WireError) in
        var writer = CBORWriter()
        try write(.array([.text(word)] + items), &writer, &output)
        return writer.offset
    }
}

private func write(_ item: Item, _ writer: inout CBORWriter, _ output: inout MutableRawSpan) throws(WireError) {
    switch item {
    case .text(let text): try writer.writeText(Array(text.utf8), to: &output)
    case .bytes(let bytes): try writer.writeBytes(bytes, to: &output)
    case .number(let number): try writer.writeInteger(number, to: &output)
    case .flag(let flag): try writer.writeBool(flag, to: &output)
    case .null: try writer.writeNull(to: &output)
    case .array(let items):
        try writer.writeArrayHeader(items.count, to: &output)
        for item in items { try write(item, &writer, &output) }
    }
}

/// Returns a box's row in the host's store. Only the values of the parameters matter to tests.
func row(_ digits: String, key: UInt8 = 7, idBytes: Int = 16) -> Item {
    let bytes = [UInt8](repeating: key, count: 32)
    return .array([
        .bytes([UInt8](repeating: key, count: idBytes)), .bytes(Array(digits.utf8)), .bytes(bytes), .bytes(bytes),
        .number(1),
        .bytes(Array("alice".utf8)), .bytes([]), .text("boxHeld"), .flag(true), .flag(false), .flag(true),
    ])
}

/// Returns the row of a site, with neither a document nor a grant.
func siteRow(idBytes: Int = 16) -> Item {
    .array([
        .bytes([UInt8](repeating: 7, count: idBytes)), .bytes([UInt8](repeating: 7, count: 32)), .bytes([]), .bytes([]),
        .null, .null, .array([]), .array([]),
    ])
}
