import AuditLog
import EventLoop
import Glibc
import PostgreSQL
import Secrets
import SiteCore
import SiteLink
import SiteSetup
import SiteStore
import SiteTrust
import TCP

/// A server of a site. It feeds events to `SiteServerMachine`, which decides, and performs the effects in order.
///
/// It never waits for a box or the database. Slow work runs in tasks, whose results are further events.
actor SiteServer {
    /// How often the database is asked for changes.
    private static let lookInterval: Duration = .milliseconds(200)
    /// How often links are checked for their deadlines.
    private static let sweepInterval: Duration = .seconds(1)
    /// A server's certificate, in seconds: its lifetime, and the age at which it is renewed.
    private static let certificateLife: UInt64 = 30 * 86_400
    private static let certificateAge: UInt64 = 86_400
    /// How often files are read again while a key that the document lists is missing.
    private static let keyInterval: Duration = .seconds(10)
    /// How many last PIN tries may be checked again at once, and the pause after a failure.
    private static let doubtLimit = 64
    private static let doubtPause: Duration = .seconds(1)
    /// The time limit for publishing a document.
    private static let publishing: Duration = .seconds(15)

    nonisolated let loop: EpollLoop
    nonisolated let log: ServerLog
    nonisolated let store: SiteStore
    nonisolated let site: SiteID
    nonisolated let stateDirectory: String
    nonisolated let keys: SiteServerKeys
    nonisolated let holding: SiteHolding?
    /// Nil if any name may be a user.
    nonisolated let directory: DirectoryDesk?
    var machine: SiteServerMachine
    private var cursor = SiteCursor()
    var links: [LinkID: BoxLink] = [:]
    private var lastLink: UInt64 = 0
    private var greeting: (SiteGreeting, madeAt: UInt64)?
    var isReachable = true
    /// When the files are read again for keys that the document lists.
    private var keysDue: Duration = .zero
    private var keyProblem: SecretFileError?
    /// How many looks began, and which is the newest that was used. An administrator's look may overtake another.
    private var looks = (begun: 0, counted: 0)
    private(set) var lookTimes = LookTimes()
    private nonisolated let lookNow: WaitPoint
    private var refusals = RefusalBudget()
    /// The number of last PIN tries that are being checked again.
    private var doubts = 0
    var audit: AuditWitness
    /// The entry that `audit.head` holds, as far as this run knows, and when it may be written again.
    var storedHead: (head: AuditHead?, due: Duration, hasFailed: Bool) = (nil, .zero, false)

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(
        loop: EpollLoop, log: ServerLog, store: SiteStore, stateDirectory: String, keys: SiteServerKeys,
        holding: SiteHolding?, directory: DirectoryDesk?, machine: SiteServerMachine, audit: AuditWitness
    ) {
        self.audit = audit
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
        // Sends all messages of one event to a box with one system call.
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

    /// Runs slow work in a task, and then looks at the database at once.
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
            // The box can join again with the same code and key, even if this join was stored.
            log.error("a box could not join: \(error)")
            feed(.joined(id, .failure(.notNow)))
        }
    }

    private func renew(_ id: LinkID, _ wish: RenewalWish) async {
        do throws(SiteStoreError) {
            feed(.renewed(id, wish, try await store.renew(wish, machine.signing.issuing)))
        } catch {
            // If the grant was stored, the box gets it when it asks again.
            feed(.renewed(id, wish, .refused("its grant could not be issued: \(error)")))
        }
    }

    /// Performs a phone's request. A spent try stays spent on every error, even if its outcome is unknown.
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

    /// Checks a last try again, which may have been right, until the next request would destroy the password.
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

    /// Asks the database for changes until the task is cancelled.
    func look() async {
        while !Task.isCancelled {
            let mark = lookNow.mark()
            let hasMore = await lookOnce()
            if !hasMore { _ = await lookNow.wait(since: mark, until: loop.now() + Self.lookInterval) }
        }
    }

    /// Asks once. Returns true if there is more to read at once.
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
            // A backup may be restored meanwhile, so everything is read again.
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
        feed(.opened(id, address: link.address, network: connection.peer.network))
        loop.spawn {
            await link.run { await self.feed($0) }
            await self.left(id)
        }
    }

    private func left(_ id: LinkID) {
        links[id] = nil
        feed(.closed(id))
    }

    /// Returns this server's greeting: its certificate, renewed daily, and the newest document. Nil if it cannot sign.
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

    /// Ends links after their deadline, until the task is cancelled.
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

    /// True if a key that the document lists is missing here.
    private var lacksKey: Bool {
        !machine.signing.keys.lacking(under: machine.pin.facts, at: machine.headTime ?? 0).isEmpty
    }

    /// Reads the files with issuer keys again, because an administrator may have copied one here.
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
            // The keys that were read before stay in use.
            if keyProblem != error { log.error("\(error)") }
            keyProblem = error
        }
    }

    /// Makes new issuer keys, or finds those that already wait.
    func makeIssuers(
        replacing: Bool, _ documents: [ClaimedSiteDocument], time: UInt64
    ) throws(IssuerFiles.Problem) -> (file: String, keys: [IssuerKey], areNew: Bool) {
        let made = try IssuerFiles(in: stateDirectory, documents, time: time).make(replacing: replacing)
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

    /// Returns what `question` reads from the machine.
    func ask<Value: Sendable>(_ question: @Sendable (SiteServerMachine, Duration) -> Value) -> Value {
        question(machine, loop.now())
    }

    func acceptClock() { feed(.clockAccepted) }

    /// Records that a request was refused, within the asker's budget.
    func refused(_ asker: SiteStore.Actor, _ act: AdministrativeAct) {
        guard refusals.take(asker.key, now: loop.now()) else { return }
        loop.spawn {
            await self.tried("record a refusal") {
                try await $0.note("refused", by: asker, "to \(act.words)")
            }
        }
    }

    /// Records that a box was refused a code, within the box's budget.
    func note(_ refusal: SelfEnrolmentRefusal, of user: String, at box: SiteBox) {
        guard refusals.take("box \(box.id)", now: loop.now()) else { return }
        loop.spawn {
            await self.tried("record a refusal") { try await $0.noteRefusal(refusal, of: user, at: box) }
        }
    }

    /// Looks at once, and returns after boxes were told of all changes.
    func refresh() async { await lookOnce() }

    func stop() async {
        remember(atOnce: true)
        for link in links.values { link.close() }
    }
}
