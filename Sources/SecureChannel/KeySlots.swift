import Secrets

/// The slots of a handshake's keys and its channel's keys in their arena.
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
    /// The channel's two keys: the initiator's sending key first, as Split returns them.
    static let initiatorToResponder = SecretArena.Slot(7)
    static let responderToInitiator = SecretArena.Slot(8)

    /// Slots to wipe once the channel is open. h stays: it is public, and identifies the channel.
    static let ofHandshakeOnly = [chainingKey, cipherKey, staticKey, ephemeralKey, psk, scratch]
}
