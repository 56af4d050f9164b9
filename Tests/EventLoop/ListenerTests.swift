import Glibc
import Testing

@testable import EventLoop

/// Leaves a socket at the path whose listening program has ended. The test program itself must not open the socket: a
/// child that another test starts at that moment would keep a copy of the descriptor until its exec.
private func leaveDeadSocket(at path: String) async throws {
    let script =
        "import socket,sys; s=socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.bind(sys.argv[1]); s.listen()"
    let result = try await EpollLoop.withThread { loop in
        try await ChildProcess.run(ChildCommand("/usr/bin/python3", ["-c", script, path]), on: loop)
    }
    guard result.succeeded else { throw TestFailure(text: "no dead socket: \(result)") }
}

/// Counts the machine's sockets that are bound in a directory, including accepted ones (proc(5), /proc/net/unix).
private func openSockets(in directory: String) throws -> Int {
    guard let file = fopen("/proc/net/unix", "r") else { throw TestFailure(text: "no /proc/net/unix") }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 4_096)
    var count = 0
    while fgets(&line, Int32(line.count), file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if text.contains(directory + "/") { count += 1 }
    }
    return count
}

@Suite("Listeners")
struct ListenerTests {
    @Test("A listener has exactly its mode, knows its peers, and removes its path when closed")
    func lifeCycle() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/a.sock"
        let outcome = try await EpollLoop.withThread { loop in
            let listener = try SeqPacketListener(path: path, mode: 0o666, on: loop)
            var status = stat()
            stat(path, &status)
            let client = try await SeqPacketConnection.connect(to: path, on: loop, until: loop.now() + .seconds(5))
            let server = try await listener.accept()
            try await client.send([1, 2, 3])
            let message = try await server.receive(limit: 10)
            await listener.close()
            return (status.st_mode & 0o777, server.peer, message, access(path, F_OK) == 0)
        }
        #expect(outcome.0 == 0o666)
        #expect(outcome.1 == PeerCredentials(processID: getpid(), userID: getuid(), groupID: getgid()))
        #expect(outcome.2 == [1, 2, 3])
        #expect(!outcome.3)
        #expect(Directories.names(in: directory.path, limit: 10).isEmpty)
    }

    @Test("A dead program's socket is replaced; a living one's and a file are left alone")
    func staleSockets() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/a.sock"
        let errors = try await EpollLoop.withThread { loop in
            func failure(_ path: String) async -> SocketError? {
                do throws(SocketError) {
                    await (try SeqPacketListener(path: path, mode: 0o600, on: loop)).close()
                    return nil
                } catch {
                    return error
                }
            }
            let living = try SeqPacketListener(path: path, mode: 0o600, on: loop)
            let live = await failure(path)
            await living.close()
            try await leaveDeadSocket(at: path)
            let stale = await failure(path)
            close(open(directory.path + "/file", O_CREAT | O_WRONLY, 0o600))
            return [live, stale, await failure(directory.path + "/file")]
        }
        #expect(errors == [.inUse(path: path), nil, .notASocket(path: directory.path + "/file")])
        #expect(Directories.names(in: directory.path, limit: 10) == ["file"])
    }

    @Test("Of many that take a dead socket's path at once exactly one gets it")
    func racingStarters() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/a.sock"
        try await leaveDeadSocket(at: path)
        let winners = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    // The descriptor stays open until the test program ends, so each task has live rivals.
                    let descriptor = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
                    return (try? ListeningPath(binding: descriptor, to: path, mode: 0o600, backlog: 1)) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        // Two rivals that displace each other may both fail, but never both win.
        #expect(winners <= 1)
    }

    @Test("Connecting says whether the path is missing or nobody listens")
    func connectErrors() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/a.sock"
        let errors = try await EpollLoop.withThread { loop in
            func failure() async -> SocketError? {
                do throws(SocketError) {
                    _ = try await SeqPacketConnection.connect(to: path, on: loop, until: loop.now() + .seconds(1))
                    return nil
                } catch {
                    return error
                }
            }
            let missing = await failure()
            try await leaveDeadSocket(at: path)
            return [missing, await failure()]
        }
        #expect(errors == [.notFound(path: path), .refused(path: path)])
    }

    @Test("More connections than the limit wait; more of one user are closed; a freed place is used again")
    func peerLimits() async throws {
        let directory = try TemporaryDirectory()
        let outcome = try await EpollLoop.withThread { loop in
            let deadline = loop.now() + .seconds(20)
            func connect(_ path: String) async throws -> SeqPacketConnection {
                try await SeqPacketConnection.connect(to: path, on: loop, until: deadline)
            }
            let total = directory.path + "/total"
            let few = try SeqPacketListener(path: total, mode: 0o600, limits: PeerLimits(connections: 2), on: loop)
            var clients = [try await connect(total), try await connect(total), try await connect(total)]
            let first = try await few.accept()
            let second = try await few.accept()
            let third = loop.spawn { try? await few.accept() }
            try await loop.sleep(until: loop.now() + .milliseconds(5))
            let held = await few.refusedConnections == 0
            await first.close()
            let admitted = await third.value != nil
            clients.removeAll()
            _ = second

            let mine = directory.path + "/user"
            let fair = try SeqPacketListener(
                path: mine, mode: 0o600, limits: PeerLimits(connectionsPerUser: 1), on: loop)
            let client = try await connect(mine)
            let greedy = try await connect(mine)
            let server = try await fair.accept()
            let next = loop.spawn { try? await fair.accept() }
            let refused = try await greedy.receive(limit: 10, until: deadline) == nil
            await server.close()
            let again = try await connect(mine)
            let back = await next.value != nil
            _ = (client, again)
            return [held, admitted, refused, back]
        }
        #expect(outcome == [true, true, true, true])
    }

    @Test("A user that is refused is hung up on, and counted")
    func refusedUsers() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/a.sock"
        let (end, refused) = try await EpollLoop.withThread { loop in
            let limits = PeerLimits(refusedUsers: [getuid()])
            let listener = try SeqPacketListener(path: path, mode: 0o600, limits: limits, on: loop)
            let accepting = loop.spawn { try? await listener.accept() }
            let client = try await SeqPacketConnection.connect(to: path, on: loop, until: loop.now() + .seconds(5))
            let end = try await client.receive(limit: 10, until: loop.now() + .seconds(20))
            let refused = await listener.refusedConnections
            await listener.close()
            _ = await accepting.value
            return (end, refused)
        }
        #expect(end == nil)
        #expect(refused == 1)
    }

    @Test("Two hundred connections that come and go leave nothing behind")
    func manyConnections() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/a.sock"
        let echoed = try await EpollLoop.withThread { loop in
            let listener = try SeqPacketListener(path: path, mode: 0o600, on: loop)
            let serving = loop.spawn {
                while let connection = try? await listener.accept() {
                    if let message = try? await connection.receive(limit: 10) { try? await connection.send(message) }
                    await connection.close()
                }
            }
            var echoed = 0
            for round in 0..<200 {
                let client = try await SeqPacketConnection.connect(to: path, on: loop, until: loop.now() + .seconds(5))
                if round % 3 == 0 { continue }
                try await client.send([UInt8(round)])
                if try await client.receive(limit: 10) == [UInt8(round)] { echoed += 1 }
            }
            await listener.close()
            await serving.value
            return echoed
        }
        #expect(echoed == 133)
        #expect(try openSockets(in: directory.path) == 0)
    }
}
