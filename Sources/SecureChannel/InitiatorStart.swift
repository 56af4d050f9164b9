import Secrets

/// The initiator before message 1: a phone, or a box at its site.
public struct InitiatorStart<AEAD: AEADSuite>: ~Copyable, Sendable {
    private var state: HandshakeState<AEAD>
    private let staticPublic: [UInt8]
    private let remoteStatic: [UInt8]

    /// Starts a channel (IK) to the responder whose static key, 32 bytes, is `remoteStatic`.
    ///
    /// The private key is copied into the handshake's arena, from `pool` if there is one.
    public init(
        prologue: [UInt8], staticKey: borrowing X25519KeyPair, remoteStatic: [UInt8], pool: SecretArenaPool? = nil
    ) throws(HandshakeError) {
        state = try HandshakeState(
            pattern: .ik, prologue: prologue, staticKey: staticKey, responderStatic: remoteStatic,
            arena: SecretArena(from: pool))
        staticPublic = staticKey.publicKey
        self.remoteStatic = remoteStatic
    }

    /// Starts an enrolment or a join (IKpsk1) with the code's one-time secret of 32 bytes.
    public init(
        prologue: [UInt8], staticKey: borrowing X25519KeyPair, remoteStatic: [UInt8], psk: borrowing SecretBytes,
        pool: SecretArenaPool? = nil
    ) throws(HandshakeError) {
        var state = try HandshakeState<AEAD>(
            pattern: .ikPSK1, prologue: prologue, staticKey: staticKey, responderStatic: remoteStatic,
            arena: SecretArena(from: pool))
        try state.store(psk: psk)
        self.state = state
        staticPublic = staticKey.publicKey
        self.remoteStatic = remoteStatic
    }

    /// Writes message 1, `-> e, es, s, ss[, psk]`: 96 bytes, plus the payload. Our protocol sends none; vectors do.
    /// Only vectors pass `ephemeral`, which must never be used again.
    public consuming func writeMessage1(
        payload: [UInt8] = [], ephemeral: consuming X25519KeyPair? = nil
    ) throws(HandshakeError) -> InitiatorStep<AEAD> {
        guard payload.count <= HandshakeSizes.messageLimit - HandshakeSizes.message1 else { throw .wrongLength }
        let remoteStatic = self.remoteStatic
        var message: [UInt8] = []
        message.reserveCapacity(HandshakeSizes.message1 + payload.count)
        state.writeEphemeral(ephemeral, to: &message)
        try state.mixAgreement(KeySlots.ephemeralKey, with: remoteStatic.span.bytes)
        try state.write(staticPublic, to: &message)
        try state.mixAgreement(KeySlots.staticKey, with: remoteStatic.span.bytes)
        state.mixPSK()
        try state.write(payload, to: &message)
        return InitiatorStep(message: message, next: InitiatorAwaitingReply(state: state))
    }
}

/// Message 1, and the state that waits for its answer.
@frozen
public struct InitiatorStep<AEAD: AEADSuite>: ~Copyable, Sendable {
    /// Send this message unchanged.
    public let message: [UInt8]
    public var next: InitiatorAwaitingReply<AEAD>
}
