/// The bounds of all messages between a phone and a box. docs/reference/protocol.md repeats them for authors of phones
/// in other languages.
public enum MessageLimits {
    /// The longest message, as CBOR before encryption, in bytes. The largest request, `siteNews`, needs 843 bytes.
    public static let messageBytes = 1_024
    /// The longest content of a ping, in bytes. Only pings and their answers may exceed `messageBytes`.
    public static let pingBytes = 16_384
    /// The longest ping as CBOR, in bytes. Array, type, id and the byte string's head precede the content.
    static let pingMessageBytes = pingBytes + 16
    /// The most protocol versions that one hello may offer.
    public static let offeredVersions = 8
    /// The longest label of a device, in bytes of UTF-8.
    public static let labelBytes = 64
    /// The exact length of a device secret, the phone's half of the key to a box-held credential.
    public static let deviceSecretBytes = 32
    /// The number of digits in a box ID.
    public static let boxIDDigits = 4...6
    /// The exact length of a phone's commitment at an enrolment, and of each side's nonce.
    public static let enrolmentBytes = 32
    /// The longest duration in a message, in seconds: seven days.
    public static let durationSeconds: UInt32 = 604_800
    /// The seconds in which a person can answer an elevation request.
    public static let elevationSeconds: UInt32 = 30
    /// The exact length of a site's revocation, in bytes (docs/reference/site-protocol.md, 7).
    public static let siteEntryBytes = 122
    /// The length of a phone's list of the site data that it has (docs/reference/site-protocol.md, 12).
    public static let siteNewsQuestionBytes = 35...835
    /// The length of the site data in one message from a box: a document, a signed status, or 1 to 7 entries.
    public static let siteNewsBytes = 122...854
    /// The longest carried message between a phone and its site. The longest site document fits in when sealed.
    public static let carriedBytes = 896
    /// The length of a site document (docs/reference/site-protocol.md, 3).
    public static let siteDocumentBytes = 162...818
    /// The four lengths of a sealed request to a site, in bytes, by kind (docs/reference/site-protocol.md, 19).
    public static let sealedForSite = [106, 138, 170, 651]
    /// The protocol version that this module speaks.
    public static let protocolVersion: UInt8 = 2
}
