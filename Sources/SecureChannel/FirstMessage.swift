/// The first message on a fresh link: the purpose, then the handshake's message 1.
public enum FirstMessage: Sendable, Equatable {
    /// 0x01 ‖ message 1 of IK (96).
    case channel(message1: [UInt8])
    /// 0x02 ‖ code id (8) ‖ message 1 of IKpsk1 (96).
    case enrol(codeID: [UInt8], message1: [UInt8])

    /// Length of an enrolment code's id, in bytes.
    public static let codeIDBytes = 8

    /// Reads a first message. Throws `wrongLength` for anything but the two layouts.
    public init(parsing bytes: [UInt8]) throws(HandshakeError) {
        switch (bytes.first, bytes.count) {
        case (HandshakePrologue.Purpose.channel.rawValue, 1 + HandshakeSizes.message1):
            self = .channel(message1: [UInt8](bytes[1...]))
        case (HandshakePrologue.Purpose.enrol.rawValue, 1 + Self.codeIDBytes + HandshakeSizes.message1):
            self = .enrol(
                codeID: [UInt8](bytes[1..<1 + Self.codeIDBytes]), message1: [UInt8](bytes[(1 + Self.codeIDBytes)...]))
        default:
            throw .wrongLength
        }
    }

    /// The message as it is sent.
    public var bytes: [UInt8] {
        switch self {
        case .channel(let message1):
            [HandshakePrologue.Purpose.channel.rawValue] + message1
        case .enrol(let codeID, let message1):
            [HandshakePrologue.Purpose.enrol.rawValue] + codeID + message1
        }
    }
}
