import AuditLog
import Names

/// An event for the audit log. It never contains a secret. Unauthenticated events are counted, not stored.
public struct AuditEvent: Equatable, Sendable {
    public typealias Kind = AuditKind

    public var kind: Kind
    public var user: [UInt8]?
    public var device: DeviceID?
    public var actor: AuditActor
    /// A short text, at most 255 bytes.
    public var detail: [UInt8]

    public init(kind: Kind, user: [UInt8]?, device: DeviceID?, actor: AuditActor, detail: [UInt8] = []) {
        self.kind = kind
        self.user = user
        self.device = device
        self.actor = actor
        self.detail = Array(detail.prefix(255))
    }
}

public enum AuditVerdict: Equatable, Sendable {
    /// The number of entries, and the number of the first one. If that is not 1, the administrator dropped earlier
    /// entries.
    case intact(entries: UInt64, first: UInt64)
    /// The chain breaks at this entry: it or an earlier one was changed, removed or inserted, or the log ends too
    /// early.
    case broken(at: UInt64)
}
