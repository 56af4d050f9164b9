import SiteLink
import SiteTrust
import Testing

@testable import SiteCore

private typealias Fixture = ServerFixture

@Test("A bundle has the newest document, all entries in full batches, and the head over them: a box takes it as it is")
func bundleIsWhole() throws {
    var server = try TestServer()
    let entries = try (1...130).map { (UInt64($0), try Fixture.entry($0)) }
    _ = server.refresh(entries: entries, all: true)
    _ = server.refresh(document: try Fixture.document(4))
    let stem = try #require(SiteBundleStem(server.machine, now: server.now))
    let certificates = try #require(
        stem.certificates(for: [Fixture.box(1)], by: server.machine, now: server.now))
    var (reader, found) = (SiteBundleReader(), [MessageFromSite]())
    for message in [stem.document] + certificates + stem.entries + [stem.head] {
        found += try reader.add((found.isEmpty ? SiteBundle.firstLine : []) + SiteBundle.frame(message))
    }
    try reader.finish()
    #expect(found.count == 1 + 1 + 3 + 1)
    var (box, tally) = (BoxSite(pin: try Fixture.pin()), SignatureTally())
    let clock = try #require(BootClock(boot: [UInt8](repeating: 1, count: 16), seconds: 0))
    for message in found {
        switch message {
        case .document(let claimed): _ = try box.take(claimed, tally: &tally)
        case .entries(let batch): for entry in batch { #expect(try box.take(entry, tally: &tally)) }
        case .head(let claimed): #expect(try box.take(carried: claimed, at: clock, tally: &tally))
        case .certificate(let claimed):
            let key = try #require(Fixture.box(1).key)
            let own = try claimed.verify(box.pin, boxKey: key, at: server.time, tally: &tally)
            #expect(own.facts.expiry == server.time + 24 * 3_600)
        default: Issue.record("\(message) has no place in a bundle")
        }
    }
    #expect(box.revocations.count == 130 && box.head?.facts.document == Fixture.ordinal(4))
}

@Test("Only boxes that are served get a certificate, also where a restored database says that they are")
func bundleCertificates() throws {
    var server = try TestServer()
    _ = server.refresh(boxes: [Fixture.box(2, .suspended), Fixture.box(3, .removed)])
    let stem = try #require(SiteBundleStem(server.machine, now: server.now))
    let boxes = [Fixture.box(1), Fixture.box(2, .suspended), Fixture.box(3, .removed), Fixture.box(4, .invited)]
    #expect(stem.certificates(for: boxes, by: server.machine, now: server.now)?.count == 1)
    let key = try #require(Fixture.box(1).key)
    let entry = try Fixture.issuing.revocation(ofBox: key, at: server.time, generation: Fixture.ordinal(1))
    _ = server.refresh(entries: [(1, entry)])
    #expect(stem.certificates(for: boxes, by: server.machine, now: server.now)?.isEmpty == true)
}

@Test("No bundle is made while nothing is signed, of a head that a clock has left behind, or of two documents")
func noBundle() throws {
    var server = try TestServer()
    let stem = try #require(SiteBundleStem(server.machine, now: server.now))
    _ = server.feed(.databaseLost)
    #expect(SiteBundleStem(server.machine, now: server.now) == nil)
    #expect(stem.certificates(for: [Fixture.box(1)], by: server.machine, now: server.now) == nil)
    _ = server.refresh(document: try Fixture.document(4))
    #expect(SiteBundleStem(server.machine, now: server.now) != nil)
    #expect(stem.certificates(for: [Fixture.box(1)], by: server.machine, now: server.now) == nil)
}
