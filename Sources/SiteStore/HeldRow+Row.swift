import PostgreSQL
import SiteCore
import SiteTrust

extension HeldRow {
    /// Reads the columns of `HeldStatements.look`, and then the database's clock in milliseconds.
    static func read(_ row: DatabaseRow) throws(SiteStoreError) -> (HeldRow, now: Int64) {
        do {
            guard
                let tries = HeldTries(
                    used: Int(try row.integer(8)), isLast: try row.boolean(9), lockedUntil: try row.optionalInteger(10),
                    spentAt: try row.optionalInteger(11))
            else { throw DatabaseError.unexpectedType("tries of a credential") }
            var credential: HeldCredential?
            if let salt = try row.optionalBytes(5) {
                credential = HeldCredential(
                    salt: salt, wrappedKey: try row.bytes(6), content: try row.bytes(7))
                guard credential != nil else { throw DatabaseError.unexpectedType("a length of a credential") }
            }
            let held = HeldRow(
                phone: try row.integer(0), isActive: try row.boolean(1),
                groups: try SiteGroups(parsing: try row.bytes(2)), grant: try ClaimedGrant(parsing: try row.bytes(3)),
                counter: UInt64(clamping: try row.integer(4)), credential: credential, wasWiped: try row.boolean(12),
                tries: tries)
            return (held, try row.integer(13))
        } catch {
            throw .damaged("a credential (\(error))")
        }
    }
}
