import AuditLog
import PostgreSQL
import SiteCore
import SiteTrust

/// The entries of the audit table that are wanted.
public struct AuditChoice: Sendable {
    /// Entries after this number.
    public var after: UInt64 = 0
    /// Entries before this number, or nil for no bound.
    public var before: UInt64?
    /// True to return the newest of the chosen entries, in descending order.
    public var isNewestFirst = false
    /// Only acts of the administrator with that row, or nil for everybody's.
    public var administrator: Int64?
    /// The most entries, 1 to 1,000.
    public var limit: UInt64 = 1_000
    /// Seconds since 1970: the first second of the range, and the first second after it.
    public var since: UInt64 = 0
    public var until: UInt64 = UInt64(Int64.max)
    /// A whole ID or name.
    public var who: String?
    public var whom: String?
    public var event: String?

    public init() {}
}

extension SiteStore {
    private static let names = Int64(clamping: SiteAuditEntry.namesKept)

    /// Records an act in the transaction that performs it. `detail` and the subject's ID are permanent. The names are
    /// deleted later.
    static func audit(
        _ transaction: DatabaseTransaction, _ actor: Actor, _ event: String, _ subject: AuditSubject,
        _ detail: String = ""
    ) async throws(DatabaseError) {
        guard let row = try await transaction.run(AuditStatements.takeHead).rows.first else {
            throw .unexpectedType("the audit table has no latest hash")
        }
        let head = AuditHead(number: UInt64(clamping: try row.integer(0)), hash: try row.bytes(1))
        let entry = SiteAuditEntry(
            number: head.number + 1, unixSeconds: try row.integer(2), event: event, actor: actor.id,
            subject: subject.id, detail: cut(detail, SiteAuditEntry.detailBytes), actorName: actor.name,
            subjectName: subject.name.map { cut($0, SiteAuditEntry.nameBytes) })
        guard let next = head.next(entry.chained) else { throw .unexpectedType("the number of an entry") }
        let number = DatabaseValue.integer(Int64(clamping: next.number))
        _ = try await transaction.run(
            AuditStatements.add,
            [
                number, .integer(entry.unixSeconds), .text(event), .text(entry.actor), .text(entry.subject),
                .text(entry.detail), .bytes(next.hash), entry.actorName.map { .text($0) } ?? .null,
                entry.subjectName.map { .text($0) } ?? .null,
            ])
        _ = try await transaction.run(AuditStatements.raiseHead, [number, .bytes(next.hash)])
    }

    /// Records an act that changed no row, or that was refused.
    public func note(_ event: String, by actor: Actor, _ detail: String) async throws(SiteStoreError) {
        try await changeAside { transaction in
            try await Self.audit(transaction, actor, event, .site, detail)
        }
    }

    private static func cut(_ text: String, _ limit: Int) -> String {
        var kept = text[...]
        while kept.utf8.count > limit { kept.removeLast() }
        return String(kept)
    }

    // MARK: - Reading

    /// Returns the chosen entries, each with its hash.
    public func audit(_ choice: AuditChoice) async throws(SiteStoreError) -> [(entry: SiteAuditEntry, hash: [UInt8])] {
        func text(_ text: String?) -> DatabaseValue { text.map { .text($0) } ?? .null }
        let rows = try await run(
            choice.isNewestFirst ? AuditStatements.newest : AuditStatements.chosen,
            [
                .integer(Int64(clamping: choice.after)), .integer(Int64(clamping: choice.since)),
                .integer(Int64(clamping: choice.until)), text(choice.who), text(choice.whom), text(choice.event),
                .integer(Int64(clamping: min(choice.limit, 1_000))),
                text(choice.administrator.map { "administrator \($0)" }),
                choice.before.map { .integer(Int64(clamping: $0)) } ?? .null,
            ])
        return try Self.entries(rows)
    }

    /// Verifies the table from its first entry on, and returns its newest entry. Throws `auditBroken`.
    ///
    /// - Parameter remembered: A head that this server has seen, which the walk must pass.
    public func checkAudit(remembered: AuditHead?) async throws(SiteStoreError) -> AuditHead {
        let newest = try await auditHead()
        switch try await follow(SiteAuditWalk(remembered: remembered), to: newest, andBeyond: true) {
        case .success(let head): return head
        case .failure(let fault): throw .auditBroken("\(fault)")
        }
    }

    /// Walks over the next entries, to `newest` or to the end (`isWhole`). Returns the walk's end or the fault.
    public func follow(
        _ begun: SiteAuditWalk, to newest: AuditHead, andBeyond isWhole: Bool = false
    ) async throws(SiteStoreError) -> Result<AuditHead, SiteAuditWalk.Fault> {
        var walk = begun
        while isWhole || walk.head.number < newest.number {
            let page = try Self.entries(
                try await run(AuditStatements.page, [.integer(Int64(clamping: walk.head.number))]))
            guard !page.isEmpty else { break }
            do throws(SiteAuditWalk.Fault) {
                for (entry, hash) in page where isWhole || walk.head.number < newest.number {
                    try walk.take(entry, hash: hash)
                }
            } catch {
                return .failure(error)
            }
        }
        do throws(SiteAuditWalk.Fault) {
            try walk.finish(newest: newest)
            return .success(walk.head)
        } catch {
            return .failure(error)
        }
    }

    private func auditHead() async throws(SiteStoreError) -> AuditHead {
        do {
            guard let row = try await run(AuditStatements.head, []).first else {
                throw SiteStoreError.auditBroken("its latest hash is missing")
            }
            return AuditHead(number: UInt64(clamping: try row.integer(0)), hash: try row.bytes(1))
        } catch {
            throw SiteStoreError(error)
        }
    }

    /// Deletes a limited number of old names, to stay fast. Returns true if there may be more.
    public func forgetNames() async throws(SiteStoreError) -> Bool {
        do throws(DatabaseError) {
            _ = try await database.run(AuditStatements.forgetOld, [.integer(Self.names)])
            return try await database.run(AuditStatements.forgetNames, [.integer(Self.names)]).affectedRows > 0
        } catch {
            throw .database(error)
        }
    }

    private static func entries(
        _ rows: [DatabaseRow]
    ) throws(SiteStoreError) -> [(entry: SiteAuditEntry, hash: [UInt8])] {
        var entries: [(entry: SiteAuditEntry, hash: [UInt8])] = []
        do throws(DatabaseError) {
            for row in rows {
                let entry = SiteAuditEntry(
                    number: UInt64(clamping: try row.integer(0)), unixSeconds: try row.integer(1),
                    event: try row.text(2), actor: try row.text(3), subject: try row.text(4), detail: try row.text(5),
                    actorName: try row.optionalText(6), subjectName: try row.optionalText(7))
                entries.append((entry, try row.bytes(8)))
            }
        } catch {
            throw .damaged("an entry of the audit table (\(error))")
        }
        return entries
    }
}
