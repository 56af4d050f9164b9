import CLinux
import EventLoop
import Glibc
import Testing

@testable import PostgreSQL

struct TestFailure: Error { let text: String }

/// A PostgreSQL server for the tests, in its own directory, with a Unix socket there.
///
/// A shell starts the server and waits for the end of its input. Only this process holds that input open. When this
/// process ends in any way, the shell ends the server and removes the directory.
final class TestServer: Sendable {
    static let shared = Result { try TestServer() }
    static let user = "boxagent"

    let directory: String

    private static let script = """
        trap '' INT HUP TERM
        trap 'cd / && rm -rf "$directory"' EXIT
        directory=$1 user=$2
        cd "$directory" || exit
        as() { "$@"; }
        if [ "$(id -u)" -eq 0 ]; then
            # PostgreSQL refuses root.
            other=nobody
            id postgres >/dev/null 2>&1 && other=postgres
            chown "$other" "$directory"
            as() { setpriv --reuid="$other" --regid="$(id -g "$other")" --clear-groups "$@"; }
        fi
        options="-c listen_addresses= -c unix_socket_directories=$directory -c fsync=off -c shared_buffers=16MB
            -c max_connections=60 -c synchronous_standby_names=absent -c synchronous_commit=local"
        as initdb --pgdata=data --username="$user" --auth=trust --no-sync --no-instructions --encoding=UTF8 --locale=C.UTF-8 \
            >start.log 2>&1 </dev/null || { tail -n 5 start.log; exit; }
        as postgres -D data $options >server.log 2>&1 </dev/null &
        server=$!
        # When it answers this, the checkpointer has told the others that there is a standby to wait for.
        until as psql --host="$directory" --username="$user" --no-psqlrc --command=CHECKPOINT postgres \
            >start.log 2>&1 </dev/null; do
            kill -0 "$server" 2>/dev/null || { tail -n 5 server.log; exit; }
        done
        echo ready
        read -r nothing
        kill -QUIT "$(head -n 1 data/postmaster.pid)"
        wait "$server"
        """

    private init() throws {
        directory = try makeDirectory()
        var input: [Int32] = [-1, -1]
        var output: [Int32] = [-1, -1]
        guard clinux_pipe(&input) >= 0, clinux_pipe(&output) >= 0 else {
            throw TestFailure(text: "pipe")
        }
        // The writing end of the shell's input stays open as long as this process lives.
        try Self.start(directory, input: input[0], output: output[1])
        close(input[0])
        close(output[1])
        defer { close(output[0]) }
        var said: [UInt8] = []
        var byte: UInt8 = 0
        while said != Array("ready\n".utf8), read(output[0], &byte, 1) == 1 { said.append(byte) }
        guard said == Array("ready\n".utf8) else {
            throw TestFailure(text: "PostgreSQL does not start: \(String(decoding: said, as: UTF8.self))")
        }
    }

    private static func start(_ directory: String, input: Int32, output: Int32) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        let words: [String] = ["sh", "-c", script, "sh", directory, user]
        let arguments = words.map { strdup($0) } + [nil]
        let path: String = "PATH=/usr/lib/postgresql/17/bin:/usr/lib/postgresql/15/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        let variables: [String] = [path, "LC_ALL=C.UTF-8"]
        let environment = variables.map { strdup($0) } + [nil]
        defer { for text in arguments + environment { free(text) } }
        var process: pid_t = 0
        let failure = posix_spawn(&process, "/bin/sh", &actions, nil, arguments, environment)
        guard failure == 0 else { throw TestFailure(text: "sh cannot be started: errno \(failure)") }
    }

    func settings(_ more: [(String, String)] = [], database: String = "postgres") throws -> DatabaseSettings {
        try DatabaseSettings([("host", directory), ("user", Self.user), ("dbname", database)] + more)
    }
}

func makeDirectory() throws -> String {
    var template = Array("/tmp/boxagent-sql-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestFailure(text: "mkdtemp: errno \(errno)") }
    return template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
}

/// A time limit that is long enough for a machine under load. Tests never wait for it to pass.
let plenty = Duration.seconds(60)

/// Runs `body` with a pool of connections to the shared server.
func withDatabase<Value: Sendable>(
    _ limits: Database.Limits = Database.Limits(), _ more: [(String, String)] = [],
    _ body: @escaping @Sendable (Database, EpollLoop) async throws -> Value
) async throws -> Value {
    let settings = try TestServer.shared.get().settings(more)
    return try await EpollLoop.withThread { loop in
        var limits = limits
        limits.patience = max(limits.patience, plenty)
        let database = Database(settings, limits: limits, on: loop)
        do {
            let value = try await body(database, loop)
            await database.close()
            return value
        } catch {
            await database.close()
            throw error
        }
    }
}

/// Runs SQL over a separate connection, to prepare a test.
func execute(_ sql: String, database: String = "postgres", on loop: EpollLoop) async throws {
    let settings = try TestServer.shared.get().settings(database: database)
    let connection = try await DatabaseConnection.open(settings, on: loop, by: loop.now() + plenty)
    try await connection.command(sql, decides: false, by: loop.now() + plenty)
    await connection.close()
}

/// Checks equality where `#expect` cannot: in closures with inferred types that throw, and for mutating calls.
func expectEqual<Value: Equatable>(
    _ found: Value, _ expected: Value, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(found == expected, sourceLocation: sourceLocation)
}

/// Returns the error that a call throws, or nil.
func failure<Value>(
    isolation: isolated (any Actor)? = #isolation, of body: () async throws -> Value
) async -> DatabaseError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? DatabaseError
    }
}

enum Statements {
    static let backend = DatabaseStatement("backend", "SELECT pg_backend_pid()")
    /// Ends the backend, and waits up to 100 s until it has ended.
    static let terminate = DatabaseStatement("terminate", "SELECT pg_terminate_backend($1::integer, 100000)")
    /// True if the backend's commit is written and waits for a standby that does not exist.
    static let isCommitting = DatabaseStatement(
        "is committing",
        "SELECT count(*) > 0 FROM pg_stat_activity WHERE pid = $1::integer AND wait_event = 'SyncRep'")
    static let isAsleep = DatabaseStatement(
        "is asleep",
        "SELECT count(*) > 0 FROM pg_stat_activity WHERE application_name = $1 AND wait_event = 'PgSleep'")
    static let sleep = DatabaseStatement("sleep", "SELECT pg_sleep(1000) IS NULL")
    static let one = DatabaseStatement("one", "SELECT 1")
}

extension Database {
    func backend() async throws -> Int64 { try await run(Statements.backend).rows[0].integer(0) }

    /// Repeats the query until it returns true.
    func waitUntil(_ statement: DatabaseStatement, _ values: [DatabaseValue]) async throws {
        let deadline = loop.now() + plenty
        while try await !run(statement, values).rows[0].boolean(0) {
            guard loop.now() < deadline else { throw TestFailure(text: "in vain: \(statement.name)") }
        }
    }
}
