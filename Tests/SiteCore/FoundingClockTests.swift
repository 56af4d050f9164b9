import Testing

@testable import SiteCore

@Suite("The clock by which a site is founded")
struct FoundingClockTests {
    private let now = FoundingClock.earliest + 1_000

    @Test("Clocks that agree and can be right found a site")
    func right() {
        #expect(FoundingClock.problem(database: now, own: now + SiteClock.tolerance) == nil)
        #expect(FoundingClock.problem(database: FoundingClock.latest, own: FoundingClock.latest) == nil)
    }

    @Test("Clocks that differ, or that lie before this version or far ahead, found none")
    func wrong() {
        for (database, own) in [
            (now, now + SiteClock.tolerance + 1), (now + SiteClock.tolerance + 1, now), (0, now), (now, 0), (0, 0),
            (FoundingClock.earliest - 1, FoundingClock.earliest - 1),
            (FoundingClock.latest + 1, FoundingClock.latest + 1),
            (.max, .max),
        ] { #expect(FoundingClock.problem(database: database, own: own) != nil, "\(database), \(own)") }
    }
}
