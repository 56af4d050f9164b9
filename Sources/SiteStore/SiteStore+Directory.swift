import PostgreSQL
import SiteCore
import SiteTrust

/// Changes that the directory causes. Each is judged again in its own transaction.
extension SiteStore {
    /// The most entries of one transaction, which holds the write lock of the whole site.
    private static let atOnce = 200

    /// Returns a page of active users after that row.
    public func directoryPage(after row: Int64) async throws(SiteStoreError) -> [DirectoryMember] {
        let rows = try await run(DirectoryStatements.page, [.integer(row)])
        do {
            return try rows.map { row in
                DirectoryMember(
                    row: try row.integer(0), name: try row.text(1), wasSeen: try row.boolean(2),
                    groups: try SiteGroups.several(fields: try row.bytes(3)))
            }
        } catch {
            throw .damaged("a user (\(error))")
        }
    }

    /// Records that the directory has these users. Only recorded users can count as having left it.
    public func sawInDirectory(_ rows: [Int64]) async throws(SiteStoreError) {
        try await changeAside { transaction in
            for row in rows { _ = try await transaction.run(DirectoryStatements.saw, [.integer(row)]) }
        }
    }

    public func sawInDirectory(name: String) async throws(SiteStoreError) {
        _ = try await run(DirectoryStatements.sawNamed, [.text(name)])
    }

    /// Gives the user's phones the groups that follow from the user's groups in the directory. Boxes learn them from
    /// the phone's next grant.
    public func move(
        _ row: Int64, memberOf names: [String], _ terms: DirectoryTerms
    ) async throws(SiteStoreError) {
        try await change { transaction, _ in
            guard let found = try await Self.directoryUser(row, transaction) else { return }
            for phone in try await transaction.run(DirectoryStatements.phones, [.integer(row)]).rows {
                let old = try SiteGroups(parsing: try phone.bytes(1))
                guard let new = terms.groups(old, ofMemberOf: names), new != old else { continue }
                _ = try await transaction.run(
                    DirectoryStatements.setGroups, [.integer(try phone.integer(0)), .bytes(new.bytes)])
                try await Self.audit(
                    transaction, .directory, "phone groups", .user(found.id, found.name),
                    "groups \(old.numbers) become \(new.numbers)")
            }
        }
    }

    /// Revokes users who have left. Returns false, and revokes only the accepted ones, if too many have left at once.
    public func takeBack(
        _ leavers: [DirectoryLeaver], _ terms: DirectoryTerms, _ issuing: SiteIssuing
    ) async throws(SiteStoreError) -> Bool {
        try await change { transaction, turn in
            let recent = try await Self.tallied(
                DirectoryStatements.tallyID, in: RecentRevocations.hour, transaction, turn)
            let users = try await transaction.run(DirectoryStatements.users).rows.first?.integer(0) ?? 0
            let counted = leavers.count { !$0.isAccepted }
            // Users who were revoked within the hour count as users as well.
            let allowed = terms.allows(counted, recent: recent, users: Int(users) + recent)
            var number = turn
            var taken = 0
            for leaver in leavers.filter({ allowed || $0.isAccepted }).prefix(Self.atOnce) {
                guard let found = try await Self.directoryUser(leaver.row, transaction),
                    let raised = try await Self.revokeUser(found.id, transaction, number, issuing)
                else { continue }
                number = raised
                taken += leaver.isAccepted ? 0 : 1
                try await Self.audit(
                    transaction, .directory, "user revoke", .user(found.id, found.name), leaver.reason.text)
            }
            try await Self.tally(taken, of: DirectoryStatements.tallyID, transaction, turn)
            return allowed
        }
    }

    private static func directoryUser(
        _ row: Int64, _ transaction: DatabaseTransaction
    ) async throws -> (id: SiteUserID, name: String)? {
        guard let found = try await transaction.run(DirectoryStatements.user, [.integer(row)]).rows.first,
            let id = SiteUserID(bytes: try found.bytes(0))
        else { return nil }
        return (id, try found.text(1))
    }
}

extension SiteStore.Actor {
    /// The actor of changes by the directory, which no person asked for.
    static let directory = SiteStore.Actor("directory")
}
