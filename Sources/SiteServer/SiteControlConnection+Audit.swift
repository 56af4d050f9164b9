import AuditLog
import ControlProtocol
import SiteControl
import SiteCore
import SiteStore

extension SiteControlConnection {
    func listAudit(_ wish: AuditWish) async throws(SiteStoreError) {
        var choice = AuditChoice()
        choice.after = wish.after
        (choice.before, choice.isNewestFirst) = (wish.before, wish.isNewestFirst)
        // Ward administrators only see their own entries, because others may name boxes and phones of other groups.
        choice.administrator = who.role == .ward ? who.id : nil
        choice.limit = max(1, wish.limit)
        choice.since = wish.since ?? 0
        choice.until = wish.until ?? choice.until
        (choice.who, choice.whom, choice.event) = (wish.who, wish.whom, wish.event)
        for (entry, hash) in try await server.store.audit(choice) {
            var listing = AuditEntryListing()
            listing.number = entry.number
            listing.unixSeconds = UInt64(clamping: entry.unixSeconds)
            listing.event = entry.event
            (listing.actor, listing.subject, listing.detail) = (entry.actor, entry.subject, entry.detail)
            (listing.actorName, listing.subjectName) = (entry.actorName, entry.subjectName)
            listing.hash = hash
            await say(.auditEntry(listing))
        }
    }

    func checkAudit() async throws(SiteStoreError) -> String {
        let head = try await server.store.checkAudit(remembered: await server.audit.seen)
        return "the audit table is intact: \(head.number) entries, the newest with the hash \(head.hex)"
    }

    /// Sends a part of the output of `boxsite audit export`. `done` has the number after which to continue, or is empty
    /// after the last part. Nothing is verified here, because the reader of the file does that.
    func exportAudit(after number: UInt64) async throws(SiteStoreError) {
        var choice = AuditChoice()
        choice.after = number
        let part = try await server.store.audit(choice)
        if number == 0 { await say(.auditLines(SiteAuditExport.title)) }
        for (entry, _) in part { await say(.auditLines(SiteAuditExport.lines(entry).joined(separator: "\n"))) }
        if let last = part.last, part.count == choice.limit { return await say(.done(text: "\(last.entry.number)")) }
        var end = part.last
        if end == nil, number > 0 {
            (choice.after, choice.limit) = (number - 1, 1)
            end = try await server.store.audit(choice).first
        }
        let head = end.map { AuditHead(number: $0.entry.number, hash: $0.hash) } ?? .start
        await say(.auditLines(SiteAuditExport.closing(head)))
        await say(.done(text: ""))
    }
}
