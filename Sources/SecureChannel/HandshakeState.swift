import Secrets

/// Noise's HandshakeState (specification section 5.3): the tokens of the patterns.
///
/// The stages (`InitiatorStart` and so on) call the tokens in wire order. Each stage is consumed by its one step. So no
/// order must be checked at run time, and nothing is left of a failed handshake.
struct HandshakeState<AEAD: AEADSuite>: ~Copyable, Sendable {
    private var symmetric: SymmetricState<AEAD>
    /// True if the handshake has a PSK, so that `e` goes into the key, too (section 9.2).
    private let usesPSK: Bool

    /// Initialize, up to the pre-message `<- s`. `responderStatic` is the public key that both sides know.
    init(
        pattern: HandshakePattern, prologue: [UInt8], staticKey: borrowing X25519KeyPair, responderStatic: [UInt8],
        arena: consuming SecretArena
    ) throws(HandshakeError) {
        guard responderStatic.count == HandshakeSizes.key else { throw .wrongLength }
        guard X25519KeyPair.isPublicKey(responderStatic) else { throw .invalidPublicKey }
        usesPSK = pattern == .ikPSK1
        staticKey.withPrivateKey { key in arena.store(key, in: KeySlots.staticKey) }
        symmetric = SymmetricState(pattern: pattern, prologue: prologue.span.bytes, arena: arena)
        symmetric.mixHash(responderStatic.span.bytes)
    }

    /// Stores the PSK for its token.
    mutating func store(psk: borrowing SecretBytes) throws(HandshakeError) {
        guard psk.count == HandshakeSizes.psk else { throw .wrongLength }
        psk.withBytes { bytes in symmetric.arena.store(bytes, in: KeySlots.psk) }
    }

    /// Writes token `e`: a fresh ephemeral key, or a given one for vectors.
    mutating func writeEphemeral(
        _ given: consuming X25519KeyPair?, to message: inout [UInt8]
    ) {
        if let given {
            given.withPrivateKey { key in symmetric.arena.store(key, in: KeySlots.ephemeralKey) }
        } else {
            symmetric.arena.randomise(KeySlots.ephemeralKey)
        }
        let publicKey = symmetric.arena.publicKey(of: KeySlots.ephemeralKey)
        message.append(contentsOf: publicKey)
        mixEphemeral(publicKey.span.bytes)
    }

    /// Reads token `e`.
    mutating func mixEphemeral(_ publicKey: RawSpan) {
        symmetric.mixHash(publicKey)
        if usesPSK {
            symmetric.mixPublicKey(publicKey)
        }
    }

    /// Tokens `es`, `ss`, `ee` and `se`: MixKey(DH(own private key, the other's public key)).
    mutating func mixAgreement(
        _ privateKey: SecretArena.Slot, with publicKey: RawSpan
    ) throws(HandshakeError) {
        do throws(SecretsError) {
            try symmetric.arena.agree(privateKey: privateKey, publicKey: publicKey, into: KeySlots.scratch)
        } catch {
            throw HandshakeError(error)
        }
        symmetric.mixSharedKey()
    }

    /// Token `psk`, in a pattern that has a PSK.
    mutating func mixPSK() {
        if usesPSK {
            symmetric.mixPSK()
        }
    }

    /// Writes token `s` or a payload.
    mutating func write(_ plaintext: [UInt8], to message: inout [UInt8]) throws(HandshakeError) {
        try symmetric.encryptAndHash(plaintext.span.bytes, appendingTo: &message)
    }

    /// Writes a secret payload. `message` must have room for the payload, so that no move leaves a copy of it.
    mutating func write(_ plaintext: borrowing SecretBytes, to message: inout [UInt8]) throws(HandshakeError) {
        try plaintext.withBytes { (bytes) throws(HandshakeError) in
            try symmetric.encryptAndHash(bytes, appendingTo: &message)
        }
    }

    /// Reads a secret payload.
    mutating func readSecret(_ sealed: RawSpan) throws(HandshakeError) -> SecretBytes {
        try symmetric.decryptSecret(sealed)
    }

    /// Reads token `s`. Refuses a second encoding of a key, which would name another device with the same private key.
    mutating func readStatic(_ sealed: RawSpan) throws(HandshakeError) -> [UInt8] {
        let key = try read(sealed)
        guard X25519KeyPair.isPublicKey(key) else { throw .invalidPublicKey }
        return key
    }

    /// Reads a payload.
    mutating func read(_ sealed: RawSpan) throws(HandshakeError) -> [UInt8] {
        try symmetric.decryptAndHash(sealed)
    }

    /// Returns the handshake hash so far, 32 bytes.
    borrowing func handshakeHash() -> [UInt8] {
        symmetric.handshakeHash()
    }

    /// Split: returns the arena with only the channel's two keys and the handshake hash in it.
    consuming func finish() -> SecretArena {
        symmetric.split()
    }
}
