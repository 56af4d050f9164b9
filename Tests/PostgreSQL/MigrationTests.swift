import EventLoop
import Testing

@testable import PostgreSQL

@Suite("Migrations at a real server", .timeLimit(.minutes(14)))
struct MigrationTests {
    private static let list = [
        DatabaseMigration(
            version: 1, name: "boxes", sql: "CREATE TABLE boxes (id bigint); INSERT INTO boxes VALUES (1)"),
        DatabaseMigration(
            version: 2, name: "names", sql: "ALTER TABLE boxes ADD name text; UPDATE boxes SET name = 'a'"),
    ]
    private static let boxes = DatabaseStatement("boxes", "SELECT id, name FROM boxes")
    private static let versions = DatabaseStatement("versions", "SELECT version FROM schema_version ORDER BY 1")

    /// Runs `body` with a new, empty database.
    private func withEmpty<Value: Sendable>(
        _ name: String, _ body: @escaping @Sendable (DatabaseSettings, EpollLoop) async throws -> Value
    ) async throws -> Value {
        let settings = try TestServer.shared.get().settings(database: name)
        return try await EpollLoop.withThread { loop in
            try await execute("CREATE DATABASE \(name)", on: loop)
            return try await body(settings, loop)
        }
    }

    private func rows(
        _ statement: DatabaseStatement, _ settings: DatabaseSettings, _ loop: EpollLoop
    ) async throws -> [[DatabaseValue]] {
        let connection = try await DatabaseConnection.open(settings, on: loop, by: loop.now() + plenty)
        let rows = try await connection.run(statement, by: loop.now() + plenty).rows
        await connection.close()
        return rows.map(\.values)
    }

    @Test("Migrations are applied once, and later ones on top")
    func twice() async throws {
        try await withEmpty("twice") { settings, loop in
            let deadline = loop.now() + plenty
            let first = DatabaseMigrations(Array(Self.list.prefix(1)))
            expectEqual(try await DatabaseMigrations([]).apply(to: settings, on: loop, by: deadline), nil)
            expectEqual(try await first.apply(to: settings, on: loop, by: deadline), 1...1)
            let both = DatabaseMigrations(Self.list)
            for _ in 0..<2 { expectEqual(try await both.apply(to: settings, on: loop, by: deadline), 1...2) }
            expectEqual(try await rows(Self.boxes, settings, loop), [[.integer(1), .text("a")]])
            expectEqual(try await rows(Self.versions, settings, loop), [[.integer(1)], [.integer(2)]])
        }
    }

    @Test("Servers that start at the same time apply each migration once")
    func atOnce() async throws {
        try await withEmpty("at_once") { settings, loop in
            let deadline = loop.now() + plenty
            let tasks = (0..<4).map { _ in
                loop.spawn { try? await DatabaseMigrations(Self.list).apply(to: settings, on: loop, by: deadline) }
            }
            for task in tasks { #expect(await task.value == 1...2) }
            expectEqual(try await rows(Self.boxes, settings, loop), [[.integer(1), .text("a")]])
        }
    }

    @Test("A migration that fails leaves nothing, and those before it stay")
    func failing() async throws {
        try await withEmpty("failing") { settings, loop in
            let deadline = loop.now() + plenty
            let sqls = ["CREATE TABLE half (id bigint); SELECT 1 / 0", "CREATE TABLE half (id bigint); COMMIT"]
            for (sql, state) in zip(sqls, ["22012", "25P01"]) {
                let list = Self.list.prefix(1) + [DatabaseMigration(version: 2, name: "half", sql: sql)]
                do throws(DatabaseMigrationError) {
                    _ = try await DatabaseMigrations(Array(list)).apply(to: settings, on: loop, by: deadline)
                    Issue.record("it was applied")
                } catch {
                    guard case .failed(version: 2, .refused(state, _)) = error else {
                        Issue.record("\(error)")
                        continue
                    }
                }
                expectEqual(try await rows(Self.versions, settings, loop), [[.integer(1)]])
            }
        }
    }

    @Test("A schema that is newer than the program gets on with is refused, and one that it gets on with is told")
    func newer() async throws {
        try await withEmpty("newer") { settings, loop in
            let deadline = loop.now() + plenty
            _ = try await DatabaseMigrations(Self.list).apply(to: settings, on: loop, by: deadline)
            let old = Array(Self.list.prefix(1))
            let range = try await DatabaseMigrations(old, highestCompatible: 2).apply(
                to: settings, on: loop, by: deadline)
            #expect(range == 1...2)
            await #expect(throws: DatabaseMigrationError.schemaTooNew(version: 2, highestCompatible: 1)) {
                try await DatabaseMigrations(old).apply(to: settings, on: loop, by: deadline)
            }
        }
    }

    @Test("A list with gaps, and a schema that is another's or lacks a version, are refused")
    func plans() throws {
        let gap = [Self.list[1]]
        #expect(throws: DatabaseMigrationError.misnumbered(version: 2)) {
            try SchemaPlan(gap, highestCompatible: 0, applied: [:])
        }
        #expect(throws: DatabaseMigrationError.missing(version: 1)) {
            try SchemaPlan(Self.list, highestCompatible: 0, applied: [2: "names"])
        }
        #expect(throws: DatabaseMigrationError.different(version: 1, found: "x\\u{1b}")) {
            try SchemaPlan(Self.list, highestCompatible: 0, applied: [1: "x\u{1B}"])
        }
    }
}
