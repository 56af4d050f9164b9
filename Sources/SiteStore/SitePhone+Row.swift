import PostgreSQL
import SiteCore
import SiteTrust

extension SitePhone {
    /// Reads the columns of a phone and its owner.
    init(_ row: DatabaseRow) throws(SiteStoreError) {
        do {
            guard let userID = SiteUserID(bytes: try row.bytes(2)),
                let userState = SiteUser.State(rawValue: try row.text(4)),
                let state = State(rawValue: try row.text(9))
            else { throw DatabaseError.unexpectedType("user id or state of a phone") }
            let owner = SiteUser(
                userID: userID, name: try row.text(3), state: userState,
                revokedUpTo: try GrantPlace(row, generation: 5, number: 6))
            self.init(
                id: try row.integer(0), key: try row.bytes(1), owner: owner, label: try row.text(7),
                groups: try SiteGroups(parsing: try row.bytes(8)), state: state,
                grant: try ClaimedGrant(parsing: try row.bytes(10)),
                times: Times(
                    added: UInt64(clamping: try row.integer(11)), issued: UInt64(clamping: try row.integer(12)),
                    renewed: try row.optionalInteger(13).map { UInt64(clamping: $0) }))
        } catch {
            throw .damaged("a phone (\(error))")
        }
    }
}

extension SiteUser {
    /// Reads the columns of a user, which follow the row number.
    init(_ row: DatabaseRow) throws(SiteStoreError) {
        do {
            guard let userID = SiteUserID(bytes: try row.bytes(1)), let state = State(rawValue: try row.text(3)) else {
                throw DatabaseError.unexpectedType("user id or state of a user")
            }
            self.init(
                userID: userID, name: try row.text(2), state: state,
                revokedUpTo: try GrantPlace(row, generation: 4, number: 5))
        } catch {
            throw .damaged("a user (\(error))")
        }
    }
}

extension GrantPlace {
    init?(_ row: DatabaseRow, generation: Int, number: Int) throws {
        guard let first = try row.optionalInteger(generation), let second = try row.optionalInteger(number) else {
            return nil
        }
        self.init(generation: try SiteOrdinal(UInt64(bitPattern: first)), number: UInt64(clamping: second))
    }
}
