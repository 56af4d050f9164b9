import Secrets
import SiteTrust

/// A key with which a server signs for its site, in one role.
public final class IssuerKey: Sendable {
    public let role: IssuerRole
    /// 32 bytes.
    public let publicKey: [UInt8]
    let pair: Ed25519KeyPair

    public init(_ role: IssuerRole, _ pair: consuming Ed25519KeyPair) {
        self.role = role
        publicKey = pair.publicKey
        self.pair = pair
    }
}

/// All issuer keys of a server: those of this year, and those of the next. The site document may not list all of them.
public struct IssuerKeys: Sendable {
    public let site: SiteID
    public let keys: [IssuerKey]

    public init(site: SiteID, _ keys: [IssuerKey]) {
        self.site = site
        self.keys = keys
    }

    func key(of issuer: SiteIssuer) -> IssuerKey? {
        keys.first { $0.role == issuer.role && $0.publicKey == issuer.key }
    }

    /// Returns the issuers that `document` lists and that may sign at `time`, but whose key this server does not have.
    public func lacking(under document: SiteDocumentFacts, at time: UInt64) -> [SiteIssuer] {
        document.issuers.filter { time < $0.expiry && key(of: $0) == nil }
    }
}
