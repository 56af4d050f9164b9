import Secrets

/// One message to a known key, in Noise's one-way pattern X (specification, section 7.4): `-> e, es, s, ss` and a
/// secret payload. The message proves the sender's key. A carrier can neither read nor change the message.
///
/// Anybody can send the message again, so the receiver must remember the messages that it has opened. There is no
/// forward secrecy against a thief of the receiver's key.
public enum OneWayMessage<AEAD: AEADSuite> {
    /// Bytes that the message has in addition to its content: e, sealed s, and two tags.
    public static var overheadBytes: Int { HandshakeSizes.message1 }
    private static var contentLimit: Int { HandshakeSizes.messageLimit - overheadBytes }
    private static var sealedStatic: Range<Int> { HandshakeSizes.key..<2 * HandshakeSizes.key + HandshakeSizes.tag }

    /// Returns the message from `sender` to the key `receiver` (32 bytes). Only vectors pass `ephemeral`, which must
    /// never be used again.
    public static func seal(
        _ content: borrowing SecretBytes, prologue: [UInt8], from sender: borrowing X25519KeyPair, to receiver: [UInt8],
        ephemeral: consuming X25519KeyPair? = nil
    ) throws(HandshakeError) -> [UInt8] {
        guard content.count <= contentLimit else { throw .wrongLength }
        var state = try HandshakeState<AEAD>(
            pattern: .x, prologue: prologue, staticKey: sender, responderStatic: receiver, arena: SecretArena())
        var message: [UInt8] = []
        message.reserveCapacity(overheadBytes + content.count)
        state.writeEphemeral(ephemeral, to: &message)
        try state.mixAgreement(KeySlots.ephemeralKey, with: receiver.span.bytes)
        try state.write(sender.publicKey, to: &message)
        try state.mixAgreement(KeySlots.staticKey, with: receiver.span.bytes)
        try state.write(content, to: &message)
        return message
    }

    /// Opens a message to `receiver`. Throws `authenticationFailed` if it is forged, or for another key or prologue.
    public static func open(
        _ message: [UInt8], prologue: [UInt8], with receiver: borrowing X25519KeyPair, pool: SecretArenaPool? = nil
    ) throws(HandshakeError) -> OpenedMessage {
        guard (overheadBytes...HandshakeSizes.messageLimit).contains(message.count) else { throw .wrongLength }
        var state = try HandshakeState<AEAD>(
            pattern: .x, prologue: prologue, staticKey: receiver, responderStatic: receiver.publicKey,
            arena: SecretArena(from: pool))
        let bytes = message.span.bytes
        let ephemeral = bytes.extracting(first: HandshakeSizes.key)
        state.mixEphemeral(ephemeral)
        try state.mixAgreement(KeySlots.staticKey, with: ephemeral)
        let sender = try state.readStatic(bytes.extracting(sealedStatic))
        try state.mixAgreement(KeySlots.staticKey, with: sender.span.bytes)
        let content = try state.readSecret(bytes.extracting(droppingFirst: sealedStatic.upperBound))
        return OpenedMessage(sender: sender, content: content)
    }
}

/// An opened `OneWayMessage` and its sender.
public struct OpenedMessage: ~Copyable, Sendable {
    /// The X25519 public key, 32 bytes, whose owner made the message.
    public let sender: [UInt8]
    public let content: SecretBytes
}
