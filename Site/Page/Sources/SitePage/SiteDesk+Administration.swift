import PageCore
import SiteControl

extension SiteDesk {
    /// Most administrators in one list.
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

    /// Returns a part of the audit table's export, and the number after which the next part begins, or nil.
    func auditExport(
        after number: UInt64, as administrator: String
    ) async throws(DeskFailure) -> (text: String, next: UInt64?) {
        // Two more replies, for the first and the last line.
        let limit = Int(SiteControlLimits.auditPage) + 2
        let answer = try await ask(.exportAudit(after: number), as: administrator, limit: limit)
        let lines = answer.replies.map { if case .auditLines(let lines) = $0 { lines + "\n" } else { "" } }
        return (lines.joined(), UInt64(answer.text))
    }
}
