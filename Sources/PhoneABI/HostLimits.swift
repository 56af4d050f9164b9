import PhoneMessages
import SecureChannel

/// Bounds of what a host and the core hand each other.
public enum HostLimits {
    /// Bytes of one message, either way: room for `boxes` rows.
    public static let messageBytes = 196_608
    /// Rows of boxes in one order. All of them fit into one message, also with the longest names: what is handed in can be handed out.
    public static let boxes = 128
    /// Rows of sites in one order.
    static let sites = 16
    /// Revoked boxes in the row of a site.
    static let revokedBoxes = 1_024
    /// Bytes of a word that says what a message is.
    static let wordBytes = 24
    /// Bytes of a radio's address of a box, its name of a carrier, and what it says is wrong with it.
    static let textBytes = 256
    /// Bytes of a segment; no carrier has longer ones.
    static let segmentBytes = 1_024
    /// Bytes of what a box says of itself.
    static let identityBytes = 512
    /// Bytes of the text of an enrolment code, and of what a site has signed.
    static let codeBytes = 1_024
    /// A time, in microseconds: 285 years.
    public static let latestMicroseconds: Int64 = 1 << 53
}
