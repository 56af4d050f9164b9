import PostgreSQL
import SiteCore
import SiteTrust

extension Administrator {
    /// Reads the six columns of an administrator.
    init(_ row: DatabaseRow) throws(SiteStoreError) {
        do {
            guard let state = State(rawValue: try row.text(5)) else {
                throw DatabaseError.unexpectedType("state of an administrator")
            }
            self.init(
                id: try row.integer(0), terms: try AdministratorTerms(row, from: 1), state: state)
        } catch {
            throw .damaged("an administrator (\(error))")
        }
    }
}

extension AdministratorTerms {
    /// Reads name, role, groups and account.
    init(_ row: DatabaseRow, from column: Int) throws {
        guard let role = Administrator.Role(rawValue: try row.text(column + 1)) else {
            throw DatabaseError.unexpectedType("role of an administrator")
        }
        self.init(
            name: try row.text(column), role: role,
            groups: try row.optionalBytes(column + 2).map { try SiteGroups(parsing: $0) },
            account: try row.optionalText(column + 3))
    }

    /// The name, role, groups and account.
    var columns: [DatabaseValue] {
        [
            .text(name), .text(role.rawValue), groups.map { .bytes($0.bytes) } ?? .null,
            account.map { .text($0) } ?? .null,
        ]
    }
}
