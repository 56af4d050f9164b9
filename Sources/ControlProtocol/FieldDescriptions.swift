import Names

/// A value that is one of a few words in a message.
package protocol FieldWord {
    init?(word: String)
    var word: String { get }
}

extension FieldWord where Self: RawRepresentable<String> {
    package init?(word: String) { self.init(rawValue: word) }
    package var word: String { rawValue }
}

extension CredentialMode: FieldWord {}

/// A value with named fields.
package protocol FieldRecord {
    /// Makes a record with blank fields, for reading.
    init()
    /// Describes each field once, for both directions.
    mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError)
}

/// One message on the socket: a map with its version, its type and the fields of that type.
package protocol ControlMessage: Equatable, Sendable {
    associatedtype Kind: FieldWord
    var kind: Kind { get }
    /// Makes a message with blank fields, for reading.
    init(blank kind: Kind)
    mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError)
}

extension ControlMessage {
    package static func read(_ input: RawSpan) throws(ControlMessageError) -> Self {
        var coder = try FieldCoder(reading: input)
        var version: UInt64 = 0
        try coder.number("version", &version)
        // The version comes first, because other versions may differ in everything else.
        guard version == ControlLimits.protocolVersion else { throw .otherVersion(version) }
        var type = ""
        try coder.text("type", &type, limit: ControlLimits.fieldNameBytes)
        guard let kind = Kind(word: type) else { throw .unknownMessage }
        var message = Self(blank: kind)
        try message.code(&coder)
        try coder.finish()
        return message
    }

    /// Writes into `output` and returns the number of bytes.
    package func write(secret: RawSpan, to output: inout MutableRawSpan) throws(ControlMessageError) -> Int {
        var coder = FieldCoder()
        var version = ControlLimits.protocolVersion
        try coder.number("version", &version)
        var kind = kind
        try coder.word("type", &kind)
        var message = self
        try message.code(&coder)
        return try coder.write(secret: secret, to: &output)
    }
}
