import AuditLog
import EventLoop
import Glibc
import OpenMetrics
import PostgreSQL
import SiteCore
import SiteLink
import SiteSetup
import SiteStore
import SiteTrust
import TCP

/// A running server: makes its parts, serves its sockets, and ends them in order.
struct ServerProcess: Sendable {
    let loop: EpollLoop
    let configuration: SiteConfiguration
    private let log = ServerLog()

    /// The time limit for bringing the database's schema up to date.
    private static let patience: Duration = .seconds(30)
    private static let retry: Duration = .seconds(2)
    /// Connections for PIN tries, made on demand. Each commit waits for a disk and for a standby.
    private static let tryConnections = 16

    init(loop: EpollLoop, configuration: SiteConfiguration) {
        self.loop = loop
        self.configuration = configuration
    }

    /// Serves until a signal arrives. Returns the exit status.
    func run() async -> Int32 {
        do {
            let stopped = WaitPoint(on: loop)
            let mark = stopped.mark()
            let signals = try loop.signals([SIGTERM, SIGINT]) { _ in stopped.signal() }
            defer { withExtendedLifetime(signals) {} }
            let served = loop.spawn { await serve(until: stopped, mark) }
            return await served.value
        } catch {
            log.error("\(error)")
            return 69
        }
    }

    private func serve(until stopped: WaitPoint, _ mark: WaitPoint.Mark) async -> Int32 {
        do {
            let settings = try DatabaseSettings(configuration.database.sorted { $0.key < $1.key })
            let database = Database(settings, on: loop)
            var limits = Database.Limits()
            limits.connections = Self.tryConnections
            let tries = Database(settings, limits: limits, on: loop)
            (limits.connections, limits.patience) = (1, .seconds(3))
            let writes = Database(settings, limits: limits, on: loop)
            let store = SiteStore(database, configuration.standbyRule(settings), tries: tries, writes: writes)
            guard let server = try await start(store, settings, until: stopped, mark) else {
                return 0
            }
            let listener = try boxListener()
            let control = try SeqPacketListener(
                path: configuration.runtimeDirectory + "/control.sock", mode: 0o660, on: loop)
            var tasks = [
                loop.spawn { await server.look() }, loop.spawn { await server.sweep() },
                loop.spawn { await server.forget() }, loop.spawn { await server.watch() },
                loop.spawn { await server.watchWrites() },
                loop.spawn { await acceptBoxes(listener, server) },
                loop.spawn { await acceptCommands(control, server) },
            ]
            if let path = configuration.metricsFile {
                let writer = MetricsWriter(file: MetricsFile(path: path), loop: loop, log: log)
                tasks.append(loop.spawn { await writer.run(server) })
            }
            let systemd = Notify()
            systemd.ready()
            let watchdog = systemd.keepWatchdog(on: loop)
            log.notice("ready: boxes link to \(listener.address)")
            _ = await stopped.wait(since: mark)
            systemd.stopping()
            watchdog?.cancel()
            listener.close()
            await control.close()
            await server.stop()
            for task in tasks { task.cancel() }
            await database.close()
            await tries.close()
            await writes.close()
            log.notice("ended")
            return 0
        } catch {
            log.error("\(error)")
            return 69
        }
    }

    private func boxListener() throws -> TCPListener {
        guard let address = SiteAddress(Array(configuration.listen.utf8)),
            let place = TCPAddress(host: address.host, port: address.port)
        else {
            throw SecretFileError(
                path: configuration.listen, what: "listen takes an IP address and a port, such as 192.0.2.1:4711")
        }
        return try TCPListener(on: place, loop: loop, backlog: 4_096)
    }

    /// Returns the server after the database's first answer, or nil if a signal came first.
    private func start(
        _ store: SiteStore, _ settings: DatabaseSettings, until stopped: WaitPoint, _ mark: WaitPoint.Mark
    ) async throws -> SiteServer? {
        var said = ""
        while true {
            do {
                _ = try await SiteSchema.migrations.apply(to: settings, on: loop, by: loop.now() + Self.patience)
                let server = try await makeServer(store)
                while await server.lookOnce() {}
                if await server.isReady { return server }
            } catch let error as SecretFileError {
                throw error
            } catch {
                if said != "\(error)" { log.error("\(error)") }
                said = "\(error)"
            }
            if await stopped.wait(since: mark, until: loop.now() + Self.retry) != .timedOut { return nil }
        }
    }

    private func makeServer(_ store: SiteStore) async throws -> SiteServer {
        let found = try await store.beginning()
        guard let site = SiteID(bytes: found.site) else { throw SiteStoreError.noSite }
        var tally = SignatureTally()
        let pin = try SitePin(kept: found.document.bytes, tally: &tally)
        // The document may list none of these keys. Only a running server can publish a document that does.
        let issuers = try ServerKeyFiles.issuers(in: configuration.stateDirectory, site: site)
        let keys = try ServerKeyFiles.serverKeys(in: configuration.stateDirectory)
        let holding = try await holding(store, keys, pin)
        let machine = SiteServerMachine(
            SiteTerms(
                issuers, certificateHours: configuration.certificateHours, servers: configuration.addresses,
                holding: holding, version: ProgramVersion(program: Array(ServerMain.version.utf8)),
                silentDays: configuration.silentDays, selfEnrolment: configuration.selfEnrolment), pin: pin)
        return SiteServer(
            loop: loop, log: log, store: store, stateDirectory: configuration.stateDirectory, keys: keys,
            holding: holding, directory: configuration.directory.terms.map { DirectoryDesk($0, on: loop) },
            machine: machine, audit: AuditWitness(seen: rememberedHead()))
    }

    /// Returns the newest entry of the audit table that the last run accepted.
    private func rememberedHead() -> AuditHead? {
        do throws(SecretFileError) {
            return try AuditHeadFile.read(in: configuration.stateDirectory)
        } catch {
            log.error(
                "\(error); so the audit table is accepted as it is: run boxsite audit check, and compare with the journals"
            )
            return nil
        }
    }

    /// Returns the means to hold credentials of phones. Only warns if phones cannot learn the site's key.
    private func holding(
        _ store: SiteStore, _ keys: SiteServerKeys, _ pin: SitePin
    ) async throws -> SiteHolding {
        var tally = SignatureTally()
        let statement = try await store.siteKey().flatMap { try? $0.verify(pin, tally: &tally) }
        let holding = SiteHolding(keys: keys, statement: statement, policy: configuration.attempts)
        if holding.statement(by: pin.document) == nil {
            log.warning(
                "the site cannot hold passwords: its root has not signed the key of this site.secret; run: boxsite key")
        }
        return holding
    }

    private func acceptBoxes(_ listener: TCPListener, _ server: SiteServer) async {
        while let connection = await accepted("boxes cannot connect", { try await listener.accept() }) {
            await server.arrived(connection)
        }
    }

    /// Returns the next connection, or nil once the listener is closed. Logs other errors, and tries again.
    private func accepted<Connection: Sendable>(
        _ problem: String, _ accept: @Sendable () async throws -> Connection
    ) async -> Connection? {
        while !Task.isCancelled {
            do {
                return try await accept()
            } catch TCPError.closed, SocketError.closed {
                return nil
            } catch {
                log.error("\(problem): \(error)")
                guard (try? await loop.sleep(until: loop.now() + Self.retry)) != nil else { return nil }
            }
        }
        return nil
    }

    private func acceptCommands(_ listener: SeqPacketListener, _ server: SiteServer) async {
        let pageUser = await userID(of: configuration.pageUser, "page_user", "act for administrators")
        let directoryUser = await userID(of: configuration.directory.user, "user of [directory]", "look users up")
        while let connection = await accepted("boxsite cannot connect", { try await listener.accept() }) {
            let peer = SiteControlPeer(
                connection: connection, server: server, addresses: configuration.addresses,
                pageOrigin: configuration.pageOrigin, pageUser: pageUser, directoryUser: directoryUser)
            loop.spawn { await peer.run() }
        }
    }

    /// Returns the ID of a configured user, or nil if none is set or this machine does not know the user.
    private func userID(of name: String?, _ key: String, _ deed: String) async -> UInt32? {
        guard let name else { return nil }
        let found = try? await loop.offload { getpwnam(name)?.pointee.pw_uid }
        if let uid = found ?? nil { return uid }
        log.error(
            "\(key): there is no user \(name) on this machine, so no process may \(deed); add the user, and restart")
        return nil
    }
}
