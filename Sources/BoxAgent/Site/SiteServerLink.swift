import AgentCore
import EventLoop
import Secrets
import SiteLink
import TCP

/// One link to a server of the box's site. It passes received bytes to `SiteBoxEnd` and the decoded events to the
/// agent, and sends the agent's messages. It decides nothing.
///
/// `perform` returns at once without waiting for the server; bytes wait in the connection's bounded queue.
actor SiteServerLink {
    /// Time for sending the last messages.
    static let farewell: Duration = .seconds(2)
    /// The most bytes that wait to be sent: enough for all revocations that a box has, sealed in batches, and some
    /// more.
    static let queueLimit = 3 << 20
    private static let readBytes = 16_384

    /// Called on the loop, in the order of the events.
    typealias Tell = @Sendable (SiteLinkEvent) -> Void

    private let keys: BoxKeys
    private let tellAgent: Tell
    private nonisolated let loop: EpollLoop
    private var connection: TCPConnection?
    private var end: SiteBoxEnd?
    private var timer: (due: Duration, task: Task<Void, Never>)?
    /// True after the link has ended. No more events are reported then.
    private var isOver = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(keys: BoxKeys, loop: EpollLoop, tell: @escaping Tell) {
        self.keys = keys
        self.loop = loop
        tellAgent = tell
    }

    /// Performs an order on the loop without waiting. `connect` must come first, and only once.
    nonisolated func perform(_ order: SiteLinkOrder) {
        onSameLoop { link in
            switch order {
            case .connect(let address): link.loop.spawn { await link.run(to: address) }
            case .shake(let serverKey): link.write(link.end.flatMap { link.keys.shake($0, serverKey: serverKey) })
            case .join(let serverKey, let codeID, let secret):
                link.write(
                    link.end.flatMap { link.keys.join($0, serverKey: serverKey, codeID: codeID, secret: secret) })
            case .say(let messages):
                for message in messages { link.write(link.end?.seal(message, now: link.loop.now())) }
            case .close: link.close()
            }
        }
    }

    // MARK: - The connection

    private func run(to address: SiteAddress) async {
        guard !isOver else { return }
        guard let target = TCPAddress(host: address.host, port: address.port) else {
            return finish(.noConnection("this machine cannot resolve the address \(address.host)"))
        }
        let begun = loop.now()
        do throws(TCPError) {
            let made = try await TCPConnection.connect(
                to: target, by: begun + SiteLinkTimes.handshake, on: loop, queueLimit: Self.queueLimit,
                untilPeerSpeaks: true)
            guard !isOver else { return made.close() }
            connection = made
            end = SiteBoxEnd(now: begun)
            arm()
            try await read(made)
            finish(.dropped)
        } catch {
            guard connection == nil, error != .closed else { return finish(.dropped) }
            if case .notAllowed = error { return finish(.forbidden("\(error)")) }
            finish(.noConnection("\(error)"))
        }
    }

    private func read(_ connection: TCPConnection) async throws(TCPError) {
        while !isOver {
            let bytes = try await connection.receive(upTo: Self.readBytes)
            guard !bytes.isEmpty else { return }
            received(bytes)
        }
    }

    private func received(_ bytes: [UInt8]) {
        guard !isOver, let events = end?.receive(bytes, now: loop.now()) else { return }
        for event in events { tell(event) }
        arm()
    }

    private func write(_ bytes: [UInt8]?) {
        guard !isOver else { return }
        guard let bytes else { return finish(.broken(.channelBroken)) }
        if connection?.send(bytes) != true { finish(.overfull) }
    }

    // MARK: - Events for the agent

    private func tell(_ event: SiteBoxEvent) {
        switch event {
        case .greeted(let greeting): report(.greeted(greeting))
        case .established: report(.established)
        case .said(let message): report(.said(message))
        case .ended(let error): finish(.broken(error))
        }
    }

    private func report(_ event: SiteLinkEvent) {
        if !isOver { tellAgent(event) }
    }

    /// Ends the link because of an event on it.
    private func finish(_ failure: SiteLinkFailure) {
        guard !isOver else { return }
        report(.ended(failure, random: .random(in: .min ... .max)))
        over()
        connection?.close()
    }

    /// Ends the link on the agent's order.
    private func close() {
        guard !isOver else { return }
        let farewell = end?.close() ?? []
        over()
        guard let connection else { return }
        _ = farewell.isEmpty || connection.send(farewell)
        loop.spawn { [loop] in await connection.finish(by: loop.now() + Self.farewell) }
    }

    private func over() {
        isOver = true
        timer?.task.cancel()
        timer = nil
    }

    // MARK: - Time

    /// Moves the timer to the new deadline after each message, so that an idle link is not woken early.
    private func arm() {
        guard !isOver, let next = end?.deadline, next != timer?.due else { return }
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
        if let event = end?.timeHasCome(now: loop.now()) { tell(event) }
        arm()
    }
}
