import Links

/// Messages over a `PhoneLink`: the shell of `SegmentedLink`.
///
/// From its first use until `close`, or until the link ends, tasks of its own keep it alive: whoever makes one closes it.
public actor MessageLink {
    /// Segments that may wait for the radio: a window, and acknowledgements.
    static let outgoingSegments = 2 * Segmentation.windowSegments
    /// A message that the link does not take in this time ends the link.
    static let sendLimit = Segmentation.stallLimit

    public nonisolated let link: any PhoneLink
    /// Whose executor this actor shares: the link's, so that a segment costs no change of executor on its way.
    private nonisolated let host: any Actor
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: `host` lives as long as this actor does.
        unsafe host.unownedExecutor
    }

    private let clock: any LinkClock
    private let executor: (any TaskExecutor)?
    private var machine: SegmentedLink

    private var isRunning = false
    private var finished: LinkError?
    private var inbox: [UInt8]?
    private var receiver: Receiver?
    private var senders: [Sender] = []
    private var lastID: UInt64 = 0

    private var outgoing: [Outgoing] = []
    private var isWriting = false
    private var messagesQueued = 0
    private var messagesWritten = 0

    private var reader: Task<Void, Never>?
    private var timer: Task<Void, Never>?
    private var timerDeadline: Duration?

    private struct Receiver {
        let id: UInt64
        let deadline: Duration
        let continuation: CheckedContinuation<Result<[UInt8], LinkError>, Never>
    }

    private struct Sender {
        let id: UInt64
        let deadline: Duration
        /// What `progress` has to be: nil waits for room in the queue, a number for that message to be written.
        let message: Int?
        let bytes: Int
        let continuation: CheckedContinuation<Result<Void, LinkError>, Never>
    }

    private struct Outgoing {
        let segment: [UInt8]
        /// Messages that are wholly written once this segment is.
        let messages: Int
    }

    /// - Parameters:
    ///   - executor: Where its tasks run; on the box the event loop, nil for the runtime's own pool.
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

    /// For when the other side has been authenticated, at most `Segmentation.messageBytes`.
    public func raiseMessageLimit(to bytes: Int) {
        machine.raiseMessageLimit(to: bytes)
    }

    /// Bytes of the other side's that are kept for messages not yet received.
    public var keptBytes: Int { machine.keptBytes }

    // MARK: Sending

    /// Sends a message, and comes back when the radio has taken all of it.
    ///
    /// - Throws: `messageTooLarge`; `queueFull` when more than `Segmentation.queueMessages` callers wait; `timedOut`
    ///   after 30 s, which ends the link, as does cancellation: half a message is under way then.
    public func send(_ message: [UInt8]) async throws(LinkError) {
        guard message.count <= Segmentation.messageBytes else { throw .messageTooLarge }
        let deadline = clock.now() + Self.sendLimit
        while true {
            if let finished { throw finished }
            // Those who waited for room before go first.
            if machine.canSend(message.count), !senders.contains(where: { $0.message == nil }) { break }
            guard senders.count < Segmentation.queueMessages else { throw .queueFull }
            try await waitToSend(for: nil, bytes: message.count, until: deadline)
            if machine.canSend(message.count) { break }
        }
        if let finished { throw finished }
        start()
        messagesQueued += 1
        let number = messagesQueued
        perform(.send(message))
        while messagesWritten < number {
            if let finished { throw finished }
            try await waitToSend(for: number, bytes: 0, until: deadline)
        }
    }

    private func waitToSend(for message: Int?, bytes: Int, until deadline: Duration) async throws(LinkError) {
        lastID += 1
        let id = lastID
        let result: Result<Void, LinkError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else {
                    if message != nil { finish(.cancelled) }
                    return continuation.resume(returning: .failure(.cancelled))
                }
                senders.append(
                    Sender(id: id, deadline: deadline, message: message, bytes: bytes, continuation: continuation))
                schedule()
            }
        } onCancel: {
            spawn { await self.cancelSender(id) }
        }
        try result.get()
    }

    private func cancelSender(_ id: UInt64) {
        guard let index = senders.firstIndex(where: { $0.id == id }) else { return }
        endSender(at: index, because: .cancelled)
    }

    private func endSender(at index: Int, because error: LinkError) {
        let sender = senders.remove(at: index)
        sender.continuation.resume(returning: .failure(error))
        if sender.message != nil { finish(error) }
    }

    /// Wakes those whose message is written, and the first who now finds room.
    private func wakeSenders() {
        guard !senders.isEmpty else { return }
        while let index = senders.firstIndex(where: { ($0.message ?? .max) <= messagesWritten }) {
            senders.remove(at: index).continuation.resume(returning: .success(()))
        }
        if let index = senders.firstIndex(where: { $0.message == nil }), machine.canSend(senders[index].bytes) {
            senders.remove(at: index).continuation.resume(returning: .success(()))
        }
    }

    // MARK: Receiving

    /// The next message. One caller at a time.
    ///
    /// - Throws: `timedOut` at `deadline`, which leaves the link as it is; the reason of its end once the link has ended
    ///   and every whole message has been given out; `queueFull` when somebody else waits.
    public func receive(until deadline: Duration) async throws(LinkError) -> [UInt8] {
        guard receiver == nil else { throw .queueFull }
        if inbox == nil { perform(.receive) }
        if let message = inbox {
            inbox = nil
            return message
        }
        if let finished { throw finished }
        start()
        lastID += 1
        let id = lastID
        let result: Result<[UInt8], LinkError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume(returning: .failure(.cancelled)) }
                if let message = inbox {
                    inbox = nil
                    return continuation.resume(returning: .success(message))
                }
                if let finished { return continuation.resume(returning: .failure(finished)) }
                guard receiver == nil else { return continuation.resume(returning: .failure(.queueFull)) }
                receiver = Receiver(id: id, deadline: deadline, continuation: continuation)
                schedule()
            }
        } onCancel: {
            spawn { await self.endReceiver(id, because: .cancelled) }
        }
        return try result.get()
    }

    private func endReceiver(_ id: UInt64, because error: LinkError) {
        guard let waiting = receiver, waiting.id == id else { return }
        receiver = nil
        waiting.continuation.resume(returning: .failure(error))
    }

    // MARK: Ending

    /// Ends the link; whoever waits gets `LinkError.closed`. May be called again.
    public func close() async {
        finish(.closed)
        await link.close()
    }

    private func finish(_ error: LinkError) {
        guard finished == nil else { return }
        finished = error
        outgoing = []
        timer?.cancel()
        reader?.cancel()
        // What arrived whole before the end is still given out.
        if let waiting = receiver {
            receiver = nil
            waiting.continuation.resume(returning: .failure(error))
        }
        let waiting = senders
        senders = []
        for sender in waiting { sender.continuation.resume(returning: .failure(error)) }
        let link = link
        spawn { await link.close() }
    }

    // MARK: Work

    private nonisolated func spawn(_ body: @escaping @Sendable () async -> Void) {
        _ = task(body)
    }

    private nonisolated func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task.detached(executorPreference: executor) { await body() }
    }

    private func start() {
        guard !isRunning else { return }
        isRunning = true
        reader = task { await self.read() }
    }

    private func read() async {
        do throws(LinkError) {
            while finished == nil {
                let segment = try await link.receive()
                perform(.segment(segment))
            }
        } catch {
            finish(error)
        }
    }

    private func perform(_ event: SegmentedLink.Event) {
        let actions = machine.handle(event, now: clock.now())
        for action in actions {
            switch action {
            case .transmit(let segment):
                guard outgoing.count < Self.outgoingSegments else { return finish(.queueFull) }
                outgoing.append(Outgoing(segment: segment, messages: 0))
            case .deliver(let message): deliver(message)
            case .end(let error): return finish(.segments(error))
            }
        }
        guard finished == nil else { return }
        if let last = outgoing.popLast() {
            outgoing.append(Outgoing(segment: last.segment, messages: machine.finishedMessages))
            write()
        }
        wakeSenders()
        schedule()
    }

    private func deliver(_ message: [UInt8]) {
        if let waiting = receiver {
            receiver = nil
            waiting.continuation.resume(returning: .success(message))
        } else {
            inbox = message
        }
    }

    private func write() {
        guard !isWriting else { return }
        isWriting = true
        spawn { await self.writeAll() }
    }

    private func writeAll() async {
        defer { isWriting = false }
        do throws(LinkError) {
            while finished == nil, !outgoing.isEmpty {
                let next = outgoing.removeFirst()
                try await link.send(next.segment)
                messagesWritten = max(messagesWritten, next.messages)
                wakeSenders()
            }
        } catch {
            finish(error)
        }
    }

    // MARK: Time

    /// One timer task sleeps until the first deadline; it is replaced only when an earlier one appears.
    private func schedule() {
        guard finished == nil, let next = nextDeadline else { return }
        if let timerDeadline, timerDeadline <= next { return }
        timer?.cancel()
        timerDeadline = next
        let clock = clock
        timer = task {
            guard (try? await clock.sleep(until: next)) != nil else { return }
            await self.timeHasCome(next)
        }
    }

    private var nextDeadline: Duration? {
        // Without arrays: every segment comes by here.
        var next = machine.deadline
        if let waiting = receiver?.deadline { next = min(next ?? waiting, waiting) }
        for sender in senders { next = min(next ?? sender.deadline, sender.deadline) }
        return next
    }

    private func timeHasCome(_ deadline: Duration) {
        guard timerDeadline == deadline else { return }
        timerDeadline = nil
        let now = clock.now()
        if let waiting = receiver, waiting.deadline <= now { endReceiver(waiting.id, because: .timedOut) }
        while let index = senders.firstIndex(where: { $0.deadline <= now }) {
            endSender(at: index, because: .timedOut)
        }
        perform(.timer)
    }
}

/// Lends its executor to a `MessageLink` whose link is no actor.
private actor OwnExecutor {}
