import PostgreSQL

/// The site's tables, as migrations/site has them.
public enum SiteSchema {
    public static let migrations = DatabaseMigrations(
        EmbeddedMigrations.all.enumerated().map { index, migration in
            DatabaseMigration(version: index + 1, name: "\(migration.name)", sql: "\(migration.sql)")
        })
}
