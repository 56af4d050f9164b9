import SiteCore

/// Somebody who asks something of a server, as far as the server knows by itself.
public enum Petitioner: Sendable, Equatable {
    /// Root of this machine, or the user that the server runs as.
    case root
    /// An account of this machine; nil: the uid has no name.
    case account(String?, uid: UInt32)
    /// Somebody who has signed in on the site's page, which says so.
    case page(name: String)

    /// As the audit table has somebody who was found.
    func id(_ who: Administrator) -> String {
        switch self {
        case .root: "root"
        case .account(_, let uid): "administrator \(who.id), uid \(uid)"
        case .page: "administrator \(who.id), page"
        }
    }

    /// And somebody who was not: what is kept, and the name.
    var stranger: (id: String, name: String?) {
        switch self {
        case .root: ("root", nil)
        case .account(let name, let uid): ("uid \(uid)", name)
        case .page(let name): ("page", name)
        }
    }
}
