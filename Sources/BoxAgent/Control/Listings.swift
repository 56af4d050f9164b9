import AgentProtocol
import Vault

extension DeviceListing {
    init(_ record: DeviceRecord, _ credential: CredentialState?, connected: Bool) {
        self.init(
            id: Array(record.id.description.utf8), user: record.user, label: record.label,
            boxHeld: record.mode == .boxHeld, state: record.state == .active ? .active : .revoked,
            enrolledUnixSeconds: UInt64(clamping: record.enrolledAt),
            lastUsedUnixSeconds: record.lastUsedAt.map { UInt64(clamping: $0) }, connected: connected,
            pinAttemptsLeft: credential.map { UInt64($0.attemptsLeft) }, credentialStale: credential?.stale ?? false)
    }
}

extension AuditListing {
    init(_ entry: AuditEntry) {
        self.init(
            number: entry.number, unixSeconds: UInt64(clamping: entry.unixSeconds), event: entry.event,
            user: entry.user, device: entry.device.map { Array($0.description.utf8) }, detail: entry.detail)
    }
}
