import Secrets
import SiteLink
import SiteTrust

@testable import SiteCore

/// A site with fixed keys, and the objects that its servers and boxes need.
enum ServerFixture {
    static let start: UInt64 = 1_800_000_000
    static let day: UInt64 = 86_400

    /// The signers. Each raw value fills the bytes of the signer's seed.
    enum Signer: UInt8 {
        case root = 1
        case nextRoot = 2
        case boxes = 11
        case phones = 12
        case revocations = 13
        case servers = 14
        case lateRevocations = 15
        case stranger = 99
    }

    static func key(_ signer: Signer) -> Ed25519KeyPair {
        do {
            return try Ed25519KeyPair(seed: SecretBytes(copying: [UInt8](repeating: signer.rawValue, count: 32)))
        } catch {
            preconditionFailure("a seed of 32 bytes")
        }
    }

    static let site = SiteID(firstRoot: key(.root).publicKey)

    static let keys = IssuerKeys(
        site: site,
        [
            IssuerKey(.boxes, key(.boxes)), IssuerKey(.phones, key(.phones)),
            IssuerKey(.revocations, key(.revocations)), IssuerKey(.servers, key(.servers)),
        ])

    /// The issuer keys under the fixture's first document.
    static let issuing: SiteIssuing = {
        guard let facts = try? document().facts else { preconditionFailure("a document") }
        return SiteIssuing(keys, under: facts, at: start)
    }()

    static func ordinal(_ count: UInt32) -> SiteOrdinal {
        guard let ordinal = SiteOrdinal(root: 1, count: count) else { preconditionFailure("a count from 1 on") }
        return ordinal
    }

    static func groups(_ numbers: [UInt16] = [1]) -> SiteGroups {
        guard let groups = SiteGroups(numbers) else { preconditionFailure("groups in order") }
        return groups
    }

    static func issuer(_ signer: Signer, _ role: IssuerRole) -> SiteIssuer {
        guard let issuer = SiteIssuer(role: role, key: key(signer).publicKey, expiry: start + 400 * day) else {
            preconditionFailure("a key of 32 bytes")
        }
        return issuer
    }

    static func document(
        _ version: UInt32 = 3, generation: UInt32 = 1, revocations: [Signer] = [.revocations]
    ) throws -> SiteDocument {
        let listed = revocations.sorted { key($0).publicKey.lexicographicallyPrecedes(key($1).publicKey) }
        let facts = try SiteDocumentFacts(
            site: site, version: ordinal(version), generation: ordinal(generation), rootKey: key(.root).publicKey,
            nextRootHash: SHA256.hash(key(.nextRoot).publicKey),
            issuers: [issuer(.boxes, .boxes), issuer(.phones, .phones)] + listed.map { issuer($0, .revocations) }
                + [issuer(.servers, .servers)])
        return try SiteDocument.sign(facts, root: key(.root))
    }

    static func pin(_ document: SiteDocument? = nil) throws -> SitePin {
        var tally = SignatureTally()
        let first = try document ?? Self.document()
        return try SitePin(root: first.facts.rootKey, document: claimed(first), tally: &tally)
    }

    static func claimed(_ document: SiteDocument) throws -> ClaimedSiteDocument {
        try ClaimedSiteDocument(parsing: document.bytes)
    }

    static func claimed(_ entry: Revocation) throws -> ClaimedRevocation { try ClaimedRevocation(parsing: entry.bytes) }

    /// Returns the entry that revokes phone `number`.
    static func entry(
        _ number: Int, expiry: UInt64 = start + 30 * day, generation: UInt32 = 1, by signer: Signer = .revocations
    ) throws -> Revocation {
        let subject = RevokedSubject.phone(key: key(number))
        return try Revocation.sign(
            RevocationFacts(subject: subject, expiry: expiry, generation: ordinal(generation)), site: site,
            issuer: key(signer))
    }

    /// Returns 32 bytes that stand for the public key of a box or a phone.
    static func key(_ number: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: 24) + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    /// Returns a signed status, as a server of the site signs it.
    static func head(
        _ number: UInt64, of entries: [Revocation] = [], time: UInt64 = start, generation: UInt32 = 1,
        by signer: Signer = .revocations
    ) throws -> ClaimedRevocationHead {
        var set = RevocationSet()
        for entry in entries { _ = try set.insert(entry) }
        let facts = try HeadFacts(
            generation: ordinal(generation), number: number, document: ordinal(3),
            setHash: set.hash(at: time, document: document().facts), time: time)
        return try ClaimedRevocationHead(parsing: RevocationHead.sign(facts, site: site, issuer: key(signer)).bytes)
    }

    static func box(_ id: Int64, _ state: SiteBox.State = .joined) -> SiteBox {
        let digits = (0..<6).map { UInt8(ascii: "0") + UInt8(id / [100_000, 10_000, 1_000, 100, 10, 1][$0] % 10) }
        return SiteBox(
            id: id, name: "box-\(id)", number: digits, groups: groups(), state: state,
            key: state == .invited ? nil : key(Int(id)))
    }

    static func hello(
        number: UInt64 = 0, time: UInt64 = 0, document: UInt32 = 3, generation: UInt32 = 1
    ) throws -> SiteHello {
        try SiteHello(
            document: ordinal(document), generation: ordinal(generation), number: number, time: time,
            program: Array("test".utf8))
    }
}

/// A server's machine, the time, and the newest number in the database.
struct TestServer {
    var machine: SiteServerMachine
    var now: Duration = .seconds(100)
    var number: UInt64 = 0
    private var lastLink: UInt64 = 0

    init(
        boxes: [SiteBox] = [ServerFixture.box(1), ServerFixture.box(2), ServerFixture.box(3)],
        holding: SiteHolding? = nil, version: ProgramVersion? = nil
    ) throws {
        machine = SiteServerMachine(
            SiteTerms(ServerFixture.keys, certificateHours: 24, holding: holding, version: version),
            pin: try ServerFixture.pin())
        _ = refresh(boxes: boxes)
    }

    /// The site's time.
    var time: UInt64 { ServerFixture.start + UInt64(now.components.seconds) }

    var alarms: [SiteAlarm] { ServerAlarms(of: machine, now: now).all }

    mutating func feed(_ event: SiteEvent) -> [SiteEffect] { machine.handle(event, now: now) }

    mutating func refresh(
        number: UInt64? = nil, entries: [(number: UInt64, entry: Revocation)] = [], all: Bool = false,
        boxes: [SiteBox] = [], document: SiteDocument? = nil, generation: UInt32 = 1
    ) -> [SiteEffect] {
        self.number = number ?? max(self.number, entries.last?.number ?? 0)
        return feed(
            .refreshed(
                SiteNews(
                    time: time, ownTime: time, generation: ServerFixture.ordinal(generation), number: self.number,
                    document: document.flatMap { try? ServerFixture.claimed($0) }, entries: entries, hasAllEntries: all,
                    boxes: boxes)))
    }

    /// Advances the time while the database keeps answering.
    mutating func pass(_ seconds: Int) -> [SiteEffect] {
        now += .seconds(seconds)
        return refresh(number: number)
    }

    mutating func open(_ address: String = "192.0.2.1") -> LinkID {
        lastLink += 1
        let id = LinkID(number: lastLink)
        _ = feed(.opened(id, address: address, network: address))
        return id
    }

    /// Links a box, which then says hello.
    mutating func link(
        _ box: Int, _ hello: SiteHello? = nil, from address: String = "192.0.2.1", code: [UInt8]? = nil
    ) throws -> (id: LinkID, effects: [SiteEffect]) {
        let id = open(address)
        let hello = try hello ?? ServerFixture.hello()
        let first = feed(.proved(id, key: ServerFixture.key(box), codeID: code))
        return (id, first + feed(.said(id, .hello(hello))))
    }
}

extension [SiteEffect] {
    /// Returns the messages to this link.
    func said(to id: LinkID) -> [MessageFromSite] {
        compactMap { if case .say(id, let message) = $0 { message } else { nil } }
    }

    func heads(to id: LinkID) -> [ClaimedRevocationHead] {
        said(to: id).compactMap { if case .head(let head) = $0 { head } else { nil } }
    }

    func entries(to id: LinkID) -> [ClaimedRevocation] {
        said(to: id).flatMap { if case .entries(let entries) = $0 { entries } else { [ClaimedRevocation]() } }
    }

    func asks(_ id: LinkID) -> Bool { said(to: id).contains(.wantEntries) }
    func closes(_ id: LinkID) -> Bool { contains(.close(id)) }

    var errors: [String] {
        compactMap { if case .log(let line) = $0, line.level == .error { line.text } else { nil } }
    }

    /// Returns whether these effects log the alarm.
    func logs(_ alarm: SiteAlarm) -> Bool { contains(.log(SiteLogLine(.warning, alarm.text))) }

    var stores: [(link: LinkID?, entries: [Revocation], above: UInt64)] {
        compactMap { if case .store(let id, let entries, let number) = $0 { (id, entries, number) } else { nil } }
    }
}
