@testable import Secrets
@testable import SecureChannel

/// A phone and a box that know each other's keys, and a pool that both use.
final class Parties: Sendable {
    let phone = X25519KeyPair()
    let box = X25519KeyPair()
    let psk = SecretBytes(randomCount: 32)
    let pool = SecretArenaPool()
    let enrolling: Bool

    init(enrolling: Bool) { self.enrolling = enrolling }

    var prologue: [UInt8] {
        enrolling
            ? HandshakePrologue.enrol(binding: [1, 0, 0], identity: [1, 2, 3], codeID: [UInt8](0..<8)).bytes
            : HandshakePrologue.channel(binding: [1, 0, 0], identity: [1, 2, 3]).bytes
    }

    func initiator() throws -> InitiatorStart<XChaChaPoly> {
        enrolling
            ? try InitiatorStart(
                prologue: prologue, staticKey: phone, remoteStatic: box.publicKey, psk: psk, pool: pool)
            : try InitiatorStart(prologue: prologue, staticKey: phone, remoteStatic: box.publicKey, pool: pool)
    }

    func responder() throws -> ResponderStart<XChaChaPoly> {
        enrolling
            ? try ResponderStart(prologue: prologue, staticKey: box, psk: psk, pool: pool)
            : try ResponderStart(prologue: prologue, staticKey: box, pool: pool)
    }

    func firstMessage() throws -> [UInt8] {
        let step = try initiator().writeMessage1()
        return step.message
    }

    /// Returns both ends of a channel that opened at time zero.
    func channelPair(limits: ChannelLimits = ChannelLimits()) throws -> ChannelPair {
        let step = try initiator().writeMessage1()
        let reply = try responder().readMessage1(step.message).writeMessage2(now: .zero, limits: limits)
        let phone = try step.next.readMessage2(reply.message, now: .zero, limits: limits)
        return ChannelPair(phone: phone, box: reply.transport)
    }
}

struct ChannelPair: ~Copyable {
    var phone: ChannelTransport<XChaChaPoly>
    var box: ChannelTransport<XChaChaPoly>

    /// Sends one message from phone to box.
    mutating func pass(_ body: [UInt8], now: Duration = .zero) throws -> [UInt8] {
        try box.open(phone.seal(body, now: now), now: now).publicCopy
    }
}

/// Returns the reason why a phone that waits for message 2 refuses `message`, or nil if the phone accepts.
func refusal(
    of message: [UInt8], by waiting: consuming InitiatorAwaitingReply<XChaChaPoly>
) -> HandshakeError? {
    do throws(HandshakeError) {
        _ = try waiting.readMessage2(message, now: .zero)
        return nil
    } catch {
        return error
    }
}

extension SecretBytes {
    /// A copy to compare in tests, where nothing is really secret.
    var publicCopy: [UInt8] { withBytes { [UInt8](copying: $0) } }
}

extension ChannelTransport {
    /// Seals `plaintext` without a kind byte in front: vectors have no such byte, and attackers choose their own.
    mutating func sealRaw(_ plaintext: [UInt8]) throws -> [UInt8] {
        var message = plaintext + [UInt8](repeating: 0, count: 16)
        var span = message.mutableSpan
        var bytes = span.mutableBytes
        try sending.encrypt(&bytes, associatedData: RawSpan(), in: keys)
        return message
    }

    mutating func openRaw(_ message: [UInt8]) throws -> [UInt8] {
        var plaintext = [UInt8](repeating: 0, count: message.count - 16)
        var span = plaintext.mutableSpan
        var bytes = span.mutableBytes
        try receiving.decrypt(message.span.bytes, associatedData: RawSpan(), into: &bytes, in: keys)
        return plaintext
    }
}
