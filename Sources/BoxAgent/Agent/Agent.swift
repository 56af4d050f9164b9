import AgentConfiguration
import AgentCore
import ControlProtocol
import AuditLog
import EventLoop
import Links
import Names
import PhoneMessages
import Secrets
import Sessions
import Transport
import Vault
import VaultPort

/// The agent feeds all events to `AgentMachine`, which decides, and performs the machine's effects in order.
///
/// From the tap to the verdict:
/// 1. The radio delivers a phone's link (`acceptPhones`). A `PhoneChannel` authenticates the phone: `proved`, `admit`.
/// 2. The phone's login is an event (`asked`). The machine looks up the places of waiting programs (`Lookups`).
/// 3. The machine gives the credential to one of these programs (`handOver`, `ProgramConnection`).
/// 4. The PAM module reports its progress (`says`), and the machine tells the phone the result (`tellPhone`).
///
/// Nothing here waits: slow work runs in tasks, and its answer is a later event.
actor Agent {
    nonisolated let parts: AgentParts
    private var machine: AgentMachine
    private var events: [Event] = []
    private var isHandling = false
    private var timer: (due: Duration, task: Task<Void, Never>)?
    private var connections = Connections()
    private var pings = PingAllowance()
    private var isStopping = false
    private nonisolated let radio: RadioDesk
    private nonisolated let lookups: Lookups
    /// Operations that have not been answered yet.
    private nonisolated let work: RunningWork

    /// Time for the buses to learn that the agent stops.
    static let busFarewell: Duration = .milliseconds(500)

    nonisolated var loop: EpollLoop { parts.loop }
    nonisolated var log: AgentLog { parts.log }
    nonisolated var vault: BoxVault { parts.vault }
    nonisolated var unownedExecutor: UnownedSerialExecutor { parts.loop.asUnownedSerialExecutor() }

    /// - Parameter ownBoxID: The digits of the box while it belongs to no site.
    init(_ parts: AgentParts, ownBoxID: [UInt8]) {
        self.parts = parts
        machine = AgentMachine(
            Policy(parts.configuration, boxID: parts.keys.boxID, ownBoxID: ownBoxID, place: parts.place),
            now: Moment(sinceBoot: parts.loop.now()),
            box: SiteBox(
                publicKey: parts.keys.publicKey, boot: KernelFacts().bootID() ?? [],
                program: Array("boxagentd \(AgentVersion.text)".utf8), random: .random(in: .min ... .max)))
        radio = RadioDesk(parts.radio, loop: parts.loop)
        lookups = Lookups(parts)
        work = RunningWork(parts.loop)
    }

    // MARK: - Events in, effects out

    /// Handles an event. Events that its effects cause at once are handled after it.
    func feed(_ event: Event) {
        events.append(event)
        guard !isHandling else { return }
        isHandling = true
        while !events.isEmpty {
            let now = WallClock.moment(loop)
            for effect in machine.handle(events.removeFirst(), at: now) { perform(effect) }
        }
        isHandling = false
        arm()
    }

    /// Arms the one timer for the machine's deadline. Without a deadline there is no timer, so an idle agent sleeps.
    private func arm() {
        let next = machine.deadline
        guard next != timer?.due else { return }
        timer?.task.cancel()
        timer = nil
        guard let next else { return }
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
        feed(.timeHasCome)
    }

    private func perform(_ effect: Effect) {
        switch effect {
        case .mute(let id): connections.phones[id]?.mute()
        case .act(let id, let operation, let target):
            run(id) { [parts] in .acted(await parts.controller.perform(operation, on: target)) }
        case .vault(let id, let command): run(id) { .vault(await self.perform(command)) }
        case .lookUp(let id, let lookup): lookUp(id, lookup)
        case .handOver(let id, let program, let user, let secret):
            run(id) { .handedOver(await self.handOver(secret, of: user, to: program)) }
        case .giveCode(let id, let secret): connections.phones[id]?.give(secret)
        case .showCode(let id, let uri, let seconds): connections.commands[id]?.showCode(uri, validSeconds: seconds)
        case .admit(let id): connections.phones[id]?.admit()
        case .showDocument(let id, let document): connections.phones[id]?.show(document)
        case .tellPhone(let id, let message): connections.phones[id]?.tell(message)
        case .finish(let id, let reason, let lastWords):
            connections.phones[id]?.end(
                reason, lastWords: lastWords, within: isStopping ? LinkLimits.farewellAtStop : LinkLimits.farewell)
        case .tellProgram(let id, let message): connections.program(id)?.tell(message)
        case .tellControl(let id, let reply): connections.commands[id]?.tell(reply)
        case .giveWay(let id): connections.commands[id]?.helpNoLonger()
        case .advertise(let mode): radio.advertise(mode)
        case .show(let shown): loop.spawn { await self.show(shown) }
        case .allowPairing(let isAllowed): radio.allowPairing(isAllowed)
        case .allowSleep: loop.spawn { [parts] in await parts.logind.maySleep() }
        case .setHelped(let session, let isHelped):
            loop.spawn { [parts] in await parts.logind.setHelped(session, isHelped) }
        case .refuseLock(let session, let reason):
            loop.spawn { [parts] in await parts.logind.refuseLock(session, reason: reason) }
        case .log(let line): log.write(line)
        case .site(let id, let order): perform(order, on: id)
        case .count(let tally): parts.metrics.note(AgentMetrics.Event(tally))
        }
    }

    private func lookUp(_ id: OperationID, _ lookup: Lookup) {
        switch lookups.look(lookup, account: { await self.account(of: $0, within: $1) }) {
        // The answer precedes all other events: the programs' places must not change before one program gets the tap.
        case .known(let known): events.insert(.answered(id, known), at: 0)
        case .asking(let work): run(id, work)
        }
    }

    /// Runs slow work in a task; its answer becomes an event.
    private func run(_ id: OperationID, _ work: @escaping @Sendable () async -> Answer) {
        self.work.run {
            let answer = await work()
            await self.feed(.answered(id, answer))
        }
    }

    // MARK: - The site

    private func perform(_ order: SiteLinkOrder, on id: SiteLinkID) {
        switch order {
        case .connect:
            connections.servers[id] = SiteServerLink(keys: parts.keys, loop: loop) { [weak self] event in
                self?.onSameLoop { $0.happened(event, on: id) }
            }
            connections.servers[id]?.perform(order)
        case .close: connections.servers.removeValue(forKey: id)?.perform(order)
        case .shake, .join, .say: connections.servers[id]?.perform(order)
        }
    }

    private func happened(_ event: SiteLinkEvent, on id: SiteLinkID) {
        if case .ended = event { connections.servers[id] = nil }
        feed(.site(id, event))
    }

    // MARK: - The box's identity

    /// Shows new digits. The vault has already stored them, with a higher certificate serial.
    private func show(_ shown: BoxShown) async {
        do {
            let keys = try await vault.boxKeys(siteCertificate: shown.siteCertificate)
            parts.shownKeys.change(to: keys)
            radio.show(keys)
            let issue = IssueFile(path: parts.configuration.box.issueFile)
            if let problem = issue.write(boxID: keys.boxID) { log.warning("agetty's greeting: \(problem)") }
        } catch {
            log.error("the identity that the box shows could not be changed: \(error); restart boxagentd")
        }
    }

    // MARK: - Phones

    /// Accepts links while the radio delivers them.
    func acceptPhones() async {
        await parts.radio.observe { [weak self, loop] condition in
            loop.spawn { [weak self] in await self?.feed(.radio(condition)) }
        }
        while !isStopping {
            do {
                arrived(try await parts.radio.accept())
            } catch {
                guard !isStopping else { return }
                let fault = RadioFault("the radio no longer accepts phones: \(error)", cure: "restart boxagentd")
                return feed(.radio(.faulty(fault)))
            }
        }
    }

    private func arrived(_ link: any PhoneLink) {
        let id = ChannelID(number: connections.number())
        let channel = PhoneChannel(
            id: id, link: link, parts: parts, tell: { await self.feed(.phone(id, $0)) },
            waitForPing: { await self.waitForPing(of: $0) }, settle: { try await self.settle($0) })
        connections.phones[id] = channel
        feed(.phone(id, .arrived(connection: link.connectionName)))
        let peer = LogText.text(Array(link.peerDescription.utf8))
        loop.spawn {
            let reason = await channel.run()
            await self.left(id, reason, peer: peer)
        }
    }

    private func left(_ id: ChannelID, _ reason: ChannelEnd, peer: String) {
        connections.phones[id] = nil
        feed(.phone(id, .left(reason, peer: peer)))
    }

    /// Returns when a ping of this size may be answered.
    private func waitForPing(of bytes: Int) async {
        let due = pings.take(bytes, now: loop.now())
        guard due > loop.now() else { return }
        try? await loop.sleep(until: due)
    }

    // MARK: - Programs and commands

    func serve(_ program: ProgramConnection) {
        let id = ProgramID(number: connections.number())
        connections.programs[id] = program
        loop.spawn {
            await program.run { await self.feed(.program(id, $0)) }
            await self.left(id)
        }
    }

    private func left(_ id: ProgramID) {
        connections.programs[id] = nil
        feed(.program(id, .left))
    }

    /// Hands a credential to a program. A program that named no user has caused no lookup, so it is made now.
    func handOver(_ secret: HeldSecret, of user: [UInt8], to id: ProgramID) async -> CredentialTaking {
        guard let program = connections.program(id) else { return .notTaken }
        if await program.needsLookup {
            _ = await account(of: user)
            guard machine.mayHandOver(to: id) else {
                program.tell(.refused(.withdrawn))
                return .refused
            }
        }
        return await program.deliver(user: user, credential: secret)
    }

    func serve(_ command: ControlConnection, read: @escaping ControlConnection.Read) {
        let id = ControlID(number: connections.number())
        connections.commands[id] = command
        loop.spawn {
            await command.run({ await self.feed(.control(id, $0)) }, read: read)
            await self.left(id)
        }
    }

    private func left(_ id: ControlID) {
        connections.commands[id] = nil
        feed(.control(id, .left))
    }

    // MARK: - For commands that only read

    var configuration: Configuration { machine.policy.configuration }
    var radioState: RadioState { machine.radioState }
    var sessionsWithoutLocker: [String] { machine.sessionsWithoutLocker }

    func isConnected(_ device: DeviceID) -> Bool { machine.isConnected(device) }

    func status(activity: Bool) -> AgentStatus {
        machine.status(activity: activity, upFor: loop.now() - parts.startedAt, now: loop.now())
    }

    /// The site of the box; nil if it belongs to none.
    var site: SiteListing? { machine.siteListing(now: loop.now()) }
    var siteRefusal: ControlReply { machine.siteRefusal }

    func presenceListings(ofUser user: [UInt8]?) -> [PresenceListing] {
        machine.presenceListings(ofUser: user, now: loop.now())
    }

    nonisolated func actor(of caller: Caller) async -> AuditActor { await lookups.actor(of: caller) }

    // MARK: - Start, reload, stop

    /// Restores the state of an earlier run, and starts to receive session events.
    func start() async {
        feed(.started)
        loop.spawn { await self.settleUsers() }
        await parts.logind.start { [weak self, loop] event in
            loop.spawn { [weak self] in await self?.feed(.logind(event)) }
        }
    }

    /// Applies a new policy after SIGHUP. Settings of existing links and sockets change only at the next start.
    func reload(_ read: Configuration) async {
        let needRestart = configuration.changesThatNeedRestart(to: read)
        let new = configuration.reloaded(from: read)
        await vault.setPolicy(new.pin.attemptPolicy)
        feed(.policy(new))
        log.notice("configuration reloaded")
        if !needRestart.isEmpty {
            log.warning(
                "these keys take effect only after a restart of boxagentd: \(needRestart.joined(separator: ", "))")
        }
    }

    /// Stops the agent in order: programs that wait fall back to their own prompt, phones are told, the radio is turned off.
    func stop() async {
        guard !isStopping else { return }
        isStopping = true
        feed(.stop)
        for channel in connections.phones.values { await channel.waitUntilOver() }
        // This wait lets pending audit entries reach the disk.
        await work.wait(until: loop.now() + LinkLimits.farewell)
        await parts.metrics.stop()
        let ends = loop.spawn { [parts] in
            await parts.radio.stop()
            await parts.logind.stop()
        }
        // A hanging bus does not delay the end: its resources end with the process.
        _ = await loop.waitForAny(of: [ends], until: loop.now() + Self.busFarewell)
    }
}
