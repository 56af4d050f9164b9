import PasswordHashing
import AgentConfiguration
import AgentCore
import EventLoop
import Glibc
import Links
import Secrets
import SecureChannel
import Sessions
import Vault

/// A running agent: makes its parts, serves its sockets and its radio, and stops them in order.
struct AgentProcess: Sendable {
    let loop: EpollLoop
    let log: AgentLog
    let configuration: Configuration
    let path: String

    /// Serves until a signal ends it, and returns the exit status.
    func run() async -> Int32 {
        do {
            let metrics = MetricsKeeper(path: configuration.metrics.file, loop: loop, log: log)
            let vault = try await openVault(metrics)
            let keys = try await vault.boxKeys()
            let sockets = try AgentSockets.open(configuration, loop: loop)
            let keeper = PlaceKeeper(log: log, directory: configuration.box.stateDirectory)
            let place = await keeper.look(isTrial: configuration.login.serve == .own, on: loop)
            let agent = Agent(parts(vault, keys, metrics, place), ownBoxID: try await vault.ownBoxID())
            let digits = String(decoding: keys.boxID, as: UTF8.self)
            try await agent.parts.radio.start(identity: keys.identity, name: Advertisement.name(boxID: digits))
            await agent.start()
            await metrics.start(vault)
            let stopped = StopSignal(loop)
            let signals = try watchSignals(agent, sockets, stopped)
            // Reserves root's connections at once, because looking up the greeters' users may be slow.
            await sockets.control.keepPlaces(for: [[0, geteuid()]])
            loop.spawn { await sockets.keepPlaces(configuration, agent.parts.accounts) }
            defer { withExtendedLifetime(signals) {} }
            loop.spawn { await agent.acceptPhones() }
            loop.spawn { await acceptPrograms(sockets.pam, agent) }
            loop.spawn { await acceptCommands(sockets.control, agent) }
            let issue = IssueFile(path: configuration.box.issueFile)
            let systemd = Notify()
            let problem = place.foreign == nil ? issue.write(boxID: agent.parts.keys.boxID) : issue.clear()
            if let problem { log.warning("agetty's greeting: \(problem)") }
            if let foreign = place.foreign { systemd.status("deaf: \(foreign)") }
            systemd.ready()
            let watchdog = systemd.keepWatchdog(on: loop)
            let state = place.foreign == nil ? "radio \(configuration.radio.name)" : "but it serves no phone"
            log.notice("ready: box \(digits), \(state)")
            let late = place.foreign.map { _ in loop.spawn { await keeper.waitUntilOurs(on: loop, stopped.signal) } }
            ResidentCode.release()
            await stopped.wait()
            systemd.stopping()
            watchdog?.cancel()
            if let problem = issue.clear() { log.warning("agetty's greeting: \(problem)") }
            await agent.stop()
            if place.foreign == nil { keeper.check() }
            await sockets.close()
            log.notice("ended")
            late?.cancel()
            // systemd starts the agent again, and that run serves phones.
            return await late?.value == true ? AgentExitCode.unavailable : 0
        } catch {
            log.error("\(error)")
            return AgentExitCode.unavailable
        }
    }

    private func openVault(_ metrics: MetricsKeeper) async throws -> BoxVault {
        let vault = try BoxVault(
            directory: configuration.box.stateDirectory, keySource: keySource(),
            boxID: configuration.box.id.isEmpty ? nil : Array(configuration.box.id.utf8), executor: loop,
            hasher: WorkerPINHasher(loop: loop),
            journal: { [log] head, event in
                log.info("audit \(head.number) \(head.hex)", LogEvent(event))
                metrics.note(event)
            })
        await vault.setPolicy(configuration.pin.attemptPolicy)
        if let cost = try await vault.storedCost() {
            await vault.useCost(cost)
        } else {
            let target: Duration = .milliseconds(configuration.pin.hashMilliseconds)
            try await vault.setCost(try PasswordHashCost.calibrated(target: target))
        }
        return vault
    }

    /// Selects systemd's credential as the box secret if the unit passes one (systemd.exec(5)).
    private func keySource() -> VaultKeySource {
        guard let directory = getenv("CREDENTIALS_DIRECTORY") else { return .keyFile }
        let file = String(cString: directory) + "/boxagent.key"
        return access(file, R_OK) == 0 ? .file(path: file) : .keyFile
    }

    private func parts(
        _ vault: BoxVault, _ keys: BoxKeys, _ metrics: MetricsKeeper, _ place: BoxPlace
    ) -> AgentParts {
        let sessions = configuration.sessions
        let logind = Logind(loop: loop, address: sessions.bus)
        return AgentParts(
            loop: loop, startedAt: loop.now(), log: log, vault: vault, shownKeys: ShownKeys(keys),
            radio: place.foreign.map { StoppedRadio($0, loop) } ?? Radios.peripheral(configuration, loop),
            controller: SystemSessionController(
                logind: logind,
                commands: CommandSessionController(
                    loop: loop, lock: CommandTemplate(sessions.lockCommand),
                    unlock: CommandTemplate(sessions.unlockCommand),
                    logout: CommandTemplate(sessions.logoutCommand), timeLimit: .seconds(sessions.commandSeconds))),
            logind: logind, accounts: AccountDirectory(loop: loop), metrics: metrics,
            configuration: configuration, place: place)
    }

    // MARK: - Serving

    private func acceptPrograms(_ listener: SeqPacketListener, _ agent: Agent) async {
        while let connection = await accept(listener) {
            let program = ProgramConnection(
                connection: connection, caller: caller(connection), boxID: agent.parts.keys.boxID,
                loop: loop, account: { await agent.account(of: $0) })
            await agent.serve(program)
        }
    }

    private func acceptCommands(_ listener: SeqPacketListener, _ agent: Agent) async {
        while let connection = await accept(listener) {
            let command = ControlConnection(connection: connection, caller: caller(connection), loop: loop)
            await agent.serve(command) { await CommandReader(agent: agent, caller: $1).answer($0) }
        }
    }

    private func accept(_ listener: SeqPacketListener) async -> SeqPacketConnection? {
        do {
            return try await listener.accept()
        } catch .closed {
            return nil
        } catch {
            log.error("a socket no longer accepts connections: \(error); restart boxagentd")
            return nil
        }
    }

    private func caller(_ connection: SeqPacketConnection) -> Caller {
        Caller(uid: connection.peer.userID, pid: connection.peer.processID, daemonUID: geteuid())
    }

    // MARK: - Signals

    /// Handles signals: SIGTERM and SIGINT end the agent, SIGHUP reloads the configuration.
    private func watchSignals(
        _ agent: Agent, _ sockets: AgentSockets, _ stopped: StopSignal
    ) throws(SystemError) -> SignalWatch {
        try loop.signals([SIGTERM, SIGINT, SIGHUP]) { signal in
            guard signal == SIGHUP else { return stopped.signal() }
            loop.spawn {
                await reload(agent)
                await sockets.keepPlaces(await agent.configuration, agent.parts.accounts)
            }
        }
    }

    private func reload(_ agent: Agent) async {
        do {
            await agent.reload(try Configuration.load(path: path))
        } catch {
            log.error("the configuration was not reloaded; the old one stays in use\n\(error)")
        }
    }
}
