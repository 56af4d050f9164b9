import Names
import PostgreSQL
import Secrets
import SiteCore
import SiteTrust

/// A phone that an administrator adds.
public struct PhoneWish: Sendable {
    /// X25519 public key, 32 bytes.
    let key: [UInt8]
    let user: String
    /// Nil keeps the label, or means none for a new phone.
    let label: String?
    let groups: SiteGroups
    /// Where the credential will be stored.
    let mode: GrantCredentialMode

    public init(
        key: [UInt8], user: String, label: String?, groups: SiteGroups, mode: GrantCredentialMode = .phoneHeld
    ) {
        self.mode = mode
        self.key = key
        self.user = user
        self.label = label
        self.groups = groups
    }
}

extension SiteStore {
    /// Adds a phone, and its user if there is none of that name, and issues a grant. A repetition returns another grant
    /// with the present groups, so a client that got no answer can repeat it.
    public func addPhone(
        _ wish: PhoneWish, by actor: Actor, _ terms: GrantTerms
    ) async throws(SiteStoreError) -> ClaimedGrant {
        try await administer(.addPhone, by: actor) { transaction, turn, reach in
            try await Self.add(wish, "phone add", "", within: reach, by: actor, transaction, turn, terms)
        }
    }

    /// Issues another grant for a known phone.
    public func issueGrant(
        _ phone: String, by actor: Actor, _ terms: GrantTerms
    ) async throws(SiteStoreError) -> ClaimedGrant {
        try await administer(.grantPhone, by: actor) { transaction, turn, reach in
            try terms.check(turn.time)
            let found = try await Self.grantable(phone, within: reach, transaction)
            let grant = try await Self.issue(
                found.key, found.owner, found.grant.facts.mode, found.groups, transaction, turn, terms)
            try await Self.keep(grant, of: found, isRenewal: false, transaction, turn)
            try await Self.audit(
                transaction, actor, "phone grant", .phone(terms.issuing.id(of: found.key), of: found.owner.name))
            return grant
        }
    }

    /// Returns the owner of a phone, for an administrator who may issue another grant for it.
    public func owner(ofPhone phone: String, by actor: Actor) async throws(SiteStoreError) -> String {
        try await changeAside { transaction in
            let reach = try await Self.reach(.grantPhone, of: actor, transaction)
            return try await Self.grantable(phone, within: reach, transaction).owner.name
        }
    }

    /// Renews the grant of a phone that a box has admitted. Nothing is written unless a grant is issued.
    public func renew(
        _ wish: RenewalWish, _ issuing: SiteIssuing
    ) async throws(SiteStoreError) -> RenewalAnswer {
        let terms = GrantTerms(issuing, time: wish.time)
        let rows = try await run(PhoneStatements.phoneWithKey, [.bytes(wish.shown.phoneKey)])
        switch RenewalVerdict.judge(try rows.first.map(SitePhone.init), wish, at: wish.time, issuing) {
        case .refused(let why): return .refused(why)
        case .has(let grant): return .issued(grant)
        case .issues: break
        }
        return try await change { transaction, turn in
            try terms.check(turn.time)
            // The phone may have been revoked since the first look.
            let phone = try await Self.phone(withKey: wish.shown.phoneKey, transaction)
            switch (phone, RenewalVerdict.judge(phone, wish, at: turn.time, issuing)) {
            case (_, .refused(let why)): return .refused(why)
            case (_, .has(let grant)): return .issued(grant)
            case (nil, _): return .refused("the site does not know its key")
            case (let phone?, .issues):
                let turn = try await Self.seen(wish.shown, transaction, turn, issuing)
                let grant = try await Self.issue(
                    phone.key, phone.owner, phone.grant.facts.mode, phone.groups, transaction, turn, terms)
                try await Self.keep(grant, of: phone, isRenewal: true, transaction, turn)
                try await Self.audit(
                    transaction, .server, "grant renewed", .phone(issuing.id(of: phone.key), of: phone.owner.name),
                    "at box \(wish.boxID)")
                return .issued(grant)
            }
        }
    }

    // MARK: - Parts of a transaction with the write lock

    /// Adds a phone. The audit table gets `event`, and `origin` unless it is empty.
    static func add(
        _ wish: PhoneWish, _ event: String, _ origin: String, within reach: AdministratorReach, by actor: Actor,
        _ transaction: DatabaseTransaction, _ turn: Turn, _ terms: GrantTerms
    ) async throws -> ClaimedGrant {
        try terms.check(turn.time)
        guard reach.changes(wish.groups) else { throw beyond }
        let old = try await phone(withKey: wish.key, transaction)
        if let old {
            // Otherwise the phone's groups would be replaced, and its owner's name would be revealed.
            guard reach.changes(old.groups) else { throw beyond }
            guard Array(old.owner.name.utf8) == Array(wish.user.utf8) else {
                throw SiteStoreError.phoneOfOther(old.owner.name)
            }
            guard old.state == .active else { throw SiteStoreError.phoneRevoked }
        }
        // A restored backup may lack the phone's row, although boxes have brought its entry back.
        guard try await transaction.run(PhoneStatements.hasPhoneEntry, [.bytes([1] + wish.key)]).rows.isEmpty else {
            throw SiteStoreError.phoneRevoked
        }
        let (owner, user) = try await owner(wish.user, reach, transaction)
        let grant = try await issue(wish.key, user, wish.mode, wish.groups, transaction, turn, terms)
        let values: [DatabaseValue] = [
            .bytes(wish.key), .bytes(SitePhone.deviceID(ofKey: wish.key, at: terms.issuing.site)), .integer(owner),
            .text(wish.label ?? old?.label ?? ""), .bytes(wish.groups.bytes),
        ]
        guard try await !transaction.run(PhoneStatements.putPhone, values + columns(grant, turn)).rows.isEmpty
        else { throw SiteStoreError.phoneRevoked }
        // If the phone stores its credential itself from now on, the site destroys its own copy.
        let held = wish.mode == .siteHeld ? HeldStatements.begin : HeldStatements.destroy
        _ = try await transaction.run(held, [.bytes(wish.key)])
        try await audit(
            transaction, actor, event, .phone(terms.issuing.id(of: wish.key), of: wish.user),
            "groups \(wish.groups.numbers)" + (origin.isEmpty ? "" : ", \(origin)"))
        return grant
    }

    static func phone(withKey key: [UInt8], _ transaction: DatabaseTransaction) async throws -> SitePhone? {
        try await transaction.run(PhoneStatements.phoneWithKey, [.bytes(key)]).rows.first.map(SitePhone.init)
    }

    /// Returns the phone whose ID begins with `text`. A phone beyond `reach` counts as missing. If too many IDs begin so
    /// to look at all of them, the text is ambiguous.
    static func find(
        _ text: String, within reach: AdministratorReach, _ transaction: DatabaseTransaction
    ) async throws -> SitePhone {
        guard let (first, last) = DeviceID.range(beginningWith: Array(text.utf8)) else {
            throw SiteStoreError.noSuchPhone(text)
        }
        let rows = try await transaction.run(PhoneStatements.phonesBetween, [.bytes(first), .bytes(last)]).rows
        let seen = try rows.map { try SitePhone($0) }.filter { reach.sees($0.groups) }
        guard seen.count < 2, rows.count < PhoneStatements.phonesBetweenLimit else {
            throw SiteStoreError.manyPhones(text)
        }
        guard let phone = seen.first else { throw SiteStoreError.noSuchPhone(text) }
        return phone
    }

    /// Returns the phone whose ID begins with `text`, if it may have another grant.
    private static func grantable(
        _ text: String, within reach: AdministratorReach, _ transaction: DatabaseTransaction
    ) async throws -> SitePhone {
        let found = try await find(text, within: reach, transaction)
        guard reach.changes(found.groups) else { throw beyond }
        guard found.state == .active else { throw SiteStoreError.phoneRevoked }
        return found
    }

    /// Returns the user of that name, with the row number. Adds the user, or makes the user active again, if necessary.
    private static func owner(
        _ name: String, _ reach: AdministratorReach, _ transaction: DatabaseTransaction
    ) async throws -> (row: Int64, user: SiteUser) {
        if let row = try await transaction.run(PhoneStatements.userNamed, [.text(name)]).rows.first {
            let (id, user) = (try row.integer(0), try SiteUser(row))
            if user.state == .revoked {
                // A user who was revoked everywhere cannot come back through one ward.
                let groups = try await phoneGroups(of: user.userID, transaction).map(\.groups)
                guard groups.allSatisfy(reach.changes) else { throw beyond }
                _ = try await transaction.run(PhoneStatements.activateUser, [.integer(id)])
            }
            return (id, user)
        }
        guard let userID = SiteUserID(bytes: randomBytes(count: SiteUserID.byteCount)) else {
            throw SiteStoreError.damaged("a user without an id")
        }
        let rows = try await transaction.run(PhoneStatements.addUser, [.bytes(userID.bytes), .text(name)]).rows
        guard let id = try rows.first?.integer(0) else { throw SiteStoreError.damaged("a user without an id") }
        return (id, SiteUser(userID: userID, name: name, state: .active, revokedUpTo: nil))
    }

    /// Signs a grant at the site's number. Every entry raises that number, so the grant is above each entry that
    /// revokes the user's grants (kind 2).
    private static func issue(
        _ key: [UInt8], _ user: SiteUser, _ mode: GrantCredentialMode, _ groups: SiteGroups,
        _ transaction: DatabaseTransaction, _ turn: Turn, _ terms: GrantTerms
    ) async throws -> ClaimedGrant {
        try turn.check(terms.issuing)
        let place = GrantPlace(generation: turn.generation, number: UInt64(clamping: turn.number))
        if let end = user.revokedUpTo, place <= end {
            throw SiteStoreError.damaged("a revocation above the site's number")
        }
        do throws(SiteError) {
            let grant = try terms.issuing.grant(
                key: key, of: user, mode: mode, groups: groups, issuedAt: place, time: turn.time)
            return try ClaimedGrant(parsing: grant.bytes)
        } catch {
            throw SiteStoreError.signing(error)
        }
    }

    /// Raises the site's number above an unassigned number of a grant, which shows that a backup was restored.
    private static func seen(
        _ grant: GrantFacts, _ transaction: DatabaseTransaction, _ turn: Turn, _ issuing: SiteIssuing
    ) async throws -> Turn {
        let number = grant.number < SiteLimits.number ? Int64(clamping: grant.number) : 0
        guard grant.generation == turn.generation, number > turn.number else { return turn }
        let raised = try await goOn(above: number, transaction, turn)
        return try await revokeAnew(upTo: number, transaction, raised, issuing)
    }

    private static func columns(_ grant: ClaimedGrant, _ turn: Turn) -> [DatabaseValue] {
        [
            .bytes(grant.bytes), .integer(Int64(bitPattern: grant.facts.generation.value)),
            .integer(Int64(clamping: grant.facts.number)), .integer(Int64(clamping: turn.time)),
            .integer(Int64(clamping: grant.facts.expiry)),
        ]
    }

    private static func keep(
        _ grant: ClaimedGrant, of phone: SitePhone, isRenewal: Bool, _ transaction: DatabaseTransaction, _ turn: Turn
    ) async throws {
        let values = [.integer(phone.id)] + columns(grant, turn) + [.boolean(isRenewal)]
        guard try await !transaction.run(PhoneStatements.keepGrant, values).rows.isEmpty else {
            throw SiteStoreError.phoneRevoked
        }
    }
}

extension SiteIssuing {
    /// Returns the ID by which administrators and boxes know the phone with that key.
    func id(of key: [UInt8]) -> String { CrockfordBase32.text(SitePhone.deviceID(ofKey: key, at: site)) }
}
