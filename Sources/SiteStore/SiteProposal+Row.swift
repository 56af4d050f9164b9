import PostgreSQL
import SiteCore
import SiteTrust

extension SiteProposal {
    /// Reads the sixteen columns of a proposal.
    init(_ row: DatabaseRow) throws(SiteStoreError) {
        do {
            guard let state = State(rawValue: try row.text(13)) else {
                throw DatabaseError.unexpectedType("state of a proposal")
            }
            self.init(
                id: try row.bytes(0), proposer: try row.integer(1), proposerName: try row.text(15),
                order: SiteOrder(try SiteOrder.Target(row), name: try row.text(5), reason: try row.text(6)),
                made: UInt64(clamping: try row.integer(11)), expiry: UInt64(clamping: try row.integer(12)),
                state: state,
                decidedBy: try row.optionalInteger(14))
        } catch {
            throw .damaged("a proposal (\(error))")
        }
    }
}

extension SiteOrder.Target {
    private enum Kind: String {
        case removeBox = "remove-box"
        case revokePhone = "revoke-phone"
        case revokeUser = "revoke-user"
        case addAdministrator = "add-administrator"
        case changeAdministrator = "change-administrator"
        case removeAdministrator = "remove-administrator"
    }

    /// Reads kind, subject and `again` from column 2 on, and the terms from column 7 on.
    fileprivate init(_ row: DatabaseRow) throws {
        guard let kind = Kind(rawValue: try row.text(2)) else {
            throw DatabaseError.unexpectedType("kind of a proposal")
        }
        let subject = try row.bytes(3)
        switch kind {
        case .removeBox: self = .removeBox(try Self.rowNumber(subject))
        case .revokePhone: self = .revokePhone(subject)
        case .revokeUser:
            guard let user = SiteUserID(bytes: subject) else { throw DatabaseError.unexpectedType("a user's id") }
            self = .revokeUser(user, again: try row.boolean(4))
        case .addAdministrator: self = .addAdministrator(try AdministratorTerms(row, from: 7))
        case .changeAdministrator:
            self = .changeAdministrator(try Self.rowNumber(subject), try AdministratorTerms(row, from: 7))
        case .removeAdministrator: self = .removeAdministrator(try Self.rowNumber(subject))
        }
    }

    /// The kind, the subject and `again`.
    var columns: [DatabaseValue] {
        let (kind, subject, again): (Kind, [UInt8], Bool) =
            switch self {
            case .removeBox(let id): (.removeBox, Self.bytes(id), false)
            case .revokePhone(let key): (.revokePhone, key, false)
            case .revokeUser(let user, let again): (.revokeUser, user.bytes, again)
            case .addAdministrator: (.addAdministrator, [], false)
            case .changeAdministrator(let id, _): (.changeAdministrator, Self.bytes(id), false)
            case .removeAdministrator(let id): (.removeAdministrator, Self.bytes(id), false)
            }
        return [.text(kind.rawValue), .bytes(subject), .boolean(again)]
    }

    var terms: AdministratorTerms? {
        switch self {
        case .addAdministrator(let terms), .changeAdministrator(_, let terms): terms
        case .removeBox, .revokePhone, .revokeUser, .removeAdministrator: nil
        }
    }

    private static func bytes(_ row: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: row >> Int64(56 - 8 * $0)) }
    }

    private static func rowNumber(_ bytes: [UInt8]) throws -> Int64 {
        guard bytes.count == 8 else { throw DatabaseError.unexpectedType("the number of a row") }
        return bytes.reduce(0) { $0 << 8 | Int64($1) }
    }
}
