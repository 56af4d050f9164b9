import SiteLink
import SiteTrust

/// What a server of a site decides: which box is served, what it is told, and when a head is signed. Pure; waits for nothing.
///
/// ```
/// link:   opened ─proved─► served ─drained─► served ─closed, refused─► gone
///            └─with a code─► joining ─joined─► served
/// upload: waiting ─► asked ─entries, head─► ended ─store─► stored ─► the next box
/// ```
/// The database is asked every 200 ms by whoever performs; all that boxes are told comes from its answers.
public struct SiteServerMachine: Sendable {
    public internal(set) var signing: SiteSigning
    public internal(set) var pin: SitePin
    var heads = HeadSigner()
    var roster = BoxRoster()
    var clock = SiteClock()
    var links: [LinkID: LinkState] = [:]
    var census = LinkCensus()
    var uploads = UploadTurn()
    var repair = SiteRepair()
    var phones = PhoneDesks()
    var watch = ServerWatch()
    var effects: [SiteEffect] = []

    public init(_ terms: SiteTerms, pin: SitePin) {
        signing = SiteSigning(terms, under: pin.facts)
        self.pin = pin
    }

    // MARK: - What others see

    /// The time by which this server signs, at `now`; nil while it does not.
    public func seconds(now: Duration) -> UInt64? { clock.seconds(now: now) }

    /// Why nothing is signed, in words; nil: it is, as far as this server has keys.
    public func doubtOfAll(now: Duration) -> String? { clock.doubt(now: now) ?? repair.doubt }

    /// Why something is not signed, in words; nil: all is.
    public func doubt(now: Duration) -> String? { doubtOfAll(now: now) ?? signing.doubt }

    public var number: UInt64 { heads.log.number }
    public var entryCount: Int { heads.log.count }
    public var linkCount: Int { links.count }
    public var headTime: UInt64? { heads.head?.facts.time }

    /// Rows of all boxes that are linked, in no order.
    public var linkedBoxes: [Int64] { links.values.compactMap { if case .served(let it) = $0 { it.id } else { nil } } }

    /// When `timeHasCome` is due; nil: nothing runs.
    public var deadline: Duration? {
        [heads.signedAt.map { $0 + SiteLinkTimes.headInterval }, uploads.deadline].compactMap(\.self).min()
    }

    // MARK: - Events in, effects out

    public mutating func handle(_ event: SiteEvent, now: Duration) -> [SiteEffect] {
        effects += watch.hear(event)
        switch event {
        case .opened(let id, let address): open(id, address)
        case .proved(let id, let key, let codeID):
            guard case .unproven(let address) = links[id] else { break }
            links[id] = .proven(address: address, key: key, codeID: codeID)
            census.hasProved(address)
        case .said(let id, let message): heard(message, from: id, now)
        case .drained(let id):
            change(id) { $0.isFull = false }
            flow(to: id)
        case .closed(let id): close(id)
        case .refreshed(let news): take(news, now)
        case .databaseLost:
            clock.lose()
            // Nobody can say whether they have joined.
            for id in census.unknown.links { end(id, .notNow) }
        case .joined(let id, let result): joined(id, result, now)
        case .stored(.some(let id)): uploads.finish(id)
        case .stored(nil): repair.stored()
        case .renewed, .held, .enrolledSelf, .carryAnswered, .carryOver:
            effects += phones.hear(event, &links, heads.log.set)
        case .surveyDue:
            effects.append(watch.survey(&links, census.served, silentDays: signing.terms.silentDays, now: now))
        case .surveyed: logAlarms(now)
        case .clockAccepted: clock.accept()
        case .keysFound(let found):
            signing.take(found)
            effects += signing.choose(under: pin.facts, at: seconds(now: now))
            logAlarms(now)
        case .timeHasCome, .grantIssued, .phoneEnrolled, .directorySaid: break
        }
        turnUploads(now)
        signHead(now)
        defer { effects = [] }
        return effects
    }

    mutating func change(_ id: LinkID, _ body: (inout ServedBox) -> Void) {
        guard case .served(var box) = links[id] else { return }
        body(&box)
        links[id] = .served(box)
    }

    mutating func say(_ message: MessageFromSite, to id: LinkID) { effects.append(.say(id, message)) }

    /// Says in the log what an administrator has to do soon.
    mutating func logAlarms(_ now: Duration) {
        effects += watch.lines(ServerAlarms(signing, pin, roster, census, clock, watch, now: now).known, now: now)
    }

    mutating func note(_ level: SiteLogLine.Level, _ text: String) {
        effects.append(.log(SiteLogLine(level, text)))
    }
}
