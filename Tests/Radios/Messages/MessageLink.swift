import Links
import Transport

/// Messages over a `PhoneLink`, for tests of radios and phones, with one sender and one receiver at a time.
///
/// The real box and phone use `MessageFlow` and `PhoneEnd` instead, which bound the kept bytes. Tasks keep a
/// `MessageLink` alive until `close`.
public actor MessageLink {
    public nonisolated let link: any PhoneLink
    /// The actor whose executor this actor shares. It is the link if that is an actor, so that all work runs in the
    /// link's virtual time.
    private nonisolated let host: any Actor
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: `host` lives as long as this actor does.
        unsafe host.unownedExecutor
    }

    private let clock: any LinkClock
    private let executor: (any TaskExecutor)?
    private var machine: SegmentedLink
    private var finished: LinkError?
    private var inbox: [UInt8]?
    private var outgoing: [[UInt8]] = []
    private var isRunning = false
    private var isWriting = false
    private var reader: Task<Void, Never>?
    private var timer: (due: Duration, task: Task<Void, Never>)?
    /// The deadline of a caller that waits for a message.
    private var receiveDeadline: Duration?
    /// Callers that wait for any change.
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - executor: The executor of this link's tasks, or nil for the runtime's own pool.
    ///   - messageLimit: The longest message that is received, in bytes, until `raiseMessageLimit`.
    public init(
        link: any PhoneLink, clock: any LinkClock, executor: (any TaskExecutor)? = nil,
        messageLimit: Int = Segmentation.unauthenticatedMessageBytes
    ) {
        self.link = link
        host = (link as? any Actor) ?? OwnExecutor()
        self.clock = clock
        self.executor = executor
        machine = SegmentedLink(limits: link.segmentLimits, messageLimit: messageLimit)
    }

    public func raiseMessageLimit(to bytes: Int) { machine.raiseMessageLimit(to: bytes) }

    /// Returns after the radio has taken the whole message.
    public func send(_ message: [UInt8]) async throws(LinkError) {
        guard message.count <= Segmentation.messageBytes else { throw .messageTooLarge }
        start()
        while finished == nil, !machine.canSend(message.count) { await change() }
        if let finished { throw finished }
        perform(.send(message))
        while finished == nil, machine.pendingBytes > 0 || isWriting || !outgoing.isEmpty { await change() }
        if let finished { throw finished }
    }

    /// Returns the next message, or throws the reason for the link's end.
    public func receive(until deadline: Duration) async throws(LinkError) -> [UInt8] {
        start()
        if inbox == nil { perform(.receive) }
        receiveDeadline = deadline
        defer { receiveDeadline = nil }
        schedule()
        while inbox == nil {
            if let finished { throw finished }
            guard clock.now() < deadline else { throw .timedOut }
            await change()
        }
        defer { inbox = nil }
        return inbox ?? []
    }

    /// Ends the link. Waiting callers get `LinkError.closed`. Repeated calls are allowed.
    public func close() async {
        finish(.closed)
        await link.close()
    }

    private func finish(_ error: LinkError) {
        guard finished == nil else { return }
        finished = error
        outgoing = []
        timer?.task.cancel()
        reader?.cancel()
        wake()
        let link = link
        spawn { await link.close() }
    }

    private func change() async {
        await withCheckedContinuation { waiting.append($0) }
    }

    private func wake() {
        let all = waiting
        waiting = []
        for one in all { one.resume() }
    }

    @discardableResult
    private nonisolated func spawn(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task.detached(executorPreference: executor) { await body() }
    }

    private func start() {
        guard !isRunning else { return }
        isRunning = true
        reader = spawn { await self.read() }
    }

    private func read() async {
        do throws(LinkError) {
            while finished == nil { perform(.segment(try await link.receive())) }
        } catch {
            finish(error)
        }
    }

    private func perform(_ event: SegmentedLink.Event) {
        for action in machine.handle(event, now: clock.now()) {
            switch action {
            case .transmit(let segment): outgoing.append(segment)
            case .deliver(let message): inbox = message
            case .end(let error): return finish(.segments(error))
            }
        }
        guard finished == nil else { return }
        if !isWriting, !outgoing.isEmpty {
            isWriting = true
            spawn { await self.writeAll() }
        }
        wake()
        schedule()
    }

    private func writeAll() async {
        do throws(LinkError) {
            while finished == nil, !outgoing.isEmpty { try await link.send(outgoing.removeFirst()) }
        } catch {
            finish(error)
        }
        isWriting = false
        wake()
    }

    /// Keeps one timer for the first deadline. Only an earlier deadline replaces the timer.
    private func schedule() {
        guard finished == nil, let next = [machine.deadline, receiveDeadline].compactMap(\.self).min() else { return }
        if let timer, timer.due <= next { return }
        timer?.task.cancel()
        let clock = clock
        let task = spawn {
            guard (try? await clock.sleep(until: next)) != nil else { return }
            await self.timeHasCome(next)
        }
        timer = (next, task)
    }

    private func timeHasCome(_ due: Duration) {
        guard timer?.due == due else { return }
        timer = nil
        perform(.timer)
    }
}

/// Lends its executor to a `MessageLink` whose link is not an actor.
private actor OwnExecutor {}
