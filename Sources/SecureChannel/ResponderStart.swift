import Secrets

/// The responder before message 1: a box, or a site's server.
public struct ResponderStart<AEAD: AEADSuite>: ~Copyable, Sendable {
    private var state: HandshakeState<AEAD>

    /// Starts a channel (IK).
    ///
    /// The private key is copied into the handshake's arena, from `pool` if there is one.
    public init(
        prologue: [UInt8], staticKey: borrowing X25519KeyPair, pool: SecretArenaPool? = nil
    ) throws(HandshakeError) {
        state = try HandshakeState(
            pattern: .ik, prologue: prologue, staticKey: staticKey, responderStatic: staticKey.publicKey,
            arena: SecretArena(from: pool))
    }

    /// Starts an enrolment or a join (IKpsk1) with the code's one-time secret of 32 bytes.
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

    /// Reads message 1, `-> e, es, s, ss[, psk]`: 96 bytes. The message may be a replay, or made by a thief of this
    /// side's key. So the initiator is authenticated only once its first transport message decrypts.
    public consuming func readMessage1(_ message: [UInt8]) throws(HandshakeError) -> ResponderReady<AEAD> {
        guard message.count == HandshakeSizes.message1 else { throw .wrongLength }
        var payload: [UInt8] = []
        return try readMessage1(message, payload: &payload)
    }

    /// Reads message 1 with a payload. Our protocol never sends payloads; vectors do.
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
