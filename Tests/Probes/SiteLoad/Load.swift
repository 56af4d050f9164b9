import EventLoop
import Glibc
import Secrets
import SiteLink
import SiteTrust
import TCP

/// Many boxes in one process. The first `full` boxes verify and store all messages, and the others only decrypt.
actor Load {
    /// The longest waits before a box connects, in seconds, as in boxagentd: after a link, and after a failed try.
    private static let jitter: Double = 30
    private static let retry: Double = 4

    nonisolated let loop: EpollLoop
    nonisolated let address: TCPAddress
    nonisolated let root: [UInt8]
    nonisolated let count: Int
    nonisolated let full: Int
    nonisolated let directory: String
    /// The memory of all links. A real box has one link, with its own guarded memory. With 10,000 such memories in one
    /// process, mprotect(2) would dominate the time.
    private nonisolated let pool: SecretArenaPool
    private var linked = 0
    private var arrivals: [UInt64: [(box: Int, at: Duration)]] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(loop: EpollLoop, port: UInt16, root: [UInt8], count: Int, full: Int, directory: String) {
        guard let address = TCPAddress(host: "127.0.0.1", port: port) else { preconditionFailure("an address") }
        self.loop = loop
        self.address = address
        self.root = root
        self.count = count
        self.full = full
        self.directory = directory
        // Fifteen links share a group, which also holds the messages that they open.
        pool = SecretArenaPool(groups: count / 15 + 16)
    }

    func run() async {
        for index in 0..<count { loop.spawn { await self.live(index) } }
        while true { try? await loop.sleep(until: loop.now() + .seconds(3_600)) }
    }

    private func live(_ index: Int) async {
        var wait = Double.random(in: 0...5)
        var box = LoadBox(index, isFull: index < full, root: root, directory: directory)
        while true {
            try? await loop.sleep(until: loop.now() + .milliseconds(Int64(wait * 1_000)))
            guard
                let connection = try? await TCPConnection.connect(to: address, by: loop.now() + .seconds(15), on: loop)
            else {
                wait = Double.random(in: 0...Self.retry)
                continue
            }
            let wasLinked = await converse(index, &box, connection)
            wait = Double.random(in: 0...(wasLinked ? Self.jitter : Self.retry))
        }
    }

    /// Serves one link to its end. Returns true if a signed status came.
    private func converse(_ index: Int, _ box: inout LoadBox, _ connection: TCPConnection) async -> Bool {
        let end = SiteBoxEnd(now: loop.now(), pool: pool)
        var isLinked = false
        while let bytes = try? await connection.receive(upTo: 16_384), !bytes.isEmpty {
            for event in end.receive(bytes, now: loop.now()) {
                guard let out = box.handle(event, end, now: loop.now()) else {
                    connection.close()
                    continue
                }
                for bytes in out where !connection.send(bytes) { connection.close() }
                if case .said(.head(let head)) = event {
                    if !isLinked { changed(by: 1) }
                    isLinked = true
                    arrived(index, head.facts.number)
                }
            }
        }
        connection.close()
        if isLinked { changed(by: -1) }
        return isLinked
    }

    private func changed(by step: Int) {
        linked += step
        if linked == count { say("all linked at \(Self.seconds(loop.now()))") }
        if step < 0, linked == 0 { say("none linked at \(Self.seconds(loop.now()))") }
    }

    /// Reports the times of a signed status after `count` arrivals. A box that hears the status twice counts twice.
    private func arrived(_ index: Int, _ number: UInt64) {
        arrivals[number, default: []].append((index, loop.now()))
        guard let all = arrivals[number], all.count == count else { return }
        let times = all.map(\.at).sorted()
        let verified = all.filter { $0.box < full }.map(\.at).sorted()
        let values = [times[times.count / 2], times[times.count * 99 / 100], times[times.count - 1]].map(Self.seconds)
        let others = [verified[verified.count / 2], verified[verified.count * 99 / 100]].map(Self.seconds)
        say(
            "head \(number) p50 \(values[0]) p99 \(values[1]) last \(values[2]) verified-p50 \(others[0]) verified-p99 \(others[1])"
        )
    }

    private static func seconds(_ time: Duration) -> String {
        let parts = time.components
        let fraction = String(parts.attoseconds / 1_000_000_000_000 + 1_000_000)
        return "\(parts.seconds).\(fraction.dropFirst())"
    }
}
