/// The reason for a refusal, as the other side hears it: how to react, and nothing that helps a forger.
public enum SiteReason: UInt8, CaseIterable, Sendable {
    /// Final: a forgery, a mistake, or an item of another site.
    case notAccepted = 1
    /// The sides have different documents. Show the newer document; if it was shown already, renew the item.
    case needsDocument = 2
    /// The item has expired. Renew it at a box that is online.
    case renew = 3
    /// The box is in none of the grant's groups.
    case notHere = 4
    /// The item was revoked.
    case revoked = 5
    /// The box has been without its site for too long.
    case boxCutOff = 6

    public init(_ refusal: GrantRefusal) {
        self =
            switch refusal {
            case .otherPhone, .wrongRole, .notSigned: .notAccepted
            case .unknownIssuer: .needsDocument
            case .issuerExpired, .expired: .renew
            case .otherGroups: .notHere
            case .noTime, .hourNotWritten, .allowanceUsedUp: .boxCutOff
            case .phoneRevoked, .userRevoked: .revoked
            }
    }

    public init(_ refusal: BoxCertificateRefusal) {
        self =
            switch refusal {
            case .otherSite, .otherKey, .otherBoxID, .wrongRole, .notSigned: .notAccepted
            case .unknownIssuer: .needsDocument
            case .issuerExpired, .expired: .boxCutOff
            case .otherGroups: .notHere
            case .boxRevoked: .revoked
            }
    }

    public init(_ error: SiteError) {
        self =
            switch error {
            case .unknownIssuer, .needsDocument, .olderGeneration, .olderVersion: .needsDocument
            case .issuerExpired: .renew
            default: .notAccepted
            }
    }
}
