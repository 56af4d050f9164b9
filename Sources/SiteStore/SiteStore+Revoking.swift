import PostgreSQL
import Secrets
import SiteCore
import SiteTrust

extension SiteStore {
    /// Revokes a phone for good, and adds the entry that tells boxes. Returns false if it was already revoked.
    static func revokePhone(
        withKey key: [UInt8], _ transaction: DatabaseTransaction, _ turn: Turn, _ issuing: SiteIssuing
    ) async throws -> Bool {
        guard let phone = try await phone(withKey: key, transaction), phone.state == .active else { return false }
        _ = try await revoke(
            .phone(key: phone.key), lastExpiry: phone.grant.facts.expiry, transaction, turn, issuing)
        return true
    }

    /// Revokes all phones and grants of a user, by one entry at the site's number. A revoked user gets no further entry
    /// unless `again`. Returns whether there is a new entry.
    static func revokeUser(
        _ id: SiteUserID, again: Bool, _ transaction: DatabaseTransaction, _ turn: Turn, _ issuing: SiteIssuing
    ) async throws -> Bool {
        try await revokeUser(id, isAgain: again, transaction, turn, issuing) != nil
    }

    /// The same, for several users in one transaction: returns the turn after the entry, or nil without a new entry.
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

    /// Adds the entry by which boxes tell a user's other phones of a self-enrolment. Returns the turn after the entry.
    static func tell(
        _ notice: EnrolmentNotice, _ transaction: DatabaseTransaction, _ turn: Turn, _ issuing: SiteIssuing
    ) async throws -> Turn {
        turn.at(try await revoke(.enrolment(notice), transaction, turn, issuing))
    }

    /// Signs and adds an entry, and applies it to the rows. Returns the site's number after the entry.
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

    /// Applies an entry from any source to the rows. The entry outweighs rows that a restored backup has reset.
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

    /// Raises the site's number above `seen` if `seen` is above it, which shows a restored backup. Returns the turn
    /// with the new number.
    static func goOn(above seen: Int64, _ transaction: DatabaseTransaction, _ turn: Turn) async throws -> Turn {
        guard seen > turn.number else { return turn }
        // The number `seen` is not used again, because another status with it would have other contents.
        let raised = turn.at(seen + 1)
        _ = try await transaction.run(SiteStatements.raiseNumber, [.integer(raised.number)])
        return raised
    }

    /// Revokes again after a restore from a backup that lacks grants up to number `seen`. Entries in the database only
    /// cover lower numbers. Revoked users are revoked up to `seen`, also those whom the backup lacks. For users who are
    /// active again, each revoked phone is revoked by an entry of its own. Returns the turn after these entries.
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

    /// Returns a page of phones, of one user or of all, in the order in which they were added.
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

    /// Returns the numbers of active users and phones. `deadline` is a time since boot.
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
