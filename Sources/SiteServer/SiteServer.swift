import EventLoop
import Glibc
import PostgreSQL
import Secrets
import SiteCore
import SiteLink
import SiteStore
import SiteTrust
import TCP

/// A server of a site: what happens is fed to `SiteServerMachine`, which decides; its effects are performed here, in their order.
///
/// Nothing here waits for a box or for the database: what takes time runs beside it, and its answer is the next event.
actor SiteServer {
    /// How often the database is asked whether something has changed.
    private static let lookInterval: Duration = .milliseconds(200)
    /// How often links are looked at whose time may be over.
    private static let sweepInterval: Duration = .seconds(1)
    /// A server's certificate: how long it lives, and when it is made anew, in seconds.
    private static let certificateLife: UInt64 = 30 * 86_400
    private static let certificateAge: UInt64 = 86_400

    nonisolated let loop: EpollLoop
    nonisolated let log: ServerLog
    nonisolated let store: SiteStore
    nonisolated let issuing: SiteIssuing
    nonisolated let keys: SiteServerKeys
    nonisolated let holding: SiteHolding?
    private var machine: SiteServerMachine
    private var cursor = SiteCursor()
    private var links: [LinkID: BoxLink] = [:]
    private var lastLink: UInt64 = 0
    private var greeting: (SiteGreeting, madeAt: UInt64)?
    private var isReachable = true
    /// Looks that began, and the last of them that counted: an administrator's look may overtake another one.
    private var looks = (begun: 0, counted: 0)
    private nonisolated let lookNow: WaitPoint
    private var refusals = RefusalBudget()

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(
        loop: EpollLoop, log: ServerLog, store: SiteStore, terms: SiteTerms, keys: SiteServerKeys,
        machine: SiteServerMachine
    ) {
        self.loop = loop
        self.log = log
        self.store = store
        issuing = terms.issuing
        holding = terms.holding
        self.keys = keys
        self.machine = machine
        lookNow = WaitPoint(on: loop)
    }

    // MARK: - Events in, effects out

    private func feed(_ event: SiteEvent) {
        for effect in machine.handle(event, now: loop.now()) { perform(effect) }
    }

    private func perform(_ effect: SiteEffect) {
        switch effect {
        case .say(let id, let message): links[id]?.say(message)
        case .close(let id): links[id]?.close()
        case .tellWhenDrained(let id):
            guard let connection = links[id]?.connection else { return }
            loop.spawn {
                await connection.drained(below: BoxLink.drainedBytes)
                await self.feed(.drained(id))
            }
        case .join(let id, let key, let codeID): beside { await self.join(id, key, codeID) }
        case .store(let id, let entries, let number):
            beside { [issuing] in
                await self.tried("write down entries that a box had") {
                    try await $0.store(entries, above: number, issuing)
                }
                await self.feed(.stored(id))
            }
        case .remove(let box, let reason):
            beside { [issuing] in
                await self.tried("remove box \(box.name)") {
                    try await $0.remove(box, reason: reason, issuing)
                }
            }
        case .renew(let id, let wish): beside { await self.renew(id, wish) }
        case .hold(let id, let wish): loop.spawn { await self.hold(id, wish) }
        case .suspend(let box, let reason):
            beside { await self.tried("suspend box \(box.name)") { try await $0.suspend(box, reason: reason) } }
        case .log(let line): log.write(line)
        }
    }

    /// Runs something that takes time, and looks at once at what it has changed.
    private func beside(_ work: @escaping @Sendable () async -> Void) {
        loop.spawn {
            await work()
            self.lookNow.signal()
        }
    }

    private func tried(_ what: String, _ body: @Sendable (SiteStore) async throws -> Void) async {
        do {
            try await body(store)
        } catch {
            log.error("could not \(what): \(error)")
        }
    }

    private func join(_ id: LinkID, _ key: [UInt8], _ codeID: [UInt8]) async {
        do throws(SiteStoreError) {
            feed(.joined(id, try await store.join(key: key, codeID: codeID)))
        } catch {
            // Whether it was written down or not: with the same code and key the box joins again.
            log.error("a box could not join: \(error)")
            feed(.joined(id, .failure(.notNow)))
        }
    }

    private func renew(_ id: LinkID, _ wish: RenewalWish) async {
        do throws(SiteStoreError) {
            feed(.renewed(id, wish, try await store.renew(wish, issuing)))
        } catch {
            // Where it was written down, the box hears of it when it asks again.
            feed(.renewed(id, wish, .refused("whose grant could not be issued: \(error)")))
        }
    }

    /// Whatever goes wrong, a try that was spent stays spent, also where nobody knows whether it was.
    private func hold(_ id: LinkID, _ wish: HeldWish) async {
        do throws(SiteStoreError) {
            guard let holding else { throw .damaged("no key of the site") }
            let done = try await store.hold(wish, holding)
            feed(.held(id, wish, done.result))
            guard let settling = done.settling else { return }
            await tried("give back the tries of a PIN that was right") { try await $0.settle(settling) }
        } catch {
            if isReachable { log.error("a phone's request about its credential was not done: \(error)") }
            feed(.held(id, wish, HeldResult(.notNow)))
        }
    }

    // MARK: - The database

    /// Asks the database until the task is cancelled.
    func look() async {
        while !Task.isCancelled {
            let mark = lookNow.mark()
            let hasMore = await lookOnce()
            if !hasMore { _ = await lookNow.wait(since: mark, until: loop.now() + Self.lookInterval) }
        }
    }

    /// One look; true where there is more to read at once.
    @discardableResult
    func lookOnce() async -> Bool {
        looks.begun += 1
        let look = looks.begun
        do throws(SiteStoreError) {
            let found = try await store.news(since: cursor) { UInt64(clamping: time(nil)) }
            guard found.site == issuing.site.bytes else {
                throw .damaged("another site than the one whose keys are here")
            }
            guard look > looks.counted else { return true }
            looks.counted = look
            cursor = found.cursor
            if !isReachable { log.notice("the database answers again") }
            isReachable = true
            feed(.refreshed(found.news))
            return found.hasMore
        } catch {
            if isReachable { log.error("\(error)") }
            isReachable = false
            // Perhaps a backup is restored: then everything is read again.
            cursor = SiteCursor()
            feed(.databaseLost)
            return false
        }
    }

    var isReady: Bool { machine.seconds(now: loop.now()) != nil }

    // MARK: - Boxes

    func arrived(_ connection: TCPConnection) {
        guard let greeting = currentGreeting() else { return connection.close() }
        lastLink += 1
        let id = LinkID(number: lastLink)
        let link = BoxLink(id, connection, SiteServerEnd(keys, greeting: greeting, now: loop.now()))
        links[id] = link
        feed(.opened(id, address: link.address))
        loop.spawn {
            await link.run { await self.feed($0) }
            await self.left(id)
        }
    }

    private func left(_ id: LinkID) {
        links[id] = nil
        feed(.closed(id))
    }

    /// What servers show: their certificate, made anew each day, and the newest document.
    private func currentGreeting() -> SiteGreeting? {
        let document = machine.pin.document
        let now = machine.seconds(now: loop.now())
        if let (greeting, madeAt) = greeting, greeting.document.bytes == document.bytes,
            now.map({ $0 < madeAt + Self.certificateAge }) ?? true
        {
            return greeting
        }
        guard let now,
            let certificate = try? issuing.serverCertificate(key: keys.publicKey, expiry: now + Self.certificateLife),
            let made = try? SiteGreeting(certificate: certificate, document: document)
        else { return nil }
        greeting = (made, now)
        return made
    }

    /// Ends links whose time is over, until the task is cancelled.
    func sweep() async {
        while !Task.isCancelled {
            let now = loop.now()
            for link in links.values where now >= link.deadline { link.drop() }
            if let due = machine.deadline, now >= due { feed(.timeHasCome) }
            guard (try? await loop.sleep(until: now + Self.sweepInterval)) != nil else { return }
        }
    }

    // MARK: - For administrators

    /// What the machine says at the moment.
    func ask<Value: Sendable>(_ question: @Sendable (SiteServerMachine, Duration) -> Value) -> Value {
        question(machine, loop.now())
    }

    func acceptClock() { feed(.clockAccepted) }

    /// Somebody asked for what is not allowed: written down, as far as the asker's budget goes.
    func refused(_ asker: String, _ act: AdministrativeAct, _ why: String) {
        guard refusals.take(asker, now: loop.now()) else { return }
        loop.spawn {
            await self.tried("write down what was refused") {
                try await $0.note("refused", by: asker, "to \(act.words): \(why)")
            }
        }
    }

    /// Looks at once, and comes back when boxes were told what has changed.
    func refresh() async { await lookOnce() }

    func stop() async {
        for link in links.values { link.close() }
    }
}
