import EventLoop
import Glibc
import Testing

@testable import TCP

@Suite("TCP")
struct TCPTests {
    @Test("An address is numeric, of IPv4 or IPv6, and written as it is read")
    func addresses() throws {
        #expect(TCPAddress(host: "192.0.2.1", port: 4_711)?.text == "192.0.2.1:4711")
        #expect(TCPAddress(host: "::1", port: 4_711)?.text == "[::1]:4711")
        #expect(TCPAddress(host: "2001:DB8:0::10", port: 1)?.host == "2001:db8::10")
        #expect(TCPAddress(host: "2001:db8::10", port: 1) == TCPAddress(host: "2001:DB8::0:10", port: 1))
        let networks = [
            "192.0.2.1": "192.0.2.1", "2001:db8:0:7::1": "2001:db8:0:7::/64", "::ffff:192.0.2.1": "192.0.2.1",
        ]
        for (host, network) in networks { #expect(TCPAddress(host: host, port: 1)?.network == network) }
        for host in ["", "localhost", "[::1]", "192.0.2", "192.0.2.256", "fe80::1%lo", "192.0.2.1\0", "0x7f000001"] {
            #expect(TCPAddress(host: host, port: 1) == nil, "\(host)")
        }
    }

    @Test("Bytes go there and back, in order, over IPv4 and IPv6", arguments: ["127.0.0.1", "::1"])
    func bothWays(host: String) async throws {
        let sent = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let outcome = try await EpollLoop.withThread { loop in
            let (listener, near, far) = try await pair(on: loop, host: host)
            defer { listener.close() }
            let echo = loop.spawn {
                while let bytes = try? await far.receive(upTo: 4_096), !bytes.isEmpty {
                    await far.drained(below: 32_768)
                    guard far.send(bytes) else { return }
                }
                await far.finish(by: loop.now() + .seconds(20))
            }
            let sending = loop.spawn {
                var rest = sent[...]
                while !rest.isEmpty {
                    await near.drained(below: 32_768)
                    guard near.send([UInt8](rest.prefix(8_000))) else { return }
                    rest = rest.dropFirst(8_000)
                }
            }
            var back: [UInt8] = []
            while back.count < sent.count { back += try await near.receive(upTo: 10_000) }
            await sending.value
            await near.finish(by: loop.now() + .seconds(20))
            await echo.value
            return (back, near.peer.port == listener.port, near.local == far.peer)
        }
        #expect(outcome.0 == sent)
        #expect(outcome.1)
        #expect(outcome.2)
    }

    @Test("What was sent arrives before the end, and the end is told as the end")
    func end() async throws {
        let received = try await EpollLoop.withThread { loop in
            let (listener, near, far) = try await pair(on: loop)
            defer { listener.close() }
            _ = far.send([9, 9, 9])
            _ = near.send([UInt8](repeating: 7, count: 60_000))
            await near.finish(by: loop.now() + .seconds(20))
            var bytes: [UInt8] = []
            while true {
                let more = try await far.receive(upTo: 65_536)
                if more.isEmpty { break }
                bytes += more
            }
            return (bytes.count, near.send([1]))
        }
        #expect(received == (60_000, false))
    }

    @Test("What is held waits, and goes out in one piece, in order, with what is sent next or when it is said")
    func held() async throws {
        let outcome = try await EpollLoop.withThread { loop in
            let (listener, near, far) = try await pair(on: loop)
            defer { listener.close() }
            let isHeld = near.hold([1, 2]) && near.hold([3])
            let waiting = near.queuedBytes
            near.sendHeld()
            let first = try await far.receive(upTo: 10)
            _ = near.hold([4])
            _ = near.send([5])
            let second = try await far.receive(upTo: 10)
            let isBounded = !near.hold([UInt8](repeating: 0, count: TCPConnection.queueLimit + 1))
            near.close()
            return (isHeld && isBounded && !near.hold([6]), waiting, first, second)
        }
        #expect(outcome.0)
        #expect(outcome.1 == 3)
        #expect(outcome.2 == [1, 2, 3])
        #expect(outcome.3 == [4, 5])
    }

    @Test("A peer that does not read: the queue stays bounded, sending says so, and finishing ends at its time")
    func peerDoesNotRead() async throws {
        let outcome = try await EpollLoop.withThread { loop in
            let (listener, near, far) = try await pair(on: loop)
            defer { listener.close() }
            let chunk = [UInt8](repeating: 1, count: 4_096)
            var sent = 0
            // The loop ends because the kernel's own buffer is limited too, to some megabytes.
            while sent < 100_000_000, near.send(chunk) { sent += chunk.count }
            let queued = near.queuedBytes
            let begun = loop.now()
            await near.finish(by: begun + .milliseconds(30))
            let lasted = loop.now() - begun
            far.close()
            return (sent, queued, near.queuedBytes, lasted)
        }
        #expect(outcome.0 < 100_000_000)
        #expect(outcome.1 > TCPConnection.queueLimit - 4_096 && outcome.1 <= TCPConnection.queueLimit)
        #expect(outcome.2 == 0)
        #expect(outcome.3 >= .milliseconds(30))
    }

    @Test("Who waits for the queue to drain goes on once the peer reads")
    func drains() async throws {
        let queued = try await EpollLoop.withThread { loop in
            let (listener, near, far) = try await pair(on: loop)
            defer { listener.close() }
            while near.send([UInt8](repeating: 1, count: 4_096)) {}
            let reading = loop.spawn {
                while let bytes = try? await far.receive(upTo: 65_536), !bytes.isEmpty {}
            }
            await near.drained(below: 1)
            let left = near.queuedBytes
            near.close()
            await reading.value
            return left
        }
        #expect(queued == 0)
    }

    @Test("Where nobody listens, connecting is refused")
    func refused() async throws {
        let (failure, address) = try await EpollLoop.withThread { loop in
            let listener = try listen(on: loop)
            let address = listener.address
            listener.close()
            return (
                await failureOf { () throws(TCPError) in
                    _ = try await TCPConnection.connect(to: address, by: loop.now() + .seconds(20), on: loop)
                }, address
            )
        }
        #expect(failure == .refused(address))
    }

    @Test("Where nobody answers, connecting ends at its deadline")
    func noAnswer() async throws {
        let (failure, lasted) = try await EpollLoop.withThread { loop in
            // Linux drops new connections while the queue of those that wait for accept is full.
            let listener = try listen(on: loop, backlog: 0)
            defer { listener.close() }
            var waiting: [TCPConnection] = []
            for _ in 0..<8 {
                let begun = loop.now()
                do throws(TCPError) {
                    waiting.append(
                        try await TCPConnection.connect(to: listener.address, by: begun + .milliseconds(200), on: loop))
                } catch {
                    return (error as TCPError?, loop.now() - begun)
                }
            }
            return (nil, .zero)
        }
        #expect(failure == .timedOut)
        #expect(lasted >= .milliseconds(200))
    }

    @Test("A connection whose peer speaks first is there once it has spoken or ended, and not before")
    func peerSpeaks() async throws {
        let (early, spoke, ended) = try await EpollLoop.withThread { loop in
            let listener = try listen(on: loop)
            defer { listener.close() }
            let peer = loop.spawn { () -> TCPConnection? in
                guard let silent = try? await listener.accept() else { return nil }
                _ = try? await listener.accept().send([7])
                try? await listener.accept().close()
                return silent
            }
            func connect(_ limit: Duration) async throws(TCPError) -> [UInt8] {
                let made = try await TCPConnection.connect(
                    to: listener.address, by: loop.now() + limit, on: loop, untilPeerSpeaks: true)
                return try await made.receive(upTo: 2)
            }
            let early = await failureOf { () throws(TCPError) in _ = try await connect(.milliseconds(20)) }
            let spoke = try await connect(.seconds(20))
            let ended = try await connect(.seconds(20))
            await peer.value?.close()
            return (early, spoke, ended)
        }
        #expect(early == .timedOut && spoke == [7] && ended.isEmpty)
    }

    @Test("Closing, cancelling and a second caller end a wait to receive")
    func closedWhileWaiting() async throws {
        let failures = try await EpollLoop.withThread { loop in
            let (listener, near, far) = try await pair(on: loop)
            defer { listener.close() }
            let waiting = loop.spawn { await failureOf { () throws(TCPError) in _ = try await near.receive(upTo: 10) } }
            let cancelled = loop.spawn {
                await failureOf { () throws(TCPError) in _ = try await far.receive(upTo: 10) }
            }
            try await loop.sleep(until: loop.now() + .milliseconds(10))
            let second = await failureOf { () throws(TCPError) in _ = try await near.receive(upTo: 10) }
            near.close()
            cancelled.cancel()
            return [await waiting.value, await cancelled.value, second]
        }
        #expect(failures == [.closed, .cancelled, .busy])
    }

    @Test("Closing ends a wait to accept, and an address in use is told")
    func listeners() async throws {
        let (failure, second, address) = try await EpollLoop.withThread { loop in
            let listener = try listen(on: loop)
            let second = await failureOf { () throws(TCPError) in
                _ = try TCPListener(on: listener.address, loop: loop)
            }
            let accepting = loop.spawn { await failureOf { () throws(TCPError) in _ = try await listener.accept() } }
            try await loop.sleep(until: loop.now() + .milliseconds(10))
            listener.close()
            return (await accepting.value, second, listener.address)
        }
        #expect(failure == .closed)
        #expect(second == .inUse(address))
    }

    @Test("Five hundred connections at once each get their own bytes back")
    func many() async throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = min(limit.rlim_max, 4_096)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let right = try await EpollLoop.withThread { loop in
            let listener = try listen(on: loop)
            let accepting = loop.spawn {
                while let connection = try? await listener.accept() {
                    loop.spawn {
                        while let bytes = try? await connection.receive(upTo: 64), !bytes.isEmpty {
                            guard connection.send(bytes) else { return }
                        }
                        connection.close()
                    }
                }
            }
            let address = listener.address
            let clients = (0..<500).map { number in
                loop.spawn { () -> TCPConnection? in
                    let connection = try? await TCPConnection.connect(
                        to: address, by: loop.now() + .seconds(60), on: loop)
                    guard let connection, connection.send([UInt8(number % 251), UInt8(number / 251)]) else {
                        return nil
                    }
                    var back: [UInt8] = []
                    while back.count < 2, let more = try? await connection.receive(upTo: 2), !more.isEmpty {
                        back += more
                    }
                    return back == [UInt8(number % 251), UInt8(number / 251)] ? connection : nil
                }
            }
            var connections: [TCPConnection] = []
            for client in clients {
                if let connection = await client.value { connections.append(connection) }
            }
            for connection in connections { connection.close() }
            listener.close()
            await accepting.value
            return connections.count
        }
        #expect(right == 500)
    }
}

private func listen(on loop: EpollLoop, host: String = "127.0.0.1", backlog: Int32 = 1_024) throws -> TCPListener {
    let address = try #require(TCPAddress(host: host, port: 0))
    return try TCPListener(on: address, loop: loop, backlog: backlog)
}

private func pair(
    on loop: EpollLoop, host: String = "127.0.0.1"
) async throws -> (TCPListener, near: TCPConnection, far: TCPConnection) {
    let listener = try listen(on: loop, host: host)
    let near = try await TCPConnection.connect(to: listener.address, by: loop.now() + .seconds(20), on: loop)
    return (listener, near, try await listener.accept())
}

private func failureOf(_ body: () async throws(TCPError) -> Void) async -> TCPError? {
    do throws(TCPError) {
        try await body()
        return nil
    } catch {
        return error
    }
}
