import EventLoop
import Glibc
import Testing

@testable import PostgreSQL

@Suite("A server that is not there, or not well", .timeLimit(.minutes(14)))
struct ReachingTests {
    /// A socket at libpq's usual place that accepts connections but never answers.
    private final class SilentServer: Sendable {
        let directory: String
        private let descriptor: Int32
        private var path: String { directory + "/.s.PGSQL.5432" }

        init() throws {
            directory = try makeDirectory()
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = UInt16(AF_UNIX)
            let bytes = Array((directory + "/.s.PGSQL.5432").utf8)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            guard bound == 0, listen(descriptor, 8) == 0 else { throw TestFailure(text: "listen: errno \(errno)") }
        }

        deinit {
            close(descriptor)
            unlink(path)
            rmdir(directory)
        }
    }

    /// Returns the processor time that the calling thread has used.
    private static func threadTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private static func settings(_ directory: String) throws -> DatabaseSettings {
        try DatabaseSettings([("host", directory), ("user", "a"), ("dbname", "b")])
    }

    @Test("A server that says nothing is given up at the deadline, and the loop runs on meanwhile")
    func silent() async throws {
        let server = try SilentServer()
        let (error, ticks, took, used) = try await EpollLoop.withThread { loop in
            let database = Database(try Self.settings(server.directory), on: loop)
            let begin = loop.now()
            let usedBefore = Self.threadTime()
            let call = loop.spawn {
                await failure { try await database.run(Statements.one, by: begin + .milliseconds(500)) }
            }
            let ticker = loop.spawn {
                var ticks = 0
                while (try? await loop.sleep(until: loop.now() + .milliseconds(1))) != nil { ticks += 1 }
                return ticks
            }
            let error = await call.value
            let took = loop.now() - begin
            ticker.cancel()
            return (error, await ticker.value, took, Self.threadTime() - usedBefore)
        }
        #expect(error == .unreachable("the server did not answer in time"))
        #expect(ticks > 10)
        #expect(took >= .milliseconds(500))
        // The call waits without polling.
        #expect(used < .milliseconds(100))
    }

    @Test("A dead server is tried again only after a pause, and calls in between are told the reason at once")
    func backOff() async throws {
        let directory = try makeDirectory()
        defer { rmdir(directory) }
        let errors = try await EpollLoop.withThread { loop in
            // On a busy machine, the pause may end before the second call. The test then tries again.
            for _ in 0..<20 {
                let database = Database(try Self.settings(directory), on: loop)
                let begun = loop.now()
                let first = await failure { try await database.run(Statements.one) }
                // From here on, a new attempt would find a silent server and wait until its deadline.
                let server = try SilentServer()
                let link = directory + "/.s.PGSQL.5432"
                symlink(server.directory + "/.s.PGSQL.5432", link)
                defer { unlink(link) }
                let between = await failure { try await database.run(Statements.one) }
                guard loop.now() - begun < ReconnectPause.first else { continue }
                try await loop.sleep(until: loop.now() + ReconnectPause.first * 2)
                let later = await failure {
                    try await database.run(Statements.one, by: loop.now() + .milliseconds(50))
                }
                withExtendedLifetime(server) {}
                return [first, between, later]
            }
            return []
        }
        guard case .unreachable(let why)? = errors.first else {
            Issue.record("\(errors)")
            return
        }
        #expect(why.contains("No such file"))
        #expect(errors[1] == errors[0])
        #expect(errors[2] == .unreachable("the server did not answer in time"))
    }

    @Test("The pause doubles up to its longest, counts tries of one moment once, and ends with success")
    func pauses() {
        var pause = ReconnectPause()
        var now = Duration.seconds(10)
        for milliseconds in [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000] {
            #expect(pause.refusal(at: now) == nil)
            pause.failed(begunAt: now, at: now, "a")
            pause.failed(begunAt: now, at: now, "b")
            #expect(pause.refusal(at: now + .milliseconds(milliseconds - 1)) == "b")
            now += .milliseconds(milliseconds)
        }
        pause.succeeded()
        pause.failed(begunAt: now, at: now, "c")
        #expect(pause.refusal(at: now + .milliseconds(99)) == "c")
        #expect(pause.refusal(at: now + .milliseconds(100)) == nil)
    }

    @Test("A server that can only be read is not used")
    func readOnly() async throws {
        let error = await failure {
            try await withDatabase(.init(), [("options", "-c default_transaction_read_only=on")]) { database, _ in
                try await database.run(Statements.one)
            }
        }
        guard case .unreachable(let why) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(why.contains("read-only"))
    }

    @Test("Settings that would look something up elsewhere, or carry a password, are refused")
    func settings() throws {
        let good = [("host", "/run"), ("user", "a"), ("dbname", "b")]
        #expect(throws: Never.self) { try DatabaseSettings(good) }
        #expect(throws: Never.self) { try DatabaseSettings(good + [("host", "x"), ("hostaddr", "192.0.2.1")]) }
        let bad = [
            ("host", "db.example"), ("host", "/run,db.example"), ("user", ""), ("dbname", ""), ("password", "x"),
            ("service", "x"),
        ]
        for pair in bad {
            #expect(throws: DatabaseError.self) { try DatabaseSettings(good + [pair]) }
        }
    }

    @Test("Neither the environment nor a home directory steers a connection")
    func environment() async throws {
        let server = try TestServer.shared.get()
        let program = try buildDirectory() + "/database-probe"
        let home = try makeDirectory()
        let file = home + "/.pgpass"
        // Others can read this password file, so libpq would warn on standard error if it read the file.
        close(open(file, O_CREAT | O_WRONLY, 0o644))
        defer {
            unlink(file)
            rmdir(home)
        }
        let environment = [
            "PATH": "/usr/bin", "HOME": home, "PGHOST": "/nonexistent", "PGPORT": "1", "PGSERVICE": "nonexistent",
            "PGOPTIONS": "-c work_mem=64kB", "PGAPPNAME": "environment", "PGSSLMODE": "verify-full", "PGLAST": "",
        ]
        let result = try await EpollLoop.withThread { loop in
            try await ChildProcess.run(
                ChildCommand(
                    program, [server.directory, TestServer.user], environment: environment,
                    outputLimitBytes: 4_096, timeLimit: .seconds(60)), on: loop)
        }
        #expect(String(decoding: result.output, as: UTF8.self) == "boxagent 4MB left: []\n")
        #expect(result.succeeded)
    }

    /// Returns the directory of the test bundle, which also contains the programs of the same build.
    private func buildDirectory() throws -> String {
        guard let maps = fopen("/proc/self/maps", "r") else { throw TestFailure(text: "no /proc/self/maps") }
        defer { fclose(maps) }
        var line = [CChar](repeating: 0, count: 4_096)
        while fgets(&line, Int32(line.count), maps) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.contains("PackageTests.xctest"), let start = text.firstIndex(of: "/"),
                let end = text.lastIndex(of: "/")
            else { continue }
            return String(text[start..<end])
        }
        throw TestFailure(text: "the test bundle is not mapped")
    }
}
