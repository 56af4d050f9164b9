import Names
import Wire

/// Reads or writes the named fields of one message.
///
/// A message describes its fields once for both directions. When writing, a call takes the variable's value. When
/// reading, it sets the variable. Bounds apply in both directions. A field without a value is omitted.
package struct FieldCoder {
    /// The field whose bytes are not copied, such as an enrolment code.
    static let secret = "uri"

    private let isReading: Bool
    private var fields: [NamedField]

    /// Makes a coder that writes.
    init() {
        isReading = false
        fields = []
    }

    /// Makes a coder that reads the message `input`.
    init(reading input: RawSpan) throws(ControlMessageError) {
        isReading = true
        do throws(WireError) {
            guard input.byteCount <= ControlLimits.messageBytes else { throw .tooLarge }
            var reader = CBORReader()
            fields = try reader.readFields(in: input, secret: Self.secret)
            try reader.finish(in: input)
        } catch {
            throw .notAMessage(error)
        }
    }

    private init(record fields: [NamedField]) {
        isReading = true
        self.fields = fields
    }

    /// Ends the reading. Throws if a field is left over.
    func finish() throws(ControlMessageError) {
        guard fields.isEmpty else { throw .unknownField }
    }

    /// Writes the message and returns its length. `secret` is the content of its secret field, if it has one.
    func write(secret: RawSpan, to output: inout MutableRawSpan) throws(ControlMessageError) -> Int {
        do throws(WireError) {
            var writer = CBORWriter()
            try writer.writeFields(fields, secret: secret, to: &output)
            return writer.offset
        } catch {
            throw .notAMessage(error)
        }
    }

    /// Writes the given value, or returns the value that was read. Returns nil if there is none.
    private mutating func exchange(_ name: String, _ value: FieldValue?) -> FieldValue? {
        guard isReading else {
            if let value { fields.append(NamedField(name: name, value: value)) }
            return value
        }
        guard let index = fields.firstIndex(where: { $0.name == name }) else { return nil }
        return fields.remove(at: index).value
    }

    // MARK: - Optional fields

    package mutating func number(
        _ name: String, _ value: inout UInt64?, limit: UInt64 = .max
    ) throws(ControlMessageError) {
        guard let found = exchange(name, value.map { .number($0) }) else { return value = nil }
        guard case .number(let number) = found else { throw .invalid(field: name, .unexpectedType) }
        guard number <= limit else { throw .invalid(field: name, .outOfRange) }
        value = number
    }

    package mutating func text(_ name: String, _ value: inout String?, limit: Int) throws(ControlMessageError) {
        guard let found = exchange(name, value.map { .text($0) }) else { return value = nil }
        guard case .text(let text) = found else { throw .invalid(field: name, .unexpectedType) }
        guard text.utf8.count <= limit else { throw .invalid(field: name, .tooLarge) }
        value = text
    }

    /// Codes bytes that others chose (users, labels, terminals), which may not be UTF-8.
    package mutating func bytes(_ name: String, _ value: inout [UInt8]?, limit: Int) throws(ControlMessageError) {
        guard let found = exchange(name, value.map { .bytes($0) }) else { return value = nil }
        guard case .bytes(let bytes) = found else { throw .invalid(field: name, .unexpectedType) }
        guard bytes.count <= limit else { throw .invalid(field: name, .tooLarge) }
        value = bytes
    }

    package mutating func word<Word: FieldWord>(_ name: String, _ value: inout Word?) throws(ControlMessageError) {
        guard let found = exchange(name, value.map { .text($0.word) }) else { return value = nil }
        guard case .text(let text) = found else { throw .invalid(field: name, .unexpectedType) }
        guard let word = Word(word: text) else { throw .invalid(field: name, .unknown) }
        value = word
    }

    /// Codes a record inside the message. A record cannot contain another.
    package mutating func record<Record: FieldRecord>(
        _ name: String, _ value: inout Record?
    ) throws(ControlMessageError) {
        var inner = FieldCoder()
        if !isReading { try value?.code(&inner) }
        guard let found = exchange(name, value.map { _ in .record(inner.fields) }) else { return value = nil }
        guard isReading else { return }
        guard case .record(let fields) = found else { throw .invalid(field: name, .unexpectedType) }
        inner = FieldCoder(record: fields)
        var record = Record()
        try record.code(&inner)
        try inner.finish()
        value = record
    }

    // MARK: - Required fields

    package mutating func number(
        _ name: String, _ value: inout UInt64, limit: UInt64 = .max
    ) throws(ControlMessageError) {
        var found: UInt64? = value
        try number(name, &found, limit: limit)
        value = try present(name, found)
    }

    package mutating func text(_ name: String, _ value: inout String, limit: Int) throws(ControlMessageError) {
        var found: String? = value
        try text(name, &found, limit: limit)
        value = try present(name, found)
    }

    package mutating func bytes(_ name: String, _ value: inout [UInt8], limit: Int) throws(ControlMessageError) {
        var found: [UInt8]? = value
        try bytes(name, &found, limit: limit)
        value = try present(name, found)
    }

    package mutating func word<Word: FieldWord>(_ name: String, _ value: inout Word) throws(ControlMessageError) {
        var found: Word? = value
        try word(name, &found)
        value = try present(name, found)
    }

    package mutating func flag(_ name: String, _ value: inout Bool) throws(ControlMessageError) {
        guard case .flag(let flag) = try present(name, exchange(name, .flag(value))) else {
            throw .invalid(field: name, .unexpectedType)
        }
        value = flag
    }

    /// Codes the secret field, as the range of its bytes in the received message.
    package mutating func secret(_ value: inout Range<Int>, limit: Int) throws(ControlMessageError) {
        guard case .secret(let range) = try present(Self.secret, exchange(Self.secret, .secret(value))) else {
            throw .invalid(field: Self.secret, .unexpectedType)
        }
        guard range.count <= limit else { throw .invalid(field: Self.secret, .tooLarge) }
        value = range
    }

    private func present<Value>(_ name: String, _ value: Value?) throws(ControlMessageError) -> Value {
        guard let value else { throw .missing(field: name) }
        return value
    }
}
