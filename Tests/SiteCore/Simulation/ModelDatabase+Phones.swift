import SiteTrust

@testable import SiteCore

/// The users and phones of `SiteStore`, with the same rules but without SQL.
extension ModelDatabase {
    struct Refused: Error {}

    static func userID(_ user: Int) -> SiteUserID {
        guard let id = SiteUserID(bytes: [UInt8](repeating: UInt8(user), count: 16)) else {
            preconditionFailure("16 bytes")
        }
        return id
    }

    private var place: GrantPlace {
        GrantPlace(generation: ServerFixture.ordinal(state.generation), number: state.number)
    }

    /// Adds a phone of `user`, or issues another grant for the phone.
    func addPhone(_ phone: Int, of user: Int, at time: UInt64) throws {
        try change()
        let key = ServerFixture.key(10_000 + phone)
        guard state.phones[key].map({ $0.state == .active }) ?? true,
            !state.entries.contains(where: { $0.entry.facts.subject == .phone(key: key) })
        else { throw Refused() }
        let old = state.users[user]
        let owner = SiteUser(
            userID: Self.userID(user), name: "user\(user)", state: .active, revokedUpTo: old?.owner.revokedUpTo)
        state.users[user] = (owner, old?.until ?? 0)
        try issue(key, owner, at: time)
    }

    private func issue(_ key: [UInt8], _ owner: SiteUser, at time: UInt64) throws {
        let grant = try ServerFixture.issuing.grant(
            key: key, of: owner, groups: ServerFixture.groups(), issuedAt: place, time: time)
        let claimed = try ClaimedGrant(parsing: grant.bytes)
        state.phones[key] = SitePhone(
            id: 1, key: key, owner: owner, label: "", groups: ServerFixture.groups(), state: .active, grant: claimed,
            times: .init(added: time, issued: time, renewed: nil))
        issued.append(claimed)
    }

    func renew(_ wish: RenewalWish, at time: UInt64) throws -> RenewalAnswer {
        guard isReachable else { throw Lost() }
        let user = state.users.first { $0.value.owner.userID == wish.shown.userID }?.value.owner
        let row = state.phones[wish.shown.phoneKey].map { phone in
            SitePhone(
                id: 1, key: phone.key, owner: user ?? phone.owner, label: "", groups: phone.groups, state: phone.state,
                grant: phone.grant, times: phone.times)
        }
        switch RenewalVerdict.judge(row, wish, at: time, ServerFixture.issuing) {
        case .refused(let why): return .refused(why)
        case .has(let grant): return .issued(grant)
        case .issues:
            guard let row else { throw Refused() }
            try change()
            if wish.shown.generation.count == state.generation, wish.shown.number > state.number {
                state.number = wish.shown.number + 1
                try revokeAnew(upTo: wish.shown.number, at: time)
            }
            try issue(row.key, row.owner, at: time)
            return .issued(state.phones[row.key]?.grant ?? row.grant)
        }
    }

    func revokePhone(_ key: [UInt8], at time: UInt64) throws -> Revocation? {
        guard state.phones[key]?.state == .active else { return nil }
        try change()
        return try revoke(.phone(key: key), at: time)
    }

    func revokeUser(_ user: Int, at time: UInt64) throws -> Revocation? {
        guard let owner = state.users[user]?.owner, owner.state == .active else { return nil }
        try change()
        return try revoke(.user(owner.userID, upTo: state.number), at: time)
    }

    private func revoke(_ subject: RevokedSubject, at time: UInt64) throws -> Revocation {
        let entry = try ServerFixture.issuing.revocation(
            of: subject, at: time, generation: ServerFixture.ordinal(state.generation))
        _ = insert(entry)
        takeBack(entry.facts)
        return entry
    }

    func takeBack(_ facts: RevocationFacts) {
        switch facts.subject {
        case .phone(let key): if let phone = state.phones[key] { state.phones[key] = phone.with(.revoked) }
        case .user(let userID, let number):
            guard let (user, row) = state.users.first(where: { $0.value.owner.userID == userID }) else { return }
            let end = GrantPlace(generation: facts.generation, number: number)
            let upTo = max(end, row.owner.revokedUpTo ?? end)
            for (key, phone) in state.phones where phone.owner.userID == userID {
                if GrantPlace(of: phone.grant.facts) <= end { state.phones[key] = phone.with(.revoked) }
            }
            let isOut = !state.phones.values.contains { $0.owner.userID == userID && $0.state == .active }
            state.users[user] = (
                SiteUser(
                    userID: userID, name: row.owner.name, state: isOut ? .revoked : .active, revokedUpTo: upTo),
                max(row.until, facts.expiry)
            )
        case .box, .enrolment: break
        }
    }

    /// The users of entries that a restored backup does not know, each with the highest number of its entries.
    private var unknownUsers: [(id: SiteUserID, number: UInt64)] {
        var users: [(id: SiteUserID, number: UInt64)] = []
        for case .user(let id, let number) in state.entries.map(\.entry.facts.subject) {
            guard !state.users.values.contains(where: { $0.owner.userID == id }) else { continue }
            let before = users.firstIndex { $0.id == id }.map { users.remove(at: $0).number } ?? 0
            users.append((id, max(before, number)))
        }
        return users
    }

    func revokeAnew(upTo seen: UInt64, at time: UInt64) throws {
        let end = GrantPlace(generation: ServerFixture.ordinal(state.generation), number: seen)
        for (_, row) in state.users.sorted(by: { $0.key < $1.key }) where row.owner.state == .revoked {
            guard row.until > time, let upTo = row.owner.revokedUpTo, upTo.generation == end.generation, upTo < end
            else { continue }
            _ = try revoke(.user(row.owner.userID, upTo: seen), at: time)
        }
        for user in unknownUsers where user.number < seen { _ = try revoke(.user(user.id, upTo: seen), at: time) }
        for row in state.users.values.sorted(by: { $0.owner.name < $1.owner.name }) where row.owner.state == .active {
            guard row.until > time, let upTo = row.owner.revokedUpTo, upTo.generation == end.generation, upTo < end
            else { continue }
            for key in state.phones.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                guard let phone = state.phones[key], phone.state == .revoked,
                    phone.owner.userID == row.owner.userID,
                    !state.entries.contains(where: { $0.entry.facts.subject == .phone(key: key) })
                else { continue }
                _ = try revoke(.phone(key: key), at: time)
            }
        }
    }
}

extension SitePhone {
    fileprivate func with(_ state: State) -> SitePhone {
        SitePhone(
            id: id, key: key, owner: owner, label: label, groups: groups, state: state, grant: grant, times: times)
    }
}
