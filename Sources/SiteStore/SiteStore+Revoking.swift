import PostgreSQL
import Secrets
import SiteCore
import SiteTrust

extension SiteStore {
    /// Takes back a phone for good, with the entry that says so to boxes. False: it was revoked already.
    static func revokePhone(
        withKey key: [UInt8], _ transaction: DatabaseTransaction, _ turn: Turn, _ issuing: SiteIssuing
    ) async throws -> Bool {
        guard let phone = try await phone(withKey: key, transaction), phone.state == .active else { return false }
        _ = try await revoke(
            .phone(key: phone.key), lastExpiry: phone.grant.facts.expiry, transaction, turn, issuing)
        return true
    }

    /// Takes back all phones and grants of a user: by one entry, at the site's number. A user who was revoked stays so, without another
    /// entry unless `again`. Whether there is a new entry.
    static func revokeUser(
        _ id: SiteUserID, again: Bool, _ transaction: DatabaseTransaction, _ turn: Turn, _ issuing: SiteIssuing
    ) async throws -> Bool {
        try await revokeUser(id, isAgain: again, transaction, turn, issuing) != nil
    }

    /// The same, for several in one transaction: the turn behind the entry; nil: there is none.
    static func revokeUser(
        _ id: SiteUserID, isAgain again: Bool = false, _ transaction: DatabaseTransaction, _ turn: Turn,
        _ issuing: SiteIssuing
    ) async throws -> Turn? {
        let row = try await transaction.run(AdministratorStatements.userByID, [.bytes(id.bytes)]).rows.first
        guard let user = try row.map({ try SiteUser($0) }), again || user.state == .active else { return nil }
        let last = try await transaction.run(PhoneStatements.lastExpiry, [.bytes(id.bytes)]).rows.first
        let number = try await revoke(
            .user(id, upTo: UInt64(clamping: turn.number)),
            lastExpiry: UInt64(clamping: try last?.integer(0) ?? 0), transaction, turn, issuing)
        return turn.at(number)
    }

    /// Has boxes tell the user's other phones of one that was enrolled at a box; the turn behind the entry.
    static func tell(
        _ notice: EnrolmentNotice, _ transaction: DatabaseTransaction, _ turn: Turn, _ issuing: SiteIssuing
    ) async throws -> Turn {
        turn.at(try await revoke(.enrolment(notice), transaction, turn, issuing))
    }

    /// Signs and adds an entry, and does to the rows what it says; the number behind it.
    private static func revoke(
        _ subject: RevokedSubject, lastExpiry: UInt64 = 0, _ transaction: DatabaseTransaction, _ turn: Turn,
        _ issuing: SiteIssuing
    ) async throws -> Int64 {
        try turn.check(issuing)
        let entry: Revocation
        do throws(SiteError) {
            entry = try issuing.revocation(
                of: subject, at: turn.time, generation: turn.generation, lastExpiry: lastExpiry)
        } catch {
            throw SiteStoreError.signing(error)
        }
        var number = turn.number
        _ = try await add(entry, transaction, turn.generation, above: &number)
        try await takeBack(entry.facts, transaction)
        return number
    }

    /// Does to the rows what an entry says, whoever brought it: it counts for more than what a backup has brought back.
    static func takeBack(_ facts: RevocationFacts, _ transaction: DatabaseTransaction) async throws {
        switch facts.subject {
        case .phone(let key):
            _ = try await transaction.run(PhoneStatements.revokePhone, [.bytes(key)])
            _ = try await transaction.run(HeldStatements.destroy, [.bytes(key)])
        case .user(let userID, let number):
            let end: [DatabaseValue] = [
                .bytes(userID.bytes), .integer(Int64(bitPattern: facts.generation.value)),
                .integer(Int64(clamping: number)),
            ]
            _ = try await transaction.run(
                PhoneStatements.raiseUser, end + [.integer(Int64(clamping: facts.expiry))])
            _ = try await transaction.run(PhoneStatements.revokeGrants, end)
            _ = try await transaction.run(PhoneStatements.revokeUser, [.bytes(userID.bytes)])
            _ = try await transaction.run(HeldStatements.destroyOfUser, [.bytes(userID.bytes)])
        case .box, .enrolment: break
        }
    }

    /// Somebody shows that the site was at `seen` already: the database was restored from a backup. The turn that goes on above.
    static func goOn(above seen: Int64, _ transaction: DatabaseTransaction, _ turn: Turn) async throws -> Turn {
        guard seen > turn.number else { return turn }
        // A head with the number of another one would say something else with the same number.
        let raised = turn.at(seen + 1)
        _ = try await transaction.run(SiteStatements.raiseNumber, [.integer(raised.number)])
        return raised
    }

    /// The database was restored from a backup, and grants up to number `seen` were issued that are not in it. Whoever was revoked since
    /// was so up to a lower number. So users who are revoked are taken back anew, up to there, and of users who are active again the
    /// phones that are not. The turn behind that.
    static func revokeAnew(
        upTo seen: Int64, _ transaction: DatabaseTransaction, _ turn: Turn, _ issuing: SiteIssuing
    ) async throws -> Turn {
        let place: [DatabaseValue] = [
            .integer(Int64(bitPattern: turn.generation.value)), .integer(seen), .integer(Int64(clamping: turn.time)),
        ]
        let users = try await transaction.run(PhoneStatements.revokedBelow, place).rows.compactMap {
            SiteUserID(bytes: try $0.bytes(0))
        }
        let keys = try await transaction.run(PhoneStatements.revokedOfActive, place).rows.map { try $0.bytes(0) }
        let subjects =
            users.map { RevokedSubject.user($0, upTo: UInt64(clamping: seen)) } + keys.map { .phone(key: $0) }
        var raised = turn
        for subject in subjects {
            raised = raised.at(try await revoke(subject, transaction, raised, issuing))
        }
        try await audit(
            transaction, .server, "repaired", .site,
            "the site was at number \(seen) before a backup was restored; \(subjects.count) users and phones are revoked again"
        )
        return raised
    }

    // MARK: - For administrators

    /// Phones in the order in which they were added, page by page; of one user, or all.
    public func phones(after id: Int64, of user: String?) async throws(SiteStoreError) -> [SitePhone] {
        let rows =
            if let user {
                try await run(PhoneStatements.phonesOfUser, [.integer(id), .text(user)])
            } else {
                try await run(PhoneStatements.phonesPage, [.integer(id)])
            }
        var phones: [SitePhone] = []
        for row in rows { phones.append(try SitePhone(row)) }
        return phones
    }

    /// How many users and phones are active; asked by `deadline`, a time since boot.
    public func counts(by deadline: Duration) async throws(SiteStoreError) -> (users: UInt64, phones: UInt64) {
        do throws(DatabaseError) {
            guard let row = try await database.run(PhoneStatements.counts, by: deadline).rows.first else {
                return (0, 0)
            }
            return (UInt64(clamping: try row.integer(0)), UInt64(clamping: try row.integer(1)))
        } catch {
            throw .database(error)
        }
    }

    func run(_ statement: DatabaseStatement, _ values: [DatabaseValue]) async throws(SiteStoreError) -> [DatabaseRow] {
        do throws(DatabaseError) {
            return try await database.run(statement, values).rows
        } catch {
            throw .database(error)
        }
    }
}
