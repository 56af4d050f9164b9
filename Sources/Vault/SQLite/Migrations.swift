import Secrets
import VaultPort

/// Updates a database to the schema of this program (docs/decisions/008-vault.md).
///
/// Each file in migrations/ is applied in one transaction and recorded with its hash. A newer schema or a changed
/// migration is refused before anything is written.
struct Migrations {
    /// In order of their numbers, which start with 1 and have no gap.
    var all: [EmbeddedMigration] = EmbeddedMigrations.all

    /// Refuses databases that `apply` must not touch, and returns the number of applied migrations. Only reads.
    @discardableResult
    func check(_ database: Database) throws(VaultError) -> Int {
        let applied = try applied(in: database)
        guard applied.count <= all.count else { throw .newerSchema(found: applied.count, known: all.count) }
        for (migration, hash) in zip(all, applied) where hash != Self.digest(migration) {
            throw .changedMigration(name: "\(migration.name)")
        }
        return applied.count
    }

    func apply(to database: Database) throws(VaultError) {
        let count = try check(database)
        for (index, migration) in all.enumerated().dropFirst(count) {
            try database.transaction { () throws(VaultError) in
                if index == 0 { try database.execute(Self.record) }
                try database.execute(migration.sql)
                try database.run(
                    "INSERT INTO migrations (number, name, hash) VALUES (?, ?, ?)", .integer(Int64(index + 1)),
                    .blob(Array("\(migration.name)".utf8)), .blob(Self.digest(migration)))
            }
        }
    }

    private static let record: StaticString = """
        CREATE TABLE migrations (
            number INTEGER PRIMARY KEY,
            name   BLOB NOT NULL,
            hash   BLOB NOT NULL CHECK (length(hash) = 32)
        ) STRICT
        """

    private func applied(in database: Database) throws(VaultError) -> [[UInt8]] {
        let known = try database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'migrations'")
        guard known == 1 else {
            // A database that is neither empty nor ours must not be written to.
            guard try database.integer("SELECT count(*) FROM sqlite_schema") == 0 else {
                throw .unusable(path: database.path, reason: "it is a database of another program")
            }
            return []
        }
        return try database.rows("SELECT hash FROM migrations ORDER BY number") { $0.bytes(0) }
    }

    private static func digest(_ migration: EmbeddedMigration) -> [UInt8] {
        SHA256.hash(Array("\(migration.sql)".utf8))
    }
}
