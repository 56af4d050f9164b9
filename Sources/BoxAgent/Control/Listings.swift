import ControlProtocol
import AuditLog
import Names
import Vault
import VaultPort

extension DeviceListing {
    init(_ record: DeviceRecord, _ credential: CredentialState?, _ numbers: UserNumbers, connected: Bool) {
        self.init(
            id: Array(record.id.description.utf8), user: record.user, label: record.label,
            credential: record.mode, isWeb: record.isWeb, isOfSite: record.isOfSite,
            uid: numbers.uid.map { UInt64(clamping: $0) }, otherUID: numbers.other.map { UInt64(clamping: $0) },
            state: record.state == .active ? .active : .revoked,
            enrolledUnixSeconds: UInt64(clamping: record.enrolledAt),
            lastUsedUnixSeconds: record.lastUsedAt.map { UInt64(clamping: $0) }, connected: connected,
            pinAttemptsLeft: credential.map { UInt64($0.attemptsLeft) }, credentialStale: credential?.stale ?? false)
    }
}

extension AuditListing {
    init(_ entry: AuditEntry) {
        self.init(
            number: entry.number, unixSeconds: UInt64(clamping: entry.unixSeconds), event: entry.event,
            user: entry.user, device: entry.device.map { Array(CrockfordBase32.text($0).utf8) }, detail: entry.detail,
            actor: entry.actor.map { ActorListing($0) })
    }
}

extension ActorListing {
    init(_ actor: AuditActor) {
        let kind: Kind =
            switch actor.kind {
            case .agent: .agent
            case .phone: .phone
            case .person: .person
            case .program: .program
            }
        self.init(kind: kind, name: actor.name, place: actor.place, uid: actor.uid.map { UInt64($0) })
    }
}

extension AuditSegmentListing {
    init(_ segment: AuditSegment) {
        self.init(
            number: segment.number, firstEntry: segment.firstEntry, lastEntry: segment.lastEntry,
            fromUnixSeconds: UInt64(clamping: segment.fromSeconds), toUnixSeconds: UInt64(clamping: segment.toSeconds),
            previous: segment.previous.hash, head: segment.head.hash, signature: segment.signature)
    }
}
