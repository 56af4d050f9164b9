import Wire

/// Why a message on the control socket was refused, or cannot be sent. Names fields of ours, never what somebody wrote.
public enum ControlMessageError: Error, Equatable, Sendable {
    /// The bytes are no map of deterministic CBOR with texts as keys.
    case notAMessage(WireError)
    /// The other side speaks another version of the protocol.
    case otherVersion(UInt64)
    /// No message of this version has such a type.
    case unknownMessage
    case missing(field: String)
    /// There is a field that messages of this type do not have.
    case unknownField
    /// The field's value is of another kind, over its bound, no word of ours, or contradicts another field.
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
