import Secrets
import TestSupport
import Testing

@testable import SiteTrust

@Suite("The set of revocations")
struct RevocationSetTests {
    private typealias Fixture = SiteFixture

    private func set(_ entries: some Sequence<Revocation>, limit: Int = RevocationSet.entryLimit) throws
        -> RevocationSet
    {
        var set = RevocationSet(limit: limit)
        for entry in entries { _ = try set.insert(entry) }
        return set
    }

    private func entries(_ count: Int) throws -> [Revocation] {
        try (0..<count).map { index in
            let fill = UInt8(index * 7 % 256)
            let subject: RevokedSubject =
                switch index % 3 {
                case 0: .phone(key: [UInt8](repeating: fill, count: 32))
                case 1: .user(Fixture.userID([UInt8](repeating: fill, count: 16)), upTo: UInt64(index))
                default: .box(key: [UInt8](repeating: fill, count: 32))
                }
            return try Fixture.revocation(subject, expiry: Fixture.start + UInt64(index))
        }
    }

    @Test("A union does not depend on order, grouping or repetition, and neither does its hash", arguments: seeds)
    func union(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        print("seed \(seed)")
        let all = try entries(24)
        let document = try Fixture.document().facts
        for _ in 0..<20 {
            let parts = try (0..<3).map { _ in
                try set(all.filter { _ in Bool.random(using: &random) }.shuffled(using: &random))
            }
            func union(_ parts: RevocationSet...) throws -> RevocationSet {
                var union = RevocationSet()
                for part in parts { try union.formUnion(part) }
                return union
            }
            let (one, two, three) = (parts[0], parts[1], parts[2])
            let whole = try union(one, two, three)
            #expect(try union(two, one) == union(one, two))
            #expect(try union(union(one, two), three) == union(one, union(two, three)))
            #expect(try union(one, one) == one && union(whole, two) == whole)
            #expect(try union(three, two, one).hash(at: 0, document: document) == whole.hash(at: 0, document: document))
            #expect(try union(one, set(two.subtracting(one))) == union(one, two))
            #expect(whole.entries.allSatisfy { whole.contains($0) } && one.subtracting(whole).isEmpty)
            for (low, high) in zip(whole.entries, whole.entries.dropFirst()) {
                #expect(low.content.lexicographicallyPrecedes(high.content))
            }
        }
    }

    @Test("Every entry changes the hash, and no two sets have one")
    func hashes() throws {
        let all = try entries(12)
        let document = try Fixture.document().facts
        var hashes: Set<[UInt8]> = []
        for end in 0...all.count { hashes.insert(try set(all[..<end]).hash(at: 0, document: document)) }
        #expect(hashes.count == all.count + 1)
    }

    @Test(
        "The hash counts what has not expired at its time and what a listed issuer signed; forgetting the rest keeps it"
    )
    func hashAtTime() throws {
        let all = try entries(12)
        let document = try Fixture.document().facts
        let time = Fixture.start + 5
        var whole = try set(all)
        let live = try set(all.filter { $0.facts.expiry > time })
        #expect(live.entries.count == 6)
        #expect(whole.hash(at: time, document: document) == live.hash(at: 0, document: document))
        whole.prune(at: time)
        #expect(whole == live && whole.hash(at: time, document: document) == live.hash(at: time, document: document))
        // The hash leaves out entries by an issuer that the document does not list, or lists for another role.
        _ = try whole.insert(Fixture.revocation(.phone(key: Fixture.phone), by: .stranger))
        _ = try whole.insert(Fixture.revocation(.phone(key: Fixture.phone), by: .phones))
        #expect(whole.hash(at: time, document: document) == live.hash(at: time, document: document))
        #expect(whole.entry(covering: try Fixture.grantFacts()) != nil, "and yet it takes back")
    }

    @Test("Two signatures over one content are one entry")
    func signatures() throws {
        let entry = try Fixture.revocation(.phone(key: Fixture.phone))
        let other = try Revocation(kept: entry.content + [UInt8](repeating: 7, count: 64))
        var set = try set([entry])
        #expect(try set.insert(other) == false && set.entries == [entry])
        #expect(try self.set([other]) == set)
    }

    @Test("A set holds no more than its bound, and says so; one that is full is as it was")
    func bound() throws {
        let all = try entries(9)
        var full = try set(all.prefix(8), limit: 8)
        let before = full
        #expect(throws: SiteError.setFull) { try full.insert(all[8]) }
        #expect(throws: SiteError.setFull) { try full.formUnion(try set([all[8], all[0]])) }
        #expect(full == before)
        #expect(try full.insert(all[0]) == false, "what is there needs no place")
        var least = RevocationSet(limit: 0)
        #expect(try least.insert(all[0]) == true)
        #expect(throws: SiteError.setFull) { try least.insert(all[1]) }
    }

    @Test("A phone's entry takes back all of its grants, a user's those up to its number, a box's the box")
    func covers() throws {
        let set = try set([
            Fixture.revocation(.phone(key: Fixture.x25519(31))), Fixture.revocation(.user(Fixture.user, upTo: 41)),
            Fixture.revocation(.user(Fixture.user, upTo: 7)), Fixture.revocation(.box(key: Fixture.box)),
        ])
        let (first, second) = (Fixture.ordinal(1, 1), Fixture.ordinal(1, 2))
        let other = Fixture.userID([UInt8](repeating: 5, count: 16))
        #expect(
            set.entry(covering: try Fixture.grantFacts(phone: Fixture.x25519(31), userID: other, number: .max)) != nil)
        #expect(set.entry(covering: try Fixture.grantFacts(number: 41)) != nil)
        #expect(set.entry(covering: try Fixture.grantFacts(number: 8)) != nil)
        #expect(set.entry(covering: try Fixture.grantFacts(number: 42)) == nil)
        #expect(set.entry(covering: try Fixture.grantFacts(userID: other)) == nil)
        #expect(set.entry(covering: try Fixture.grantFacts(phone: Fixture.box, number: 42)) == nil)
        #expect(set.entry(coveringBox: Fixture.box) != nil && set.entry(coveringBox: Fixture.x25519(31)) == nil)
        // A number has a meaning only within its generation.
        let later = try Fixture.revocation(.user(Fixture.user, upTo: 3), generation: second).facts
        #expect(later.covers(try Fixture.grantFacts(generation: first, number: .max)))
        #expect(later.covers(try Fixture.grantFacts(generation: second, number: 3)))
        #expect(!later.covers(try Fixture.grantFacts(generation: second, number: 4)))
        #expect(!later.covers(try Fixture.grantFacts(generation: Fixture.ordinal(2, 1), number: 1)))
        #expect(try !Fixture.revocation(.box(key: Fixture.phone)).facts.covers(Fixture.grantFacts()))
    }
}
