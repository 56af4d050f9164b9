import PostgreSQL
import SiteCore
import SiteLink
import SiteTrust

/// The result of a request about a credential.
public struct HeldDone: Sendable {
    public let result: HeldResult
    /// To do after the answer: restore the tries, since the PIN was right. If this step is lost, one try stays spent.
    public let settling: HeldSettling?
    /// To do after the answer: check the last try, whose outcome is unknown.
    public let doubt: HeldDoubt?

    init(
        _ outcome: HeldAnswer.Outcome, _ row: HeldRow?, settling: HeldSettling? = nil, doubt: HeldDoubt? = nil,
        hasWiped: Bool = false
    ) {
        result = HeldResult(outcome, grant: row?.grant.facts, hasWiped: hasWiped)
        self.settling = settling
        self.doubt = doubt
    }
}

/// The last try of a PIN, after a connection to the database broke. The try may be stored although its PIN was never
/// compared, or although its PIN was right and should have restored the tries.
public struct HeldDoubt: Sendable {
    let wish: HeldWish
    let spent: SpentTry
}

/// A stored try, with the row before the try and the tries after it.
struct SpentTry: Sendable {
    let row: HeldRow
    let credential: HeldCredential
    let tries: HeldTries
    /// The transaction that wrote the try, from the row's xmin.
    let writer: Int64

    func settling(_ wish: HeldWish) -> HeldSettling {
        HeldSettling(phone: row.phone, counter: Int64(clamping: wish.request.counter), salt: credential.salt)
    }
}

public struct HeldSettling: Sendable {
    let phone: Int64
    let counter: Int64
    let salt: [UInt8]
}

/// Credentials that the site holds. A try is one durable transaction, and the PIN is compared after it.
extension SiteStore {
    /// Thrown to roll back a transaction that wrote nothing, so that nothing has to reach a disk.
    private struct Told: Error {
        let done: HeldDone
    }

    private enum Step: Sendable {
        case over(HeldDone)
        /// The stored credential has no try left.
        case wipes(HeldRow)
        /// The try is stored.
        case spent(SpentTry)
    }

    /// Performs a phone's request. A try that the request costs stays spent, even if an error is thrown.
    public func hold(_ wish: HeldWish, _ holding: SiteHolding) async throws(SiteStoreError) -> HeldDone {
        if case .tries = wish.request.action, let done = try await glance(wish, holding) { return done }
        switch try await begin(wish, holding) {
        case .over(let done): return done
        case .wipes(let row): return try await wipe(wish, row)
        case .spent(let spent):
            let trial = HeldTrial.compare(wish, with: spent.credential, spent.tries, holding)
            return try await end(wish, spent, trial, holding.limit)
        }
    }

    /// Answers a request for the number of tries left. Returns nil if the answer requires a write.
    private func glance(_ wish: HeldWish, _ holding: SiteHolding) async throws(SiteStoreError) -> HeldDone? {
        let rows: [DatabaseRow]
        do throws(DatabaseError) {
            rows = try await tries.run(HeldStatements.look, Self.keys(wish)).rows
        } catch {
            throw .database(error)
        }
        let read = try rows.first.map { row throws(SiteStoreError) in try HeldRow.read(row) }
        guard case .told(let outcome) = HeldVerdict.judge(read?.0, wish, holding.policy, at: read?.now ?? 0) else {
            return nil
        }
        return HeldDone(outcome, read?.0)
    }

    private static func keys(_ wish: HeldWish) -> [DatabaseValue] { [.bytes(wish.phoneKey), .integer(wish.box.id)] }

    private func begin(_ wish: HeldWish, _ holding: SiteHolding) async throws(SiteStoreError) -> Step {
        do {
            return try await tries.transaction(ifUnknown: { try Self.doubted($0, wish) }) { transaction in
                if case .store = wish.request.action { _ = try await transaction.run(HeldStatements.takePlace) }
                let found = try await transaction.run(HeldStatements.take, Self.keys(wish)).rows.first
                if let found { try checkStandby(try found.text(14)) }
                let read = try found.map(HeldRow.read)
                let verdict = HeldVerdict.judge(read?.0, wish, holding.policy, at: read?.now ?? 0)
                guard let row = read?.0 else { throw Told(done: HeldDone(.refused, nil)) }
                switch verdict {
                case .told(let outcome): throw Told(done: HeldDone(outcome, row))
                case .waits(let tries, let outcome):
                    _ = try await Self.spend(tries, row, wish, transaction)
                    return .over(HeldDone(outcome, row))
                case .tries(let tries):
                    guard let credential = row.credential else { throw Told(done: HeldDone(.noCredential, row)) }
                    let writer = try await Self.spend(tries, row, wish, transaction)
                    return .spent(SpentTry(row: row, credential: credential, tries: tries, writer: writer))
                case .stores: return .over(try await Self.store(wish, row, holding, transaction))
                case .wipes: return .wipes(row)
                }
            }
        } catch let told as Told {
            return .over(told.done)
        } catch {
            throw SiteStoreError(error)
        }
    }

    /// Stores a spent try, and returns the transaction that wrote the row.
    private static func spend(
        _ tries: HeldTries, _ row: HeldRow, _ wish: HeldWish, _ transaction: DatabaseTransaction
    ) async throws -> Int64 {
        let values: [DatabaseValue] = [
            .integer(row.phone), .integer(Int64(clamping: wish.request.counter)), .integer(Int64(tries.used)),
            .boolean(tries.isLast), tries.lockedUntil.map { .integer($0) } ?? .null,
            tries.spentAt.map { .integer($0) } ?? .null, .integer(Int64(clamping: row.counter)),
            .integer(Int64(row.tries.used)), .boolean(row.tries.isLast),
        ]
        // If the outcome of a last try is unknown, the try is later found by the transaction that wrote it. So its
        // number must be read before COMMIT. Any other try commits in the same round trip: if it changes no row, there
        // is nothing to commit.
        let result =
            tries.isLast
            ? try await transaction.run(HeldStatements.spend, values)
            : try await transaction.finish(HeldStatements.spend, values)
        return try one(result).integer(0)
    }

    /// Runs a statement that must change one row. Otherwise the transaction is rolled back.
    @discardableResult
    private static func changed(
        _ statement: DatabaseStatement, _ values: [DatabaseValue], _ transaction: DatabaseTransaction
    ) async throws -> DatabaseRow {
        try one(await transaction.run(statement, values))
    }

    private static func one(_ result: DatabaseResult) throws -> DatabaseRow {
        guard let row = result.rows.first, result.rows.count == 1 else { throw DatabaseError.conflict }
        return row
    }

    private static func store(
        _ wish: HeldWish, _ row: HeldRow, _ holding: SiteHolding, _ transaction: DatabaseTransaction
    ) async throws -> HeldDone {
        guard case .store(let pinKey, let credential) = wish.request.action,
            let held = HeldCredential(
                credential.bytes, pinKey: pinKey.bytes, phoneKey: wish.phoneKey, holding.keys)
        else { throw Told(done: HeldDone(.refused, row)) }
        try await put(held, wish, row, over: row.counter, transaction)
        try await audit(transaction, .server, "credential stored", subject(row), place(wish))
        return HeldDone(.done(triesLeft: holding.limit), row)
    }

    private static func put(
        _ held: HeldCredential, _ wish: HeldWish, _ row: HeldRow, over counter: UInt64,
        _ transaction: DatabaseTransaction
    ) async throws {
        let values: [DatabaseValue] = [
            .integer(row.phone), .integer(Int64(clamping: wish.request.counter)), .bytes(held.salt),
            .bytes(held.wrappedKey), .bytes(held.content), .integer(Int64(clamping: counter)),
            row.credential.map { .bytes($0.salt) } ?? .null,
        ]
        try await changed(HeldStatements.put, values, transaction)
    }

    private func wipe(_ wish: HeldWish, _ row: HeldRow) async throws(SiteStoreError) -> HeldDone {
        guard let salt = row.credential?.salt else { return HeldDone(.wiped, row) }
        return try await inPlace { transaction in
            let values: [DatabaseValue] = [
                .integer(row.phone), .bytes(salt), .integer(Int64(clamping: wish.request.counter)),
            ]
            // Another request may have wiped the credential meanwhile.
            let hasWiped = try await !transaction.run(HeldStatements.wipe, values).rows.isEmpty
            if hasWiped {
                try await Self.audit(
                    transaction, .server, "credential wiped", Self.subject(row), Self.place(wish))
            }
            return HeldDone(.wiped, row, hasWiped: hasWiped)
        }
    }

    private func inPlace(
        _ body: @Sendable (DatabaseTransaction) async throws -> HeldDone
    ) async throws(SiteStoreError) -> HeldDone {
        do {
            return try await changeAside(in: tries) { transaction in
                _ = try await transaction.run(HeldStatements.takePlace)
                return try await body(transaction)
            }
        } catch {
            throw SiteStoreError(error)
        }
    }

    private static func subject(_ row: HeldRow) -> AuditSubject {
        .user(row.grant.facts.userID, String(decoding: row.grant.facts.user, as: UTF8.self))
    }

    private static func place(_ wish: HeldWish) -> String { "at box \(wish.box.id)" }

    private func end(
        _ wish: HeldWish, _ spent: SpentTry, _ trial: HeldTrial, _ limit: UInt8
    ) async throws(SiteStoreError) -> HeldDone {
        let row = spent.row
        switch trial {
        case .wrong(let left): return HeldDone(.pinWrong(triesLeft: left), row)
        case .right(let secret):
            let outcome = HeldAnswer.Outcome.opened(OpenedCredential(secret), triesLeft: limit)
            let settling = spent.settling(wish)
            // After the last try, the next request destroys the credential. So the tries are restored before the
            // answer.
            guard spent.tries.isLast else { return HeldDone(outcome, row, settling: settling) }
            do throws(SiteStoreError) {
                try await settle(settling)
                return HeldDone(outcome, row)
            } catch {
                return HeldDone(.notNow, row, doubt: HeldDoubt(wish: wish, spent: spent))
            }
        case .changed(let changed):
            return try await inPlace { transaction in
                try await Self.put(changed, wish, row, over: wish.request.counter, transaction)
                try await Self.audit(transaction, .server, "PIN changed", Self.subject(row), Self.place(wish))
                return HeldDone(.done(triesLeft: limit), row)
            }
        case .exhausted: return try await wipe(wish, row)
        }
    }

    /// Restores all tries after a right PIN, unless another try was spent since.
    public func settle(_ settling: HeldSettling) async throws(SiteStoreError) {
        do throws(DatabaseError) {
            _ = try await tries.run(
                HeldStatements.settle,
                [.integer(settling.phone), .integer(settling.counter), .bytes(settling.salt)])
        } catch {
            throw .database(error)
        }
    }

    // MARK: - The last try, after a broken connection

    /// Turns an unknown outcome of a last try into a doubt, because the PIN may have been right. Any other try throws.
    private static func doubted(_ step: Step, _ wish: HeldWish) throws -> Step {
        guard case .spent(let spent) = step, spent.tries.isLast else { throw DatabaseError.outcomeUnknown }
        return .over(HeldDone(.notNow, spent.row, doubt: HeldDoubt(wish: wish, spent: spent)))
    }

    /// Once a last try is known to be durable, compares its PIN, and restores the tries if the PIN was right. May be
    /// repeated after a failure. Returns false if the try was not stored, or if a later change replaced it.
    public func clear(_ doubt: HeldDoubt, _ holding: SiteHolding) async throws(SiteStoreError) -> Bool {
        let (wish, spent) = (doubt.wish, doubt.spent)
        let isKept: Bool
        do {
            // Locking a row writes to the log, so the end of this transaction waits for the disk and the standby. The
            // try's own transaction precedes this one in that log. A standby that took over may reuse the number of a
            // transaction, so everything that the try wrote is compared.
            isKept = try await tries.transaction { transaction in
                guard let found = try await transaction.run(HeldStatements.take, Self.keys(wish)).rows.first else {
                    return false
                }
                try checkStandby(try found.text(14))
                let row = try HeldRow.read(found).0
                return try found.integer(16) == spent.writer && row.counter == wish.request.counter
                    && row.tries == spent.tries
            }
        } catch {
            throw SiteStoreError(error)
        }
        guard isKept else { return false }
        switch HeldTrial.compare(wish, with: spent.credential, spent.tries, holding) {
        // The phone was told that nothing was done, so its PIN stays.
        case .right, .changed: try await settle(spent.settling(wish))
        // The next request destroys the credential.
        case .wrong, .exhausted: break
        }
        return true
    }

    // MARK: - The site's key

    /// Returns the root's statement about the site's key, which was verified before it was stored. Nil if none exists.
    public func siteKey() async throws(SiteStoreError) -> ClaimedSiteKeyStatement? {
        let rows: [DatabaseRow]
        do throws(DatabaseError) {
            rows = try await database.run(HeldStatements.newestKey).rows
        } catch {
            throw .database(error)
        }
        do {
            return try rows.first.map { try ClaimedSiteKeyStatement(parsing: try $0.bytes(0)) }
        } catch {
            throw .damaged("a statement of the site's key (\(error))")
        }
    }

    public func add(_ statement: SiteKeyStatement, by actor: Actor) async throws(SiteStoreError) {
        try await change { transaction, _ in try await Self.add(statement, by: actor, transaction) }
    }

    static func add(
        _ statement: SiteKeyStatement, by actor: Actor, _ transaction: DatabaseTransaction
    ) async throws {
        _ = try await transaction.run(
            HeldStatements.addKey,
            [.integer(Int64(bitPattern: statement.number.value)), .bytes(statement.bytes)])
        try await audit(
            transaction, actor, "site key", .site, "number \(statement.number.root).\(statement.number.count)")
    }
}
