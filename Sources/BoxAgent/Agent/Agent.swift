import AgentConfiguration
import AgentCore
import AgentProtocol
import AuditLog
import EventLoop
import PhoneMessages
import Secrets
import SecureChannel
import Sessions
import Transport
import Vault
import VaultPort

/// The agent: the one owner of the login rendezvous, the enrolment desk, the channels and the sessions.
///
/// It feeds events to pure state machines and performs their actions. Everything runs on one event loop; a step
/// that waits (the vault, a phone, a command) leaves the machines in a whole state first.
actor Agent {
    nonisolated let loop: EpollLoop
    nonisolated let log: AgentLog
    nonisolated let vault: BoxVault
    nonisolated let keys: BoxKeys
    nonisolated let radio: any PeripheralRadio
    nonisolated let controller: any SessionController
    nonisolated let logind: Logind
    nonisolated let accounts: AccountDirectory
    nonisolated let metrics: MetricsKeeper
    nonisolated let startedAt: Duration

    /// Shows programs that would not wait whether there is anything to ask for.
    private let tapSign: TapSignFile?
    private var tapShown: Bool?

    var configuration: Configuration
    var rendezvous: LoginRendezvous
    var elevations = ElevationRendezvous()
    var desk = EnrolmentDesk()
    var limiter: AttemptLimiter
    var admission: LinkAdmission
    var logoutSchedule = LogoutSchedule<SessionKey, DeviceID>()
    /// When idleness and the clock on the wall are looked at next; nil while no session could end by them.
    var nextLook: Duration?
    /// What each device's phone was last warned of.
    var shownWarnings: [DeviceID: LogoutSchedule<SessionKey, DeviceID>.Warning] = [:]
    var presence = TrackedPhones()
    var pings = PingAllowance()

    var channels: [ChannelID: PhoneChannel] = [:]
    var records: [ChannelID: DeviceRecord] = [:]
    /// What the phone at the other end understands, by its hello.
    var phoneCapabilities: [ChannelID: Capabilities] = [:]
    var programs: [ProgramID: any LoginProgram] = [:]
    /// Who asked for a login, while their programs are connected.
    var askers: [ProgramID: Asker] = [:]
    /// What programs said of their sessions while logind could not be asked.
    var claims: [ProgramID: SessionTarget] = [:]
    /// Services and terminals of connected programs, for the audit log.
    var programActors: [ProgramID: AuditActor] = [:]
    /// Names of people that are being looked up for the audit log.
    var loginLookups: [UInt64: [UInt8]?] = [:]
    var writeBudget = WriteBudget()
    /// Devices whose deadline is in the vault, and what should stand there for those that are over their budget.
    var standingDeadlines: Set<DeviceID> = []
    var wantedDeadlines: [DeviceID: Duration?] = [:]
    var deliveries: [ProgramID: Delivery] = [:]
    var sessions: [SessionKey: OwnedSession] = [:]
    /// The helpers in logind sessions.
    var helpers: [[UInt8]: ControlConnection] = [:]
    /// The sessions whose programs are connected.
    var programSessions: [ProgramID: SessionKey] = [:]
    var greeters: [GreeterID: FollowingGreeter] = [:]
    /// Link-layer pairing, where the radio asks for it, is accepted while an administrator enrols.
    var administrator: (any EnrolmentAdministrator)? {
        didSet {
            let isEnrolling = administrator != nil
            loop.spawn { [radio] in await radio.allowPairing(isEnrolling) }
        }
    }
    /// Devices that were revoked while this agent runs: whatever they asked has no effect from that moment on.
    var barred: Set<DeviceID> = []
    var unreadableVault = UnreadableVault()
    /// The deadlines of an earlier run have been read.
    var isRestored = false
    var isReadingIdleness = false
    var failuresUnauthenticated: UInt64 = 0
    var stopping = false
    /// What the radio does, or why it cannot.
    var radioState = RadioState()
    var advertising: AdvertisingSchedule
    /// What the radio was last told.
    var advertised: AdvertisingMode?
    var isSettingAdvertising = false

    private var nextNumber: UInt64 = 0
    private var timer: Task<Void, Never>?
    private var timerDue: Duration?

    /// For the buses to hear that the agent stops.
    static let busFarewell: Duration = .milliseconds(500)

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ parts: AgentParts) {
        loop = parts.loop
        log = parts.log
        vault = parts.vault
        keys = parts.keys
        radio = parts.radio
        controller = parts.controller
        logind = parts.logind
        accounts = parts.accounts
        metrics = parts.metrics
        configuration = parts.configuration
        tapSign = TapSignFile(directory: parts.configuration.box.runtimeDirectory)
        startedAt = parts.loop.now()
        advertising = AdvertisingSchedule(now: parts.loop.now())
        rendezvous = LoginRendezvous(holdTime: .seconds(parts.configuration.login.holdSeconds))
        limiter = AttemptLimiter(rate: parts.configuration.enrolment.attemptsPerSecond)
        admission = LinkAdmission(halfOpenLimit: parts.configuration.limits.halfOpenLinks)
    }

    func number() -> UInt64 {
        nextNumber += 1
        return nextNumber
    }

    /// Before anybody hears of a tap that waits, and before anybody acts on it.
    func showTapSign() {
        guard tapShown != rendezvous.holdsCredential else { return }
        tapShown = rendezvous.holdsCredential
        tapSign?.show(isHeld: rendezvous.holdsCredential)
    }

    /// Arms the one timer for the earliest deadline of all machines; none, when nothing runs: an idle agent sleeps.
    func rearm() {
        tellGreeters()
        let deadlines =
            [
                rendezvous.deadline, elevations.deadline, desk.deadline, logoutSchedule.deadline, presence.deadline,
                nextLook, advertising.deadline, writeBudget.deadline,
            ]
            + deliveries.values.map(\.verdict.deadline)
        let next = deadlines.compactMap { $0 }.min()
        guard next != timerDue else { return }
        timer?.cancel()
        timer = nil
        timerDue = next
        guard let next else { return }
        timer = loop.spawn { [weak self, loop] in
            guard (try? await loop.sleep(until: next)) != nil else { return }
            await self?.timerFired(due: next)
        }
    }

    private func timerFired(due: Duration) async {
        // A timer that was replaced while it fired is not the one that counts.
        guard due == timerDue else { return }
        timer = nil
        timerDue = nil
        let now = loop.now()
        let logouts = logoutSchedule.handle(.timer, now: now)
        let enrolment = desk.handle(.timer, now: now)
        let isLookDue = nextLook.map { $0 <= now } ?? false
        if isLookDue { nextLook = nil }
        perform(rendezvous.handle(.timer, now: now))
        perform(elevations.handle(.timer, now: now))
        advertising.timeHasCome(now: now)
        advertise()
        // All that follows may wait for the vault; the next deadline does not wait for it.
        rearm()
        await perform(logouts)
        await presenceTimer()
        await perform(enrolment)
        let silent = deliveries.filter { ($0.value.verdict.deadline ?? .seconds(Int64.max)) <= now }.keys
        for program in silent { await verdict(.timer, for: program) }
        if isLookDue { await lookAtSessions() }
        await settleBudget()
        rearm()
    }

    /// New policy after SIGHUP: what concerns links and sockets that exist stays until the next start.
    func reload(_ read: Configuration) async {
        let needRestart = configuration.changesThatNeedRestart(to: read)
        let new = configuration.reloaded(from: read)
        configuration = new
        await vault.setPolicy(new.pin.attemptPolicy)
        rendezvous.holdTime = .seconds(new.login.holdSeconds)
        limiter = AttemptLimiter(rate: new.enrolment.attemptsPerSecond)
        showTapSign()
        await autoLogoutReloaded()
        await presenceReloaded()
        log.notice("configuration reloaded")
        if !needRestart.isEmpty {
            log.warning("these keys change only when boxagentd starts again: \(needRestart.joined(separator: ", "))")
        }
    }

    /// Takes up what an earlier run left: deadlines that run on.
    func restore() async {
        showTapSign()
        await applyLogoutLimits()
        await restoreDeadlines()
        await store("whose phones are watched no more") { vault throws(VaultError) in
            try await vault.forgetPresenceWithoutSessions()
        }
        await followSessions()
    }

    /// Deadlines that cannot be read are asked for again.
    func restoreDeadlines() async {
        do {
            for deadline in try await vault.deadlines() {
                standingDeadlines.insert(deadline.device)
                await perform(logoutSchedule.handle(.restored(deadline.device, deadline: deadline.at), now: loop.now()))
            }
            isRestored = true
        } catch {
            log.error("deadlines could not be read: \(error); run 'boxagent doctor'")
            await sessionsUnreadable()
        }
        rearm()
    }

    /// Ends everything in order: programs fall back to their prompt, phones are told, the radio goes off.
    func stop() async {
        guard !stopping else { return }
        stopping = true
        perform(rendezvous.stop())
        perform(elevations.stop())
        tapSign?.clear()
        await perform(desk.handle(.administratorLeft, now: loop.now()))
        let leaving = channels.values
        for channel in leaving { channel.end(.agentStops, within: LinkLimits.farewellAtStop) }
        for channel in leaving { await channel.waitUntilOver() }
        await settleBudget(all: true)
        await metrics.stop()
        rearm()
        let ends = loop.spawn {
            await self.radio.stop()
            await self.logind.stop()
        }
        // A bus that hangs does not keep the program: what it holds ends with it.
        _ = await loop.waitForAny(of: [ends], until: loop.now() + Self.busFarewell)
    }
}

/// What the agent is made of.
struct AgentParts {
    let loop: EpollLoop
    let log: AgentLog
    let vault: BoxVault
    let keys: BoxKeys
    let radio: any PeripheralRadio
    let controller: any SessionController
    let logind: Logind
    let accounts: AccountDirectory
    let metrics: MetricsKeeper
    let configuration: Configuration
}
