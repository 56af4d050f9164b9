import SiteLink
import SiteTrust
import Testing

@testable import SiteCore

private typealias Fixture = ServerFixture

@Test("A box of the site is told its certificate and the newest head")
func aBoxIsServed() throws {
    var server = try TestServer()
    let (id, effects) = try server.link(1)
    let said = effects.said(to: id)
    guard case .certificate(let certificate) = said.first else {
        Issue.record("no certificate first: \(said)")
        return
    }
    #expect(certificate.facts.boxKey == Fixture.key(1) && certificate.facts.expiry == server.time + 24 * 3_600)
    #expect(effects.heads(to: id).map(\.facts.number) == [0])
    #expect(!effects.asks(id) && !effects.closes(id) && said.count == 2)
    #expect(BoxContact(of: 1, at: server.machine)?.address == "192.0.2.1")
    #expect(BoxContact(of: 2, at: server.machine) == nil)
}

@Test("A box that is unknown, invited, suspended or removed is told so and nothing else")
func othersAreRefused() throws {
    let boxes = [Fixture.box(2, .removed), Fixture.box(3, .suspended), Fixture.box(4, .invited)]
    var server = try TestServer(boxes: boxes)
    for (box, refusal) in [(9, SiteRefusal.unknownBox), (2, .removed), (3, .suspended), (4, .unknownBox)] {
        var (id, effects) = try server.link(box)
        // An unknown box may have just joined at another server. Two reads of the database decide.
        if refusal == .unknownBox {
            #expect(effects == [] && server.refresh() == [])
            effects = server.refresh()
        }
        #expect(effects == [.say(id, .refused(refusal)), .close(id)])
        #expect(server.feed(.said(id, .leaving)) == [])
        _ = server.feed(.closed(id))
    }
    #expect(server.machine.linkCount == 0)
}

@Test("A box that joined at another server just now is served as soon as the database tells of it")
func aBoxThatJoinedElsewhere() throws {
    var server = try TestServer()
    let (id, effects) = try server.link(9)
    #expect(effects == [])
    let later = server.refresh(boxes: [Fixture.box(9)])
    guard case .certificate(let certificate) = later.said(to: id).first else {
        Issue.record("no certificate first: \(later)")
        return
    }
    #expect(certificate.facts.boxKey == Fixture.key(9))
}

@Test("A removed box hears that at once, and nothing later")
func aRemovedBoxGoes() throws {
    var server = try TestServer()
    let (id, _) = try server.link(1)
    #expect(server.refresh(boxes: [Fixture.box(1, .removed)]) == [.say(id, .refused(.removed)), .close(id)])
    #expect(server.refresh(entries: [(1, try Fixture.entry(1))]).said(to: id) == [])
    #expect(try server.link(1).effects.said(to: LinkID(number: 2)) == [.refused(.removed)])
}

@Test("A box whose removal is an entry is not served, though a backup brought back its row")
func anEntryCountsForMoreThanTheRow() throws {
    var server = try TestServer()
    let (id, _) = try server.link(1)
    let entry = try Fixture.issuing.revocation(ofBox: Fixture.key(1), at: server.time, generation: Fixture.ordinal(1))
    let effects = server.refresh(entries: [(1, entry)])
    #expect(effects.said(to: id) == [.refused(.removed)])
    #expect(try server.link(1).effects.said(to: LinkID(number: 2)) == [.refused(.removed)])
}

@Test("A box joins with a code, and is served")
func aBoxJoins() throws {
    var server = try TestServer(boxes: [])
    let code = [UInt8](repeating: 7, count: 8)
    let (id, effects) = try server.link(1, code: code)
    #expect(effects == [.join(id, key: Fixture.key(1), codeID: code)])
    // Nothing that the box says counts before the answer to `join`.
    #expect(server.feed(.said(id, .leaving)) == [])
    let answer = server.feed(.joined(id, .success(Fixture.box(1))))
    #expect(answer.said(to: id).count == 2 && answer.heads(to: id).count == 1)
    let (other, refused) = try server.link(2, code: code)
    #expect(refused == [.join(other, key: Fixture.key(2), codeID: code)])
    #expect(server.feed(.joined(other, .failure(.codeUsed))) == [.say(other, .refused(.codeUsed)), .close(other)])
}

@Test("Without the database nobody joins; a box whose link has gone meanwhile is known at its next one")
func joiningWithoutAnswer() throws {
    var server = try TestServer(boxes: [])
    _ = server.feed(.databaseLost)
    let (id, effects) = try server.link(1, code: [1])
    #expect(effects == [.say(id, .refused(.notNow)), .close(id)])
    _ = server.refresh()
    let (second, _) = try server.link(1, code: [1])
    _ = server.feed(.closed(second))
    #expect(server.feed(.joined(second, .success(Fixture.box(1)))) == [])
    #expect(try server.link(1).effects.heads(to: LinkID(number: 3)).count == 1)
}

@Test("An answer to joining does not undo a removal that was heard of before")
func joiningUndoesNoRemoval() throws {
    var server = try TestServer(boxes: [])
    let (id, _) = try server.link(1, code: [1])
    _ = server.refresh(boxes: [Fixture.box(1, .removed)])
    #expect(server.feed(.joined(id, .success(Fixture.box(1)))) == [.say(id, .refused(.removed)), .close(id)])
}

@Test("The second link of a key ends the first")
func oneLinkForAKey() throws {
    var server = try TestServer()
    let (first, _) = try server.link(1)
    let (second, effects) = try server.link(1)
    #expect(effects.closes(first) && effects.said(to: first) == [] && effects.heads(to: second).count == 1)
    _ = server.feed(.closed(first))
    #expect(BoxContact(of: 1, at: server.machine) != nil)
    #expect(server.pass(61).heads(to: second).count == 1)
}

@Test("A key that comes from two addresses by turns is suspended")
func aCopiedBoxIsSuspended() throws {
    var server = try TestServer()
    for turn in 0..<4 {
        let (_, effects) = try server.link(1, from: "192.0.2.\(turn % 2)")
        #expect(!effects.contains { if case .suspend = $0 { true } else { false } })
    }
    let (id, effects) = try server.link(1, from: "192.0.2.0")
    #expect(
        effects.contains(.suspend(Fixture.box(1), reason: "its key alternates between 192.0.2.0 and another address")))
    #expect(effects.closes(LinkID(number: 4)) && effects.said(to: id) == [.refused(.suspended)])
    let news = server.refresh(boxes: [Fixture.box(1, .suspended)])
    #expect(news == [.log(SiteLogLine(.warning, SiteAlarm.suspended(1).text))])
}

@Test(
    "A box that an administrator has served again may come from a new address, and is suspended again where it goes on")
func aSuspendedBoxComesBack() throws {
    var server = try TestServer()
    for turn in 0..<4 { _ = try server.link(1, from: "192.0.2.\(turn % 2)") }
    #expect(server.alarms == [])
    _ = server.refresh(boxes: [Fixture.box(1, .suspended)])
    #expect(server.alarms == [.suspended(1)])
    #expect(try server.link(1, from: "192.0.2.1").1.contains { if case .close = $0 { true } else { false } })
    _ = server.refresh(boxes: [Fixture.box(1)])
    #expect(server.alarms == [])
    for turn in 0..<4 {
        let (id, effects) = try server.link(1, from: "192.0.2.\(turn % 2)")
        #expect(!effects.said(to: id).contains(.refused(.suspended)), "\(turn)")
    }
    let (id, effects) = try server.link(1, from: "192.0.2.0")
    #expect(effects.said(to: id) == [.refused(.suspended)])
}

@Test("A box that leaves is removed once, however often it says so")
func aBoxLeaves() throws {
    var server = try TestServer()
    let (id, _) = try server.link(1)
    #expect(server.feed(.said(id, .leaving)) == [.remove(Fixture.box(1), reason: "the box has left")])
    #expect(server.feed(.said(id, .leaving)) == [])
}

@Test("Messages out of turn end the link")
func outOfTurn() throws {
    let entry = try Fixture.claimed(try Fixture.entry(1))
    let messages: [MessageToSite] = [
        .hello(try Fixture.hello()), .entries([entry]), .entriesEnd, .head(try Fixture.head(0)),
    ]
    for message in messages {
        var server = try TestServer()
        let (id, _) = try server.link(1)
        #expect(server.feed(.said(id, message)).closes(id), "\(message)")
        #expect(BoxContact(of: 1, at: server.machine) == nil)
    }
    var server = try TestServer()
    let id = server.open()
    #expect(server.feed(.said(id, .leaving)) == [.close(id)])
    #expect(server.feed(.said(id, .leaving)) == [])
    #expect(server.feed(.said(LinkID(number: 77), .leaving)) == [] && server.machine.linkCount == 1)
}

@Test("Links that have not shown a key are bounded, for each address and in all")
func linksAreBounded() throws {
    var server = try TestServer()
    for _ in 0..<SiteLimits.unprovenPerNetwork { _ = server.open("198.51.100.1") }
    let full = LinkID(number: 5_000)
    #expect(server.feed(.opened(full, address: "198.51.100.1", network: "198.51.100.1")) == [.close(full)])
    #expect(server.feed(.closed(full)) == [])
    #expect(server.feed(.opened(LinkID(number: 5_001), address: "198.51.100.2", network: "198.51.100.2")) == [])
    // A link that closes, leaves or proves its key frees a place.
    _ = server.feed(.closed(LinkID(number: 1)))
    _ = server.feed(.said(LinkID(number: 2), .leaving))
    _ = server.feed(.proved(LinkID(number: 3), key: Fixture.key(1), codeID: nil))
    for number in 6_001...6_003 {
        #expect(
            server.feed(.opened(LinkID(number: UInt64(number)), address: "198.51.100.1", network: "198.51.100.1")) == []
        )
    }
    #expect(server.feed(.opened(full, address: "198.51.100.1", network: "198.51.100.1")) == [.close(full)])
}

@Test("A removed box does not hear of a document that came with its removal")
func aRemovedBoxHearsNoDocument() throws {
    var server = try TestServer()
    let (id, _) = try server.link(1)
    let effects = server.refresh(boxes: [Fixture.box(1, .removed)], document: try Fixture.document(4))
    #expect(effects.said(to: id) == [.refused(.removed)])
}

@Test("No more than 12,000 links, whoever has them")
func linksInAll() throws {
    var server = try TestServer()
    for number in 1...UInt64(SiteLimits.links) {
        let id = LinkID(number: number)
        _ = server.feed(.opened(id, address: "198.51.100.1", network: "198.51.100.1"))
        _ = server.feed(.proved(id, key: Fixture.key(9), codeID: nil))
    }
    let more = LinkID(number: 20_000)
    #expect(server.feed(.opened(more, address: "198.51.100.2", network: "198.51.100.2")) == [.close(more)])
    #expect(server.machine.linkCount == SiteLimits.links)
}

@Test("A box finds a place while five networks hold all that they can, and an alarm names one of the five")
func fewNetworksKeepNobodyOut() throws {
    var server = try TestServer()
    let few = (1...5).map { "198.51.100.\($0)" }
    _ = server.refresh(boxes: (1...54).map { Fixture.box($0, .joined) })
    func flood() {
        for address in few { for _ in 0..<SiteLimits.unprovenPerNetwork { _ = server.open(address) } }
    }
    flood()
    #expect(server.machine.census.unproven.count == SiteLimits.unproven)
    for number in 1...54 {
        let (id, effects) = try server.link(number, from: "203.0.113.\(number)")
        #expect(effects.heads(to: id).count == 1)
        flood()
    }
    #expect(server.machine.census.unproven.count == SiteLimits.unproven && server.alarms == [])
    for _ in 1...2 {
        _ = server.pass(5)
        flood()
    }
    guard case .crowded(let network?)? = server.alarms.first else {
        Issue.record("no alarm: \(server.alarms)")
        return
    }
    #expect(few.contains(network))
    _ = server.pass(59)
    #expect(server.alarms.count == 1)
    _ = server.pass(1)
    #expect(server.alarms == [])
}

@Test("The network with the most links gives up its newest to one with at least two fewer, or with none")
func unprovenLinks() {
    var links = UnprovenLinks()
    for number in 1...5 { links.add(LinkID(number: UInt64(number)), of: number < 4 ? "a" : "b") }
    #expect(links.takePlace(for: "a") == nil)
    #expect(links.takePlace(for: "b") == nil)
    #expect(links.takePlace(for: "c") == LinkID(number: 3))
    links.remove(LinkID(number: 5), of: "b")
    #expect(links.takePlace(for: "c") == LinkID(number: 2))
    #expect(links.takePlace(for: "a") == nil && links.count == 2)
    links.remove(LinkID(number: 9), of: "a")
    links.remove(LinkID(number: 1), of: "b")
    links.remove(LinkID(number: 1), of: "a")
    #expect(links.count == 1 && links.largest == "b" && links.count(of: "a") == 0)
    links.remove(LinkID(number: 4), of: "b")
    #expect(links.count == 0 && links.largest == nil && links.takePlace(for: "a") == nil)
    links.add(LinkID(number: 6), of: "a")
    #expect(links.takePlace(for: "b") == LinkID(number: 6) && links.takePlace(for: "b") == nil)
}

@Test("No alarm says that places are taken while only one network has as many as it may, or refusals are far apart")
func noCrowd() throws {
    var server = try TestServer()
    for _ in 1...20 {
        for _ in 0..<SiteLimits.unprovenPerNetwork { _ = server.open("198.51.100.1") }
        _ = server.pass(1)
    }
    #expect(server.alarms == [])
    var crowd = LinkCrowd()
    for second in [0, 11, 25] {
        crowd.refused(mostFrom: "a", now: .seconds(second))
        #expect(crowd.alarm(now: .seconds(second)) == nil)
    }
    for second in 26...34 { crowd.refused(mostFrom: "a", now: .seconds(second)) }
    #expect(crowd.alarm(now: .seconds(34)) == nil)
    crowd.refused(mostFrom: "b", now: .seconds(35))
    #expect(crowd.alarm(now: .seconds(94)) == .crowded(mostFrom: "b") && crowd.alarm(now: .seconds(95)) == nil)
}

@Test("A key has one link, the newest")
func theCensusCounts() {
    var census = LinkCensus()
    let key: [UInt8] = [1]
    census.serve(key, LinkID(number: 1))
    census.serve(key, LinkID(number: 2))
    census.leave(key, LinkID(number: 1))
    #expect(census.link(ofKey: key) == LinkID(number: 2) && census.served == [LinkID(number: 2)])
}

@Test(
    "A box with a document of a newer generation is sent away, one with a newer document is served, and either is an alarm for an hour"
)
func aBoxThatIsAhead() throws {
    var server = try TestServer()
    let newer = SiteAlarm.document(Fixture.ordinal(4))
    let (id, effects) = try server.link(1, try Fixture.hello(document: 4, generation: 2))
    #expect(effects.said(to: id) == [.refused(.notNow)] && server.alarms == [newer] && effects.logs(newer))
    let (second, served) = try server.link(1, try Fixture.hello(document: 4))
    #expect(served.heads(to: second).count == 1 && server.alarms == [newer])
    // The alarm is logged only once.
    #expect(!served.logs(newer))
    _ = server.pass(3_599)
    #expect(server.alarms == [newer])
    _ = server.pass(1)
    #expect(server.alarms == [])
}
