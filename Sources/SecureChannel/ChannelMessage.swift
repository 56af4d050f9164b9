/// The layout of a transport message's plaintext: kind (1 byte) ‖ body.
public enum ChannelMessage {
    /// First byte of the plaintext.
    enum Kind: UInt8 {
        case data = 0
        /// The sender sends no more. Without this message, a cut channel would look like a quiet one.
        case close = 1
    }

    /// Length of the kind, in bytes.
    static let kindBytes = 1
    /// Bytes that a transport message has in addition to its body: kind and tag.
    public static let overheadBytes = kindBytes + HandshakeSizes.tag
    /// Longest transport message, in bytes: any Noise message (specification section 3).
    public static let messageBytesLimit = HandshakeSizes.messageLimit
    /// Longest body, in bytes.
    public static let bodyBytesLimit = messageBytesLimit - overheadBytes
}
