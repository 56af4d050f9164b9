import TestSupport
import Testing

@testable import SiteTrust

@Suite("The hours that a box may be without its site")
struct OfflineAllowanceTests {
    private typealias Fixture = SiteFixture

    private func filled(_ hours: Int, at clock: BootClock = SiteFixture.clock(0)) -> OfflineAllowance {
        var allowance = OfflineAllowance(limit: hours)
        allowance.refill(at: clock)
        return allowance
    }

    @Test("Without a head there is nothing to spend, and nothing to write down")
    func nothing() {
        let allowance = OfflineAllowance()
        #expect(allowance.limit == 24 && !allowance.isPaid(at: Fixture.clock(0)))
        #expect(allowance.isUsedUp(at: Fixture.clock(0)) && allowance.due(at: Fixture.clock(0)) == nil)
        #expect(OfflineAllowance(limit: 0).limit == 1 && OfflineAllowance(limit: 505).limit == 504)
    }

    @Test("An hour counts once it is written down and not before; all of them are spent one by one")
    func hours() throws {
        var allowance = filled(3)
        for hour in 1...3 {
            let now = Fixture.clock(UInt64(hour - 1) * 3600)
            if hour > 1 { #expect(!allowance.isPaid(at: now) && !allowance.isUsedUp(at: now)) }
            let due = try #require(allowance.due(at: now))
            #expect(due.spentHours == hour && due.until == Fixture.clock(UInt64(hour) * 3600))
            allowance.wrote(due)
            #expect(allowance.isPaid(at: now) && allowance.due(at: now) == nil && !allowance.isUsedUp(at: now))
            #expect(allowance.isPaid(at: Fixture.clock(UInt64(hour) * 3600 - 1)))
        }
        let end = Fixture.clock(3 * 3600)
        #expect(!allowance.isPaid(at: end) && allowance.isUsedUp(at: end) && allowance.due(at: end) == nil)
        allowance.refill(at: end)
        #expect(allowance.isPaid(at: end) && !allowance.isUsedUp(at: end))
    }

    @Test("Each boot takes an hour, however short it was; a restart of the program takes none")
    func boots() throws {
        var allowance = filled(4)
        var record = try #require(allowance.due(at: Fixture.clock(0)))
        allowance.wrote(record)
        #expect(OfflineAllowance(limit: 4, record).isPaid(at: Fixture.clock(60)))
        var boots = 0
        for boot in UInt8(2)...20 {
            var again = OfflineAllowance(limit: 4, record)
            let now = Fixture.clock(5, boot: boot)
            #expect(!again.isPaid(at: now))
            guard let due = again.due(at: now) else {
                #expect(again.isUsedUp(at: now))
                continue
            }
            again.wrote(due)
            #expect(again.isPaid(at: now))
            (record, boots) = (due, boots + 1)
        }
        #expect(boots == 3)
    }

    @Test("While heads come nothing is spent, and one record an hour is written")
    func connected() throws {
        var allowance = filled(2)
        var writes = 0
        for minute in 0..<1440 {
            let now = Fixture.clock(UInt64(minute) * 60)
            allowance.refill(at: now)
            #expect(allowance.isPaid(at: now))
            if let due = allowance.due(at: now) {
                #expect(due.spentHours == 1)
                allowance.wrote(due)
                writes += 1
            }
        }
        #expect((24...25).contains(writes))
    }

    @Test("An hour that is written with something else puts off the next record, and none is written twice")
    func besideOthers() throws {
        var allowance = OfflineAllowance(limit: 9)
        #expect(allowance.running(at: Fixture.clock(0)) == nil)
        allowance.refill(at: Fixture.clock(0))
        allowance.wrote(try #require(allowance.due(at: Fixture.clock(0))))
        #expect(allowance.running(at: Fixture.clock(10)) == nil)
        allowance.refill(at: Fixture.clock(3_000))
        #expect(allowance.due(at: Fixture.clock(3_000)) == nil)
        let later = OfflineAllowance.Record(spentHours: 1, until: Fixture.clock(6_600))
        #expect(allowance.running(at: Fixture.clock(3_000)) == later)
        allowance.wrote(later)
        #expect(allowance.running(at: Fixture.clock(3_000)) == nil)
        #expect(allowance.nextDue(at: Fixture.clock(3_000)) == 6_600)
        // An hour that has ended is not written again. The next hour is spent when it is due.
        #expect(allowance.running(at: Fixture.clock(6_600)) == nil)
        #expect(allowance.due(at: Fixture.clock(6_600))?.spentHours == 2)
        allowance.refill(at: Fixture.clock(7_000))
        #expect(allowance.running(at: Fixture.clock(10_600)) == nil)
    }

    @Test("A fresh head after hours without is written down at once")
    func refilled() throws {
        var allowance = OfflineAllowance(limit: 9, OfflineAllowance.Record(spentHours: 7, until: Fixture.clock(4000)))
        #expect(allowance.due(at: Fixture.clock(100)) == nil)
        allowance.refill(at: Fixture.clock(100))
        let due = try #require(allowance.due(at: Fixture.clock(100)))
        #expect(due.spentHours == 1)
        allowance.wrote(due)
        #expect(allowance.due(at: Fixture.clock(100)) == nil)
    }

    @Test("An hour that was on its way to the disk when a fresh head came does not undo the head")
    func overtaken() throws {
        var allowance = filled(9)
        let first = try #require(allowance.due(at: Fixture.clock(0)))
        allowance.wrote(first)
        let second = try #require(allowance.due(at: Fixture.clock(3600)))
        allowance.refill(at: Fixture.clock(3700))
        allowance.wrote(second)
        #expect(allowance.isPaid(at: Fixture.clock(7299)))
        #expect(allowance.due(at: Fixture.clock(3700)) == .init(spentHours: 1, until: Fixture.clock(7300)))
    }

    @Test("Whatever is switched off and on, no more hours are had than there are", arguments: seeds)
    func never(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        print("seed \(seed)")
        for _ in 0..<50 {
            let limit = Int.random(in: 1...9, using: &random)
            var allowance = filled(limit)
            var disk = try #require(allowance.due(at: Fixture.clock(0)))
            allowance.wrote(disk)
            var (boot, seconds, paid): (UInt8, UInt64, UInt64) = (1, 0, 0)
            for _ in 0..<300 {
                let step = UInt64.random(in: 1...900, using: &random)
                seconds += step
                let now = Fixture.clock(seconds, boot: boot)
                if allowance.isPaid(at: now) { paid += step }
                switch Int.random(in: 0...9, using: &random) {
                case 0:
                    (boot, seconds) = (boot &+ 1, 0)
                    allowance = OfflineAllowance(limit: limit, disk)
                case 1: allowance = OfflineAllowance(limit: limit, disk)
                case 2...7:
                    guard let due = allowance.due(at: now) else { break }
                    disk = due
                    // The machine may fail after the write to the disk, before the program learns of it.
                    if Bool.random(using: &random) { allowance.wrote(due) }
                default: break
                }
            }
            #expect(paid <= UInt64(limit) * 3600)
            #expect(disk.spentHours <= limit)
        }
    }

    @Test("What is left is shown, and the next write is due when the hour that is on disk is over")
    func left() {
        let now = SiteFixture.clock(1_000)
        var allowance = OfflineAllowance(limit: 3)
        #expect(allowance.hoursLeft(at: now) == 0 && allowance.nextDue(at: now) == nil)
        allowance.refill(at: now)
        #expect(allowance.hoursLeft(at: now) == 3 && allowance.nextDue(at: now) == nil, "it is due now")
        if let due = allowance.due(at: now) { allowance.wrote(due) }
        #expect(allowance.nextDue(at: now) == 4_600)
        // A fresh signed status half an hour later does not move the next write: the disk is written once an hour.
        let later = SiteFixture.clock(2_800)
        allowance.refill(at: later)
        #expect(allowance.nextDue(at: later) == 4_600 && allowance.due(at: SiteFixture.clock(4_600)) != nil)
        #expect(allowance.hoursLeft(at: SiteFixture.clock(6_399)) == 3)
        #expect(allowance.hoursLeft(at: SiteFixture.clock(6_400)) == 2)
    }
}
