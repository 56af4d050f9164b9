import Links
import Secrets
import Wire

/// Reads one message of the host: an array that begins with a word (docs/reference/phone-core.md). Secrets are copied
/// from the host's bytes into guarded memory only.
struct HostReader {
    private var reader = CBORReader()
    /// Items of the array that are not read yet.
    private var left = 0

    init() {}

    /// Enters the message's array, and reads its word.
    @inline(never)
    mutating func begin(_ input: RawSpan) throws(HostError) -> HostWord {
        left = try item { reader throws(WireError) in try reader.readArrayHeader(in: input, limit: 16) }
        return try word(input)
    }

    /// Ends the message. Throws if items or bytes are left.
    func finish(_ input: RawSpan) throws(HostError) {
        guard left == 0 else { throw .unintelligible }
        do throws(WireError) { try reader.finish(in: input) } catch { throw .unintelligible }
    }

    private mutating func item<Value>(
        _ read: (inout CBORReader) throws(WireError) -> Value
    ) throws(HostError) -> Value {
        do throws(WireError) { return try read(&reader) } catch { throw .unintelligible }
    }

    private mutating func next() throws(HostError) {
        guard left > 0 else { throw .unintelligible }
        left -= 1
    }

    /// Returns whether the next item is null, and if so, moves past the item.
    @inline(never)
    mutating func isNull(_ input: RawSpan) throws(HostError) -> Bool {
        guard left > 0 else { throw .unintelligible }
        let isNull = try item { reader throws(WireError) in try reader.readNull(in: input) }
        if isNull { left -= 1 }
        return isNull
    }

    @inline(never)
    mutating func word(_ input: RawSpan) throws(HostError) -> HostWord {
        HostWord(try textBytes(input, limit: HostLimits.wordBytes))
    }

    @inline(never)
    mutating func text(_ input: RawSpan, limit: Int) throws(HostError) -> String {
        String(bytes: try textBytes(input, limit: limit))
    }

    private mutating func textBytes(_ input: RawSpan, limit: Int) throws(HostError) -> [UInt8] {
        try next()
        return input.copy(try item { reader throws(WireError) in try reader.readText(in: input, limit: limit) })
    }

    @inline(never)
    mutating func number(_ input: RawSpan, limit: UInt64 = .max) throws(HostError) -> UInt64 {
        try next()
        return try item { reader throws(WireError) in try reader.readUnsigned(in: input, limit: limit) }
    }

    @inline(never)
    mutating func integer(_ input: RawSpan, in range: ClosedRange<Int>) throws(HostError) -> Int {
        try next()
        let value = try item { reader throws(WireError) in try reader.readInteger(in: input) }
        guard let value = Int(exactly: value), range.contains(value) else { throw .unintelligible }
        return value
    }

    @inline(never)
    mutating func flag(_ input: RawSpan) throws(HostError) -> Bool {
        try next()
        return try item { reader throws(WireError) in try reader.readBool(in: input) }
    }

    @inline(never)
    mutating func bytes(_ input: RawSpan, limit: Int) throws(HostError) -> [UInt8] {
        input.copy(try range(input, limit: limit))
    }

    @inline(never)
    mutating func bytes(_ input: RawSpan, count: Int) throws(HostError) -> [UInt8] {
        let bytes = try bytes(input, limit: count)
        guard bytes.count == count else { throw .unintelligible }
        return bytes
    }

    @inline(never)
    mutating func secret(_ input: RawSpan, limit: Int) throws(HostError) -> HeldSecret {
        HeldSecret(SecretBytes(copying: input.extracting(try range(input, limit: limit))))
    }

    private mutating func range(_ input: RawSpan, limit: Int) throws(HostError) -> Range<Int> {
        try next()
        return try item { reader throws(WireError) in try reader.readBytes(in: input, limit: limit) }
    }

    /// Reads an array inside the message, whose elements are arrays of `fields` items.
    mutating func records<Record>(
        _ input: RawSpan, fields: Int, limit: Int, _ read: (inout HostReader) throws(HostError) -> Record
    ) throws(HostError) -> [Record] {
        try next()
        let count = try item { reader throws(WireError) in try reader.readArrayHeader(in: input, limit: limit) }
        var records: [Record] = []
        for _ in 0..<count { records.append(try inner(input, fields: fields, read)) }
        return records
    }

    /// Reads an array of byte strings inside the message.
    @inline(never)
    mutating func list(_ input: RawSpan, limit: Int) throws(HostError) -> [[UInt8]] {
        try next()
        let outside = left
        left = try item { reader throws(WireError) in try reader.readArrayHeader(in: input, limit: limit) }
        var all: [[UInt8]] = []
        while left > 0 { all.append(try bytes(input, limit: HostLimits.codeBytes)) }
        left = outside
        return all
    }

    /// Reads an array of `fields` items inside the message.
    mutating func record<Record>(
        _ input: RawSpan, fields: Int, _ read: (inout HostReader) throws(HostError) -> Record
    ) throws(HostError) -> Record {
        try next()
        return try inner(input, fields: fields, read)
    }

    private mutating func inner<Record>(
        _ input: RawSpan, fields: Int, _ read: (inout HostReader) throws(HostError) -> Record
    ) throws(HostError) -> Record {
        let outside = left
        left = try item { reader throws(WireError) in try reader.readArrayHeader(in: input, limit: fields) }
        let record = try read(&self)
        guard left == 0 else { throw .unintelligible }
        left = outside
        return record
    }
}
