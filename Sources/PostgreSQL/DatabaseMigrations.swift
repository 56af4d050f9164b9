import EventLoop

/// Brings a schema up to date. Each migration shares a transaction with its row in `schema_version`.
///
/// Servers that start at once wait for each other on a session-level advisory lock, which ends with the connection.
public struct DatabaseMigrations: Sendable {
    /// The lock's number: "boxagent" in ASCII. Each database has its own advisory locks.
    static let lock = "7093020297873682036"

    private static let applied = DatabaseStatement(
        "applied migrations", "SELECT version, name FROM schema_version ORDER BY version")
    private static let record = DatabaseStatement(
        "record a migration", "INSERT INTO schema_version (version, name, applied_at) VALUES ($1, $2, now())")
    private static let table = """
        CREATE TABLE IF NOT EXISTS schema_version
            (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL)
        """

    private let migrations: [DatabaseMigration]
    private let highestCompatible: Int

    /// - Parameter highestCompatible: The newest version that the program supports; at least its own newest version.
    public init(_ migrations: [DatabaseMigration], highestCompatible: Int = 0) {
        self.migrations = migrations
        self.highestCompatible = highestCompatible
    }

    /// Applies the missing migrations over a connection of its own.
    ///
    /// - Parameter deadline: A time since boot, for the whole call including the wait for another server.
    /// - Returns: The versions that the schema then has, or nil if it has none.
    public func apply(
        to settings: DatabaseSettings, on loop: EpollLoop, by deadline: Duration
    ) async throws(DatabaseMigrationError) -> ClosedRange<Int>? {
        let connection: DatabaseConnection
        do throws(DatabaseError) {
            connection = try await DatabaseConnection.open(settings, on: loop, by: deadline)
        } catch {
            throw .database(error)
        }
        do throws(DatabaseMigrationError) {
            let versions = try await apply(over: connection, by: deadline)
            await connection.close()
            return versions
        } catch {
            await connection.close()
            throw error
        }
    }

    private func apply(
        over connection: DatabaseConnection, by deadline: Duration
    ) async throws(DatabaseMigrationError) -> ClosedRange<Int>? {
        let plan = try await lockAndPlan(connection, by: deadline)
        for migration in plan.missing {
            do throws(DatabaseError) {
                try await apply(migration, over: connection, by: deadline)
            } catch {
                throw .failed(version: migration.version, error)
            }
        }
        return plan.versions
    }

    private func lockAndPlan(
        _ connection: DatabaseConnection, by deadline: Duration
    ) async throws(DatabaseMigrationError) -> SchemaPlan {
        var found: [Int: String] = [:]
        do throws(DatabaseError) {
            try await connection.command(
                "SELECT pg_advisory_lock(\(Self.lock))", decides: false, by: deadline)
            try await connection.command(Self.table, decides: false, by: deadline)
            for row in try await connection.run(Self.applied, by: deadline).rows {
                found[Int(try row.integer(0))] = try row.text(1)
            }
        } catch {
            throw .database(error)
        }
        return try SchemaPlan(migrations, highestCompatible: highestCompatible, applied: found)
    }

    private func apply(
        _ migration: DatabaseMigration, over connection: DatabaseConnection, by deadline: Duration
    ) async throws(DatabaseError) {
        try await connection.command("BEGIN", decides: false, by: deadline)
        try await connection.command(migration.sql, decides: false, by: deadline)
        guard await connection.isInTransaction else {
            throw .refused(sqlState: "25P01", message: "the migration ends its own transaction")
        }
        let values: [DatabaseValue] = [.integer(Int64(migration.version)), .text(migration.name)]
        _ = try await connection.run(Self.record, values, by: deadline)
        try await connection.commit(by: deadline)
    }
}
