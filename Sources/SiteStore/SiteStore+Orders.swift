import PostgreSQL
import Secrets
import SiteCore
import SiteTrust

/// An administrator's order, by the names that people use.
public enum OrderWish: Sendable {
    case removeBox(name: String)
    /// The start of the phone's ID.
    case revokePhone(String)
    case revokeUser(name: String, again: Bool)
    case addAdministrator(AdministratorTerms)
    /// Nil leaves a value as it is, but only a ward keeps groups. An empty account removes the account.
    case changeAdministrator(
        name: String, role: Administrator.Role?, groups: SiteGroups?, account: String?)
    case removeAdministrator(name: String)
}

/// The outcome of an order.
public enum OrderOutcome: Sendable, Equatable {
    case done(String)
    /// The order waits for a second administrator.
    case proposed(SiteProposal)
}

extension SiteStore {
    /// Performs an order, or proposes it to a second administrator, as the policy decides. A repetition of a waiting
    /// order returns the same proposal, so a client that got no answer can repeat it.
    public func order(
        _ wish: OrderWish, reason: String, by actor: Actor, _ issuing: SiteIssuing
    ) async throws(SiteStoreError) -> OrderOutcome {
        try await change { transaction, turn in
            guard let petitioner = actor.petitioner else { throw SiteStoreError.notAllowed("no administrator named") }
            let who = try await Self.administrator(petitioner, transaction)
            let found = try await Self.find(wish, reason, for: who, transaction, issuing)
            let recent = try await Self.recent(of: who, with: found.weight, transaction, turn)
            let hasSecond = try await Self.hasSecond(for: found.act, beside: who, transaction)
            switch AdministratorPolicy.judge(
                who, found.act, about: found.subject, recent: recent, hasSecond: hasSecond)
            {
            case .refused(let why): throw SiteStoreError.notAllowed(why)
            case .needsSecond:
                return .proposed(try await Self.propose(found, of: who, actor, transaction, turn))
            case .allowed:
                try await Self.tally(found.weight, of: who.id, transaction, turn)
                let hasChanged = try await Self.perform(found.order, transaction, turn, issuing)
                if hasChanged {
                    try await Self.audit(
                        transaction, actor, found.order.event, found.about, found.order.detail)
                }
                return .done(found.order.report(hasChanged: hasChanged))
            }
        }
    }

    /// An order and its subject, found in the transaction that judges it.
    struct FoundOrder: Sendable {
        let order: SiteOrder
        let act: AdministrativeAct
        let subject: AdministrativeSubject
        /// The number of phones and boxes that the order revokes.
        let weight: Int
        /// The subject for the audit table.
        let about: AuditSubject
    }

    // MARK: - Finding the subject

    private static func find(
        _ wish: OrderWish, _ reason: String, for who: Administrator, _ transaction: DatabaseTransaction,
        _ issuing: SiteIssuing
    ) async throws -> FoundOrder {
        func order(_ target: SiteOrder.Target, _ name: String) async throws -> FoundOrder {
            try await found(SiteOrder(target, name: name, reason: reason), transaction, issuing)
        }
        switch wish {
        case .removeBox(let name):
            let box = try await boxToRemove(name, for: who, transaction)
            return try await order(
                .removeBox(box.id), "box \(box.name), number \(String(decoding: box.number, as: UTF8.self))")
        case .revokePhone(let text):
            let reach = AdministratorPolicy.reach(of: who, .revokePhone) ?? .everywhere
            let phone = try await find(text, within: reach, transaction)
            return try await order(
                .revokePhone(phone.key), "phone \(issuing.id(of: phone.key)) of \(phone.owner.name)")
        case .revokeUser(let name, let again):
            let user = try await userToRevoke(name, for: who, transaction)
            return try await order(.revokeUser(user.userID, again: again), "user \(user.name)")
        case .addAdministrator(let terms):
            return try await order(.addAdministrator(terms), "administrator \(terms.name)")
        case .changeAdministrator(let name, let role, let groups, let account):
            let old = try await active(name, transaction)
            let role = role ?? old.role
            let terms = AdministratorTerms(
                name: name, role: role, groups: role == .ward ? groups ?? old.terms.groups : groups,
                account: account.map { $0.isEmpty ? nil : $0 } ?? old.terms.account)
            return try await order(.changeAdministrator(old.id, terms), "administrator \(name)")
        case .removeAdministrator(let name):
            return try await order(
                .removeAdministrator(try await active(name, transaction).id), "administrator \(name)")
        }
    }

    private static func boxToRemove(
        _ name: String, for who: Administrator, _ transaction: DatabaseTransaction
    ) async throws -> SiteBox {
        let row = try await transaction.run(SiteStatements.boxNamed, [.text(name)]).rows.first
        let reach = AdministratorPolicy.reach(of: who, .removeBox) ?? .everywhere
        // An invisible box counts as missing, so that guessed names reveal nothing.
        guard let box = try row.map({ try SiteBox($0) }), reach.sees(box.groups) else {
            throw SiteStoreError.noSuchBox(name)
        }
        return box
    }

    private static func userToRevoke(
        _ name: String, for who: Administrator, _ transaction: DatabaseTransaction
    ) async throws -> SiteUser {
        let row = try await transaction.run(PhoneStatements.userNamed, [.text(name)]).rows.first
        guard let user = try row.map({ try SiteUser($0) }) else { throw SiteStoreError.noSuchUser(name) }
        let reach = AdministratorPolicy.reach(of: who, .revokeUser) ?? .everywhere
        let groups = try await phoneGroups(of: user.userID, transaction).map(\.groups)
        guard reach == .everywhere || groups.contains(where: reach.sees) else { throw SiteStoreError.noSuchUser(name) }
        return user
    }

    private static func active(_ name: String, _ transaction: DatabaseTransaction) async throws -> Administrator {
        let row = try await transaction.run(AdministratorStatements.named, [.text(name)]).rows.first
        guard let row else { throw SiteStoreError.noSuchAdministrator(name) }
        return try Administrator(row)
    }

    /// Returns an order with its present subject. The order may have waited for a second administrator.
    static func found(
        _ order: SiteOrder, _ transaction: DatabaseTransaction, _ issuing: SiteIssuing
    ) async throws -> FoundOrder {
        func thing(_ act: AdministrativeAct, _ groups: [SiteGroups], _ weight: Int, _ about: AuditSubject) -> FoundOrder
        {
            FoundOrder(order: order, act: act, subject: .things(groups), weight: weight, about: about)
        }
        func person(_ roles: [Administrator.Role], _ about: AuditSubject) -> FoundOrder {
            let act: AdministrativeAct = roles.contains(.rootKeeper) ? .changeRootKeepers : .changeAdministrators
            return FoundOrder(order: order, act: act, subject: .site, weight: 0, about: about)
        }
        switch order.target {
        case .removeBox(let id):
            let box = try await find(.id(id), transaction)
            return thing(.removeBox, [box.groups], box.state == .removed ? 0 : 1, .box(box.id, box.name))
        case .revokePhone(let key):
            guard let phone = try await phone(withKey: key, transaction) else {
                throw SiteStoreError.noSuchPhone(order.name)
            }
            let about = AuditSubject.phone(issuing.id(of: key), of: phone.owner.name)
            return thing(.revokePhone, [phone.groups], phone.state == .active ? 1 : 0, about)
        case .revokeUser(let id, let again):
            let row = try await transaction.run(AdministratorStatements.userByID, [.bytes(id.bytes)]).rows.first
            guard let user = try row.map({ try SiteUser($0) }) else { throw SiteStoreError.noSuchUser(order.name) }
            let phones = try await phoneGroups(of: id, transaction)
            let active = phones.count { $0.isActive }
            return thing(
                .revokeUser, phones.map(\.groups), user.state == .active || again ? max(1, active) : 0,
                .user(id, user.name))
        case .addAdministrator(let terms): return person([terms.role], .named(terms.name))
        case .changeAdministrator(let id, let terms):
            let old = try await anyone(id, order.name, transaction)
            return person([terms.role, old.role], .administrator(id, old.name))
        case .removeAdministrator(let id):
            let old = try await anyone(id, order.name, transaction)
            return person([old.role], .administrator(id, old.name))
        }
    }

    /// Returns an administrator, even a removed one.
    private static func anyone(
        _ id: Int64, _ name: String, _ transaction: DatabaseTransaction
    ) async throws -> Administrator {
        guard let found = try await administrator(id: id, transaction) else {
            throw SiteStoreError.noSuchAdministrator(name)
        }
        return found
    }

    static func phoneGroups(
        of user: SiteUserID, _ transaction: DatabaseTransaction
    ) async throws -> [(groups: SiteGroups, isActive: Bool)] {
        try await transaction.run(AdministratorStatements.groupsOfUser, [.bytes(user.bytes)]).rows.map {
            (try SiteGroups(parsing: try $0.bytes(0)), try $0.boolean(1))
        }
    }

    // MARK: - Performing an order

    /// Performs an order. Returns false if there was nothing to change.
    static func perform(
        _ order: SiteOrder, _ transaction: DatabaseTransaction, _ turn: Turn, _ issuing: SiteIssuing
    ) async throws -> Bool {
        switch order.target {
        case .removeBox(let id): try await remove(try await find(.id(id), transaction), transaction, turn, issuing)
        case .revokePhone(let key): try await revokePhone(withKey: key, transaction, turn, issuing)
        case .revokeUser(let id, let again): try await revokeUser(id, again: again, transaction, turn, issuing)
        case .addAdministrator(let terms): try await put(terms, at: nil, transaction)
        case .changeAdministrator(let id, let terms): try await put(terms, at: id, transaction)
        case .removeAdministrator(let id):
            try await !transaction.run(AdministratorStatements.remove, [.integer(id)]).rows.isEmpty
        }
    }

    private static func put(
        _ terms: AdministratorTerms, at id: Int64?, _ transaction: DatabaseTransaction
    ) async throws -> Bool {
        if let fault = terms.fault { throw SiteStoreError.taken(fault) }
        for (statement, value) in [
            (AdministratorStatements.named, terms.name), (AdministratorStatements.withAccount, terms.account ?? ""),
        ] {
            guard let row = try await transaction.run(statement, [.text(value)]).rows.first else { continue }
            let other = try Administrator(row)
            guard other.id == id else {
                throw SiteStoreError.taken(
                    "administrator \(other.name) already has this name or account; change or remove that one first")
            }
        }
        guard let id else {
            return try await !transaction.run(AdministratorStatements.add, terms.columns).rows.isEmpty
        }
        let rows = try await transaction.run(AdministratorStatements.change, [.integer(id)] + terms.columns).rows
        guard !rows.isEmpty else { throw SiteStoreError.noSuchAdministrator(terms.name) }
        return true
    }

    // MARK: - Limits

    /// - Parameter weight: The number of phones and boxes that the order revokes.
    private static func recent(
        of who: Administrator, with weight: Int, _ transaction: DatabaseTransaction, _ turn: Turn
    ) async throws -> RecentRevocations {
        _ = try await transaction.run(
            AdministratorStatements.forgetTallies, [.integer(RecentRevocations.day.start(endingAt: turn.time))])
        let inHour = try await tallied(who.id, in: RecentRevocations.hour, transaction, turn)
        let inDay = try await tallied(who.id, in: RecentRevocations.day, transaction, turn)
        return RecentRevocations(inHour: inHour + weight, inDay: inDay + weight)
    }

    /// Returns the sum of an administrator's tallies, or of the directory's, in a window.
    static func tallied(
        _ id: Int64, in window: RecentRevocations.Window, _ transaction: DatabaseTransaction, _ turn: Turn
    ) async throws -> Int {
        let since = DatabaseValue.integer(window.start(endingAt: turn.time))
        let row = try await transaction.run(AdministratorStatements.recent, [.integer(id), since]).rows.first
        return Int(try row?.integer(0) ?? 0)
    }

    /// Counts revocations of an administrator, or of the directory.
    static func tally(
        _ weight: Int, of id: Int64, _ transaction: DatabaseTransaction, _ turn: Turn
    ) async throws {
        guard weight > 0 else { return }
        _ = try await transaction.run(
            AdministratorStatements.tally,
            [.integer(id), .integer(Int64(clamping: turn.time)), .integer(Int64(weight))])
    }

    /// Returns whether a second administrator exists. Root always counts as one, unless root asks.
    private static func hasSecond(
        for act: AdministrativeAct, beside who: Administrator, _ transaction: DatabaseTransaction
    ) async throws -> Bool {
        guard who.isRoot else { return true }
        let keepersOnly = act == .changeRootKeepers
        let row = try await transaction.run(AdministratorStatements.seconds, [.boolean(keepersOnly)]).rows.first
        return try row?.integer(0) ?? 0 > 0
    }
}
