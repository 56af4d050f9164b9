import SiteTrust

/// Somebody who administers the site.
public struct Administrator: Sendable, Equatable {
    public enum Role: String, Sendable, CaseIterable {
        /// Looks at everything, and changes nothing.
        case viewer
        /// Boxes and phones of the own groups.
        case ward
        /// Takes back: phones, users, boxes.
        case helpdesk
        case administrator
        /// An administrator who also has a say in who keeps the root.
        case rootKeeper = "root-keeper"

        /// As a sentence names somebody.
        public var words: String {
            switch self {
            case .viewer: "a viewer"
            case .ward: "an administrator of a ward"
            case .helpdesk: "the helpdesk"
            case .administrator: "an administrator"
            case .rootKeeper: "a root keeper"
            }
        }
    }

    public enum State: String, Sendable, CaseIterable {
        case active
        /// For good: the name may be given again, to another row.
        case removed
    }

    /// The row's number in the database; 0: whoever has the server's machine.
    public let id: Int64
    public let terms: AdministratorTerms
    public let state: State

    public init(id: Int64, terms: AdministratorTerms, state: State) {
        self.id = id
        self.terms = terms
        self.state = state
    }

    public var name: String { terms.name }
    public var role: Role { terms.role }

    /// Root of the server's machine, and the user that the server runs as. Both have the site's keys in their hands, so no row could
    /// keep anything from them; and they are the way back in where every other one is lost.
    public static let root = Administrator(
        id: 0, terms: AdministratorTerms(name: "root", role: .rootKeeper, groups: nil, account: nil), state: .active)

    public var isRoot: Bool { id == Self.root.id }
}

/// What is said of an administrator, and may be changed.
public struct AdministratorTerms: Sendable, Equatable {
    /// 1 to 64 bytes as `SitePhone.isUserName` has them, and not `root`.
    public let name: String
    public let role: Administrator.Role
    /// The own groups of an administrator of a ward; nil for every other one.
    public let groups: SiteGroups?
    /// The account on the server's machine; nil: on the site's page alone.
    public let account: String?

    public init(name: String, role: Administrator.Role, groups: SiteGroups?, account: String?) {
        self.name = name
        self.role = role
        self.groups = groups
        self.account = account
    }

    /// What is wrong with them; nil: nothing is.
    public var fault: String? {
        guard SitePhone.isUserName(Array(name.utf8)), name != "root" else {
            return
                "this name is not valid for an administrator; use 1 to 64 bytes without /, : or control characters, and not root"
        }
        if let account, !SitePhone.isUserName(Array(account.utf8)) || account == "root" {
            return
                "this account is not valid for an administrator; root needs no account, because root may do everything"
        }
        guard (role == .ward) == (groups != nil) else {
            return role == .ward ? "name the groups of the ward: --group" : "only the role ward has groups"
        }
        return nil
    }
}
