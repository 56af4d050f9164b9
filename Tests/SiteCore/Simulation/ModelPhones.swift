import SiteLink
import SiteTrust

@testable import SiteCore

/// An administrator who adds and revokes phones, and phones that visit boxes. Checks that revocations hold.
final class ModelPhones {
    private unowned let world: SiteWorld
    private var lastPhone = 0
    /// The acknowledged revocations, each with the number of grants issued before.
    private var revoked: [(issued: Int, entry: Revocation)] = []
    /// For each restored backup: the number of grants, and the newest number that each box had heard.
    private var restored: [(issued: Int, heads: [Int64: GrantPlace])] = []

    init(_ world: SiteWorld) {
        self.world = world
    }

    /// Acts at random, and returns the revocations that were committed.
    func act() throws -> [Revocation] {
        guard world.database.isReachable else { return [] }
        var entries: [Revocation] = []
        for _ in 0..<Int.random(in: 0...4, using: &world.random) {
            switch Int.random(in: 0..<8, using: &world.random) {
            case 0, 1, 2: try add()
            case 3, 4:
                if let key = world.database.state.phones.keys.sorted(by: { $0.lexicographicallyPrecedes($1) })
                    .randomElement(using: &world.random),
                    let entry = try world.database.revokePhone(key, at: world.time)
                {
                    entries.append(entry)
                    revoked.append((world.database.issued.count, entry))
                }
            case 5:
                let user = Int.random(in: 1...4, using: &world.random)
                if let entry = try world.database.revokeUser(user, at: world.time) {
                    entries.append(entry)
                    revoked.append((world.database.issued.count, entry))
                }
            default: renew()
            }
        }
        return entries
    }

    private func add() throws {
        let isNew = lastPhone == 0 || Bool.random(using: &world.random)
        if isNew { lastPhone += 1 }
        let phone = isNew ? lastPhone : Int.random(in: 1...lastPhone, using: &world.random)
        do {
            try world.database.addPhone(phone, of: 1 + phone % 4, at: world.time)
        } catch is ModelDatabase.Refused {
            // The phone's key was revoked.
        }
    }

    /// Has a phone visit a box, with any grant that was ever issued.
    private func renew() {
        guard let box = world.honest.randomElement(using: &world.random), let link = box.link,
            let grant = world.database.issued.randomElement(using: &world.random)
        else { return }
        link.toSite.append(.renew(grant))
    }

    /// Records the state before a backup is restored.
    func remember() {
        var heads: [Int64: GrantPlace] = [:]
        for box in world.honest {
            if let head = box.site.head?.facts {
                heads[box.id] = GrantPlace(generation: head.generation, number: head.number)
            }
        }
        restored.append((world.database.issued.count, heads))
    }

    /// Checks that the box refuses each grant that is older than a revocation of the grant's phone or user. The rule
    /// must hold after any restore, if the entry survives and a box had heard the grant's number.
    func settled(at box: HonestBox) {
        let state = world.database.state
        for (count, entry) in revoked where entry.facts.generation.count == state.generation {
            guard state.entries.contains(where: { $0.entry == entry }) else { continue }
            for (index, grant) in world.database.issued.prefix(count).enumerated() {
                let facts = grant.facts
                let isMeant =
                    switch entry.facts.subject {
                    case .phone(let key): key == facts.phoneKey
                    case .user(let userID, _): userID == facts.userID
                    case .box, .enrolment: false
                    }
                guard isMeant, hasWitness(index, GrantPlace(of: facts)), !isLost(facts) else { continue }
                world.check(
                    box.site.revocations.entry(covering: facts) != nil,
                    "box \(box.id) lets in a phone with a grant of number \(facts.number) that was revoked since")
            }
        }
    }

    /// Returns true if a restored backup lacks the phone, but the phone's user is active again.
    private func isLost(_ facts: GrantFacts) -> Bool {
        let state = world.database.state
        let owner = state.users.values.first { $0.owner.userID == facts.userID }?.owner
        return state.phones[facts.phoneKey] == nil && owner?.state == .active
    }

    private func hasWitness(_ index: Int, _ place: GrantPlace) -> Bool {
        restored.allSatisfy { restoration in
            index >= restoration.issued
                || world.honest.contains { !$0.isOut && (restoration.heads[$0.id].map { place <= $0 } ?? false) }
        }
    }
}
