import Secrets

/// The box ahead of message 1.
public struct ResponderStart<AEAD: AEADSuite>: ~Copyable, Sendable {
    private var state: HandshakeState<AEAD>

    /// A login and control channel (IK).
    ///
    /// The private key is copied into the arena that the handshake takes from `pool`, if there is one.
    public init(
        prologue: [UInt8], staticKey: borrowing X25519KeyPair, pool: SecretArenaPool? = nil
    ) throws(HandshakeError) {
        state = try HandshakeState(
            pattern: .ik, prologue: prologue, staticKey: staticKey, responderStatic: staticKey.publicKey,
            arena: SecretArena(from: pool))
    }

    /// An enrolment (IKpsk1) with the code's one-time secret of 32 bytes.
    public init(
        prologue: [UInt8], staticKey: borrowing X25519KeyPair, psk: borrowing SecretBytes,
        pool: SecretArenaPool? = nil
    ) throws(HandshakeError) {
        var state = try HandshakeState<AEAD>(
            pattern: .ikPSK1, prologue: prologue, staticKey: staticKey, responderStatic: staticKey.publicKey,
            arena: SecretArena(from: pool))
        try state.store(psk: psk)
        self.state = state
    }

    /// Message 1, `-> e, es, s, ss[, psk]`: 96 bytes. It authenticates nobody yet: it may be a replay, or made by
    /// a thief of the box's key. The phone is who it claims to be once its first transport message opens.
    public consuming func readMessage1(_ message: [UInt8]) throws(HandshakeError) -> ResponderReady<AEAD> {
        guard message.count == HandshakeSizes.message1 else { throw .wrongLength }
        var payload: [UInt8] = []
        return try readMessage1(message, payload: &payload)
    }

    /// The same with a payload, which our protocol never sends; vectors do.
    public consuming func readMessage1(
        _ message: [UInt8], payload: inout [UInt8]
    ) throws(HandshakeError) -> ResponderReady<AEAD> {
        guard (HandshakeSizes.message1...HandshakeSizes.messageLimit).contains(message.count) else {
            throw .wrongLength
        }
        let bytes = message.span.bytes
        let remoteEphemeral = bytes.extracting(first: HandshakeSizes.key)
        let sealedStatic = HandshakeSizes.key..<2 * HandshakeSizes.key + HandshakeSizes.tag
        state.mixEphemeral(remoteEphemeral)
        try state.mixAgreement(KeySlots.staticKey, with: remoteEphemeral)
        let remoteStatic = try state.readStatic(bytes.extracting(sealedStatic))
        try state.mixAgreement(KeySlots.staticKey, with: remoteStatic.span.bytes)
        state.mixPSK()
        payload = try state.read(bytes.extracting(droppingFirst: sealedStatic.upperBound))
        return ResponderReady(
            state: state, claimedRemoteStatic: remoteStatic, remoteEphemeral: [UInt8](copying: remoteEphemeral))
    }
}
