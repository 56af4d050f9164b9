import Secrets

/// The responder between message 1 and message 2: a box, or a site's server.
public struct ResponderReady<AEAD: AEADSuite>: ~Copyable, Sendable {
    private var state: HandshakeState<AEAD>
    /// The static public key, 32 bytes, that message 1 claims. Not authenticated: see `ResponderStart.readMessage1`.
    public let claimedRemoteStatic: [UInt8]
    private let remoteEphemeral: [UInt8]

    init(state: consuming HandshakeState<AEAD>, claimedRemoteStatic: [UInt8], remoteEphemeral: [UInt8]) {
        self.state = state
        self.claimedRemoteStatic = claimedRemoteStatic
        self.remoteEphemeral = remoteEphemeral
    }

    /// Writes message 2, `<- e, ee, se`: 48 bytes, plus the payload. Our protocol sends none; vectors do. Only vectors
    /// pass `ephemeral`, which must never be used again. The channel's age counts from `now`, the time since boot.
    public consuming func writeMessage2(
        payload: [UInt8] = [], ephemeral: consuming X25519KeyPair? = nil, now: Duration,
        limits: ChannelLimits = ChannelLimits()
    ) throws(HandshakeError) -> ResponderStep<AEAD> {
        guard payload.count <= HandshakeSizes.messageLimit - HandshakeSizes.message2 else { throw .wrongLength }
        let (remoteStatic, remoteEphemeral) = (claimedRemoteStatic, self.remoteEphemeral)
        var message: [UInt8] = []
        message.reserveCapacity(HandshakeSizes.message2 + payload.count)
        state.writeEphemeral(ephemeral, to: &message)
        try state.mixAgreement(KeySlots.ephemeralKey, with: remoteEphemeral.span.bytes)
        try state.mixAgreement(KeySlots.ephemeralKey, with: remoteStatic.span.bytes)
        try state.write(payload, to: &message)
        return ResponderStep(
            message: message,
            transport: ChannelTransport(state: state, role: .responder, now: now, limits: limits))
    }
}

/// Message 2, and the channel that is open once it is sent.
@frozen
public struct ResponderStep<AEAD: AEADSuite>: ~Copyable, Sendable {
    /// Send this message unchanged.
    public let message: [UInt8]
    public var transport: ChannelTransport<AEAD>
}
