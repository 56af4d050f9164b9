import PageCore
import SiteControl

extension SiteDesk {
    /// Administrators of one list.
    private static let administratorsListed = 10_000

    func administrators(as administrator: String) async throws(DeskFailure) -> [AdministratorListing] {
        try await ask(.administrators, as: administrator, limit: Self.administratorsListed).replies.compactMap {
            if case .administrator(let it) = $0 { it } else { nil }
        }
    }

    func audit(_ wish: AuditWish, as administrator: String) async throws(DeskFailure) -> [AuditEntryListing] {
        try await ask(.audit(wish), as: administrator, limit: Int(clamping: wish.limit)).replies.compactMap {
            if case .auditEntry(let entry) = $0 { entry } else { nil }
        }
    }

    /// A part of an export of the audit table, and behind which number the next one begins; nil: this was the last.
    func auditExport(
        after number: UInt64, as administrator: String
    ) async throws(DeskFailure) -> (text: String, next: UInt64?) {
        // The first line and the last one, too.
        let limit = Int(SiteControlLimits.auditPage) + 2
        let answer = try await ask(.exportAudit(after: number), as: administrator, limit: limit)
        let lines = answer.replies.map { if case .auditLines(let lines) = $0 { lines + "\n" } else { "" } }
        return (lines.joined(), UInt64(answer.text))
    }
}
