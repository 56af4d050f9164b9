import CSodium

/// X25519 (RFC 7748) from slot to slot.
extension SecretArena {
    /// Returns the public key, 32 bytes, of the private key in `slot`.
    public borrowing func publicKey(of slot: Slot) -> [UInt8] {
        var publicKey = [UInt8](repeating: 0, count: Self.slotBytes)
        // SAFETY: both buffers have 32 bytes.
        _ = crypto_scalarmult_base(&publicKey, pointer(slot))
        return publicKey
    }

    /// Writes the shared secret of `privateKey` and a public key of 32 bytes into `shared`. If the public key has low
    /// order, this throws and fills `shared` with zeros.
    public mutating func agree(
        privateKey: Slot, publicKey: RawSpan, into shared: Slot
    ) throws(SecretsError) {
        guard publicKey.byteCount == Self.slotBytes else { throw .wrongLength }
        // SAFETY: all three buffers have 32 bytes; libsodium reads its inputs before it writes.
        let status = publicKey.withPointer { publicKey in
            crypto_scalarmult(pointer(shared), pointer(privateKey), publicKey)
        }
        guard status == 0 else {
            wipe(shared)
            throw .invalidPublicKey
        }
    }
}
