import PostgreSQL
import SiteCore
import SiteTrust

extension SiteBox {
    /// Reads a box from the first six of its seven columns.
    init(_ row: DatabaseRow) throws(SiteStoreError) {
        do throws(DatabaseError) {
            guard let groups = try? SiteGroups(parsing: try row.bytes(3)), let state = State(rawValue: try row.text(4))
            else {
                throw DatabaseError.unexpectedType("groups or state of a box")
            }
            self.init(
                id: try row.integer(0), name: try row.text(1), number: Array(try row.text(2).utf8), groups: groups,
                state: state, key: try row.optionalBytes(5))
        } catch {
            throw .damaged("a box (\(error))")
        }
    }
}
