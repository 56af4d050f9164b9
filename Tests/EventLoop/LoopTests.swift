import Testing

@testable import EventLoop

/// An actor that is pinned to the loop, like the daemon's actors.
private actor Pinned {
    let loop: EpollLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private(set) var order: [Int] = []

    init(_ loop: EpollLoop) { self.loop = loop }

    func note(_ value: Int) { order.append(value) }

    func noteAfterSuspension(_ value: Int) async {
        await Task { note(value) }.value
    }

    func postAndWait(until deadline: Duration) async -> WaitOutcome {
        let point = WaitPoint(on: loop)
        let mark = point.mark()
        loop.post {
            self.assumeIsolated { $0.note(1) }
            point.signal()
        }
        return await point.wait(since: mark, until: deadline)
    }

    func isOnLoop() -> Bool { loop.isIsolatingCurrentContext() == true }
}

private actor Ordinary {
    func isOn(_ loop: EpollLoop) -> Bool { loop.isIsolatingCurrentContext() == true }
}

@Suite("The event loop")
struct LoopTests {
    @Test("Pinned actors, ordinary actors and child tasks of a spawned task all run on the loop's thread")
    func everythingStaysOnTheLoop() async throws {
        let results = try await EpollLoop.withThread { loop in
            let pinned = Pinned(loop)
            await pinned.noteAfterSuspension(7)
            async let child = Ordinary().isOn(loop)
            return [await pinned.isOnLoop(), await child, loop.isIsolatingCurrentContext() == true]
                + [await pinned.order == [7]]
        }
        #expect(results == [true, true, true, true])
    }

    @Test("Posted work enters a pinned actor without a task")
    func postEntersActor() async throws {
        let order = try await EpollLoop.withThread { loop in
            let pinned = Pinned(loop)
            let outcome = await pinned.postAndWait(until: loop.now() + .seconds(3_600))
            return await pinned.order + [outcome == .signalled ? 2 : 3]
        }
        #expect(order == [1, 2])
    }

    @Test("Sleeps end in the order of their deadlines and never early")
    func sleepsInOrder() async throws {
        let early = try await EpollLoop.withThread { loop in
            let start = loop.now()
            let pinned = Pinned(loop)
            await withTaskGroup(of: Void.self) { group in
                for value in [5, 1, 4, 2, 3] {
                    group.addTask {
                        let deadline = start + .milliseconds(value * 10)
                        try? await loop.sleep(until: deadline)
                        await pinned.note(loop.now() < deadline ? -value : value)
                    }
                }
            }
            return await pinned.order
        }
        #expect(early == [1, 2, 3, 4, 5])
    }

    @Test("A cancelled sleep ends at once, also one that was cancelled before it began")
    func cancelledSleep() async throws {
        let outcome = try await EpollLoop.withThread { loop in
            let start = loop.now()
            let task = loop.spawn { () -> Bool in
                do {
                    try await loop.sleep(until: start + .seconds(3_600))
                    return false
                } catch {
                    return true
                }
            }
            try await loop.sleep(until: start + .milliseconds(5))
            task.cancel()
            let cancelled = await task.value
            let second = loop.spawn { (try? await loop.sleep(until: start + .seconds(3_600))) == nil }
            second.cancel()
            return (cancelled, await second.value, loop.now() - start)
        }
        #expect(outcome.0 && outcome.1)
        #expect(outcome.2 < .seconds(60))
    }

    @Test("What still waits when a loop's thread ends is cancelled, and ends", .timeLimit(.minutes(14)))
    func waitsEndWithTheThread() async throws {
        let waiting = try await EpollLoop.withThread { loop in
            let task = loop.spawn {
                let wasCancelled = (try? await loop.sleep(until: loop.now() + .seconds(3_600))) == nil
                let endsAtOnce = (try? await loop.sleep(until: loop.now() + .seconds(3_600))) == nil
                return wasCancelled && endsAtOnce
            }
            // The task's first wait has begun.
            try await loop.sleep(until: loop.now() + .milliseconds(1))
            return task
        }
        #expect(await waiting.value)
    }

    @Test("A wait is signalled, timed out or cancelled, and exactly one of these")
    func waitOutcomes() async throws {
        let outcomes = try await EpollLoop.withThread { loop in
            let point = WaitPoint(on: loop)
            let mark = point.mark()
            let waiting = loop.spawn { await point.wait(since: mark, until: loop.now() + .seconds(3_600)) }
            try await loop.sleep(until: loop.now() + .milliseconds(1))
            point.signal()
            point.signal()
            let missed = await point.wait(since: mark)
            let next = await point.wait(since: point.mark(), until: loop.now() + .milliseconds(1))
            return [await waiting.value, missed, next]
        }
        #expect(outcomes == [.signalled, .signalled, .timedOut])
    }

    @Test("Offloaded work leaves the loop free, comes back in order, and is refused when too much waits")
    func offload() async throws {
        let (results, refusals) = try await EpollLoop.withThread { loop in
            let gate = Guarded(false)
            let isOff = try await loop.offload { loop.isIsolatingCurrentContext() == false }
            let tasks = (0..<200).map { number in
                loop.spawn { () -> Int? in
                    try? await loop.offload {
                        while !gate.withLock({ $0 }) {}
                        return number
                    }
                }
            }
            // The loop still runs while the worker is busy. After that, the gate lets the worker finish.
            try await loop.sleep(until: loop.now() + .milliseconds(10))
            gate.withLock { $0 = true }
            var results: [Int] = []
            for task in tasks {
                if let value = await task.value { results.append(value) }
            }
            return (isOff ? results : [], 200 - results.count)
        }
        #expect(results == results.sorted())
        #expect(results.count >= OffloadWorker.queueJobs && results.count <= OffloadWorker.queueJobs + 1)
        #expect(refusals == 200 - results.count)
    }
}

@Suite("The timer queue")
struct TimerQueueTests {
    @Test("Random insertions and cancellations always give the next deadline that somebody waits for")
    func matchesModel() {
        let seed = UInt64.random(in: 1...(.max))
        print("timer queue seed \(seed)")
        var random = SeededRandom(seed: seed)
        var queue = TimerQueue()
        var model: [UInt64: Duration] = [:]
        for id in UInt64(1)...4_000 {
            switch random.next() % 4 {
            case 0, 1:
                let deadline = Duration.milliseconds(Int(random.next() % 1_000))
                queue.insert(id, at: deadline)
                model[id] = deadline
            case 2:
                if let victim = model.keys.min() {
                    queue.giveUp(victim)
                    model[victim] = nil
                }
            default:
                let now = Duration.milliseconds(Int(random.next() % 1_000))
                while let due = queue.popDue(at: now) {
                    let deadline = model.removeValue(forKey: due)
                    #expect(deadline.map { $0 <= now } == true)
                }
                #expect(model.values.allSatisfy { $0 > now })
            }
            #expect(queue.next() == model.values.min())
            #expect(queue.count == model.count)
        }
    }
}
