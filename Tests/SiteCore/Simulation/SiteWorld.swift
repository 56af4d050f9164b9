import SiteLink
import SiteTrust
import TestSupport

@testable import SiteCore

/// A site in one process: a database, two servers, boxes of both kinds and an administrator, in virtual time.
final class SiteWorld {
    private static let tick: Duration = .milliseconds(100)
    /// The most time from a commit until every linked box has the entry: one read of the database, and the delivery.
    private static let delay: Duration = .seconds(1)

    var random: SeededGenerator
    private(set) var now: Duration = .seconds(1_000)
    let database = ModelDatabase()
    private(set) var servers: [ModelServer] = []
    private(set) var honest: [HonestBox] = []
    private var hostile: [HostileBox] = []
    private(set) var problems: [String] = []
    private var lastBox: Int64 = 0
    private var lastPhone = 0
    /// In a calm world, the database is never lost or restored and no box is hostile, so no set ever differs.
    private let isCalm: Bool
    /// The end of the present outage of the database, and the end of the last outage or restore.
    private var trouble: (until: Duration, last: Duration) = (.zero, .zero)
    private var committed: [(entry: Revocation, at: Duration)] = []
    private var lines: [String] = []
    private var phones: ModelPhones?

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        isCalm = seed % 4 == 0
        try database.add(ServerFixture.document(3), version: 3, generation: 1)
        servers = [try ModelServer(self), try ModelServer(self)]
        for _ in 0..<Int.random(in: 2...4, using: &random) { honest.append(try HonestBox(try addBox(), in: self)) }
        for _ in 0..<(isCalm ? 0 : Int.random(in: 0...2, using: &random)) {
            hostile.append(HostileBox(try addBox(), in: self))
        }
        database.backUp()
        if seed % 3 == 1 { phones = ModelPhones(self) }
    }

    /// The site's time.
    var time: UInt64 { ServerFixture.start + UInt64(now.components.seconds) }

    var bootClock: BootClock {
        guard let clock = BootClock(boot: [UInt8](repeating: 1, count: 16), seconds: UInt64(now.components.seconds))
        else {
            preconditionFailure("a boot id of 16 bytes")
        }
        return clock
    }

    func check(_ holds: Bool, _ problem: @autoclosure () -> String) {
        if !holds { problems.append("at \(now): \(problem())") }
    }

    func log(_ line: String) { lines.append("\(now): \(line)") }

    private func addBox() throws -> Int64 {
        lastBox += 1
        try database.put(ServerFixture.box(lastBox))
        return lastBox
    }

    // MARK: - A run

    /// Runs the world, and returns all problems in order.
    func run() throws -> [String] {
        for _ in 0..<20 {
            try act()
            try pass(.milliseconds(Int.random(in: 0...60, using: &random) * 100))
            if problems.count > 3 { return problems }
        }
        calm()
        try pass(.seconds(150))
        try settled()
        return problems
    }

    private func calm() {
        database.isReachable = true
        for box in honest where box.link == nil && box.retryAt == nil { box.retryAt = now }
    }

    private func pass(_ duration: Duration) throws {
        let end = now + duration
        while now < end, problems.isEmpty {
            now = min(end, max(now + Self.tick, isBusy ? now : nextDue))
            if now >= trouble.until, !database.isReachable {
                database.isReachable = true
                trouble.last = now
            }
            for server in servers { server.tick() }
            for box in hostile { try box.tick() }
            for box in honest { try box.tick() }
            deliver()
            checkCommitted()
        }
    }

    private var isBusy: Bool {
        servers.contains { $0.links.values.contains { !$0.toSite.isEmpty || $0.isClosing } } || !committed.isEmpty
    }

    private var nextDue: Duration {
        let due: [Duration?] =
            servers.flatMap { [$0.nextLook, $0.nextWork, $0.machine.deadline] } + honest.map(\.retryAt)
            + hostile.map(\.nextAct) + [database.isReachable ? nil : trouble.until]
        return due.compactMap(\.self).min() ?? now
    }

    private func deliver() {
        for server in servers {
            for link in server.links.values.sorted(by: { $0.id < $1.id }) {
                if let box = link.box as? HostileBox, !box.reads {
                    if link.isClosing { link.end() }
                    continue
                }
                let messages = link.toBox
                link.toBox = []
                for message in messages { link.box.read(message, on: link) }
                if link.isClosing { link.end() }
            }
        }
    }

    // MARK: - What happens

    private func act() throws {
        for entry in try phones?.act() ?? [] { committed.append((entry, now)) }
        let kind = Int.random(in: 0..<(isCalm ? 8 : 14), using: &random)
        switch kind {
        case 0, 1, 2: try revoke()
        case 3:
            if let box = honest.randomElement(using: &random) { box.link == nil ? (box.retryAt = now) : box.goOff() }
        case 4: if isCalm { try revoke() } else { honest.randomElement(using: &random)?.link?.end() }
        case 5: try addAndRemove()
        case 6: if let version = database.state.documents.last?.version { try publish(version + 1) }
        case 7: try servers.randomElement(using: &random)?.restart()
        case 8, 9: database.backUp()
        case 10: lose(.milliseconds(Int.random(in: 2...90, using: &random) * 100))
        default: try restore()
        }
    }

    private func revoke() throws {
        guard database.isReachable else { return }
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            lastPhone += 1
            // With phones, entries must outlive grants: after a restore, only entries on boxes prove a revocation.
            let life =
                phones != nil || Bool.random(using: &random)
                ? 30 * ServerFixture.day : .random(in: 5...90, using: &random)
            let entry = try ServerFixture.entry(
                1_000 + lastPhone, expiry: time + life, generation: database.state.generation)
            try database.add(entry)
            committed.append((entry, now))
        }
    }

    private func addAndRemove() throws {
        guard database.isReachable else { return }
        if honest.count > 2, Bool.random(using: &random), let box = honest.randomElement(using: &random) {
            return try database.remove(box.id, at: time)
        }
        guard honest.count < 6 else { return }
        lastBox += 1
        let code = ServerFixture.key(Int(lastBox))
        try database.invite(ServerFixture.box(lastBox, .invited), code: code)
        honest.append(try HonestBox(lastBox, in: self, code: code))
    }

    private func publish(_ version: UInt32) throws {
        guard database.isReachable else { return }
        var generation = database.state.generation
        if Int.random(in: 0..<4, using: &random) == 0 {
            generation += 1
            committed = []
        }
        try database.add(
            ServerFixture.document(version, generation: generation), version: version, generation: generation)
    }

    private func lose(_ duration: Duration) {
        database.isReachable = false
        trouble = (now + duration, now + duration)
        committed = []
    }

    /// Restores a backup. If the backup lacks the newest document, the administrator publishes that document again.
    private func restore() throws {
        guard database.isReachable, let newest = database.state.documents.last else { return }
        let changes = database.state.changes
        phones?.remember()
        guard database.restore(&random) else { return }
        committed = []
        trouble.last = now
        for server in servers { server.forgetRemovals() }
        // Servers either stay connected and notice that numbers have gone back, or lose their connections and read
        // everything again. A connected server would not notice a backup that is newer than the present state.
        let isLive = Bool.random(using: &random) && database.state.changes < changes
        if isLive { for server in servers { server.look() } }
        if let last = database.state.documents.last, last.version < newest.version {
            try database.add(newest.document, version: newest.version, generation: newest.generation)
        }
        // Sometimes all servers restart, so that only boxes remember what the backup lacks.
        if Bool.random(using: &random) { for server in servers { try server.restart() } }
        if Bool.random(using: &random) { try revoke() }
        if !isLive { lose(.milliseconds(Int.random(in: 2...30, using: &random) * 100)) }
    }

    // MARK: - What has to hold

    /// Checks that boxes have all entries that were committed while they were linked.
    private func checkCommitted() {
        for (entry, at) in committed where now - at >= Self.delay && entry.facts.expiry > time {
            for box in honest {
                guard let link = box.link, link.openedAt <= at, !link.isClosing else { continue }
                check(
                    box.site.revocations.contains(entry),
                    "box \(box.id) at \(servers.firstIndex { $0 === link.server } ?? 9) \(link.id.number) has not heard of an entry within a second"
                )
            }
        }
        committed.removeAll { now - $0.at >= Self.delay }
    }

    private func settled() throws {
        var known = RevocationSet()
        for (_, entry) in database.state.entries { _ = try known.insert(entry) }
        for box in honest where !box.isOut {
            guard box.link != nil else {
                check(false, "box \(box.id) is not linked")
                continue
            }
            guard let head = box.site.head?.facts, head.time + 130 >= time else {
                check(false, "box \(box.id) has no fresh head: \(box.site.head?.facts.time ?? 0), now \(time)")
                continue
            }
            for entry in box.site.revocations.subtracting(known) where entry.facts.expiry > time {
                check(false, "box \(box.id) has an entry that the database lacks")
            }
            for entry in known.subtracting(box.site.revocations) where entry.facts.expiry > time {
                check(false, "box \(box.id) lacks an entry that the database has")
            }
            if isCalm { check(box.differences == 0, "a head differed at box \(box.id)") }
            phones?.settled(at: box)
        }
        if !problems.isEmpty { problems += lines.suffix(12) }
    }
}
