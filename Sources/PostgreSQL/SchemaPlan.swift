import TextOutput

/// The migrations that a schema still needs.
struct SchemaPlan: Equatable {
    let missing: ArraySlice<DatabaseMigration>
    /// The schema's versions once the missing migrations are applied, or nil if there are none.
    let versions: ClosedRange<Int>?

    /// - Parameter applied: The names of the versions that the schema has.
    init(
        _ migrations: [DatabaseMigration], highestCompatible: Int, applied: [Int: String]
    ) throws(DatabaseMigrationError) {
        for (index, migration) in migrations.enumerated() {
            guard migration.version == index + 1, migration.version <= Int32.max else {
                throw .misnumbered(version: migration.version)
            }
        }
        let highest = applied.keys.max() ?? 0
        guard highest <= max(highestCompatible, migrations.count) else {
            throw .schemaTooNew(version: highest, highestCompatible: max(highestCompatible, migrations.count))
        }
        for migration in migrations.prefix(max(0, highest)) {
            guard let found = applied[migration.version] else { throw .missing(version: migration.version) }
            guard found == migration.name else {
                throw .different(version: migration.version, found: Printable.text(found))
            }
        }
        missing = migrations.dropFirst(max(0, highest))
        let last = max(highest, migrations.count)
        versions = last > 0 ? 1...last : nil
    }
}
