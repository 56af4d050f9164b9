import Synchronization
import Testing

@testable import Links
@testable import Transport

/// Time that stands still until a test moves it.
private final class ManualClock: LinkClock {
    private let milliseconds = Atomic<Int>(0)

    func now() -> Duration { .milliseconds(milliseconds.load(ordering: .sequentiallyConsistent)) }

    func advance(_ count: Int) { milliseconds.add(count, ordering: .sequentiallyConsistent) }

    func sleep(until deadline: Duration) async throws(CancellationError) {
        while now() < deadline {
            if Task.isCancelled { throw CancellationError() }
            await Task.yield()
        }
    }
}

/// A radio in memory: what the other side sends is put in by the test, which may also hold back what goes out.
private actor MemoryLink: PhoneLink {
    nonisolated let binding: [UInt8] = [0]
    nonisolated let carrierName = "memory"
    nonisolated let segmentLimits: SegmentLimits
    nonisolated let peerDescription = "memory"
    private var incoming: [[UInt8]] = []
    private(set) var sent: [[UInt8]] = []
    private(set) var isClosed = false
    private var room: Int

    init(segmentBytes: Int = 18, room: Int = .max) {
        segmentLimits = SegmentLimits(sentBytes: segmentBytes, receivedBytes: 242)
        self.room = room
    }

    func arrive(_ segments: [[UInt8]]) { incoming += segments }
    func makeRoom(_ segments: Int) { room += segments }

    func send(_ segment: [UInt8]) async throws(LinkError) {
        while room == 0, !isClosed { await Task.yield() }
        guard !isClosed else { throw .closed }
        room -= 1
        sent.append(segment)
    }

    func receive() async throws(LinkError) -> [UInt8] {
        while incoming.isEmpty {
            if isClosed { throw .closed }
            if Task.isCancelled { throw .cancelled }
            await Task.yield()
        }
        return incoming.removeFirst()
    }

    func close() { isClosed = true }

    func waitForSent(_ count: Int) async { while sent.count < count { await Task.yield() } }
}

@Suite("Message links")
struct MessageLinkTests {
    private let clock = ManualClock()
    private static let far = Duration.seconds(1_000_000)
    /// Says nothing but that somebody is there.
    private static let greeting = Segment.control(acknowledged: 0, asks: false).bytes

    /// The segments of messages as the other side sends them once it has heard from this one.
    private func segments(_ messages: [[UInt8]], segmentBytes: Int = 18) -> [[UInt8]] {
        var machine = SegmentedLink(limits: SegmentLimits(sentBytes: segmentBytes, receivedBytes: 242))
        _ = machine.handle(.segment(Self.greeting), now: .zero)
        return messages.flatMap { message in
            machine.handle(.send(message), now: .zero).compactMap {
                if case .transmit(let segment) = $0 { segment } else { nil }
            }
        }
    }

    private func failure(_ body: () async throws(LinkError) -> Void) async -> LinkError? {
        do throws(LinkError) {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    @Test("Messages are received one by one, and those that arrived whole before the end come before the end")
    func receiveBeforeEnd() async throws {
        let link = MemoryLink()
        let messages = MessageLink(link: link, clock: clock)
        await link.arrive(segments([[1], [UInt8](repeating: 2, count: 100), [3]]))
        #expect(try await messages.receive(until: Self.far) == [1])
        await link.close()
        #expect(try await messages.receive(until: Self.far).count == 100)
        #expect(try await messages.receive(until: Self.far) == [3])
        #expect(await failure { () throws(LinkError) in _ = try await messages.receive(until: Self.far) } == .closed)
    }

    @Test("Receiving ends at its deadline and leaves the link, and the next message, as they are")
    func receiveTimesOut() async throws {
        let link = MemoryLink()
        let messages = MessageLink(link: link, clock: clock)
        let waiting = Task {
            await failure { () throws(LinkError) in _ = try await messages.receive(until: .milliseconds(100)) }
        }
        clock.advance(100)
        #expect(await waiting.value == .timedOut)
        await link.arrive(segments([[7]]))
        #expect(try await messages.receive(until: Self.far) == [7])
        await messages.close()
    }

    @Test("A cancelled receiver is let go, and a second one beside the first is refused")
    func receiversCompete() async throws {
        let link = MemoryLink()
        let messages = MessageLink(link: link, clock: clock)
        let outcomes = await withTaskGroup(of: LinkError?.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    await failure { () throws(LinkError) in _ = try await messages.receive(until: Self.far) }
                }
            }
            let first = await group.next()
            group.cancelAll()
            return [first, await group.next()]
        }
        #expect(outcomes == [.queueFull, .cancelled])
        await link.arrive(segments([[7]]))
        #expect(try await messages.receive(until: Self.far) == [7])
        await messages.close()
    }

    @Test("Sending comes back when the radio has taken the whole message, not before")
    func sendWaitsForRadio() async throws {
        let link = MemoryLink(room: 2)
        let messages = MessageLink(link: link, clock: clock)
        let done = ManualClock()
        await link.arrive([Self.greeting])
        async let sending: Void = {
            try await messages.send([UInt8](0..<40))
            done.advance(1)
        }()
        await link.waitForSent(2)
        #expect(done.now() == .zero)
        await link.makeRoom(1)
        try await sending
        #expect(await link.sent == segments([[UInt8](0..<40)]))
        await messages.close()
    }

    @Test("Closing wakes whoever waits, closes the radio's link, and is final")
    func closing() async throws {
        let link = MemoryLink(room: 0)
        let messages = MessageLink(link: link, clock: clock)
        async let received = failure { () throws(LinkError) in _ = try await messages.receive(until: Self.far) }
        async let sent = failure { () throws(LinkError) in try await messages.send([1]) }
        for _ in 0..<100 { await Task.yield() }
        await messages.close()
        #expect(await received == .closed)
        #expect(await sent == .closed)
        #expect(await link.isClosed)
        #expect(await failure { () throws(LinkError) in try await messages.send([1]) } == .closed)
        await messages.close()
    }

    @Test("A peer that breaks a rule ends the link with the reason")
    func brokenRule() async throws {
        let link = MemoryLink()
        let messages = MessageLink(link: link, clock: clock)
        await link.arrive([[0xFF, 0xFF]])
        let error = await failure { () throws(LinkError) in _ = try await messages.receive(until: Self.far) }
        #expect(error == .segments(.malformed))
        while await !link.isClosed { await Task.yield() }
    }

    @Test("A gap ends the link by the clock alone")
    func gapEndsByClock() async throws {
        let link = MemoryLink()
        let messages = MessageLink(link: link, clock: clock)
        await link.arrive(Array(segments([[UInt8](0..<100)]).dropFirst()))
        let waiting = Task {
            await failure { () throws(LinkError) in _ = try await messages.receive(until: Self.far) }
        }
        while await messages.keptBytes == 0 { await Task.yield() }
        clock.advance(2_000)
        #expect(await waiting.value == .segments(.gapTimedOut))
    }

    @Test(
        "A radio that takes nothing ends the link after thirty seconds; cancelling a half-sent message ends it at once")
    func sendEnds() async throws {
        let slow = MemoryLink(room: 1)
        let first = MessageLink(link: slow, clock: clock)
        let late = Task { await failure { () throws(LinkError) in try await first.send([UInt8](0..<40)) } }
        await slow.waitForSent(1)
        clock.advance(30_000)
        #expect(await late.value == .timedOut)
        #expect(await failure { () throws(LinkError) in try await first.send([1]) } == .timedOut)

        let stuck = MemoryLink(room: 1)
        let second = MessageLink(link: stuck, clock: clock)
        let cancelled = Task { await failure { () throws(LinkError) in try await second.send([UInt8](0..<40)) } }
        await stuck.waitForSent(1)
        cancelled.cancel()
        #expect(await cancelled.value == .cancelled)
        #expect(await failure { () throws(LinkError) in try await second.send([1]) } == .cancelled)
    }

    @Test("Many senders at once get their messages across whole, beyond what the queue holds")
    func manySenders() async throws {
        let link = MemoryLink(segmentBytes: 242)
        let messages = MessageLink(link: link, clock: clock)
        let other = MemoryLink(segmentBytes: 242)
        let reader = MessageLink(link: other, clock: clock, messageLimit: Segmentation.messageBytes)
        let pumps = [
            Task {
                var moved = 0
                while !Task.isCancelled {
                    let sent = await link.sent
                    await other.arrive(Array(sent.dropFirst(moved)))
                    moved = sent.count
                    await Task.yield()
                }
            },
            Task {
                var moved = 0
                while !Task.isCancelled {
                    let sent = await other.sent
                    await link.arrive(Array(sent.dropFirst(moved)))
                    moved = sent.count
                    await Task.yield()
                }
            },
        ]
        let failures = await withTaskGroup(of: LinkError?.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let message = [UInt8](repeating: UInt8(number), count: 20_000)
                    return await failure { () throws(LinkError) in try await messages.send(message) }
                }
            }
            group.addTask {
                await failure { () throws(LinkError) in
                    var seen: Set<UInt8> = []
                    while seen.count < 20 {
                        let message = try await reader.receive(until: Self.far)
                        guard message.count == 20_000, Set(message).count == 1 else { throw .refused }
                        seen.insert(message[0])
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(failures.allSatisfy { $0 == nil })
        for pump in pumps { pump.cancel() }
        await messages.close()
        await reader.close()
    }

    @Test("A message that is too long is refused and harms nothing")
    func tooLong() async throws {
        let link = MemoryLink()
        let messages = MessageLink(link: link, clock: clock)
        let tooLong = [UInt8](repeating: 0, count: Segmentation.messageBytes + 1)
        #expect(await failure { () throws(LinkError) in try await messages.send(tooLong) } == .messageTooLarge)
        try await messages.send([1])
        await messages.close()
    }
}
