import SiteTrust

/// A person who administers the site.
public struct Administrator: Sendable, Equatable {
    public enum Role: String, Sendable, CaseIterable {
        /// Sees everything, and changes nothing.
        case viewer
        /// Administers the boxes and phones of their own groups.
        case ward
        /// Revokes phones and users, and removes boxes.
        case helpdesk
        case administrator
        /// An administrator who may also manage root keepers and issuer keys.
        case rootKeeper = "root-keeper"

        /// The role as a noun phrase for messages.
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
        /// Permanent. A new administrator may get the same name, in another row.
        case removed
    }

    /// The row number in the database, or 0 for `root`.
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

    /// Root on the server's machine, and the user that runs the server. Both can read the site's keys, so a row in the
    /// database could not restrict them. They are also the way back in if every other administrator is lost.
    public static let root = Administrator(
        id: 0, terms: AdministratorTerms(name: "root", role: .rootKeeper, groups: nil, account: nil), state: .active)

    public var isRoot: Bool { id == Self.root.id }
}

/// The properties of an administrator that can be changed.
public struct AdministratorTerms: Sendable, Equatable {
    /// 1 to 64 bytes that `SitePhone.isUserName` accepts, and not `root`.
    public let name: String
    public let role: Administrator.Role
    /// The groups of a ward administrator, or nil for every other role.
    public let groups: SiteGroups?
    /// The account on the server's machine. Nil if the administrator only uses the site page.
    public let account: String?

    public init(name: String, role: Administrator.Role, groups: SiteGroups?, account: String?) {
        self.name = name
        self.role = role
        self.groups = groups
        self.account = account
    }

    /// The reason why the terms are not valid, or nil if they are valid.
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
