import AgentCore
import EventLoop
import Links
import PhoneMessages
import Secrets
import Transport
import Vault
import VaultPort

/// One link from a phone: passes its events to `BoxEnd` and performs the resulting actions. It decides nothing.
///
/// `tell`, `mute` and `end` return at once, without waiting for the phone's acknowledgement.
actor PhoneChannel {
    /// Passes events of the link to the agent.
    typealias Tell = @Sendable (ChannelEvent) async -> Void
    /// Returns when a ping of this size may be answered.
    typealias WaitForPing = @Sendable (Int) async -> Void
    /// Compares a user's devices with the user database.
    typealias Settle = @Sendable ([UInt8]) async throws -> Void

    nonisolated let id: ChannelID
    private let link: any PhoneLink
    private let parts: AgentParts
    private let tellAgent: Tell
    private let waitForPing: WaitForPing
    private let settle: Settle
    private let end: BoxEnd
    private var outgoing: [[UInt8]] = []
    private var isWriting = false
    private var timer: (due: Duration, task: Task<Void, Never>)?
    private var ending: ChannelEnd?
    /// Signalled when the link is closed.
    private let over: WaitPoint

    private var loop: EpollLoop { parts.loop }

    nonisolated var unownedExecutor: UnownedSerialExecutor { parts.loop.asUnownedSerialExecutor() }

    init(
        id: ChannelID, link: any PhoneLink, parts: AgentParts, tell: @escaping Tell, waitForPing: @escaping WaitForPing,
        settle: @escaping Settle
    ) {
        self.id = id
        self.link = link
        self.parts = parts
        tellAgent = tell
        self.waitForPing = waitForPing
        self.settle = settle
        end = BoxEnd(parts.keys, binding: link.binding, limits: link.segmentLimits, now: parts.loop.now())
        over = WaitPoint(on: parts.loop)
    }

    /// Serves the link until it ends, and returns the reason.
    func run() async -> ChannelEnd {
        arm()
        loop.spawn { await self.read() }
        await waitUntilOver()
        return ending ?? .linkClosed
    }

    /// Waits until the link is closed; `end` sets a limit for that.
    func waitUntilOver() async {
        while ending == nil {
            let mark = over.mark()
            guard ending == nil, await over.wait(since: mark) == .signalled else { return }
        }
    }

    // MARK: - Calls from the agent, on the loop

    nonisolated func tell(_ message: BoxMessage) { onSameLoop { $0.feed(.say(message)) } }
    nonisolated func mute() { onSameLoop { $0.feed(.mute) } }
    nonisolated func give(_ secret: HeldSecret) { onSameLoop { $0.feed(.give(secret)) } }
    nonisolated func admit() { onSameLoop { $0.feed(.admit) } }
    nonisolated func show(_ document: [UInt8]) { onSameLoop { $0.feed(.show(document)) } }

    nonisolated func end(_ reason: ChannelEnd, lastWords: BoxMessage?, within limit: Duration) {
        onSameLoop { $0.feed(.end(reason, lastWords: lastWords, within: limit)) }
    }

    // MARK: - Events in, actions out

    private func feed(_ event: BoxEndEvent) {
        for action in end.handle(event, now: loop.now()) { perform(action) }
        arm()
    }

    private func perform(_ action: BoxEndAction) {
        switch action {
        case .write(let segment): write(segment)
        case .find(let key): answer { [vault = parts.vault] in try await .found(vault.device(publicKey: key)) }
        case .read(let key):
            answer { [parts, settle] in
                guard let known = try await parts.vault.device(publicKey: key) else { return .read(nil) }
                try await settle(known.user)
                // The row may have another user now, or may have been deleted.
                guard let record = try await parts.vault.device(publicKey: key) else { return .read(nil) }
                return try await .read(parts.vault.sheet(of: record))
            }
        case .tell(let event):
            loop.spawn {
                await self.tellAgent(event)
                await self.feed(.heard)
            }
        case .waitForPing(let bytes):
            loop.spawn {
                await self.waitForPing(bytes)
                await self.feed(.mayPing)
            }
        case .close(let reason): close(reason)
        }
    }

    private func answer(_ look: @escaping @Sendable () async throws -> BoxEndEvent) {
        loop.spawn {
            let answer: BoxEndEvent
            do { answer = try await look() } catch { answer = .vaultFailed }
            await self.feed(answer)
        }
    }

    /// Sets one timer for the deadline of `BoxEnd`. Every segment calls this, so the timer is replaced only by an
    /// earlier one; firing too early costs just a check.
    private func arm() {
        guard let next = end.deadline else {
            timer?.task.cancel()
            return timer = nil
        }
        if let timer, timer.due <= next { return }
        timer?.task.cancel()
        let task = loop.spawn { [weak self, loop] in
            guard (try? await loop.sleep(until: next)) != nil else { return }
            await self?.timerFired(due: next)
        }
        timer = (next, task)
    }

    private func timerFired(due: Duration) {
        // Ignore a timer that was replaced while it fired.
        guard due == timer?.due else { return }
        timer = nil
        feed(.time)
    }

    // MARK: - The link

    private func read() async {
        while ending == nil, let segment = try? await link.receive() { feed(.segment(segment)) }
        feed(.linkDown)
    }

    private func write(_ segment: [UInt8]) {
        outgoing.append(segment)
        guard !isWriting else { return }
        isWriting = true
        loop.spawn { await self.writeAll() }
    }

    private func writeAll() async {
        while ending == nil, !outgoing.isEmpty {
            do throws(LinkError) {
                try await link.send(outgoing.removeFirst())
                feed(.written)
            } catch {
                feed(.linkDown)
            }
        }
        isWriting = false
    }

    private func close(_ reason: ChannelEnd) {
        guard ending == nil else { return }
        ending = reason
        outgoing = []
        loop.spawn { [link, over] in
            await link.close()
            over.signal()
        }
        over.signal()
    }
}
