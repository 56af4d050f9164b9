import Secrets

/// Where the keys of a handshake and its channel lie in their arena.
enum KeySlots {
    /// SymmetricState: ck, h and the cipher key k.
    static let chainingKey = SecretArena.Slot(0)
    static let hash = SecretArena.Slot(1)
    static let cipherKey = SecretArena.Slot(2)
    /// HandshakeState: s, e, psk.
    static let staticKey = SecretArena.Slot(3)
    static let ephemeralKey = SecretArena.Slot(4)
    static let psk = SecretArena.Slot(5)
    /// The result of a key agreement, or temp_h of MixKeyAndHash.
    static let scratch = SecretArena.Slot(6)
    /// The channel's two keys: the initiator's sending key first, as Split gives them.
    static let initiatorToResponder = SecretArena.Slot(7)
    static let responderToInitiator = SecretArena.Slot(8)

    /// What must be gone once the channel stands. h stays: it is public, and names the channel.
    static let ofHandshakeOnly = [chainingKey, cipherKey, staticKey, ephemeralKey, psk, scratch]
}
