import Secrets
import TestSupport
import Testing

@testable import SiteTrust

@Suite("A head that comes in a file")
struct CarriedHeadTests {
    private typealias Fixture = SiteFixture
    private static let hour: UInt64 = 3_600

    /// Returns a box that heard its last signed status at 1,000 s of its boot clock, and has spent the due hours since.
    private func cutOff(_ hours: Int, until seconds: UInt64, boot: UInt8 = 1) throws -> BoxSite {
        var site = try Fixture.freshBox(hours: hours)
        for second in stride(from: UInt64(1_000), through: seconds, by: 600) {
            if let due = site.allowance.due(at: Fixture.clock(second, boot: boot)) { site.wrote(due) }
        }
        return site
    }

    private func take(_ site: inout BoxSite, _ head: ClaimedRevocationHead, at seconds: UInt64, boot: UInt8 = 1) throws
        -> Bool
    {
        var tally = SignatureTally()
        return try site.take(carried: head, at: Fixture.clock(seconds, boot: boot), tally: &tally)
    }

    @Test("A box whose hours are used up gets those that are left since the head was signed")
    func refills() throws {
        let now: UInt64 = 1_000 + 72 * Self.hour
        var site = try cutOff(24, until: now)
        #expect(site.allowance.isUsedUp(at: Fixture.clock(now)))
        let known = try #require(site.seconds(at: Fixture.clock(now)))
        #expect(try take(&site, try Fixture.head(time: known - 2 * Self.hour), at: now))
        #expect(site.allowance.hoursLeft(at: Fixture.clock(now)) == 22)
        #expect(site.seconds(at: Fixture.clock(now)) == known, "an old head does not set the time back")
    }

    @Test("A part of an hour under way counts as a whole one")
    func parts() throws {
        let now: UInt64 = 1_000 + 72 * Self.hour
        for (age, left) in [
            (UInt64(0), 24), (1, 23), (3_599, 23), (3_600, 23), (3_601, 22), (23 * 3_600, 1), (23 * 3_600 + 1, 0),
        ] {
            var site = try cutOff(24, until: now)
            let known = try #require(site.seconds(at: Fixture.clock(now)))
            #expect(try take(&site, try Fixture.head(time: known - age), at: now))
            #expect(site.allowance.hoursLeft(at: Fixture.clock(now)) == left, "\(age) s")
        }
    }

    @Test("A head that is older than all the hours gives none, and counts all the same")
    func tooOld() throws {
        let now: UInt64 = 1_000 + 72 * Self.hour
        var site = try cutOff(24, until: now)
        let head = try Fixture.head(time: Fixture.start + 24 * Self.hour)
        #expect(try take(&site, head, at: now))
        #expect(site.head?.bytes == head.bytes && site.allowance.isUsedUp(at: Fixture.clock(now)))
    }

    @Test("The same head again, or an older one, gives nothing")
    func replayed() throws {
        let now: UInt64 = 1_000 + 72 * Self.hour
        var site = try cutOff(24, until: now)
        let known = try #require(site.seconds(at: Fixture.clock(now)))
        let head = try Fixture.head(time: known)
        #expect(try take(&site, head, at: now))
        for hour in UInt64(0)..<24 {
            let clock = Fixture.clock(now + hour * Self.hour)
            if let due = site.allowance.due(at: clock) { site.wrote(due) }
            #expect(try take(&site, head, at: now + hour * Self.hour) == false)
            #expect(site.allowance.hoursLeft(at: clock) == 24 - Int(hour))
        }
        let end = now + 24 * Self.hour
        let before = site
        #expect(try take(&site, head, at: end) == false && site == before)
        #expect(site.allowance.isUsedUp(at: Fixture.clock(end)))
        #expect(throws: SiteError.olderTime) { try take(&site, try Fixture.head(time: known - 1), at: end) }
        #expect(site == before)
    }

    @Test("It never takes hours away that a fresh head has given")
    func keeps() throws {
        var site = try cutOff(24, until: 1_000)
        let now = 1_000 + 10 * 60
        let head = try Fixture.head(time: Fixture.start + 60)
        #expect(try take(&site, head, at: UInt64(now)))
        #expect(site.allowance.hoursLeft(at: Fixture.clock(UInt64(now))) == 24)
    }

    @Test("A box that was switched off knows no later time than it had: the newest head is its clock")
    func switchedOff() throws {
        var site = try cutOff(24, until: 1_000 + 30 * Self.hour)
        // The box was off for three weeks, which it cannot know.
        let time = SiteTime(
            try #require(site.time.record(at: Fixture.clock(1_000 + 30 * Self.hour))), now: Fixture.clock(5, boot: 2))
        site = try BoxSite(
            pin: site.pin, revocations: [], head: site.head, time: time, allowance: OfflineAllowance(limit: 24))
        let bundle = Fixture.start + 21 * Fixture.day
        #expect(try take(&site, try Fixture.head(time: bundle), at: 5, boot: 2))
        #expect(site.seconds(at: Fixture.clock(5, boot: 2)) == bundle)
        #expect(site.allowance.hoursLeft(at: Fixture.clock(5, boot: 2)) == 24)
    }

    @Test("A head of other entries, of another site or issuer is refused, and nothing is changed")
    func refused() throws {
        let site = try cutOff(24, until: 1_000)
        let set = try RevocationSet.of(Fixture.revocation(.box(key: Fixture.box)))
        let heads: [(SiteError, ClaimedRevocationHead)] = [
            (.setDiffers, try Fixture.head(of: set, number: 2, time: Fixture.start + 60)),
            (.notSigned, try Fixture.head(time: Fixture.start + 60, site: Fixture.otherSite)),
            (.unknownIssuer, try Fixture.head(time: Fixture.start + 60, by: .stranger)),
            (.wrongRole, try Fixture.head(time: Fixture.start + 60, by: .phones)),
            (.issuerExpired, try Fixture.head(time: Fixture.start + 400 * Fixture.day)),
        ]
        for (error, head) in heads {
            var changed = site
            #expect(throws: error) { try take(&changed, head, at: 1_060) }
            #expect(changed == site)
        }
    }

    @Test(
        "Whatever is brought when, and however often it is switched off: no hours are had beyond those behind the newest head",
        arguments: seeds)
    func never(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        print("seed \(seed)")
        for _ in 0..<12 {
            let limit = Int.random(in: 1...30, using: &random)
            var site = try Fixture.freshBox(hours: limit)
            if let due = site.allowance.due(at: Fixture.clock(1_000)) { site.wrote(due) }
            var (boot, seconds, newest) = (UInt8(1), UInt64(1_000), Fixture.start)
            var written = site.allowance.due(at: Fixture.clock(1_000))
            for _ in 0..<250 {
                // The agent wakes at the end of an hour.
                let wish = seconds + UInt64.random(in: 1...4_000, using: &random)
                seconds = min(wish, site.allowance.nextDue(at: Fixture.clock(seconds, boot: boot)) ?? wish)
                let now = Fixture.clock(seconds, boot: boot)
                let known = try #require(site.seconds(at: now))
                switch Int.random(in: 0...9, using: &random) {
                case 0:
                    // Bundles are made at any time before now, and imported in any order.
                    let time = known - min(known - Fixture.start, UInt64.random(in: 0...200_000, using: &random))
                    if (try? take(&site, try Fixture.head(time: time), at: seconds, boot: boot)) == true {
                        newest = time
                    }
                case 1:
                    let record = try #require(site.time.record(at: now))
                    (boot, seconds) = (boot &+ 1, 7)
                    site = try BoxSite(
                        pin: site.pin, revocations: [], head: site.head,
                        time: SiteTime(record, now: Fixture.clock(7, boot: boot)),
                        allowance: written.map { OfflineAllowance(limit: limit, $0) } ?? site.allowance)
                default: break
                }
                let later = Fixture.clock(seconds, boot: boot)
                if let due = site.allowance.due(at: later) {
                    written = due
                    site.wrote(due)
                }
                let time = try #require(site.seconds(at: later))
                #expect(!site.allowance.isPaid(at: later) || time <= newest + UInt64(limit) * Self.hour, "seed \(seed)")
            }
        }
    }
}
