import AuditLog
import PostgreSQL
import SiteCore
import SiteTrust

/// How far a server has read the database.
public struct SiteCursor: Sendable, Equatable {
    /// The number of the newest change at the last look.
    var seen: Int64 = 0
    /// The change and the row of the last box that was read.
    var change: Int64 = 0
    var box: Int64 = 0
    /// True if all boxes have been read.
    var isComplete = false
    var generation: UInt64 = 0
    /// The number of the last entry that was read.
    var number: Int64 = 0
    /// The highest number that the database had assigned at the last look.
    var given: Int64 = 0

    public init() {}
}

/// The findings of one look at the database.
public struct SiteLook: Sendable {
    public let news: SiteNews
    /// How far the database is read after this look.
    public let cursor: SiteCursor
    public let site: [UInt8]
    /// The newest entry of the audit table.
    public let audit: AuditHead
    public let hasMore: Bool
}

extension SiteStore {
    /// Entries that expired longer ago than this are not read, in seconds. The clock may have been set back a little.
    private static let expiredFor: UInt64 = 3_600

    /// Reads the changes since `cursor`. Without changes, this takes one small statement. Many boxes or entries come in
    /// pages: while `hasMore` is true, the next call reads on.
    ///
    /// - Parameter ownTime: This server's clock, read when the answer has arrived.
    public func news(
        since cursor: SiteCursor, ownTime: @Sendable () -> UInt64
    ) async throws(SiteStoreError) -> SiteLook {
        do {
            guard let row = try await database.run(SiteStatements.look).rows.first else { throw SiteStoreError.noSite }
            let time = UInt64(clamping: try row.integer(3))
            let own = ownTime()
            let changes = try row.integer(0)
            let given = try row.integer(2)
            let site = try row.bytes(4)
            // An audit table without its head counts as empty.
            let audit = AuditHead(
                number: try row.optionalInteger(5).map { UInt64(clamping: $0) } ?? 0,
                hash: try row.optionalBytes(6) ?? AuditHead.start.hash)
            let standby = standbyRule.judge(standbyNames: try row.text(7))
            let generation = try SiteOrdinal(UInt64(bitPattern: try row.integer(1)))
            var next = cursor
            // Neither number goes back unless a backup was restored. Then everything is read again.
            if changes < cursor.seen || generation.value == cursor.generation && given < cursor.given {
                next = SiteCursor()
            }
            if generation.value != next.generation { (next.generation, next.number) = (generation.value, 0) }
            guard changes != cursor.seen || !cursor.isComplete || next != cursor else {
                let news = SiteNews(
                    time: time, ownTime: own, generation: generation, number: UInt64(clamping: given), standby: standby)
                return SiteLook(news: news, cursor: cursor, site: site, audit: audit, hasMore: false)
            }
            let document = try await newestDocument(since: next.seen)
            let isFromBeginning = next.number == 0
            let (entries, hasMoreEntries) = try await entries(of: &next, at: time)
            let (boxes, hasMoreBoxes) = try await boxes(since: &next)
            let hasMore = hasMoreEntries || hasMoreBoxes
            (next.seen, next.given) = (changes, given)
            next.isComplete = !hasMore
            if !hasMoreBoxes { (next.change, next.box) = (changes, .max) }
            let news = SiteNews(
                time: time, ownTime: own, generation: generation, number: hasMore ? nil : UInt64(clamping: given),
                document: document, entries: entries, hasAllEntries: isFromBeginning && !hasMoreEntries, boxes: boxes,
                standby: standby)
            return SiteLook(news: news, cursor: next, site: site, audit: audit, hasMore: hasMore)
        } catch {
            throw SiteStoreError(error)
        }
    }

    /// Returns the site's ID, its newest document and the database's clock, with which a server begins.
    public func beginning() async throws(SiteStoreError) -> (site: [UInt8], document: ClaimedSiteDocument, time: UInt64)
    {
        do {
            guard let row = try await database.run(SiteStatements.look).rows.first,
                let document = try await newestDocument(since: 0)
            else { throw SiteStoreError.noSite }
            return (try row.bytes(4), document, UInt64(clamping: try row.integer(3)))
        } catch {
            throw SiteStoreError(error)
        }
    }

    private func newestDocument(since change: Int64) async throws -> ClaimedSiteDocument? {
        guard let row = try await database.run(SiteStatements.newestDocument, [.integer(change)]).rows.first else {
            return nil
        }
        return try ClaimedSiteDocument(parsing: try row.bytes(0))
    }

    /// Leaves out entries that expired long ago, because they would take the place of valid ones in a page.
    private func entries(
        of cursor: inout SiteCursor, at time: UInt64
    ) async throws -> (entries: [(number: UInt64, entry: Revocation)], hasMore: Bool) {
        let rows = try await database.run(
            SiteStatements.entriesAbove,
            [
                .integer(Int64(bitPattern: cursor.generation)), .integer(cursor.number),
                .integer(Int64(clamping: time - min(time, Self.expiredFor))),
            ]
        ).rows
        var entries: [(number: UInt64, entry: Revocation)] = []
        for row in rows {
            // Not verified again: only this program writes to the table, and it has verified the entries from boxes.
            entries.append((UInt64(clamping: try row.integer(0)), try Revocation(kept: try row.bytes(1))))
        }
        if let last = entries.last { cursor.number = Int64(clamping: last.number) }
        return (entries, rows.count == 16_384)
    }

    private func boxes(since cursor: inout SiteCursor) async throws -> (boxes: [SiteBox], hasMore: Bool) {
        let rows = try await database.run(
            SiteStatements.boxesChanged, [.integer(cursor.change), .integer(cursor.box)]
        ).rows
        guard let last = rows.last else { return ([], false) }
        (cursor.change, cursor.box) = (try last.integer(6), try last.integer(0))
        return (try rows.map { try SiteBox($0) }, rows.count == 5_000)
    }

    /// Stores verified entries that the site lacks, with numbers above `number` and the site's own. Applies them to the
    /// rows.
    public func store(
        _ entries: [Revocation], above number: UInt64, _ issuing: SiteIssuing
    ) async throws(SiteStoreError) {
        try await change { transaction, turn in
            let lacking = entries.filter { $0.facts.generation == turn.generation }
            // An entry of kind 2 also tells which number the site had reached.
            let numbers = ([number] + lacking.map(Self.numberSeen)).filter { $0 < SiteLimits.number }
            let seen = Int64(clamping: numbers.max() ?? 0)
            var raised = try await Self.goOn(above: seen, transaction, turn)
            var added = 0
            for entry in lacking {
                var next = raised.number
                guard try await Self.add(entry, transaction, turn.generation, above: &next, ofBox: true) else {
                    continue
                }
                raised = raised.at(next)
                added += 1
                try await Self.takeBack(entry.facts, transaction)
            }
            try await Self.audit(
                transaction, .server, "repaired", .site, "\(added) entries that a box had and the database had not")
            // A database that lacked an entry or a number was restored from a backup.
            guard added > 0 || raised.number > turn.number else { return }
            _ = try await Self.revokeAnew(upTo: seen, transaction, raised, issuing)
        }
    }

    private static func numberSeen(_ entry: Revocation) -> UInt64 {
        if case .user(_, let number) = entry.facts.subject { number } else { 0 }
    }
}
