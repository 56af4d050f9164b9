import Testing

@testable import EventLoop

@Suite("Places at a listener")
struct ConnectionPlacesTests {
    private static let root: UInt32 = 0
    private static let greeter: UInt32 = 117

    /// 16 places in common, at most 8 for a user, and 16 each for root and for greeters.
    private func places() -> ConnectionPlaces {
        var places = ConnectionPlaces(limit: 16, limitPerUser: 8, keptLimit: 16)
        places.groups = [[Self.root], [Self.greeter]]
        return places
    }

    private func fill(_ places: inout ConnectionPlaces, _ users: [UInt32], each: Int) -> [ConnectionPlaces.ID] {
        users.flatMap { user in
            (0..<each).compactMap { _ in
                if case .admitted(let id, insteadOf: nil) = places.admit(user, givesWay: { _ in false }) {
                    id
                } else {
                    nil
                }
            }
        }
    }

    @Test("Root and greeters come in while others hold every place, idle or not")
    func kept() {
        var places = places()
        #expect(fill(&places, [1000, 1001], each: 8).count == 16)
        #expect(
            places.admit(1002, givesWay: { _ in false })
                == .admitted(ConnectionPlaces.ID(number: 16), insteadOf: .init(number: 0)))
        #expect(fill(&places, [Self.root], each: 17).count == 16)
        #expect(fill(&places, [Self.greeter], each: 17).count == 16)
        #expect(places.count == 48)
    }

    @Test("A user's connection beyond their own number takes the place of their oldest idle one")
    func own() {
        var places = places()
        let mine = fill(&places, [1000], each: 8)
        #expect(places.admit(1000, givesWay: { _ in false }) == .refused)
        guard case .admitted(_, let victim) = places.admit(1000, givesWay: { $0 != mine[0] }) else {
            Issue.record("refused")
            return
        }
        #expect(victim == mine[1])
        #expect(places.count == 8)
    }

    @Test("Who comes takes the place of an idle connection of the user with the most")
    func idle() {
        var places = ConnectionPlaces(limit: 9, limitPerUser: 8, keptLimit: 4)
        let few = fill(&places, [1000], each: 2)
        let many = fill(&places, [1001], each: 7)
        #expect(places.admit(1002, givesWay: { _ in true }) == .admitted(.init(number: 9), insteadOf: many[0]))
        #expect(places.admit(1003, givesWay: { $0 == few[1] }) == .admitted(.init(number: 10), insteadOf: few[1]))
    }

    @Test("Connections with work give way to a user who has fewer, and to nobody else")
    func work() {
        var places = ConnectionPlaces(limit: 4, limitPerUser: 3, keptLimit: 4)
        let many = fill(&places, [1000], each: 3)
        _ = fill(&places, [1001], each: 1)
        #expect(places.admit(1002, givesWay: { _ in false }) == .admitted(.init(number: 4), insteadOf: many[0]))
        // The users now have two places, one and one. A second place for user 1002 would only move the surplus.
        #expect(places.admit(1002, givesWay: { _ in false }) == .refused)
        places.release(many[1])
        #expect(places.admit(1002, givesWay: { _ in false }) == .admitted(.init(number: 5), insteadOf: nil))
    }

    @Test("No number of connections of any users is ever more than the places", arguments: [UInt64(1), 2, 3])
    func bounds(seed: UInt64) {
        var state = seed
        func random(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }
        var places = places()
        var there: Set<ConnectionPlaces.ID> = []
        for _ in 0..<2_000 {
            if random(3) == 0, let gone = there.min() {
                there.remove(gone)
                places.release(gone)
            } else if case .admitted(let id, let victim) = places.admit(
                UInt32(random(40)), givesWay: { $0.number % 3 == 0 })
            {
                if let victim { #expect(there.remove(victim) != nil, "seed \(seed)") }
                there.insert(id)
            }
            #expect(places.count == there.count && there.count <= 48, "seed \(seed)")
        }
    }
}
