import AuditLog
import Names

/// Something worth remembering. Never a secret, and never an unauthenticated event: those are counted, not stored.
public struct AuditEvent: Equatable, Sendable {
    public typealias Kind = AuditKind

    public var kind: Kind
    public var user: [UInt8]?
    public var device: DeviceID?
    public var actor: AuditActor
    /// A few words, at most 255 bytes.
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
    /// So many entries, the first of which has this number: what was before was dropped by the administrator.
    case intact(entries: UInt64, first: UInt64)
    /// The chain does not hold at this entry: it or one before it was changed, removed or put in, or the log ends
    /// before it and should not.
    case broken(at: UInt64)
}
