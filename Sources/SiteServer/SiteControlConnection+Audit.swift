import ControlProtocol
import SiteControl
import SiteStore

extension SiteControlConnection {
    func listAudit(_ wish: AuditWish) async throws(SiteStoreError) {
        var choice = AuditChoice()
        choice.after = wish.after
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
        return "the audit table holds together: \(head.number) entries, the newest with the hash \(head.hex)"
    }
}
