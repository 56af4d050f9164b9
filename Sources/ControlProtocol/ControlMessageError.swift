import Wire

/// The reason why a control message was refused or cannot be sent. It names our own fields, never received text.
public enum ControlMessageError: Error, Equatable, Sendable {
    /// The bytes are not a map of deterministic CBOR with texts as keys.
    case notAMessage(WireError)
    /// The other side speaks another version of the protocol.
    case otherVersion(UInt64)
    /// This version has no message of that type.
    case unknownMessage
    case missing(field: String)
    /// The message has a field that its type does not have.
    case unknownField
    /// The value has the wrong type, is out of bounds, is an unknown word, or contradicts another field.
    case invalid(field: String, WireError)

    public var text: String {
        switch self {
        case .notAMessage: "it is not a message of this protocol"
        case .otherVersion(let version):
            "it has version \(version) of the protocol, this program has version \(ControlLimits.protocolVersion)"
        case .unknownMessage: "its type is unknown or not expected"
        case .missing(let field): "it lacks the field '\(field)'"
        case .unknownField: "it has an unknown field"
        case .invalid(let field, _): "its field '\(field)' has a value that is not valid"
        }
    }
}
