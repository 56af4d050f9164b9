import EventLoop
import Testing

@testable import PostgreSQL

@Suite("A pool of connections", .timeLimit(.minutes(14)))
struct PoolTests {
    private static func limits(_ connections: Int, waiters: Int) -> Database.Limits {
        var limits = Database.Limits()
        limits.connections = connections
        limits.waiters = waiters
        return limits
    }

    @Test("When the queue is full the next caller is told so; a cancelled caller frees its place")
    func full() async throws {
        let (full, cancelled, last) = try await withDatabase(Self.limits(1, waiters: 1)) { database, loop in
            let inside = WaitPoint(on: loop)
            let mark = inside.mark()
            let release = WaitPoint(on: loop)
            let held = release.mark()
            let first = loop.spawn {
                await failure {
                    try await database.transaction { _ in
                        inside.signal()
                        _ = await release.wait(since: held)
                    }
                }
            }
            _ = await inside.wait(since: mark)
            let second = loop.spawn { await failure { try await database.run(Statements.one) } }
            // The loop runs ready tasks in order, so the second call waits when these yields return.
            for _ in 0..<20 { await Task.yield() }
            let full = await failure { try await database.run(Statements.one) }
            second.cancel()
            let cancelled = await second.value
            let third = loop.spawn { await failure { try await database.run(Statements.one) } }
            for _ in 0..<20 { await Task.yield() }
            release.signal()
            return (full, cancelled, [await first.value, await third.value])
        }
        #expect(full == .busy)
        #expect(cancelled == .cancelled)
        #expect(last == [nil, nil])
    }

    @Test("A caller that waits for a connection longer than its deadline is told so")
    func waitsTooLong() async throws {
        let error = try await withDatabase(Self.limits(1, waiters: 1)) { database, loop in
            try await database.transaction { _ in
                await failure { try await database.run(Statements.one, by: loop.now() + .milliseconds(1)) }
            }
        }
        #expect(error == .timedOut)
    }

    @Test("A task that is cancelled while a statement runs frees its connection")
    func cancelledStatement() async throws {
        let name = [("application_name", "cancelled")]
        let (error, isNew) = try await withDatabase(Self.limits(1, waiters: 1), name) { database, loop in
            try await withDatabase { other, _ in
                let before = try await database.backend()
                let task = loop.spawn { await failure { try await database.run(Statements.sleep) } }
                try await other.waitUntil(Statements.isAsleep, [.text("cancelled")])
                task.cancel()
                let error = await task.value
                _ = try await other.run(Statements.terminate, [.integer(before)])
                return (error, try await database.backend() != before)
            }
        }
        #expect(error == .outcomeUnknown)
        #expect(isNew)
    }

    @Test("A hundred callers at once are served by four connections")
    func crowd() async throws {
        let backends = try await withDatabase { database, loop in
            let tasks = (0..<100).map { _ in loop.spawn { try? await database.backend() } }
            var backends: Set<Int64?> = []
            for task in tasks { backends.insert(await task.value) }
            return backends
        }
        #expect(!backends.contains(nil))
        #expect((1...4).contains(backends.count))
    }

    @Test("A pool that is closed ends what runs and refuses what comes")
    func closed() async throws {
        let errors = try await withDatabase(Self.limits(1, waiters: 1), [("application_name", "closed")]) {
            database, loop in
            try await withDatabase { other, _ in
                let running = loop.spawn {
                    await failure { try await database.transaction { _ = try await $0.run(Statements.sleep) } }
                }
                try await other.waitUntil(Statements.isAsleep, [.text("closed")])
                let waiting = loop.spawn { await failure { try await database.run(Statements.one) } }
                for _ in 0..<20 { await Task.yield() }
                await database.close()
                let late = await failure { try await database.run(Statements.one) }
                return [await running.value, await waiting.value, late]
            }
        }
        for error in errors {
            guard case .unreachable = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test("Places go to those who wait, in order, and one who gave up is passed over")
    func places() {
        var places = PlaceQueue(places: 1, limit: 2)
        expectEqual(places.enter(), .admitted)
        expectEqual(places.enter(), .waits(1))
        expectEqual(places.enter(), .waits(2))
        expectEqual(places.enter(), .full)
        expectEqual(places.giveUp(1), true)
        expectEqual(places.leave(), 2)
        expectEqual(places.giveUp(2), false)
        expectEqual(places.leave(), nil)
        expectEqual(places.enter(), .admitted)
    }
}
