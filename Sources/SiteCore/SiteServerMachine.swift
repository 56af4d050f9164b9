import SiteLink
import SiteTrust

/// Decides for a site's server which boxes it serves, which messages it sends, and when it signs a status. Pure.
///
/// ```
/// link:   opened ─proved─► served ─drained─► served ─closed, refused─► gone
///            └─with a code─► joining ─joined─► served
/// upload: waiting ─► asked ─entries, head─► ended ─store─► stored ─► the next box
/// ```
/// The shell asks the database every 200 ms. Everything that boxes are told comes from the database's answers.
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

    // MARK: - Queries

    /// Returns the time by which this server signs at `now`, or nil while it does not sign.
    public func seconds(now: Duration) -> UInt64? { clock.seconds(now: now) }

    /// Returns why nothing is signed, in words, or nil if this server signs as far as it has keys.
    public func doubtOfAll(now: Duration) -> String? { clock.doubt(now: now) ?? repair.doubt }

    /// Returns why something is not signed, in words, or nil if everything is.
    public func doubt(now: Duration) -> String? { doubtOfAll(now: now) ?? signing.doubt }

    public var number: UInt64 { heads.log.number }
    public var entryCount: Int { heads.log.count }
    public var linkCount: Int { links.count }
    public var headTime: UInt64? { heads.head?.facts.time }

    /// The row numbers of all linked boxes, in no particular order.
    public var linkedBoxes: [Int64] { links.values.compactMap { if case .served(let it) = $0 { it.id } else { nil } } }

    /// When `timeHasCome` is due, or nil.
    public var deadline: Duration? {
        [heads.signedAt.map { $0 + SiteLinkTimes.headInterval }, uploads.deadline].compactMap(\.self).min()
    }

    // MARK: - Events in, effects out

    public mutating func handle(_ event: SiteEvent, now: Duration) -> [SiteEffect] {
        effects += watch.hear(event, now: now)
        switch event {
        case .opened(let id, let address, let network): open(id, address, network, now)
        case .proved(let id, let key, let codeID):
            guard case .unproven(let address, let network) = links[id] else { break }
            links[id] = .proven(address: address, key: key, codeID: codeID)
            census.hasProved(id, of: network)
        case .said(let id, let message): heard(message, from: id, now)
        case .drained(let id):
            change(id) { $0.isFull = false }
            flow(to: id)
        case .closed(let id): close(id)
        case .refreshed(let news): take(news, now)
        case .databaseLost:
            clock.lose()
            // Without the database, it is unknown whether these boxes have joined.
            for id in census.unknown.links { end(id, .notNow) }
        case .joined(let id, let result): joined(id, result, now)
        case .stored(.some(let id)): uploads.finish(id)
        case .stored(nil): repair.stored()
        case .renewed, .held, .enrolledSelf, .carryAnswered, .carryOver:
            effects += phones.hear(event, &links, heads.log.set)
        case .surveyDue:
            effects.append(watch.survey(&links, census.served, silentDays: signing.terms.silentDays, now: now))
        case .surveyed, .triedToWrite, .auditDiffers: logAlarms(now)
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

    /// Logs what an administrator must do soon.
    mutating func logAlarms(_ now: Duration) {
        effects += watch.lines(ServerAlarms(signing, pin, roster, census, clock, watch, now: now).known, now: now)
    }

    mutating func note(_ level: SiteLogLine.Level, _ text: String) {
        effects.append(.log(SiteLogLine(level, text)))
    }
}
