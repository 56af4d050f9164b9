import Secrets
import SecureChannel

/// The box's side of a handshake, either for a channel or for an enrolment with a code's secret.
struct Responding: ~Copyable {
    private let keys: BoxKeys
    /// The carrier's part of the handshake's prologue.
    private let binding: [UInt8]
    private var ready: ResponderReady<XChaChaPoly>?

    init(_ keys: BoxKeys, binding: [UInt8]) {
        self.keys = keys
        self.binding = binding
    }

    /// Reads message 1 of a channel. Returns the phone's claimed key, or nil if the message is not valid for this box.
    mutating func read(_ message1: [UInt8]) -> [UInt8]? {
        keep(try? keys.startChannel(binding: binding).readMessage1(message1))
    }

    /// Reads message 1 of an enrolment. Returns the phone's claimed key, or nil if message or secret is not valid.
    mutating func read(_ message1: [UInt8], codeID: [UInt8], psk: HeldSecret) -> [UInt8]? {
        keep(try? keys.startEnrolment(binding: binding, codeID: codeID, psk: psk).readMessage1(message1))
    }

    private mutating func keep(_ read: consuming ResponderReady<XChaChaPoly>?) -> [UInt8]? {
        let claimed = read?.claimedRemoteStatic
        ready = read
        return claimed
    }

    /// Forgets message 1, so that it is never answered.
    mutating func drop() { ready = nil }

    /// Returns message 2 and the channel that exists once message 2 is sent.
    mutating func answer(now: Duration) -> ResponderStep<XChaChaPoly>? {
        try? ready.take()?.writeMessage2(now: now)
    }
}
