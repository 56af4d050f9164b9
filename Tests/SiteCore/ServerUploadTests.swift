import SiteLink
import SiteTrust
import Testing

@testable import SiteCore

private typealias Fixture = ServerFixture

extension TestServer {
    /// Links a box that reports a set unlike the signed status. The server asks for the box's entries in turn.
    fileprivate mutating func differing(_ box: Int) throws -> (id: LinkID, effects: [SiteEffect]) {
        let id = try link(box).id
        return (id, feed(.said(id, .differs(number: number))))
    }
}

@Test("A box that has more is asked; what it says is written down above its head, and the next head counts it")
func anUpload() throws {
    var server = try TestServer()
    _ = server.refresh(entries: [(1, try Fixture.entry(1))])
    let (id, asked) = try server.differing(1)
    #expect(asked.asks(id) && asked.entries(to: id).count == 1 && asked.heads(to: id) == [])
    let entries = try [1, 2, 3].map { try Fixture.entry($0) }
    #expect(server.feed(.said(id, .entries(try entries.map { try Fixture.claimed($0) }))) == [])
    #expect(server.feed(.said(id, .head(try Fixture.head(7, of: entries)))) == [])
    let stores = server.feed(.said(id, .entriesEnd)).stores
    #expect(stores.count == 1 && stores.first?.link == id && stores.first?.above == 7)
    #expect(stores.first?.entries.count == 2)
    // The box gets no signed status until the entries are stored.
    #expect(server.pass(61).heads(to: id) == [] && server.feed(.stored(id)).heads(to: id) == [])
    let effects = server.refresh(entries: [(8, entries[1]), (9, entries[2])])
    #expect(effects.entries(to: id).count == 2 && effects.heads(to: id).map(\.facts.number) == [9])
}

@Test("Boxes are asked one at a time; who has none new any more waits no longer")
func oneAtATime() throws {
    var server = try TestServer()
    let (first, asked) = try server.differing(1)
    let (second, later) = try server.differing(2)
    let (third, last) = try server.differing(3)
    #expect(asked.asks(first) && !later.asks(second) && !last.asks(third))
    _ = server.feed(.said(first, .entries([try Fixture.claimed(try Fixture.entry(1))])))
    _ = server.feed(.said(first, .entriesEnd))
    let heads = server.refresh(entries: [(1, try Fixture.entry(1))])
    #expect(heads.heads(to: second).count == 1 && heads.heads(to: third).count == 1)
    _ = server.feed(.said(second, .took(number: 1)))
    #expect(BoxContact(of: 2, at: server.machine)?.took == 1)
    let stored = server.feed(.stored(first))
    #expect(stored.asks(third) && !stored.asks(second))
}

@Test("A box that ends its link in its turn, or says nothing in it, holds up nobody")
func aTurnIsNoHold() throws {
    var server = try TestServer()
    let (first, _) = try server.differing(1)
    let (second, _) = try server.differing(2)
    let (third, _) = try server.differing(3)
    #expect(server.feed(.closed(first)).asks(second))
    #expect(server.machine.deadline == server.now + .seconds(10))
    server.now += .seconds(10)
    let effects = server.feed(.timeHasCome)
    #expect(effects.closes(second) && effects.asks(third))
}

@Test("What a box said is written down before the next one is asked, though its link has ended")
func aWriteHoldsTheTurn() throws {
    var server = try TestServer()
    let (first, _) = try server.differing(1)
    let (second, _) = try server.differing(2)
    _ = server.feed(.said(first, .entries([try Fixture.claimed(try Fixture.entry(1))])))
    #expect(server.feed(.said(first, .entriesEnd)).stores.count == 1)
    #expect(!server.feed(.closed(first)).asks(second))
    #expect(server.feed(.stored(first)).asks(second))
}

@Test("A huge number without a head to show moves nothing")
func aHugeNumber() throws {
    var server = try TestServer()
    let (id, asked) = try server.link(1, try Fixture.hello(number: 1 << 61, time: Fixture.start))
    #expect(asked.asks(id) && asked.heads(to: id) == [])
    let effects = server.feed(.said(id, .entriesEnd))
    #expect(effects.stores.isEmpty && server.machine.number == 0)
    #expect(effects.heads(to: id).map(\.facts.number) == [0])
}

@Test("A box with nothing new is told all anew; after two times its link ends")
func inVain() throws {
    var server = try TestServer()
    _ = server.refresh(entries: [(1, try Fixture.entry(1))])
    let (id, _) = try server.differing(1)
    for _ in 1...2 {
        let effects = server.feed(.said(id, .entriesEnd))
        #expect(effects.stores.isEmpty && effects.heads(to: id).count == 1)
        let again = server.feed(.said(id, .differs(number: 1)))
        guard again.asks(id) else {
            #expect(again.closes(id) && again.errors.count == 1)
            return
        }
    }
    Issue.record("it goes on for ever")
}

@Test("Only a head that was said can differ")
func noHeadDiffers() throws {
    var server = try TestServer()
    let (id, effects) = try server.differing(1)
    #expect(effects.asks(id))
    #expect(server.feed(.said(id, .differs(number: 0))) == [.close(id)])
}

@Test("Entries that are known, have expired, or are of an issuer that was dropped bring nothing")
func uselessEntries() throws {
    var server = try TestServer()
    _ = server.refresh(entries: [(1, try Fixture.entry(1))])
    let (id, _) = try server.differing(1)
    let entries = try [
        Fixture.entry(1), Fixture.entry(2, expiry: Fixture.start + 1), Fixture.entry(3, by: .lateRevocations),
    ]
    #expect(server.feed(.said(id, .entries(try entries.map { try Fixture.claimed($0) }))) == [])
    // A signed status of a dropped issuer proves nothing either.
    #expect(server.feed(.said(id, .head(try Fixture.head(9, by: .lateRevocations)))) == [])
    #expect(server.feed(.said(id, .entriesEnd)).stores.isEmpty)
}

@Test("An entry that is said a thousand times is written down once; more messages than a set fills end the link")
func theSameAgain() throws {
    var server = try TestServer()
    let (id, _) = try server.differing(1)
    let entry = try Fixture.claimed(try Fixture.entry(1))
    let message = MessageToSite.entries([ClaimedRevocation](repeating: entry, count: 64))
    for _ in 0..<257 { #expect(server.feed(.said(id, message)) == []) }
    #expect(server.feed(.said(id, message)).closes(id))
    let (second, _) = try server.differing(2)
    _ = server.feed(.said(second, message))
    #expect(server.feed(.said(second, .entriesEnd)).stores.first?.entries.count == 1)
}

@Test("Forged entries and heads end the link")
func forgeries() throws {
    let entry = try Fixture.entry(1)
    var bytes = entry.bytes
    bytes[121] ^= 1
    let head = try Fixture.head(5)
    var headBytes = head.bytes
    headBytes[136] ^= 1
    let messages: [MessageToSite] = try [
        .entries([ClaimedRevocation(parsing: bytes)]), .head(ClaimedRevocationHead(parsing: headBytes)),
        .head(Fixture.head(1 << 62)),
    ]
    for message in messages {
        var server = try TestServer()
        let (id, _) = try server.differing(1)
        let effects = server.feed(.said(id, message))
        #expect(effects.closes(id) && effects.errors.count == 1)
    }
}

@Test("A server that has seen more than a restored database writes it back, and signs nothing before it is there")
func aServerIsAWitness() throws {
    var server = try TestServer()
    let entries = try (1...4).map { (number: UInt64($0), entry: try Fixture.entry($0)) }
    _ = server.refresh(entries: entries)
    let (id, _) = try server.link(1)
    server.now += .seconds(61)
    let new = try Fixture.entry(9)
    let restored = server.refresh(number: 3, entries: Array(entries[..<2]) + [(3, new)], all: true)
    #expect(restored.stores.count == 1 && restored.stores.first?.above == 4 && restored.stores.first?.link == nil)
    #expect(restored.stores.first?.entries.count == 2)
    #expect(restored.entries(to: id) == [try Fixture.claimed(new)] && restored.heads(to: id) == [])
    #expect(server.machine.doubt(now: server.now)?.contains("writing them back") == true)
    // Only one write runs at a time, and the next one waits 5 s.
    #expect(server.refresh(number: 3).stores.isEmpty && server.feed(.stored(nil)).stores.isEmpty)
    #expect(server.pass(4).stores.isEmpty)
    #expect(server.pass(1).stores.count == 1)
    _ = server.feed(.stored(nil))
    let repaired = server.refresh(entries: [(5, entries[2].entry), (6, entries[3].entry)])
    #expect(repaired.heads(to: id).map(\.facts.number) == [6] && repaired.entries(to: id) == [])
    #expect(server.machine.doubt(now: server.now) == nil)
}

@Test("A box whose document is newer than the site's is asked once that document is published again")
func newerDocument() throws {
    for isHigher in [true, false] {
        var server = try TestServer()
        let hello = try Fixture.hello(number: isHigher ? 7 : 0, document: 4)
        let (id, effects) = try server.link(1, hello)
        #expect(!effects.asks(id) && effects.heads(to: id).isEmpty == isHigher)
        if !isHigher { #expect(!server.feed(.said(id, .differs(number: 0))).asks(id)) }
        let published = server.refresh(document: try Fixture.document(4))
        if isHigher {
            #expect((published + server.pass(1)).asks(id))
        } else {
            #expect(published.heads(to: id).count == 1 && server.feed(.said(id, .differs(number: 0))).asks(id))
        }
    }
}

@Test("A database of an older generation is no base for heads")
func anOlderGeneration() throws {
    var server = try TestServer()
    _ = server.refresh(document: try Fixture.document(4, generation: 2), generation: 2)
    let (id, _) = try server.link(1)
    server.now += .seconds(61)
    let effects = server.refresh(generation: 1)
    #expect(effects.heads(to: id) == [] && effects.stores.isEmpty && effects.errors.count == 1)
    #expect(server.refresh(generation: 1).errors.isEmpty)
    #expect(server.refresh(generation: 2).heads(to: id).count == 1)
}
