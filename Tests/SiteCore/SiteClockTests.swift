import Testing

@testable import SiteCore

@Test("The clock goes on from the database's last word, and is silent once that is old")
func theClockGoesOn() {
    var clock = SiteClock()
    #expect(clock.seconds(now: .seconds(1)) == nil)
    clock.take(database: 1_000, own: 1_030, now: .seconds(10))
    #expect(clock.seconds(now: .seconds(13)) == 1_003)
    #expect(clock.seconds(now: .seconds(16)) == nil)
    clock.take(database: 1_020, own: 1_050, now: .seconds(30))
    #expect(clock.seconds(now: .seconds(30)) == 1_020)
    clock.lose()
    #expect(clock.seconds(now: .seconds(30)) == nil)
}

@Test("A database whose clock jumps, or differs from the server's, stops the signing until somebody has looked")
func aJumpStopsTheSigning() {
    var clock = SiteClock()
    clock.take(database: 1_000, own: 1_000, now: .seconds(10))
    clock.take(database: 1_072, own: 1_072, now: .seconds(11))
    #expect(clock.seconds(now: .seconds(11)) == nil && clock.isDoubtful)
    clock.take(database: 1_002, own: 1_002, now: .seconds(12))
    #expect(clock.isDoubtful)
    clock.accept()
    clock.take(database: 1_003, own: 1_003, now: .seconds(13))
    #expect(clock.seconds(now: .seconds(13)) == 1_003)
    clock.take(database: 1_004, own: 1_065, now: .seconds(14))
    #expect(clock.isDoubtful)
}
