import SiteLink
import SiteTrust
import Testing

@testable import SiteCore

private typealias Fixture = ServerFixture

@Test("Entries are given out in batches behind a place")
func batches() throws {
    var log = EntryLog()
    for number in 1...5 { #expect(try log.add(Fixture.entry(number), number: UInt64(2 * number))) }
    #expect(try !log.add(Fixture.entry(3), number: 11) && log.number == 11 && log.count == 5)
    #expect(log.batch(after: 0, limit: 2).map { ($0.entries.count, $0.place) } ?? (0, 0) == (2, 4))
    #expect(log.batch(after: 4, limit: 9).map { ($0.entries.count, $0.place) } ?? (0, 0) == (3, 10))
    #expect(log.batch(after: 5, limit: 9)?.entries.count == 3)
    #expect(log.batch(after: 10, limit: 9) == nil)
}

@Test("A number that is given out a second time stands behind all that were there")
func aNumberTwice() throws {
    var log = EntryLog()
    for number in 1...3 { _ = try log.add(Fixture.entry(number), number: UInt64(number)) }
    #expect(try log.add(Fixture.entry(9), number: 2))
    #expect(try log.batch(after: 3, limit: 9)?.entries == [Fixture.claimed(Fixture.entry(9))])
    #expect(log.number == 3)
    // A repeated number also comes last if earlier entries were forgotten, or if earlier numbers had no entry.
    log.raise(to: 20)
    log.prune(at: Fixture.start + 40 * Fixture.day)
    #expect(try log.add(Fixture.entry(10, expiry: Fixture.start + 50 * Fixture.day), number: 4))
    #expect(log.batch(after: 20, limit: 9)?.place == 21)
}

@Test("What has expired is forgotten, and not taken again")
func theLogForgets() throws {
    var log = EntryLog()
    let brief = try Fixture.entry(1, expiry: Fixture.start + 10)
    _ = try log.add(brief, number: 1)
    _ = try log.add(Fixture.entry(2), number: 2)
    log.prune(at: Fixture.start + 9)
    #expect(log.count == 2)
    log.prune(at: Fixture.start + 10)
    #expect(log.count == 1 && log.set.count == 1)
    #expect(try !log.add(brief, number: 3) && log.number == 3)
    log.raise(to: 2)
    #expect(log.number == 3)
}

@Test("A key moves as often as it likes in the long run, and not four times in ten minutes")
func keyUse() {
    var use = KeyUse(address: "a")
    for turn in 1...20 {
        let isDouble = use.isDouble(from: turn % 2 == 0 ? "a" : "b", now: .seconds(turn * 201))
        #expect(!isDouble)
    }
    var hasty = KeyUse(address: "a")
    let answers = ["b", "b", "a", "b", "a"].enumerated().map { hasty.isDouble(from: $1, now: .seconds($0)) }
    #expect(answers == [false, false, false, false, true])
}

@Test("Turns to upload come one after the other, each once")
func turns() {
    var turn = UploadTurn()
    let (one, two, three) = (LinkID(number: 1), LinkID(number: 2), LinkID(number: 3))
    for id in [one, one, two, three] { turn.ask(id) }
    #expect(turn.next(now: .seconds(1)) == one && turn.next(now: .seconds(1)) == nil)
    turn.ask(one)
    #expect(turn.isOf(one) && turn.isWaiting(two) && !turn.isWaiting(one))
    turn.withdraw(two)
    turn.finish(two)
    #expect(turn.isOf(one))
    turn.finish(one)
    #expect(turn.next(now: .seconds(1)) == three)
    turn.leave(three)
    #expect(turn.next(now: .seconds(1)) == nil && turn.deadline == nil)
}

@Test("No more than 64 boxes wait for their turn")
func turnsAreBounded() {
    var turn = UploadTurn()
    for number in 1...200 { turn.ask(LinkID(number: UInt64(number))) }
    #expect(turn.isWaiting(LinkID(number: 64)) && !turn.isWaiting(LinkID(number: 65)))
}

@Test("A turn ends after 10 s of silence, or 60 s in all; not while it is written down")
func turnsEnd() {
    var turn = UploadTurn()
    let id = LinkID(number: 1)
    turn.ask(id)
    _ = turn.next(now: .seconds(100))
    #expect(turn.deadline == .seconds(110) && turn.overdue(now: .milliseconds(109_999)) == nil)
    #expect(turn.overdue(now: .seconds(110)) == id)
    turn.heard(LinkID(number: 2), now: .seconds(109))
    #expect(turn.deadline == .seconds(110))
    for second in stride(from: 105, through: 155, by: 5) { turn.heard(id, now: .seconds(second)) }
    #expect(turn.deadline == .seconds(160))
    turn.store(id)
    #expect(turn.deadline == nil && turn.overdue(now: .seconds(500)) == nil)
    turn.leave(id)
    #expect(turn.isOf(id))
    turn.finish(id)
    #expect(!turn.isOf(id))
}

@Test("Who joins: a good code once, the same box again, nobody else")
func joinVerdict() {
    let (mine, others) = (Fixture.key(1), Fixture.key(2))
    let invited = Fixture.box(1, .invited)
    func judge(
        usedBy: [UInt8]? = nil, _ box: SiteBox = invited, other: SiteBox? = nil, at time: UInt64 = 99
    ) -> JoinVerdict {
        JoinVerdict.judge(JoinCodeRow(usedBy: usedBy, expiry: 100, box: box), key: mine, other: other, at: time)
    }
    #expect(judge() == .joins)
    #expect(judge(at: 100) == .refused(.codeExpired))
    #expect(JoinVerdict.judge(nil, key: mine, other: nil, at: 1) == .refused(.codeUsed))
    #expect(judge(usedBy: mine, Fixture.box(1), other: Fixture.box(1), at: 200) == .hasJoined)
    #expect(judge(usedBy: others, Fixture.box(2)) == .refused(.codeUsed))
    #expect(judge(usedBy: others) == .refused(.codeUsed))
    #expect(judge(usedBy: mine, Fixture.box(1, .removed)) == .refused(.codeUsed))
    #expect(judge(Fixture.box(1, .removed)) == .refused(.codeUsed))
    #expect(judge(other: Fixture.box(1, .removed)) == .refused(.removed))
    #expect(judge(other: Fixture.box(1)) == .refused(.alreadyJoined))
}
