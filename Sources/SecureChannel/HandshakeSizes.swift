/// Lengths in bytes that follow from Curve25519, a 16-byte tag and empty payloads.
public enum HandshakeSizes {
    /// DHLEN: public keys, private keys, shared secrets.
    public static let key = 32
    /// A pre-shared key (specification section 9).
    public static let psk = 32
    /// An AEAD's tag.
    public static let tag = 16
    /// A handshake hash.
    public static let hash = 32
    /// Message 1 with an empty payload: e ‖ sealed s ‖ tag.
    public static let message1 = key + key + tag + tag
    /// Message 2 with an empty payload: e ‖ tag.
    public static let message2 = key + tag
    /// The longest Noise message (specification section 3).
    public static let messageLimit = 65_535
}
