import Testing

@testable import SiteTrust

@Suite("What a box knows of time")
struct SiteTimeTests {
    private typealias Fixture = SiteFixture
    private let start = SiteFixture.start

    private func known(_ seconds: UInt64, at clock: BootClock) -> SiteTime {
        var time = SiteTime()
        #expect(time.take(seconds, at: clock) == true)
        return time
    }

    @Test(
        "Before the first head no time is known; from then on it is the head's and what the boot clock has counted since"
    )
    func elapsed() {
        #expect(SiteTime().seconds(at: Fixture.clock(5)) == nil && SiteTime().record(at: Fixture.clock(5)) == nil)
        let time = known(start, at: Fixture.clock(100))
        #expect(time.seconds(at: Fixture.clock(100)) == start)
        #expect(time.seconds(at: Fixture.clock(700)) == start + 600)
        // The site's time leaves out one second in 1,024 of the boot clock.
        #expect(time.seconds(at: Fixture.clock(100 + 86_400)) == start + 86_400 - 84)
        #expect(time.seconds(at: Fixture.clock(50)) == start, "a clock that goes back adds nothing")
        #expect(time.seconds(at: Fixture.clock(9000, boot: 2)) == start, "nor does that of another boot")
    }

    @Test("Time goes on over a restart of the program, and stands still while the machine is off")
    func records() throws {
        let record = try #require(known(start, at: Fixture.clock(100)).record(at: Fixture.clock(200)))
        let restarted = SiteTime(record, now: Fixture.clock(900))
        #expect(restarted.seconds(at: Fixture.clock(900)) == start + 800)
        let booted = SiteTime(record, now: Fixture.clock(30, boot: 2))
        #expect(booted.seconds(at: Fixture.clock(30, boot: 2)) == start + 100)
        #expect(booted.seconds(at: Fixture.clock(90, boot: 2)) == start + 160)
    }

    @Test("Time never goes back, whatever a head says, and a head that was held up is not fresh")
    func monotone() {
        var time = known(start, at: Fixture.clock(0))
        #expect(time.take(start + 3600, at: Fixture.clock(60)) == true, "a head may be ahead: the box was off")
        #expect(time.seconds(at: Fixture.clock(60)) == start + 3600)
        #expect(time.take(start + 3601, at: Fixture.clock(601)) == true, "some minutes late is the network's affair")
        #expect(time.seconds(at: Fixture.clock(601)) == start + 3600 + 541)
        #expect(time.take(start + 3602, at: Fixture.clock(1000)) == false)
        #expect(time.seconds(at: Fixture.clock(1000)) == start + 3600 + 940)
    }

    @Test("Heads that are played at half the speed are soon not fresh any more")
    func slowMotion() {
        var time = known(start, at: Fixture.clock(0))
        let fresh = (1...40).map { minute in
            time.take(start + UInt64(minute) * 60, at: Fixture.clock(UInt64(minute) * 120))
        }
        #expect(fresh.prefix(9).allSatisfy { $0 } && fresh.dropFirst(11).allSatisfy { !$0 })
    }

    @Test("A boot clock that the kernel runs too fast by 500 ppm does not make heads late, not in a year")
    func drift() {
        var time = known(start, at: Fixture.clock(0))
        let isFresh = (1...8766).allSatisfy { hour in
            let seconds = UInt64(hour) * 3600
            return time.take(start + seconds, at: Fixture.clock(seconds + seconds / 2000))
        }
        #expect(isFresh && time.seconds(at: Fixture.clock(0)) == start + 8766 * 3600)
    }

    @Test("Times that are no times do not overflow")
    func bounds() throws {
        let time = known(SiteSeconds.limit - 1, at: Fixture.clock(0))
        #expect(time.seconds(at: Fixture.clock(.max)) == SiteSeconds.limit)
        #expect(Fixture.clock(.max).seconds == SiteSeconds.limit)
        let record = SiteTime.Record(seconds: .max, clock: Fixture.clock(0))
        #expect(SiteTime(record, now: Fixture.clock(.max)).seconds(at: Fixture.clock(.max)) == SiteSeconds.limit)
        #expect(BootClock(boot: [1], seconds: 0) == nil)
    }
}
