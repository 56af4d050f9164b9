import SiteLink
import SiteTrust
import Testing

@testable import SiteCore

private typealias Fixture = ServerFixture

private func judge(
    places: Int64 = 3, expiry: UInt64 = 100, isRevoked: Bool = false, taken: Int64 = 0, lately: Int64 = 0,
    visit: BulkVisit? = nil, other: SiteBox? = nil, isListed: Bool = false, at time: UInt64 = 99
) -> BulkVerdict {
    let code = BulkCode(places: places, expiry: expiry, isRevoked: isRevoked, taken: taken, lately: lately)
    return BulkVerdict.judge(code, visit: visit, other: other, isListed: isListed, at: time)
}

@Test("A key that was listed joins, another one waits, and no more of either than there are places")
func places() {
    #expect(judge() == .waits && judge(isListed: true) == .joins)
    #expect(judge(taken: 2) == .waits && judge(taken: 3) == .refused(.codeUsed))
    #expect(judge(taken: 3, isListed: true) == .refused(.codeUsed))
}

@Test("A bulk code that is over, taken back or used too fast gives no place, also to a key that was listed")
func bounds() {
    for isListed in [true, false] {
        #expect(judge(isListed: isListed, at: 100) == .refused(.codeExpired))
        #expect(judge(isRevoked: true, isListed: isListed) == .refused(.codeUsed))
        #expect(judge(places: 1_000, lately: 60, isListed: isListed) == .refused(.notNow))
    }
    #expect(judge(places: 1_000, lately: 59) == .waits)
}

@Test("A box that comes again takes no other place: it waits, goes on with a link, or is refused for good")
func again() {
    #expect(judge(taken: 3, visit: .waits) == .refused(.waiting))
    #expect(judge(isRevoked: true, visit: .waits, at: 200) == .refused(.waiting))
    #expect(judge(visit: .rejected, isListed: true) == .refused(.codeUsed))
    #expect(judge(visit: .approved, other: Fixture.box(1)) == .refused(.alreadyJoined))
    #expect(judge(visit: .approved, other: Fixture.box(1, .removed)) == .refused(.removed))
    #expect(judge(other: Fixture.box(1), isListed: true) == .refused(.alreadyJoined))
}
