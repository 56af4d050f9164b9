import Secrets

/// The channel after the handshake (specification section 5, "transport messages"): two counters, two keys.
///
/// Messages are strictly ordered. Any failure ends the channel for good: the keys are wiped, and later calls throw
/// `ChannelError.ended`. The caller passes the time since boot.
public struct ChannelTransport<AEAD: AEADSuite>: ~Copyable, Sendable {
    /// 32 bytes, equal on both sides, different for every handshake, and not secret.
    public let handshakeHash: [UInt8]
    public let limits: ChannelLimits
    /// True if the channel can no longer send or receive.
    public private(set) var hasEnded = false

    /// Internal, so that tests can use vectors whose messages have no kind byte.
    var keys: SecretArena
    var sending: CipherState<AEAD>
    var receiving: CipherState<AEAD>
    private let established: Duration
    private var lastUse: Duration

    /// The side of the handshake.
    enum Role: Sendable { case initiator, responder }

    init(state: consuming HandshakeState<AEAD>, role: Role, now: Duration, limits: ChannelLimits) {
        handshakeHash = state.handshakeHash()
        keys = state.finish()
        let (first, second) = (KeySlots.initiatorToResponder, KeySlots.responderToInitiator)
        sending = CipherState(key: role == .initiator ? first : second)
        receiving = CipherState(key: role == .initiator ? second : first)
        established = now
        lastUse = now
        self.limits = limits
    }

    /// The time at which the channel becomes too old or too idle, unless a message passes before.
    public var deadline: Duration { min(established + limits.age, lastUse + limits.idle) }

    /// Returns whether the channel has ended, or is too old or too idle at `now`.
    public borrowing func expired(now: Duration) -> Bool { hasEnded || now >= deadline }

    /// Returns the transport message for `body`, which has at most `ChannelMessage.bodyBytesLimit` bytes. The message
    /// is 17 bytes longer than `body`.
    public mutating func seal(_ body: RawSpan, now: Duration) throws(ChannelError) -> [UInt8] {
        try checkUsable(now: now)
        guard body.byteCount <= ChannelMessage.bodyBytesLimit else { throw end(.wrongLength) }
        guard sending.nonce < limits.messagesEachWay else { throw end(.messageLimitReached) }
        lastUse = now
        return try seal(.data, body)
    }

    /// Seals a secret body.
    public mutating func seal(_ body: borrowing SecretBytes, now: Duration) throws(ChannelError) -> [UInt8] {
        try body.withBytes { (bytes) throws(ChannelError) in try seal(bytes, now: now) }
    }

    /// Seals a body that is not secret.
    public mutating func seal(_ body: [UInt8], now: Duration) throws(ChannelError) -> [UInt8] {
        try seal(body.span.bytes, now: now)
    }

    /// Returns this side's last message and ends the channel. Allowed at any age of the channel.
    public mutating func sealClose() throws(ChannelError) -> [UInt8] {
        guard !hasEnded else { throw .ended }
        let message = try seal(.close, RawSpan())
        _ = end(.ended)
        return message
    }

    /// Returns the body of the peer's next message. `ChannelError.closedByPeer` is the regular end.
    public mutating func open(_ message: [UInt8], now: Duration) throws(ChannelError) -> SecretBytes {
        try checkUsable(now: now)
        guard (ChannelMessage.overheadBytes...ChannelMessage.messageBytesLimit).contains(message.count) else {
            throw end(.wrongLength)
        }
        let isOverLimit = receiving.nonce >= limits.messagesEachWay
        var plaintext = SecretBytes(count: message.count - HandshakeSizes.tag, from: keys.pool)
        do throws(SecretsError) {
            try plaintext.withMutableBytes { (bytes) throws(SecretsError) in
                try receiving.decrypt(message.span.bytes, associatedData: RawSpan(), into: &bytes, in: keys)
            }
        } catch {
            throw end(.authenticationFailed)
        }
        switch ChannelMessage.Kind(rawValue: plaintext.byte(at: 0)) {
        case .data where isOverLimit: throw end(.messageLimitReached)
        case .data: break
        case .close where plaintext.count == ChannelMessage.kindBytes: throw end(.closedByPeer)
        case .close, nil: throw end(.unknownKind)
        }
        lastUse = now
        plaintext.keep(ChannelMessage.kindBytes..<plaintext.count)
        return plaintext
    }

    private mutating func checkUsable(now: Duration) throws(ChannelError) {
        guard !hasEnded else { throw .ended }
        guard now < deadline else { throw end(.expired) }
    }

    /// Encrypts in the message's own array, so the cipher overwrites the plaintext.
    private mutating func seal(_ kind: ChannelMessage.Kind, _ body: RawSpan) throws(ChannelError) -> [UInt8] {
        var message: [UInt8] = []
        message.reserveCapacity(body.byteCount + ChannelMessage.overheadBytes)
        message.append(kind.rawValue)
        message.append(copying: body)
        message.append(contentsOf: repeatElement(0, count: HandshakeSizes.tag))
        var span = message.mutableSpan
        var bytes = span.mutableBytes
        do throws(SecretsError) {
            try sending.encrypt(&bytes, associatedData: RawSpan(), in: keys)
        } catch {
            message.wipe()
            throw end(.wrongLength)
        }
        return message
    }

    /// Ends the channel for good, and returns the reason.
    private mutating func end(_ reason: ChannelError) -> ChannelError {
        hasEnded = true
        keys.wipe()
        return reason
    }
}
