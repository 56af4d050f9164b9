import SiteLink
import SiteTrust
import Testing

@testable import SiteCore

private typealias Fixture = ServerFixture

@Test("A head comes each minute, and at once with each entry and document")
func headsComeInTime() throws {
    var server = try TestServer()
    let (id, _) = try server.link(1)
    #expect(server.machine.deadline == .seconds(160))
    #expect(server.pass(59).heads(to: id) == [])
    #expect(server.pass(1).heads(to: id).map(\.facts.time) == [server.time])
    let effects = server.refresh(entries: [(1, try Fixture.entry(1))])
    #expect(effects.entries(to: id).count == 1 && effects.heads(to: id).map(\.facts.number) == [1])
    guard case .head = effects.said(to: id).last else {
        Issue.record("the head comes behind what it counts")
        return
    }
    let document = try Fixture.document(4)
    let news = server.refresh(document: document)
    #expect(news.said(to: id).first == .document(try Fixture.claimed(document)))
    #expect(news.heads(to: id).map(\.facts.document) == [Fixture.ordinal(4)])
    #expect(server.refresh(number: 9).heads(to: id).map(\.facts.number) == [9])
}

@Test("No two heads have number and time in common, and time goes on where the clock does not")
func headsFollow() throws {
    var server = try TestServer()
    let (id, effects) = try server.link(1)
    var box = BoxSite(pin: try Fixture.pin())
    var tally = SignatureTally()
    var heads = effects.heads(to: id)
    for version in 4...6 {
        let document = try Fixture.document(UInt32(version))
        _ = try box.take(Fixture.claimed(document), tally: &tally)
        heads += server.refresh(document: document).heads(to: id)
    }
    #expect(heads.count == 4)
    for head in heads { _ = try box.take(head, at: clock(0), tally: &tally) }
}

private func clock(_ seconds: UInt64) throws -> BootClock {
    try #require(BootClock(boot: [UInt8](repeating: 1, count: 16), seconds: seconds))
}

@Test("Entries come in batches of 64, four at once, and the head behind all of them")
func entriesInBatches() throws {
    var server = try TestServer()
    let entries = try (1...600).map { (UInt64($0), try Fixture.entry($0)) }
    _ = server.refresh(entries: entries)
    let (id, first) = try server.link(1)
    #expect(first.entries(to: id).count == 256 && first.heads(to: id) == [])
    #expect(first.last == .tellWhenDrained(id))
    // Newer entries wait until the link has drained.
    #expect(server.refresh(entries: [(601, try Fixture.entry(601))]).said(to: id) == [])
    let second = server.feed(.drained(id))
    #expect(second.entries(to: id).count == 256 && second.heads(to: id) == [])
    let third = server.feed(.drained(id))
    #expect(third.entries(to: id).count == 89 && third.heads(to: id).map(\.facts.number) == [601])
    #expect(try third.entries(to: id).last == Fixture.claimed(Fixture.entry(601)))
    #expect(server.feed(.drained(id)) == [] && server.feed(.drained(LinkID(number: 99))) == [])
}

@Test("A box is sent what it lacks, and no head below the one that it has")
func fromWhereTheBoxIs() throws {
    var server = try TestServer()
    _ = server.refresh(entries: try (1...5).map { (UInt64($0), try Fixture.entry($0)) })
    let (id, effects) = try server.link(1, try Fixture.hello(number: 3))
    #expect(try effects.entries(to: id) == [Fixture.claimed(Fixture.entry(4)), Fixture.claimed(Fixture.entry(5))])
    let (ahead, asked) = try server.link(2, try Fixture.hello(number: 8, time: Fixture.start))
    #expect(asked.heads(to: ahead) == [] && asked.asks(ahead))
    // Another server gave this box a slightly later signed status. The box gets only this server's next status.
    let (moved, served) = try server.link(3, try Fixture.hello(number: 5, time: server.time + 20))
    #expect(served.heads(to: moved) == [] && !served.asks(moved))
    #expect(server.pass(61).heads(to: moved).count == 1)
}

@Test("A box with a number that a backup has undone is told all entries")
func numbersThatWereUndone() throws {
    var server = try TestServer()
    _ = server.refresh(entries: [(1, try Fixture.entry(1))])
    let (id, effects) = try server.link(1, try Fixture.hello(number: 8, time: Fixture.start))
    #expect(effects.entries(to: id).count == 1)
    #expect(server.refresh(entries: [(2, try Fixture.entry(2))]).entries(to: id).count == 1)
}

@Test("A new generation begins anew for all, whatever they have")
func aNewGeneration() throws {
    var server = try TestServer()
    _ = server.refresh(entries: try (1...5).map { (UInt64($0), try Fixture.entry($0)) })
    let (id, _) = try server.link(1, try Fixture.hello(number: 5))
    let document = try Fixture.document(4, generation: 2)
    server.number = 0
    let effects = server.refresh(
        entries: [(1, try Fixture.entry(1, generation: 2)), (2, try Fixture.entry(3))], document: document,
        generation: 2)
    #expect(effects.said(to: id).first == .document(try Fixture.claimed(document)))
    #expect(try effects.entries(to: id) == [Fixture.claimed(Fixture.entry(1, generation: 2))])
    #expect(effects.heads(to: id).map(\.facts.generation) == [Fixture.ordinal(2)])
    let (old, said) = try server.link(2, try Fixture.hello(number: 77, time: Fixture.start))
    #expect(said.said(to: old).contains(.document(try Fixture.claimed(document))) && said.heads(to: old).count == 1)
}

@Test("While clocks differ nothing is signed, but entries are said; once somebody has looked, heads go on")
func aDoubtfulClock() throws {
    var server = try TestServer()
    let (id, _) = try server.link(1)
    func news(ahead: UInt64, entries: [(number: UInt64, entry: Revocation)] = []) -> SiteEvent {
        .refreshed(
            SiteNews(
                time: server.time, ownTime: server.time + ahead, generation: Fixture.ordinal(1),
                number: UInt64(entries.count), entries: entries))
    }
    let effects = server.feed(news(ahead: 61, entries: [(1, try Fixture.entry(1))]))
    #expect(effects.entries(to: id).count == 1 && effects.heads(to: id) == [] && effects.errors.count == 1)
    #expect(server.machine.doubt(now: server.now)?.contains("clock") == true)
    let (late, withoutCertificate) = try server.link(2)
    #expect(!withoutCertificate.said(to: late).contains { if case .certificate = $0 { true } else { false } })
    #expect(server.pass(61).heads(to: id) == [])
    _ = server.feed(.clockAccepted)
    server.number = 1
    let accepted = server.refresh()
    #expect(accepted.heads(to: id).map(\.facts.number) == [1] && server.machine.doubt(now: server.now) == nil)
    #expect(accepted.said(to: late).contains { if case .certificate = $0 { true } else { false } })
}

@Test("Without the database, and without its keys in the document, a server signs nothing and says why")
func nothingIsSigned() throws {
    var server = try TestServer()
    let (id, _) = try server.link(1)
    server.now += .seconds(61)
    #expect(server.feed(.databaseLost) == [] && server.machine.doubt(now: server.now)?.contains("database") == true)
    let late = Fixture.Signer.lateRevocations
    let effects = server.refresh(document: try Fixture.document(4, revocations: [late]))
    #expect(effects.heads(to: id) == [] && server.machine.doubt(now: server.now)?.contains("document") == true)
    #expect(server.refresh(document: try Fixture.document(2)).errors.count == 1)
}

@Test("A full set is said once, and is no end")
func aFullSet() throws {
    var server = try TestServer()
    let one = try Fixture.entry(0)
    // Signatures are not verified here, because the entries come from the database.
    func entry(_ number: Int) throws -> Revocation {
        var bytes = one.bytes
        bytes.replaceSubrange(26..<34, with: (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
        return try Revocation(kept: bytes)
    }
    let all = try (1...RevocationSet.entryLimit + 2).map { (number: UInt64($0), entry: try entry($0)) }
    let effects = server.refresh(entries: all)
    #expect(effects.errors.count == 1 && server.machine.entryCount == RevocationSet.entryLimit)
}
