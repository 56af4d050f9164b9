/// The reasons for which a phone does not trust a box as a box of its site (docs/reference/site-protocol.md, 12).
public enum SiteBoxProblem: Error, Equatable, Sendable {
    case noCertificate
    case otherSite
    /// The certificate belongs to another box.
    case otherKey
    case otherNumber
    /// The phone's site document does not list the issuer for boxes.
    case unknownIssuer
    case expired
    case otherGroups
    case notSigned
    case revoked
}

extension SiteBoxProblem: CustomStringConvertible {
    /// The problem, as the rest of a sentence that begins with "it".
    public var description: String {
        switch self {
        case .noCertificate: "shows no certificate of your site"
        case .otherSite: "belongs to another site"
        case .otherKey: "shows the certificate of another box of your site"
        case .otherNumber: "shows your site's certificate for another number"
        case .unknownIssuer: "shows a certificate from an issuer unknown to this phone"
        case .expired: "shows an expired certificate of your site"
        case .otherGroups: "is in none of the groups that your access includes"
        case .notSigned: "shows a certificate that your site did not sign"
        case .revoked: "was removed from your site"
        }
    }
}
