/// The reasons to refuse a signed item of a site. A refused item changes nothing.
public enum SiteError: Error, Equatable, Sendable {
    /// The length does not match the layout.
    case wrongLength
    /// This program does not know the layout's version.
    case unknownVersion
    /// A field has a value that its layout does not allow, or a second encoding of the same value.
    case invalidField
    /// The item is of another site.
    case otherSite
    /// The certificate or grant is for another key than this device's.
    case otherKey
    /// The document's root is neither the pinned root nor the next one, whose hash is pinned.
    case otherRoot
    /// The document names another next root than the pinned document, although the root is the same.
    case nextRootChanged
    /// The next root's number is not one more than the pinned root's.
    case wrongRootNumber
    /// The document's version is below the pinned one.
    case olderVersion
    /// The root has signed two different contents under one number.
    case contradictsPinned
    /// The generation is before the pinned one.
    case olderGeneration
    /// The generation, or the document's version, is above the pinned one. The newer document must come first.
    case needsDocument
    /// The pinned document does not list the issuer.
    case unknownIssuer
    /// The document lists the issuer for another role.
    case wrongRole
    /// The issuer, certificate or grant has expired.
    case issuerExpired
    /// The expected key did not sign this content for this site.
    case notSigned
    /// The signed status has a lower number than the current one.
    case olderNumber
    /// The signed status has an earlier time than the current one, or the same number and time.
    case olderTime
    /// The signed status covers another set. Entries are missing here, or at the server.
    case setDiffers
    /// The set is at its limit.
    case setFull
}

extension SiteError: CustomStringConvertible {
    /// The problem, as a text that follows the name of the item.
    public var description: String {
        switch self {
        case .wrongLength: "has an invalid length"
        case .unknownVersion: "is of a newer version; update this program"
        case .invalidField: "has an invalid value"
        case .otherSite: "belongs to another site"
        case .otherKey: "is for another key"
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
