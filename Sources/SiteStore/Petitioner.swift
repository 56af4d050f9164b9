import SiteCore

/// Somebody who asks something of a server, as far as the server knows by itself.
public enum Petitioner: Sendable, Equatable {
    /// Root of this machine, or the user that the server runs as.
    case root
    /// An account of this machine; nil: the uid has no name.
    case account(String?, uid: UInt32)
    /// Somebody who has signed in on the site's page, which says so.
    case page(name: String)

    /// For the audit table.
    func words(_ who: Administrator) -> String {
        switch self {
        case .root: "root"
        case .account(_, let uid): "\(who.name) (administrator \(who.id), uid \(uid))"
        case .page: "\(who.name) (administrator \(who.id), page)"
        }
    }

    /// Who asks, where no administrator is found: to be counted and written down.
    public var key: String {
        switch self {
        case .root: "root"
        case .account(_, let uid): "uid \(uid)"
        case .page(let name): "page: \(name)"
        }
    }
}
