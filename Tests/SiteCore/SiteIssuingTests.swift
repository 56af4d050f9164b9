import Secrets
import SiteLink
import SiteTrust
import Testing

@testable import SiteCore

/// Tests which key signs, the warnings about keys that end or are missing, and the effects of a new document.
@Suite("A server's keys under a site document")
struct SiteIssuingTests {
    private typealias Fixture = ServerFixture

    /// New keys, as `boxsite issuers new` makes them.
    private static let newFills: [IssuerRole: UInt8] = [.boxes: 61, .phones: 62, .revocations: 63, .servers: 64]

    private static func pair(_ role: IssuerRole) throws -> Ed25519KeyPair {
        try Ed25519KeyPair(seed: SecretBytes(copying: [UInt8](repeating: newFills[role] ?? 0, count: 32)))
    }

    private static func bothFiles() throws -> IssuerKeys {
        var keys = Fixture.keys.keys
        for role in IssuerRole.allCases { keys.append(IssuerKey(role, try pair(role))) }
        return IssuerKeys(site: Fixture.site, keys)
    }

    private static func newIssuers(expiry: UInt64) throws -> [SiteIssuer] {
        try IssuerRole.allCases.map { role in
            try #require(SiteIssuer(role: role, key: pair(role).publicKey, expiry: expiry))
        }
    }

    /// Returns a document with the first issuers, except those of `dropping`, and new issuers until `newUntil`.
    private static func document(
        version: UInt32 = 4, generation: UInt32 = 1, newUntil: UInt64 = Fixture.start + 740 * Fixture.day,
        dropping: [IssuerRole] = []
    ) throws -> SiteDocument {
        let old = try Fixture.document().facts.issuers.filter { !dropping.contains($0.role) }
        let facts = try SiteDocumentFacts(
            site: Fixture.site, version: Fixture.ordinal(version), generation: Fixture.ordinal(generation),
            rootKey: Fixture.key(.root).publicKey, nextRootHash: SHA256.hash(Fixture.key(.nextRoot).publicKey),
            issuers: (old + newIssuers(expiry: newUntil)).sorted { one, other in
                one.role == other.role
                    ? one.key.lexicographicallyPrecedes(other.key) : one.role.rawValue < other.role.rawValue
            })
        return try SiteDocument.sign(facts, root: Fixture.key(.root))
    }

    private static func isNew(_ issuer: SiteIssuer?) throws -> Bool {
        try newIssuers(expiry: 1).contains { $0.key == issuer?.key }
    }

    @Test(
        "What boxes believe is signed by the newest issuer at once, what phones believe by the old one while it lasts")
    func choice() throws {
        let old = try Fixture.document().facts.issuers
        let new = try Self.newIssuers(expiry: Fixture.start + 740 * Fixture.day)
        let end = Fixture.start + 400 * Fixture.day
        func choosesNew(_ role: IssuerRole, at time: UInt64) throws -> Bool {
            let able = (old + new).filter { $0.role == role && time < $0.expiry }
            return try Self.isNew(SiteIssuing.choice(of: able, role, at: time))
        }
        let dayOfPublishing = Fixture.start + 341 * Fixture.day
        #expect(try choosesNew(.revocations, at: dayOfPublishing) && choosesNew(.servers, at: dayOfPublishing))
        #expect(try !choosesNew(.boxes, at: dayOfPublishing) && !choosesNew(.phones, at: dayOfPublishing))
        // A certificate lives 21 days and a grant 30 days. Neither may outlive its issuer.
        #expect(
            try !choosesNew(.boxes, at: end - 21 * Fixture.day - 1) && choosesNew(.boxes, at: end - 21 * Fixture.day))
        #expect(
            try !choosesNew(.phones, at: end - 30 * Fixture.day - 1) && choosesNew(.phones, at: end - 30 * Fixture.day))
        #expect(SiteIssuing.choice(of: [], .boxes, at: 1) == nil)
        #expect(SiteIssuing.choice(of: [old[0]], .boxes, at: end - 1) == old[0])
    }

    @Test(
        "A server without the new key file goes on with the old keys, says what it lacks, and signs nothing once they are dropped"
    )
    func lacking() throws {
        let both = try Self.document().facts
        let issuing = SiteIssuing(Fixture.keys, under: both, at: Fixture.start)
        #expect(issuing.rolesUnable.isEmpty)
        let alarms = SiteAlarm.all(under: both, Fixture.keys, at: Fixture.start)
        guard case .lacks(let issuers) = alarms.first else {
            Issue.record("no alarm")
            return
        }
        #expect(alarms.count == 1 && issuers.count == 4)
        #expect(alarms[0].text.contains(issuers[0].keyID.text) && alarms[0].text.contains("issuers-2.key"))
        let only = try Self.document(dropping: [.phones]).facts
        #expect(SiteIssuing(Fixture.keys, under: only, at: Fixture.start).rolesUnable == [.phones])
        #expect(SiteAlarm.all(under: both, try Self.bothFiles(), at: Fixture.start).isEmpty)
    }

    @Test("The alarm begins on day 340 of 400, counts days, and is over with new issuers")
    func day340() throws {
        let old = try Fixture.document().facts
        let alarmed = Fixture.start + 340 * Fixture.day
        #expect(SiteAlarm.all(under: old, Fixture.keys, at: alarmed - 1).isEmpty)
        let first = SiteAlarm.all(under: old, Fixture.keys, at: alarmed)
        #expect(first == [.ends(IssuerRole.allCases, expiry: Fixture.start + 400 * Fixture.day, days: 60)])
        #expect(first[0].text.contains("expire in 60 days") && first[0].text.contains("boxsite issuers new"))
        let last = SiteAlarm.all(under: old, Fixture.keys, at: Fixture.start + 400 * Fixture.day)
        #expect(last.first?.text.contains("have expired") == true)
        #expect(SiteAlarm.all(under: try Self.document().facts, try Self.bothFiles(), at: alarmed).isEmpty)
    }

    @Test("An alarm is in the log at once, and then once a day")
    func onceADay() throws {
        var log = AlarmLog()
        let alarm = SiteAlarm.ends([.boxes], expiry: 9, days: 3)
        #expect(log.due([], now: .seconds(1)).isEmpty)
        #expect(log.due([alarm], now: .seconds(2)) == [alarm])
        let later = SiteAlarm.ends([.boxes], expiry: 9, days: 2)
        #expect(log.due([later], now: .seconds(86_401)).isEmpty)
        #expect(log.due([later], now: .seconds(86_402)) == [later])
        let more = [later, SiteAlarm.lacks([])]
        #expect(log.due(more, now: .seconds(86_403)) == [.lacks([])])
        #expect(log.due([], now: .seconds(86_404)).isEmpty)
        #expect(log.due([later], now: .seconds(86_405)) == [later])
    }

    @Test(
        "A box hears the document before anything by its issuers, and a new certificate at once where its own was dropped"
    )
    func dropped() throws {
        var server = try TestServer()
        _ = server.feed(.keysFound(try Self.bothFiles()))
        let (id, first) = try server.link(1)
        #expect(first.said(to: id).contains { if case .certificate = $0 { true } else { false } })
        let document = try Self.document(dropping: [.boxes, .revocations])
        let said = server.refresh(document: document).said(to: id)
        let kinds = said.map { message -> String in
            switch message {
            case .document: "document"
            case .certificate(let certificate):
                document.facts.issuer(certificate.issuer) == nil ? "bad certificate" : "certificate"
            case .head(let head): document.facts.issuer(head.issuer) == nil ? "bad head" : "head"
            default: "other"
            }
        }
        #expect(kinds == ["document", "certificate", "head"])
        #expect(server.machine.doubt(now: server.now) == nil)
    }

    @Test("No head of a new generation comes before its entries were read")
    func noHeadBeforeEntries() throws {
        var server = try TestServer()
        let (id, _) = try server.link(1)
        let document = try Fixture.document(4, generation: 2)
        // The read of the database began before the document was published, but found the document. The generation
        // that was read is thus still the old one.
        let early = server.feed(
            .refreshed(
                SiteNews(
                    time: server.time, ownTime: server.time, generation: Fixture.ordinal(1), number: 0,
                    document: try Fixture.claimed(document))))
        #expect(early.heads(to: id).isEmpty)
        let entry = try Fixture.entry(7, generation: 2)
        let paged = server.feed(
            .refreshed(
                SiteNews(
                    time: server.time, ownTime: server.time, generation: Fixture.ordinal(2), number: nil,
                    entries: [(1, entry)])))
        #expect(paged.heads(to: id).isEmpty && paged.entries(to: id).count == 1)
        let whole = server.feed(
            .refreshed(
                SiteNews(time: server.time, ownTime: server.time, generation: Fixture.ordinal(2), number: 1)))
        #expect(whole.heads(to: id).map(\.facts.number) == [1])
        #expect(whole.heads(to: id).first?.facts.generation == Fixture.ordinal(2))
    }

    @Test("A server whose keys no document lists signs nothing, serves on, and signs when the document comes")
    func unlisted() throws {
        var server = try TestServer()
        let (id, _) = try server.link(1)
        let gone = server.refresh(document: try Self.document(dropping: IssuerRole.allCases))
        #expect(gone.heads(to: id).isEmpty && !gone.closes(id))
        #expect(server.machine.doubt(now: server.now)?.contains("boxes, phones, revocations, servers") == true)
        #expect(gone.errors.count == 1)
        let back = server.feed(.keysFound(try Self.bothFiles()))
        #expect(back.heads(to: id).count == 1)
        #expect(server.machine.doubt(now: server.now) == nil)
    }
}
