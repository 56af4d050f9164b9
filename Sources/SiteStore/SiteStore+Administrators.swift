import PostgreSQL
import SiteCore
import SiteTrust

extension SiteStore {
    /// Returns the administrator who asks. Root is known without the database, and can thus ask a server why the
    /// database does not answer.
    public func administrator(_ petitioner: Petitioner) async throws(SiteStoreError) -> Administrator {
        guard let (statement, value) = Self.search(petitioner) else { return try Self.unfound(petitioner) }
        guard let row = try await run(statement, [value]).first else { return try Self.unfound(petitioner) }
        return try Administrator(row)
    }

    /// The same in a transaction with the write lock, so that no role changes before its end.
    static func administrator(
        _ petitioner: Petitioner, _ transaction: DatabaseTransaction
    ) async throws -> Administrator {
        guard let (statement, value) = search(petitioner),
            let row = try await transaction.run(statement, [value]).rows.first
        else { return try unfound(petitioner) }
        return try Administrator(row)
    }

    /// Returns an administrator by row number, even a removed one.
    static func administrator(id: Int64, _ transaction: DatabaseTransaction) async throws -> Administrator? {
        guard id != Administrator.root.id else { return .root }
        return try await transaction.run(AdministratorStatements.byID, [.integer(id)]).rows.first.map {
            try Administrator($0)
        }
    }

    private static func search(_ petitioner: Petitioner) -> (DatabaseStatement, DatabaseValue)? {
        switch petitioner {
        case .root, .account(nil, _): nil
        case .account(let name?, _): (AdministratorStatements.withAccount, .text(name))
        case .page(let name): (AdministratorStatements.named, .text(name))
        }
    }

    private static func unfound(_ petitioner: Petitioner) throws(SiteStoreError) -> Administrator {
        switch petitioner {
        case .root: return .root
        case .account(let name, let uid):
            throw .notAllowed(
                "\(name ?? "uid \(uid)") is not an administrator of this site; root can add one: "
                    + "boxsite admin add NAME --role ROLE --account \(name ?? "ACCOUNT")")
        case .page(let name): throw .notAllowed("there is no administrator \(name) at this site")
        }
    }

    /// Returns a page of active administrators, in the order in which they were added.
    public func administrators(after id: Int64) async throws(SiteStoreError) -> [Administrator] {
        var found: [Administrator] = []
        for row in try await run(AdministratorStatements.page, [.integer(id)]) { found.append(try Administrator(row)) }
        return found
    }

    /// Performs a change for an administrator. The change's own transaction checks the person and the role, so an
    /// administrator whose removal was committed before is refused.
    func administer<Value: Sendable>(
        _ act: AdministrativeAct, by actor: Actor,
        _ body: @Sendable (DatabaseTransaction, Turn, AdministratorReach) async throws -> Value
    ) async throws(SiteStoreError) -> Value {
        try await change { transaction, turn in
            let reach = try await Self.reach(act, of: actor, transaction)
            return try await body(transaction, turn, reach)
        }
    }

    static func reach(
        _ act: AdministrativeAct, of actor: Actor, _ transaction: DatabaseTransaction
    ) async throws -> AdministratorReach {
        guard let petitioner = actor.petitioner else { throw SiteStoreError.notAllowed("no administrator named") }
        let who = try await administrator(petitioner, transaction)
        if let refusal = AdministratorPolicy.refusal(of: who, act) { throw SiteStoreError.notAllowed(refusal) }
        guard let reach = AdministratorPolicy.reach(of: who, act) else { throw SiteStoreError.notAllowed(act.words) }
        return reach
    }

    static let beyond = SiteStoreError.notAllowed("this goes beyond your groups; ask an administrator")
}
