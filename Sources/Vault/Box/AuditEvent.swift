/// Something worth remembering. Never a secret, and never an unauthenticated event: those are counted, not stored.
public struct AuditEvent: Equatable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        case deviceEnrolled = "device-enrolled"
        case deviceRevoked = "device-revoked"
        case credentialStored = "credential-stored"
        case credentialWiped = "credential-wiped"
        case credentialStale = "credential-stale"
        case pinWrong = "pin-wrong"
        case pinChanged = "pin-changed"
        case loginCorrect = "login-correct"
        case loginNotCorrect = "login-not-correct"
        case elevationCorrect = "elevation-correct"
        case elevationNotCorrect = "elevation-not-correct"
        case elevationDeclined = "elevation-declined"
        case sessionOpened = "session-opened"
        case sessionClosed = "session-closed"
        case sessionOperation = "session-operation"
        case autoLogoutSet = "auto-logout-set"
    }

    public var kind: Kind
    public var user: [UInt8]?
    public var device: DeviceID?
    /// A few words, at most 255 bytes.
    public var detail: [UInt8]

    public init(kind: Kind, user: [UInt8]?, device: DeviceID?, detail: [UInt8] = []) {
        self.kind = kind
        self.user = user
        self.device = device
        self.detail = Array(detail.prefix(255))
    }
}

/// An entry as it is stored.
public struct AuditEntry: Equatable, Sendable {
    public let number: UInt64
    public let unixSeconds: Int64
    public let event: [UInt8]
    public let user: [UInt8]?
    public let device: DeviceID?
    public let detail: [UInt8]
    let hash: [UInt8]
}

/// The newest entry: its hash fixes all before it.
public struct AuditHead: Equatable, Sendable {
    public let number: UInt64
    /// SHA-256, 32 bytes.
    public let hash: [UInt8]

    /// A head that was read back from the journal.
    public init(number: UInt64, hash: [UInt8]) {
        self.number = number
        self.hash = hash
    }

    public var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

public enum AuditVerdict: Equatable, Sendable {
    case intact(entries: UInt64)
    /// The chain does not hold at this entry: it or one before it was changed, removed or put in, or the log ends
    /// before it and should not.
    case broken(at: UInt64)
}
