import Names

/// A value that stands in a message as one of a few words.
package protocol FieldWord {
    init?(word: String)
    var word: String { get }
}

extension FieldWord where Self: RawRepresentable<String> {
    package init?(word: String) { self.init(rawValue: word) }
    package var word: String { rawValue }
}

extension CredentialMode: FieldWord {}

/// Something with named fields.
package protocol FieldRecord {
    /// Every field blank, to be read.
    init()
    /// Describes each field once, for both ways.
    mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError)
}

/// One message on the socket: a map of its version, its type and the fields that such messages have.
package protocol ControlMessage: Equatable, Sendable {
    associatedtype Kind: FieldWord
    var kind: Kind { get }
    /// A message with every field blank, to be read.
    init(blank kind: Kind)
    mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError)
}

extension ControlMessage {
    package static func read(_ input: RawSpan) throws(ControlMessageError) -> Self {
        var coder = try FieldCoder(reading: input)
        var version: UInt64 = 0
        try coder.number("version", &version)
        // Before all else, which another version may have otherwise.
        guard version == ControlLimits.protocolVersion else { throw .otherVersion(version) }
        var type = ""
        try coder.text("type", &type, limit: ControlLimits.fieldNameBytes)
        guard let kind = Kind(word: type) else { throw .unknownMessage }
        var message = Self(blank: kind)
        try message.code(&coder)
        try coder.finish()
        return message
    }

    /// Writes into `output` and says how many bytes it wrote.
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
