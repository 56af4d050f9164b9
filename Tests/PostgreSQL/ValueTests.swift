import EventLoop
import Testing

@testable import PostgreSQL

@Suite("Values and statements at a real server", .timeLimit(.minutes(14)))
struct ValueTests {
    private static let echo = DatabaseStatement(
        "echo", "SELECT $1::bigint, $2::bytea, $3::text, $4::boolean")

    @Test("Values of every type come back as they were sent, empty ones, nulls and a megabyte too")
    func values() async throws {
        let rows: [[DatabaseValue]] = [
            [.integer(.min), .bytes([]), .text(""), .boolean(false)],
            [.integer(.max), .bytes((0...255).map { UInt8($0) }), .text("é\u{1F600} '; --"), .boolean(true)],
            [.integer(-1), .bytes([UInt8](repeating: 0xA5, count: 1_048_576)), .text("x"), .boolean(true)],
            [.null, .null, .null, .null],
        ]
        let same = try await withDatabase { database, _ in
            var same: [Bool] = []
            for row in rows { same.append(try await database.run(Self.echo, row).rows.map(\.values) == [row]) }
            return same
        }
        #expect(same == [true, true, true, true])
    }

    private static let narrow = DatabaseStatement(
        "narrow",
        "SELECT (-2)::smallint, (-3)::integer, 'a'::varchar(3), 'b'::char(2), 'c'::name, NULL::smallint")

    @Test("Narrower types of the server are read as the wide ones")
    func narrowTypes() async throws {
        let row = try await withDatabase { database, _ in try await database.run(Self.narrow).rows[0] }
        #expect(row.values == [.integer(-2), .integer(-3), .text("a"), .text("b "), .text("c"), .null])
        #expect(try row.optionalInteger(5) == nil)
        #expect(throws: DatabaseError.unexpectedType("column 5 is null, not an integer")) { try row.integer(5) }
        #expect(throws: DatabaseError.unexpectedType("column 0 is an integer, not a text")) { try row.text(0) }
        #expect(throws: DatabaseError.unexpectedType("column 6 is not there, not bytes")) { try row.bytes(6) }
    }

    private static let foreign = DatabaseStatement("foreign", "SELECT 1.5::numeric")
    private static let backends = DatabaseStatement(
        "prepared", "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'SELECT $1::bigint%'")

    @Test("A type that is not spoken is said, and the connection goes on")
    func foreignType() async throws {
        let (error, before, after) = try await withDatabase { database, _ in
            let before = try await database.backend()
            let error = await failure { try await database.run(Self.foreign) }
            return (error, before, try await database.backend())
        }
        #expect(error == .unexpectedType("column 0 is of type number 1700"))
        #expect(before == after)
    }

    @Test("A statement is prepared once on a connection, and again for other types")
    func preparedOnce() async throws {
        let counts = try await withDatabase { database, _ in
            var counts: [Int64] = []
            for last: DatabaseValue in [.boolean(true), .boolean(false), .boolean(true), .null] {
                _ = try await database.run(Self.echo, [.integer(1), .bytes([1]), .text("a"), last])
                counts.append(try await database.run(Self.backends).rows[0].integer(0))
            }
            return counts
        }
        #expect(counts == [1, 1, 1, 2])
    }

    private static let insert = DatabaseStatement("insert", "INSERT INTO unique_names VALUES ($1)")

    @Test("A name that is there already is refused with its SQLSTATE, and the connection goes on")
    func uniqueViolation() async throws {
        let (affected, error, before, after) = try await withDatabase { database, loop in
            try await execute("CREATE TABLE unique_names (name text PRIMARY KEY)", on: loop)
            let affected = try await database.run(Self.insert, [.text("a")]).affectedRows
            let before = try await database.backend()
            let error = await failure { try await database.run(Self.insert, [.text("a")]) }
            return (affected, error, before, try await database.backend())
        }
        #expect(affected == 1)
        guard case .refused("23505", let message) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(message.contains("unique_names_pkey"))
        #expect(before == after)
    }

    private static let many = DatabaseStatement("many", "SELECT generate_series(1, $1)")
    private static let wide = DatabaseStatement("wide", "SELECT repeat('x', 1048576) FROM generate_series(1, $1)")

    @Test("A result over the bound of rows or of bytes is refused, and the next call works")
    func tooLarge() async throws {
        let (full, errors, after) = try await withDatabase { database, _ in
            let full = try await database.run(Self.many, [.integer(20_000)]).rows.count
            var errors: [DatabaseError?] = []
            errors.append(await failure { try await database.run(Self.many, [.integer(20_001)]) })
            errors.append(await failure { try await database.run(Self.wide, [.integer(17)]) })
            errors.append(
                await failure {
                    try await database.run(Self.echo, [.bytes([UInt8](repeating: 0, count: 16 * 1_048_576 + 1))])
                })
            return (full, errors, try await database.run(Self.wide, [.integer(16)]).rows.count)
        }
        #expect(full == 20_000)
        #expect(errors == [.tooLarge, .tooLarge, .tooLarge])
        #expect(after == 16)
    }

    @Test("The server's words are printable, on one line and short")
    func words() {
        #expect(ServerText.bounded(" a\n\tb\u{1B}[2J\u{202E} ") == "a b\\u{1b}[2J\\u{202e}")
        #expect(ServerText.bounded(String(repeating: "é", count: 400)).utf8.count == 512)
    }
}
