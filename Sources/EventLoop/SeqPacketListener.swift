import CLinux
import Glibc

/// The number of connections that a listener admits.
public struct PeerLimits: Sendable {
    /// Connections open at once; further ones wait in the kernel's accept queue.
    public var connections: Int
    /// Connections of one user open at once; further ones are closed immediately, so that no user can take all places.
    public var connectionsPerUser: Int
    /// Length of the kernel's accept queue; further callers wait or get an error.
    public var acceptQueueConnections: Int
    /// Users that are never admitted. 65534 stands for every user of another user namespace.
    public var refusedUsers: Set<UInt32>
    /// Places for each group of users with their own places (`keepPlaces`). If nil, there are no such groups and
    /// connections are not closed for newcomers: those beyond `connections` wait in the kernel's queue.
    public var keptConnections: Int?

    public init(
        connections: Int = 64, connectionsPerUser: Int = 16, acceptQueueConnections: Int = 16,
        refusedUsers: Set<UInt32> = [65_534], keptConnections: Int? = nil
    ) {
        self.keptConnections = keptConnections
        self.connections = connections
        self.connectionsPerUser = connectionsPerUser
        self.acceptQueueConnections = acceptQueueConnections
        self.refusedUsers = refusedUsers
    }
}

/// A listening SOCK_SEQPACKET socket, made at a path or inherited from systemd.
public actor SeqPacketListener {
    /// Pause before the next accept when Linux has no free descriptor or memory.
    package static let exhaustedPause = Duration.milliseconds(100)

    public nonisolated let loop: EpollLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let descriptor: Int32
    private let token: WatchToken
    private let name: ListeningPath?
    private let limits: PeerLimits
    private let ready: WaitPoint
    private var places: ConnectionPlaces
    private var open: [ConnectionPlaces.ID: OpenConnection] = [:]
    private var isAccepting = false
    private var isClosed = false
    /// Number of connections closed because of `limits`.
    public private(set) var refusedConnections = 0

    /// Listens at `path` with exactly `mode`. Replaces a socket that a dead program left there.
    public init(
        path: String, mode: UInt32, limits: PeerLimits = PeerLimits(), on loop: EpollLoop
    ) throws(SocketError) {
        let descriptor = clinux_seqpacket()
        guard descriptor >= 0 else {
            throw .system(SystemError(code: -descriptor, attempt: "make a socket"))
        }
        let name: ListeningPath
        do throws(SocketError) {
            name = try ListeningPath(
                binding: descriptor, to: path, mode: mode, backlog: Int32(clamping: limits.acceptQueueConnections))
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        try self.init(owning: descriptor, name: name, limits: limits, on: loop)
    }

    /// Takes over a listening socket that systemd made (see `InheritedSockets`).
    public init(
        inherited descriptor: Int32, limits: PeerLimits = PeerLimits(), on loop: EpollLoop
    ) throws(SocketError) {
        guard clinux_is_seqpacket_listener(descriptor) == 1 else {
            throw .notASocket(path: "descriptor \(descriptor)")
        }
        let prepared = clinux_set_nonblocking_cloexec(descriptor)
        if prepared < 0 { throw .system(SystemError(code: -prepared, attempt: "take over a socket")) }
        try self.init(owning: descriptor, name: nil, limits: limits, on: loop)
    }

    private init(
        owning descriptor: Int32, name: ListeningPath?, limits: PeerLimits, on loop: EpollLoop
    ) throws(SocketError) {
        let ready = WaitPoint(on: loop)
        do throws(SystemError) {
            token = try loop.watch(descriptor, for: .readable) { _ in ready.signal() }
        } catch {
            name?.remove()
            Glibc.close(descriptor)
            throw .system(error)
        }
        self.descriptor = descriptor
        self.name = name
        self.limits = limits
        self.loop = loop
        self.ready = ready
        places = ConnectionPlaces(
            limit: limits.connections, limitPerUser: limits.connectionsPerUser, keptLimit: limits.keptConnections ?? 0)
    }

    private struct OpenConnection {
        weak var connection: SeqPacketConnection?
    }

    /// Gives groups of users their own places, from the next connection on.
    public func keepPlaces(for groups: [Set<UInt32>]) {
        if limits.keptConnections != nil { places.groups = groups }
    }

    deinit {
        guard !isClosed else { return }
        loop.unwatch(token)
        name?.remove()
        Glibc.close(descriptor)
    }

    /// Ends listening and removes the path. Connections stay open. May be called again.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        loop.unwatch(token)
        name?.remove()
        Glibc.close(descriptor)
        ready.signal()
    }

    /// Returns the next connection within the limits. Allows one caller at a time.
    public func accept() async throws(SocketError) -> SeqPacketConnection {
        guard !isAccepting else { throw .busy }
        isAccepting = true
        defer { isAccepting = false }
        while true {
            guard !isClosed else { throw .closed }
            let mark = ready.mark()
            var pause: Duration?
            if limits.keptConnections != nil || places.count < limits.connections {
                switch try AcceptedDescriptor(from: descriptor) {
                case .descriptor(let accepted):
                    if let connection = try admit(accepted) { return connection }
                    continue
                case .left: continue
                case .exhausted: pause = loop.now() + Self.exhaustedPause
                case .nothing: break
                }
            }
            if await ready.wait(since: mark, until: pause) == .cancelled { throw .cancelled }
        }
    }

    private func admit(_ descriptor: Int32) throws(SocketError) -> SeqPacketConnection? {
        var process: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
        let isKnown = clinux_peer(descriptor, &process, &user, &group) == 0 && !limits.refusedUsers.contains(user)
        guard isKnown, case .admitted(let place, let victim) = places.admit(user, givesWay: givesWay) else {
            Glibc.close(descriptor)
            refusedConnections += 1
            return nil
        }
        if let victim {
            // SAFETY: connections run on this listener's loop.
            open.removeValue(forKey: victim)?.connection?.assumeIsolated { $0.close() }
            refusedConnections += 1
        }
        let loop = loop
        do throws(SocketError) {
            let connection = try SeqPacketConnection(owning: descriptor, on: loop) { [weak self] in
                // SAFETY: posted work runs on the loop, which is this listener's executor.
                loop.post { [weak self] in self?.assumeIsolated { $0.release(place) } }
            }
            open[place] = OpenConnection(connection: connection)
            return connection
        } catch {
            release(place)
            throw error
        }
    }

    private func givesWay(_ id: ConnectionPlaces.ID) -> Bool {
        guard limits.keptConnections != nil, let connection = open[id]?.connection else { return false }
        // SAFETY: connections run on this listener's loop.
        return connection.assumeIsolated { $0.givesWay }
    }

    private func release(_ place: ConnectionPlaces.ID) {
        places.release(place)
        open[place] = nil
        ready.signal()
    }
}
