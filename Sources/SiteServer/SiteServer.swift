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
    /// How often files are looked for, while a key that the document lists is not here.
    private static let keyInterval: Duration = .seconds(10)
    /// Last tries of PINs that are looked at again at once, and how long after a failure.
    private static let doubtLimit = 64
    private static let doubtPause: Duration = .seconds(1)
    /// What publishing a document may take.
    private static let publishing: Duration = .seconds(15)

    nonisolated let loop: EpollLoop
    nonisolated let log: ServerLog
    nonisolated let store: SiteStore
    nonisolated let site: SiteID
    nonisolated let stateDirectory: String
    nonisolated let keys: SiteServerKeys
    nonisolated let holding: SiteHolding?
    /// Nil: any name may be a user.
    nonisolated let directory: DirectoryDesk?
    var machine: SiteServerMachine
    private var cursor = SiteCursor()
    var links: [LinkID: BoxLink] = [:]
    private var lastLink: UInt64 = 0
    private var greeting: (SiteGreeting, madeAt: UInt64)?
    var isReachable = true
    /// Files with keys that the document lists are looked for again then.
    private var keysDue: Duration = .zero
    private var keyProblem: SecretFileError?
    /// Looks that began, and the last of them that counted: an administrator's look may overtake another one.
    private var looks = (begun: 0, counted: 0)
    private(set) var lookTimes = LookTimes()
    private nonisolated let lookNow: WaitPoint
    private var refusals = RefusalBudget()
    /// Last tries of PINs that are looked at again.
    private var doubts = 0
    var audit = AuditWitness()

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(
        loop: EpollLoop, log: ServerLog, store: SiteStore, stateDirectory: String, keys: SiteServerKeys,
        holding: SiteHolding?, directory: DirectoryDesk?, machine: SiteServerMachine
    ) {
        self.directory = directory
        self.loop = loop
        self.log = log
        self.store = store
        site = machine.pin.site
        self.stateDirectory = stateDirectory
        self.holding = holding
        self.keys = keys
        self.machine = machine
        lookNow = WaitPoint(on: loop)
    }

    // MARK: - Events in, effects out

    func feed(_ event: SiteEvent) {
        var spokenTo: [BoxLink] = []
        for effect in machine.handle(event, now: loop.now()) {
            if case .say(let id, _) = effect, let link = links[id], spokenTo.last !== link { spokenTo.append(link) }
            perform(effect)
        }
        // A box hears what one event comes to at once: one system call, where it was one for each message.
        for link in spokenTo { link.sendSaid() }
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
            beside { [issuing = machine.signing.issuing] in
                await self.tried("record entries from a box") {
                    try await $0.store(entries, above: number, issuing)
                }
                await self.feed(.stored(id))
            }
        case .remove(let box, let reason):
            beside { [issuing = machine.signing.issuing] in
                await self.tried("remove box \(box.name)") {
                    try await $0.remove(box, reason: reason, issuing)
                }
            }
        case .carry(let id, let message): carried(message, from: id)
        case .endCarry(let id, let carry): carryEnded(carry, of: id)
        case .enrolSelf(let id, let task): perform(task, for: id)
        case .renew(let id, let wish): beside { await self.renew(id, wish) }
        case .hold(let id, let wish): loop.spawn { await self.hold(id, wish) }
        case .survey(let seen, let silentDays): loop.spawn { await self.survey(seen, silentDays) }
        case .suspend(let box, let reason):
            beside { await self.tried("suspend box \(box.name)") { try await $0.suspend(box, reason: reason) } }
        case .log(let line): log.write(line)
        }
    }

    /// Runs something that takes time, and looks at once at what it has changed.
    func beside(_ work: @escaping @Sendable () async -> Void) {
        loop.spawn {
            await work()
            self.lookNow.signal()
        }
    }

    func tried(_ what: String, _ body: @Sendable (SiteStore) async throws -> Void) async {
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
            feed(.renewed(id, wish, try await store.renew(wish, machine.signing.issuing)))
        } catch {
            // Where it was written down, the box hears of it when it asks again.
            feed(.renewed(id, wish, .refused("its grant could not be issued: \(error)")))
        }
    }

    /// Whatever goes wrong, a try that was spent stays spent, also where nobody knows whether it was.
    private func hold(_ id: LinkID, _ wish: HeldWish) async {
        do throws(SiteStoreError) {
            guard let holding else { throw .damaged("no key of the site") }
            let done = try await store.hold(wish, holding)
            feed(.held(id, wish, done.result))
            if let doubt = done.doubt { await clear(doubt, holding) }
            guard let settling = done.settling else { return }
            await tried("restore the tries after a right PIN") { try await $0.settle(settling) }
        } catch {
            if isReachable { log.error("a phone's request about its password failed: \(error)") }
            feed(.held(id, wish, HeldResult(.notNow)))
        }
    }

    /// The last try may have been right: for as long as the next request does not destroy the password, it is looked at again.
    private func clear(_ doubt: HeldDoubt, _ holding: SiteHolding) async {
        let until = loop.now() + .milliseconds(HeldVerdict.lastTryLooks)
        var problem = "too many tries need a check"
        doubts += 1
        defer { doubts -= 1 }
        let isFew = doubts <= Self.doubtLimit
        while isFew {
            do throws(SiteStoreError) {
                let found = try await store.clear(doubt, holding) ? "checked" : "absent"
                return log.notice("a phone's last PIN try, whose outcome the database did not report, is \(found)")
            } catch {
                problem = "\(error)"
            }
            guard loop.now() < until, (try? await loop.sleep(until: loop.now() + Self.doubtPause)) != nil else { break }
        }
        log.error(
            "a phone's last PIN try was not checked; if it was stored, the next try destroys the password: \(problem)")
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
        let begin = loop.now()
        do throws(SiteStoreError) {
            let found = try await store.news(since: cursor) { UInt64(clamping: time(nil)) }
            guard found.site == site.bytes else {
                throw .damaged("another site than the one whose keys this server has")
            }
            lookTimes.answered(after: loop.now() - begin)
            guard look > looks.counted else { return true }
            looks.counted = look
            cursor = found.cursor
            if !isReachable { log.notice("the database answers again") }
            isReachable = true
            feed(.refreshed(found.news))
            await witness(found.audit)
            return found.hasMore
        } catch {
            lookTimes.failed()
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
            let certificate = try? machine.signing.issuing.serverCertificate(
                key: keys.publicKey, expiry: now + Self.certificateLife),
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
            sweepEnrolments(now)
            if let due = machine.deadline, now >= due { feed(.timeHasCome) }
            if lacksKey, now >= keysDue { readKeys(now) }
            guard (try? await loop.sleep(until: now + Self.sweepInterval)) != nil else { return }
        }
    }

    // MARK: - Keys

    /// Whether a key that the document lists is not here.
    private var lacksKey: Bool {
        !machine.signing.keys.lacking(under: machine.pin.facts, at: machine.headTime ?? 0).isEmpty
    }

    /// Reads the files with issuer keys again: somebody may have copied one here.
    func readKeys(_ now: Duration) {
        keysDue = now + Self.keyInterval
        do throws(SecretFileError) {
            let found = try ServerKeyFiles.issuers(in: stateDirectory, site: site)
            keyProblem = nil
            guard found.keys.map(\.publicKey) != machine.signing.keys.keys.map(\.publicKey) else { return }
            log.notice("reloaded the files with issuer keys")
            feed(.keysFound(found))
            lookNow.signal()
        } catch {
            // Those that were read at the start are still good.
            if keyProblem != error { log.error("\(error)") }
            keyProblem = error
        }
    }

    /// Makes new issuer keys, or finds those that wait already.
    func makeIssuers(
        replacing: Bool, _ documents: [ClaimedSiteDocument]
    ) throws(IssuerFiles.Problem) -> (file: String, keys: [IssuerKey], areNew: Bool) {
        let made = try IssuerFiles(in: stateDirectory, documents).make(replacing: replacing)
        readKeys(loop.now())
        return made
    }

    func publish(
        _ document: ClaimedSiteDocument, time: UInt64, by actor: SiteStore.Actor
    ) async throws(SiteStoreError) -> SitePublication {
        readKeys(loop.now())
        let done = try await store.publish(
            document, machine.signing.keys, time: time, by: actor, deadline: loop.now() + Self.publishing)
        await lookOnce()
        return done
    }

    // MARK: - For administrators

    /// The keys with which this server signs now.
    var issuing: SiteIssuing { machine.signing.issuing }

    /// What the machine says at the moment.
    func ask<Value: Sendable>(_ question: @Sendable (SiteServerMachine, Duration) -> Value) -> Value {
        question(machine, loop.now())
    }

    func acceptClock() { feed(.clockAccepted) }

    /// Somebody asked for what is not allowed: written down, as far as the asker's budget goes.
    func refused(_ asker: SiteStore.Actor, _ act: AdministrativeAct) {
        guard refusals.take(asker.key, now: loop.now()) else { return }
        loop.spawn {
            await self.tried("record a refusal") {
                try await $0.note("refused", by: asker, "to \(act.words)")
            }
        }
    }

    /// A box asked for a code that nobody gets: written down, as far as the box's budget goes.
    func note(_ refusal: SelfEnrolmentRefusal, of user: String, at box: SiteBox) {
        guard refusals.take("box \(box.id)", now: loop.now()) else { return }
        loop.spawn {
            await self.tried("record a refusal") { try await $0.noteRefusal(refusal, of: user, at: box) }
        }
    }

    /// Looks at once, and comes back when boxes were told what has changed.
    func refresh() async { await lookOnce() }

    func stop() async {
        for link in links.values { link.close() }
    }
}
