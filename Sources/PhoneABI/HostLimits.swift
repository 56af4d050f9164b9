import PhoneMessages
import SecureChannel

/// Bounds of the messages between a host and the core.
public enum HostLimits {
    /// Bytes of one message, either way: room for `boxes` rows.
    public static let messageBytes = 196_608
    /// Rows of boxes in one order. All fit into one message with the longest names, so the core can return them.
    public static let boxes = 128
    /// Rows of sites in one order.
    static let sites = 16
    /// Revoked boxes in the row of a site.
    static let revokedBoxes = 1_024
    /// Bytes of a word that names a message.
    static let wordBytes = 24
    /// Bytes of a radio's address of a box, of a carrier's name, and of a radio's error text.
    static let textBytes = 256
    /// Bytes of a segment; no carrier has longer ones.
    static let segmentBytes = 1_024
    /// Bytes of a box's identity.
    static let identityBytes = 512
    /// Bytes of the text of an enrolment code, and of data that a site has signed.
    static let codeBytes = 1_024
    /// The latest time, in microseconds: 285 years.
    public static let latestMicroseconds: Int64 = 1 << 53
}
