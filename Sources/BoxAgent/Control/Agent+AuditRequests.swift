import AgentCore
import AgentProtocol
import AuditLog
import TextOutput
import Vault
import VaultPort

/// Requests about the audit log. Only the administrator's get here.
extension Agent {
    /// Segments in one answer.
    static let segmentLimit = 100

    func auditSegments(after: UInt64, sealing: Bool) async throws(VaultError) -> [ControlReply] {
        if sealing { try await vault.sealAudit() }
        let signer = try await vault.auditSigner()
        let segments = try await vault.auditSegments(after: after, limit: Self.segmentLimit)
        return segments.map { .auditSegment(AuditSegmentListing($0)) } + [
            .auditSigner(authority: signer.authority, box: signer.box), .done(text: []),
        ]
    }

    func pruneAudit(through number: UInt64, for caller: Caller) async throws(VaultError) -> [ControlReply] {
        let count = try await vault.pruneAudit(through: number, by: await actor(of: caller))
        let entries = Plural.text(count, "entry", "entries")
        log.notice("\(entries) of the audit log dropped")
        return [.done(text: Array("\(entries) dropped".utf8))]
    }

    func verifyAudit() async throws(VaultError) -> ControlReply {
        switch try await vault.verifyAudit() {
        case .intact(let count, 1):
            return .done(text: Array("the audit log is whole: \(Plural.text(count, "entry", "entries"))".utf8))
        case .intact(let count, let first):
            let entries = Plural.text(count, "entry", "entries")
            let text = "the audit log is whole: \(entries) from number \(first) on; what was before was dropped"
            return .done(text: Array(text.utf8))
        case .broken(let number):
            return Refusals.failure(
                .fault, "the audit log was changed at or before entry \(number)",
                "compare with the heads in the journal: journalctl -u boxagentd")
        }
    }
}
