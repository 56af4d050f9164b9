import Names
import SiteCore
import SiteTrust

/// Whom an entry of the audit table is about: an id, which is hashed, and a name, which is forgotten.
struct AuditSubject: Sendable {
    let id: String
    let name: String?

    static let site = AuditSubject(id: "", name: nil)

    /// What has no row yet, or none that is known.
    static func named(_ name: String) -> AuditSubject { AuditSubject(id: "", name: name) }

    static func box(_ id: Int64, _ name: String) -> AuditSubject { AuditSubject(id: "box \(id)", name: name) }

    /// The id of a phone, and whose it is.
    static func phone(_ id: String, of user: String) -> AuditSubject { AuditSubject(id: "phone \(id)", name: user) }

    static func user(_ id: SiteUserID, _ name: String) -> AuditSubject {
        let digits = id.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return AuditSubject(id: "user \(digits)", name: name)
    }

    /// An enrolment code by its id, of which nobody can make one, and for whose phone it is.
    static func code(_ codeID: [UInt8], for user: String?) -> AuditSubject {
        AuditSubject(id: "code \(CrockfordBase32.text(codeID))", name: user)
    }

    static func administrator(_ id: Int64, _ name: String) -> AuditSubject {
        AuditSubject(id: "administrator \(id)", name: name)
    }
}

extension SiteOrder {
    /// What an entry says of the order besides: what has no name of anybody.
    var detail: String {
        let terms = target.terms.map { terms in
            terms.role.rawValue + (terms.groups.map { " of groups \($0.numbers)" } ?? "")
        }
        return [terms, reason.isEmpty ? nil : reason].compactMap(\.self).joined(separator: ": ")
    }
}
