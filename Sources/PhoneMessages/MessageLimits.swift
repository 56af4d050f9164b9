/// Bounds of everything that a phone and a box say to each other. docs/reference/protocol.md repeats them for people who
/// write a phone in another language.
public enum MessageLimits {
    /// One message, either way, as CBOR and before it is sealed. The largest request, `siteNews`, needs 843.
    public static let messageBytes = 1_024
    /// What a ping may carry, in bytes: the one message, with its answer, that may be longer.
    public static let pingBytes = 16_384
    /// A ping as CBOR: array, type, id and the byte string's head before the bytes.
    static let pingMessageBytes = pingBytes + 16
    /// Protocol versions that one hello may offer.
    public static let offeredVersions = 8
    /// A device's label, in bytes of UTF-8.
    public static let labelBytes = 64
    /// The phone's half of the key to a credential that the box holds, exactly.
    public static let deviceSecretBytes = 32
    /// The digits of a box ID.
    public static let boxIDDigits = 4...6
    /// What a phone commits to at an enrolment, and each side's nonce there, exactly.
    public static let enrolmentBytes = 32
    /// Any length of time: seven days.
    public static let durationSeconds: UInt32 = 604_800
    /// How long a person has to answer a request to elevate.
    public static let elevationSeconds: UInt32 = 30
    /// A revocation of a site, exactly (docs/reference/site-protocol.md, 7).
    public static let siteEntryBytes = 122
    /// What a phone says that it holds of its site (docs/reference/site-protocol.md, 12).
    public static let siteNewsQuestionBytes = 35...835
    /// What a box tells of a site in one message: a document, a head, or 1 to 7 entries.
    public static let siteNewsBytes = 122...854
    /// What a box hands on at once between a phone and its site: the longest site document fits, sealed.
    public static let carriedBytes = 896
    /// A site document (docs/reference/site-protocol.md, 3).
    public static let siteDocumentBytes = 162...818
    /// What a phone seals for its site, in bytes: one of four lengths, by what it asks (docs/reference/site-protocol.md, 19).
    public static let sealedForSite = [106, 138, 170, 651]
    /// The protocol version that this module speaks.
    public static let protocolVersion: UInt8 = 2
}
