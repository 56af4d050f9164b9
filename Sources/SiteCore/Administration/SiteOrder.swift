import SiteTrust

/// An order that may need a second administrator, with its target already resolved. So the approval covers the proposed
/// target, even if another box has taken the name since.
public struct SiteOrder: Sendable, Equatable {
    public enum Target: Sendable, Equatable {
        /// The row number of the box.
        case removeBox(Int64)
        /// The phone's key, 32 bytes.
        case revokePhone([UInt8])
        /// With `again`, the order also applies to a user who is already revoked.
        case revokeUser(SiteUserID, again: Bool)
        case addAdministrator(AdministratorTerms)
        case changeAdministrator(Int64, AdministratorTerms)
        case removeAdministrator(Int64)
    }

    public let target: Target
    /// The target as people know it: `box ward3-1, number 004711`.
    public let name: String
    /// At most 200 bytes.
    public let reason: String

    public init(_ target: Target, name: String, reason: String) {
        self.target = target
        self.name = name
        self.reason = reason
    }

    /// The words that follow "wants to" in a message.
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

    /// Returns a report of the order. `hasChanged` is false if there was nothing to change.
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

    /// The name of the event in the audit table.
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
