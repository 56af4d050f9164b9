/// Why something that a site signs was not taken. Nothing is changed by what was refused.
public enum SiteError: Error, Equatable, Sendable {
    /// Another length than its layout has.
    case wrongLength
    /// A version of the layout that this program does not know.
    case unknownVersion
    /// A field with a value that its layout does not allow, or a second encoding of the same thing.
    case invalidField
    /// Of another site.
    case otherSite
    /// A certificate for another key than this box's.
    case otherKey
    /// By a key that is neither the pinned root nor the one behind the hash of the next root's key.
    case otherRoot
    /// A root may not name another next root: only the next root itself may.
    case nextRootChanged
    /// A next root counts one more than the root before it.
    case wrongRootNumber
    /// A document below the version that is pinned.
    case olderVersion
    /// The pinned version with another content: the root has signed two.
    case contradictsPinned
    /// Of a generation before the pinned one.
    case olderGeneration
    /// Of a generation or beside a document that are newer than what is pinned: the newer document has to come first.
    case needsDocument
    /// The issuer is not in the pinned document.
    case unknownIssuer
    /// The issuer is in the document, for something else.
    case wrongRole
    /// The issuer's time was over when this was signed.
    case issuerExpired
    /// The signature is not by the key that it should be by, over this content, for this site.
    case notSigned
    /// A head with a lower number than the one before.
    case olderNumber
    /// A head with an earlier time than the one before, or with its number and time.
    case olderTime
    /// The head is of another set than what is held: entries are missing here, or at the server.
    case setDiffers
    /// The set has as many entries as it may.
    case setFull
}

extension SiteError: CustomStringConvertible {
    /// What is wrong, to be read behind the name of the thing.
    public var description: String {
        switch self {
        case .wrongLength: "has an invalid length"
        case .unknownVersion: "is of a newer version; update this program"
        case .invalidField: "has an invalid value"
        case .otherSite: "belongs to another site"
        case .otherKey: "is for another box's key"
        case .otherRoot: "is from another root than this site's"
        case .nextRootChanged: "names another next root than the pinned one"
        case .wrongRootNumber: "has the wrong root number"
        case .olderVersion: "is older than the current one"
        case .contradictsPinned: "contradicts the current one: the root has signed two documents of one version"
        case .olderGeneration: "is of an earlier generation"
        case .needsDocument: "needs a newer site document"
        case .unknownIssuer: "is from an issuer that the site document does not list"
        case .wrongRole: "is from an issuer with another role"
        case .issuerExpired: "has expired, or its issuer has"
        case .notSigned: "is not signed by the expected key"
        case .olderNumber: "has a lower number than the current one"
        case .olderTime: "is not later than the current one"
        case .setDiffers: "does not match this box's entries"
        case .setFull: "is more than a box can hold"
        }
    }
}
