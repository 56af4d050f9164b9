import Names
import SiteCore
import SiteTrust

/// The subject of an audit entry: an ID, which the entry's hash covers, and a name, which is deleted later.
struct AuditSubject: Sendable {
    let id: String
    let name: String?

    static let site = AuditSubject(id: "", name: nil)

    /// A subject that has no row, or whose row is unknown.
    static func named(_ name: String) -> AuditSubject { AuditSubject(id: "", name: name) }

    static func box(_ id: Int64, _ name: String) -> AuditSubject { AuditSubject(id: "box \(id)", name: name) }

    /// A phone's ID and its owner's name.
    static func phone(_ id: String, of user: String) -> AuditSubject { AuditSubject(id: "phone \(id)", name: user) }

    static func user(_ id: SiteUserID, _ name: String) -> AuditSubject {
        let digits = id.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return AuditSubject(id: "user \(digits)", name: name)
    }

    /// An enrolment code by its ID, which does not reveal the code, and the user of its phone.
    static func code(_ codeID: [UInt8], for user: String?) -> AuditSubject {
        AuditSubject(id: "code \(CrockfordBase32.text(codeID))", name: user)
    }

    static func administrator(_ id: Int64, _ name: String) -> AuditSubject {
        AuditSubject(id: "administrator \(id)", name: name)
    }
}

extension SiteOrder {
    /// The detail of an audit entry about the order, without any person's name.
    var detail: String {
        let terms = target.terms.map { terms in
            terms.role.rawValue + (terms.groups.map { " of groups \($0.numbers)" } ?? "")
        }
        return [terms, reason.isEmpty ? nil : reason].compactMap(\.self).joined(separator: ": ")
    }
}
