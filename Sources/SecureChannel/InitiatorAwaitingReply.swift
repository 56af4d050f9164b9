import Secrets

/// The initiator between message 1 and message 2: a phone, or a box at its site.
public struct InitiatorAwaitingReply<AEAD: AEADSuite>: ~Copyable, Sendable {
    private var state: HandshakeState<AEAD>

    init(state: consuming HandshakeState<AEAD>) {
        self.state = state
    }

    /// Reads message 2, `<- e, ee, se`: 48 bytes, which authenticates the responder. The channel's age counts from
    /// `now`, the time since boot.
    public consuming func readMessage2(
        _ message: [UInt8], now: Duration, limits: ChannelLimits = ChannelLimits()
    ) throws(HandshakeError) -> ChannelTransport<AEAD> {
        guard message.count == HandshakeSizes.message2 else { throw .wrongLength }
        var payload: [UInt8] = []
        return try readMessage2(message, payload: &payload, now: now, limits: limits)
    }

    /// Reads message 2 with a payload. Our protocol never sends payloads; vectors do.
    public consuming func readMessage2(
        _ message: [UInt8], payload: inout [UInt8], now: Duration, limits: ChannelLimits = ChannelLimits()
    ) throws(HandshakeError) -> ChannelTransport<AEAD> {
        guard (HandshakeSizes.message2...HandshakeSizes.messageLimit).contains(message.count) else {
            throw .wrongLength
        }
        let bytes = message.span.bytes
        let remoteEphemeral = bytes.extracting(first: HandshakeSizes.key)
        state.mixEphemeral(remoteEphemeral)
        try state.mixAgreement(KeySlots.ephemeralKey, with: remoteEphemeral)
        try state.mixAgreement(KeySlots.staticKey, with: remoteEphemeral)
        payload = try state.read(bytes.extracting(droppingFirst: HandshakeSizes.key))
        return ChannelTransport(state: state, role: .initiator, now: now, limits: limits)
    }
}
