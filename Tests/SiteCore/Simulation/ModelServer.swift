import SiteLink
import SiteTrust

@testable import SiteCore

/// A server: the machine, and a shell that performs effects as `SiteServer` does.
final class ModelServer {
    private unowned let world: SiteWorld
    private(set) var machine: SiteServerMachine
    private(set) var links: [LinkID: ModelLink] = [:]
    private var cursor = ModelDatabase.Cursor()
    private var lastLink: UInt64 = 0
    private var lookedAt: Duration?
    /// Database operations under way, each with the time of its answer.
    private var work: [(due: Duration, run: () -> SiteEvent?)] = []
    /// The boxes whose removal this server has seen.
    private var removed: Set<[UInt8]> = []
    /// The number of writes under way: at most one upload of a box, and one write of the server itself.
    private var writes = 0

    init(_ world: SiteWorld) throws {
        self.world = world
        machine = SiteServerMachine(
            SiteTerms(ServerFixture.keys, certificateHours: 24), pin: try ServerFixture.pin(world.database.document))
    }

    /// Restarts the server, which loses its memory.
    func restart() throws {
        for link in links.values.sorted(by: { $0.id < $1.id }) { link.end() }
        (cursor, lookedAt, work, removed, writes) = (ModelDatabase.Cursor(), nil, [], [], 0)
        machine = SiteServerMachine(
            SiteTerms(ServerFixture.keys, certificateHours: 24), pin: try ServerFixture.pin(world.database.document))
    }

    func forgetRemovals() { removed = [] }

    var nextLook: Duration {
        guard let lookedAt else { return world.now }
        let isIdle =
            world.database.isReachable && world.database.state.changes == cursor.seen && machine.census.unknown.isEmpty
        return lookedAt + (isIdle ? .seconds(4) : .milliseconds(200))
    }

    var nextWork: Duration? { work.map(\.due).min() }

    func open(_ box: any ModelBox, code: [UInt8]?, _ hello: SiteHello) -> ModelLink {
        lastLink += 1
        let id = LinkID(number: lastLink)
        let link = ModelLink(id, self, box, at: world.now)
        links[id] = link
        feed(.opened(id, address: box.address, network: box.address))
        feed(.proved(id, key: box.key, codeID: code))
        feed(.said(id, .hello(hello)))
        return link
    }

    func lost(_ link: ModelLink) {
        links[link.id] = nil
        feed(.closed(link.id))
    }

    /// Performs everything that is due now.
    func tick() {
        if world.now >= nextLook { look() }
        for item in work.filter({ $0.due <= world.now }) { if let event = item.run() { feed(event) } }
        work.removeAll { $0.due <= world.now }
        if let due = machine.deadline, world.now >= due { feed(.timeHasCome) }
        for link in links.values.sorted(by: { $0.id < $1.id }) {
            if link.wantsDrain, link.toBox.count <= 1 {
                link.wantsDrain = false
                feed(.drained(link.id))
            }
            let messages = link.toSite
            link.toSite = []
            for message in messages where !link.isOver && !link.isClosing { feed(.said(link.id, message)) }
        }
    }

    func look() {
        lookedAt = world.now
        do {
            let news = try world.database.news(since: &cursor, at: world.time)
            for box in news.boxes where box.state == .removed { removed.insert(ServerFixture.key(Int(box.id))) }
            feed(.refreshed(news))
        } catch {
            cursor = ModelDatabase.Cursor()
            feed(.databaseLost)
        }
    }

    private func feed(_ event: SiteEvent) {
        let effects = machine.handle(event, now: world.now)
        world.check(effects.count <= 16 + 10 * (links.count + 1), "\(effects.count) effects for one event")
        for effect in effects { perform(effect) }
        world.check(writes <= 2, "\(writes) writes at once")
    }

    private func perform(_ effect: SiteEffect) {
        switch effect {
        case .say(let id, let message): say(id, message)
        case .tellWhenDrained(let id): links[id]?.wantsDrain = true
        case .close(let id): links[id]?.isClosing = true
        case .join(let id, let key, let code):
            beside { world in
                .joined(id, (try? world.database.join(key: key, code: code, at: world.time)) ?? .failure(.notNow))
            }
        case .store(let id, let entries, let number):
            world.check(entries.count <= RevocationSet.entryLimit, "too much is written")
            writes += 1
            beside { [self] world in
                try? world.database.store(entries, above: number, at: world.time)
                writes -= 1
                return .stored(id)
            }
        case .remove(let box, _):
            beside { world in
                try? world.database.remove(box.id, at: world.time)
                return nil
            }
        case .renew(let id, let wish):
            beside { world in
                let answer = try? world.database.renew(wish, at: world.time)
                return .renewed(id, wish, answer ?? .refused("that the database does not know of"))
            }
        // Another machine handles carried messages. Here, an answer or an end arrives at a random time.
        case .carry(let id, let message):
            let isOver = Bool.random(using: &world.random)
            beside { _ in isOver ? .carryOver(id, message.carry) : .carryAnswered(id, message) }
        case .endCarry: break
        case .enrolSelf: world.check(false, "nobody enrols a phone of their own")
        case .hold: world.check(false, "nobody carries anything for a phone")
        case .suspend(let box, _): world.check(false, "\(box.name) is suspended")
        case .survey: world.check(false, "nobody has asked for a survey")
        case .log(let line): world.log("\(line.text)")
        }
    }

    private func say(_ id: LinkID, _ message: MessageFromSite) {
        guard let link = links[id], !link.isClosing else { return }
        if removed.contains(link.box.key) {
            guard case .refused = message else {
                return world.check(false, "a removed box is told something")
            }
        }
        link.toBox.append(message)
        // A box that does not read is dropped, as in `BoxLink`.
        if link.toBox.count > 100 { link.isClosing = true }
    }

    private func beside(_ body: @escaping (SiteWorld) -> SiteEvent?) {
        let due = world.now + .milliseconds(Int.random(in: 0...3, using: &world.random) * 100)
        work.append((due, { [unowned world] in body(world) }))
    }
}
