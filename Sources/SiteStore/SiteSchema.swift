import PostgreSQL

/// The site's tables, from migrations/site.
public enum SiteSchema {
    public static let migrations = DatabaseMigrations(
        EmbeddedMigrations.all.enumerated().map { index, migration in
            DatabaseMigration(version: index + 1, name: "\(migration.name)", sql: "\(migration.sql)")
        })
}
