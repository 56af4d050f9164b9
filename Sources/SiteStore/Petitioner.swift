import SiteCore

/// The person or program that asks a server, as far as the server itself can tell.
public enum Petitioner: Sendable, Equatable {
    /// Root of this machine, or the user that the server runs as.
    case root
    /// An account of this machine. The name is nil if the UID has none.
    case account(String?, uid: UInt32)
    /// A person who has signed in on the site page, according to the page.
    case page(name: String)

    /// The ID for the audit table if the administrator was found.
    func id(_ who: Administrator) -> String {
        switch self {
        case .root: "root"
        case .account(_, let uid): "administrator \(who.id), uid \(uid)"
        case .page: "administrator \(who.id), page"
        }
    }

    /// The ID and the name for the audit table if no administrator was found.
    var stranger: (id: String, name: String?) {
        switch self {
        case .root: ("root", nil)
        case .account(let name, let uid): ("uid \(uid)", name)
        case .page(let name): ("page", name)
        }
    }
}
