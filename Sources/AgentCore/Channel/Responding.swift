import Secrets
import SecureChannel

/// The box's side of a handshake: of a channel, or of an enrolment with a code's secret.
struct Responding: ~Copyable {
    private let keys: BoxKeys
    /// What the prologue says of the carrier.
    private let binding: [UInt8]
    private var ready: ResponderReady<XChaChaPoly>?

    init(_ keys: BoxKeys, binding: [UInt8]) {
        self.keys = keys
        self.binding = binding
    }

    /// The key that message 1 of a channel claims to be from; nil: it is none for this box.
    mutating func read(_ message1: [UInt8]) -> [UInt8]? {
        keep(try? keys.startChannel(binding: binding).readMessage1(message1))
    }

    /// The same of an enrolment; nil also where the secret is not the code's.
    mutating func read(_ message1: [UInt8], codeID: [UInt8], psk: HeldSecret) -> [UInt8]? {
        keep(try? keys.startEnrolment(binding: binding, codeID: codeID, psk: psk).readMessage1(message1))
    }

    private mutating func keep(_ read: consuming ResponderReady<XChaChaPoly>?) -> [UInt8]? {
        let claimed = read?.claimedRemoteStatic
        ready = read
        return claimed
    }

    /// Lets go of what was read: nobody answers any more.
    mutating func drop() { ready = nil }

    /// Message 2, and the channel that stands once it is sent.
    mutating func answer(now: Duration) -> ResponderStep<XChaChaPoly>? {
        try? ready.take()?.writeMessage2(now: now)
    }
}
