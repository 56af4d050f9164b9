import SiteTrust

/// Something that may need a second administrator: with whom or what it is about already found. So what is approved is what was
/// proposed, also where another box has got the name since.
public struct SiteOrder: Sendable, Equatable {
    public enum Target: Sendable, Equatable {
        /// The row's number.
        case removeBox(Int64)
        /// The key, 32 bytes.
        case revokePhone([UInt8])
        /// `again`: also where the user is revoked.
        case revokeUser(SiteUserID, again: Bool)
        case addAdministrator(AdministratorTerms)
        case changeAdministrator(Int64, AdministratorTerms)
        case removeAdministrator(Int64)
    }

    public let target: Target
    /// As people know it: `box ward3-1, number 004711`.
    public let name: String
    /// At most 200 bytes.
    public let reason: String

    public init(_ target: Target, name: String, reason: String) {
        self.target = target
        self.name = name
        self.reason = reason
    }

    /// What is to be done, to be read behind "wants to".
    public var words: String {
        switch target {
        case .removeBox: "remove \(name)"
        case .revokePhone: "revoke \(name)"
        case .revokeUser: "revoke \(name), with all phones"
        case .addAdministrator(let terms): "add \(name) as \(terms.words)"
        case .changeAdministrator(_, let terms): "make \(name) \(terms.words)"
        case .removeAdministrator: "remove \(name)"
        }
    }

    /// What was done. `hasChanged`: false where it was so already.
    public func report(hasChanged: Bool) -> String {
        switch target {
        case .removeBox: hasChanged ? "removed \(name)" : "\(name) is already removed"
        case .revokePhone: hasChanged ? "revoked \(name)" : "\(name) is already revoked"
        case .revokeUser: hasChanged ? "revoked \(name), with all phones" : "\(name) is already revoked"
        case .addAdministrator(let terms): "added \(name) as \(terms.words)"
        case .changeAdministrator(_, let terms): "\(name) is now \(terms.words)"
        case .removeAdministrator: hasChanged ? "removed \(name)" : "\(name) is already removed"
        }
    }

    /// For the audit table, one word.
    public var event: String {
        switch target {
        case .removeBox: "box remove"
        case .revokePhone: "phone revoke"
        case .revokeUser: "user revoke"
        case .addAdministrator: "admin add"
        case .changeAdministrator: "admin change"
        case .removeAdministrator: "admin remove"
        }
    }
}

extension AdministratorTerms {
    var words: String {
        let groups = groups.map { " of groups " + $0.numbers.map { "\($0)" }.joined(separator: ", ") } ?? ""
        return role.rawValue + groups + (account.map { ", account \($0)" } ?? ", without an account")
    }
}
