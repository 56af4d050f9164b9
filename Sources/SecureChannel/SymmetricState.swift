import Secrets

/// Noise's SymmetricState (specification section 5.2): ck, h and k, all in one arena, which this state owns.
struct SymmetricState<AEAD: AEADSuite>: ~Copyable, Sendable {
    var arena: SecretArena
    private var cipher: CipherState<AEAD>?

    /// InitializeSymmetric, then MixHash of the prologue.
    init(pattern: HandshakePattern, prologue: RawSpan, arena: consuming SecretArena) {
        self.arena = arena
        cipher = nil
        let name = ProtocolName.bytes(pattern: pattern, cipher: AEAD.noiseName)
        if name.count <= HandshakeSizes.hash {
            self.arena.store(name.span.bytes, in: KeySlots.hash)
        } else {
            self.arena.hash(name.span.bytes, RawSpan(), into: KeySlots.hash)
        }
        self.arena.copy(KeySlots.hash, to: KeySlots.chainingKey)
        mixHash(prologue)
    }

    /// MixKey of a key agreement's result in the scratch slot, which is wiped.
    mutating func mixSharedKey() {
        arena.deriveKeys(
            chainingKey: KeySlots.chainingKey, input: KeySlots.scratch, KeySlots.chainingKey, KeySlots.cipherKey)
        arena.wipe(KeySlots.scratch)
        cipher = CipherState(key: KeySlots.cipherKey)
    }

    /// MixKey of a public key, as `e` requires in a handshake with a PSK (section 9.2).
    mutating func mixPublicKey(_ publicKey: RawSpan) {
        arena.deriveKeys(
            chainingKey: KeySlots.chainingKey, publicInput: publicKey, KeySlots.chainingKey, KeySlots.cipherKey)
        cipher = CipherState(key: KeySlots.cipherKey)
    }

    mutating func mixHash(_ data: RawSpan) {
        arena.hash(KeySlots.hash, appending: data)
    }

    /// MixKeyAndHash of the PSK (section 9.1), which is wiped.
    mutating func mixPSK() {
        arena.deriveKeys(
            chainingKey: KeySlots.chainingKey, input: KeySlots.psk, KeySlots.chainingKey, KeySlots.scratch,
            KeySlots.cipherKey)
        arena.wipe(KeySlots.psk)
        arena.hash(KeySlots.hash, appending: KeySlots.scratch)
        arena.wipe(KeySlots.scratch)
        cipher = CipherState(key: KeySlots.cipherKey)
    }

    /// EncryptAndHash, appended to `message`.
    mutating func encryptAndHash(_ plaintext: RawSpan, appendingTo message: inout [UInt8]) throws(HandshakeError) {
        let start = message.count
        message.append(copying: plaintext)
        if var cipher {
            message.append(contentsOf: repeatElement(0, count: HandshakeSizes.tag))
            var span = message.mutableSpan
            var bytes = span.mutableBytes
            do throws(SecretsError) {
                try arena.withSlot(KeySlots.hash) { (hash) throws(SecretsError) in
                    try cipher.encrypt(&bytes, from: start, associatedData: hash, in: arena)
                }
            } catch {
                throw HandshakeError(error)
            }
            self.cipher = cipher
        }
        mixHash(message.span.bytes.extracting(droppingFirst: start))
    }

    /// DecryptAndHash.
    mutating func decryptAndHash(_ sealed: RawSpan) throws(HandshakeError) -> [UInt8] {
        guard var cipher else {
            mixHash(sealed)
            return [UInt8](copying: sealed)
        }
        guard sealed.byteCount >= HandshakeSizes.tag else { throw .wrongLength }
        var plaintext = [UInt8](repeating: 0, count: sealed.byteCount - HandshakeSizes.tag)
        var span = plaintext.mutableSpan
        var bytes = span.mutableBytes
        do throws(SecretsError) {
            try arena.withSlot(KeySlots.hash) { (hash) throws(SecretsError) in
                try cipher.decrypt(sealed, associatedData: hash, into: &bytes, in: arena)
            }
        } catch {
            throw HandshakeError(error)
        }
        self.cipher = cipher
        mixHash(sealed)
        return plaintext
    }

    /// DecryptAndHash of a secret after a key was mixed in. The secret goes directly into guarded memory.
    mutating func decryptSecret(_ sealed: RawSpan) throws(HandshakeError) -> SecretBytes {
        guard var cipher, sealed.byteCount >= HandshakeSizes.tag else { throw .wrongLength }
        var plaintext = SecretBytes(count: sealed.byteCount - HandshakeSizes.tag, from: arena.pool)
        do throws(SecretsError) {
            try plaintext.withMutableBytes { (bytes) throws(SecretsError) in
                try arena.withSlot(KeySlots.hash) { (hash) throws(SecretsError) in
                    try cipher.decrypt(sealed, associatedData: hash, into: &bytes, in: arena)
                }
            }
        } catch {
            throw HandshakeError(error)
        }
        self.cipher = cipher
        mixHash(sealed)
        return plaintext
    }

    /// The handshake hash, 32 bytes: public, equal on both sides, different for every handshake.
    borrowing func handshakeHash() -> [UInt8] {
        arena.withSlot(KeySlots.hash) { hash in [UInt8](copying: hash) }
    }

    /// Split: ends the handshake, and returns the arena with only the channel's two keys and the handshake hash in it.
    consuming func split() -> SecretArena {
        arena.deriveKeys(
            chainingKey: KeySlots.chainingKey, publicInput: RawSpan(), KeySlots.initiatorToResponder,
            KeySlots.responderToInitiator)
        for slot in KeySlots.ofHandshakeOnly {
            arena.wipe(slot)
        }
        return arena
    }
}
