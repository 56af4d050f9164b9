import AuditLog
import EventLoop
import OpenMetrics
import Vault
import VaultPort

/// Counts events and writes the metrics file from time to time, on the agent's loop. Callers never wait. The log and
/// 'boxagent doctor' report problems.
actor MetricsKeeper {
    private let loop: EpollLoop
    private let log: AgentLog
    /// Nil if metrics are off.
    private let file: MetricsFile?
    private var metrics = AgentMetrics()
    private var schedule = MetricsSchedule()
    private var vault: BoxVault?
    private var timer: Task<Void, Never>?
    private var stopping = false
    /// The reason why the last write failed; nil if it succeeded.
    private(set) var problem: String?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// An empty `path` turns metrics off.
    init(path: String, loop: EpollLoop, log: AgentLog) {
        self.loop = loop
        self.log = log
        file = path.isEmpty ? nil : MetricsFile(path: path)
    }

    nonisolated func note(_ event: AgentMetrics.Event) {
        guard file != nil else { return }
        loop.spawn { await self.take(event) }
    }

    /// Notes an entry of the audit log.
    nonisolated func note(_ event: AuditEvent) {
        switch event.kind {
        case .credentialWiped:
            // The last wrong PIN wipes the credential and has no entry of its own.
            if event.actor.kind == .phone { note(.pinWrong) }
            note(.credentialWiped)
        case .deviceEnrolled, .deviceRevoked: note(.phonesChanged)
        default: break
        }
    }

    /// Writes the first file at once, so that a box without taps appears as well.
    func start(_ vault: BoxVault) {
        self.vault = vault
        take(.phonesChanged)
    }

    /// Writes the changes since the last file.
    func stop() async {
        stopping = true
        timer?.cancel()
        if schedule.deadline != nil { await write() }
    }

    private func take(_ event: AgentMetrics.Event) {
        guard file != nil, metrics.count(event) else { return }
        schedule.changed(now: loop.now())
        arm()
    }

    private func arm() {
        guard timer == nil, !stopping, let due = schedule.deadline else { return }
        timer = loop.spawn { [loop] in
            guard (try? await loop.sleep(until: due)) != nil else { return }
            await self.timeHasCome()
        }
    }

    private func timeHasCome() async {
        await write()
        timer = nil
        arm()
    }

    private func write() async {
        guard let file else { return }
        schedule.begins(now: loop.now())
        // If the vault cannot be read, the last count stays, and other code reports the fault.
        if let count = try? await vault?.activeDeviceCount() { metrics.phonesEnrolled = Int64(count) }
        let found = file.write(metrics.text)
        if found != nil { schedule.failed(now: loop.now()) }
        if let found, problem == nil {
            log.warning("metrics: \(found); counting continues, and 'boxagent doctor' says what to do")
        } else if found == nil, problem != nil {
            log.notice("metrics are written again")
        }
        problem = found
    }
}
