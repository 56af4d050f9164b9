import Secrets

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

    public var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

public enum AuditVerdict: Equatable, Sendable {
    case intact(entries: UInt64)
    /// The chain does not hold at this entry: it or one before it was changed, removed or put in.
    case broken(at: UInt64)
}

/// The audit log: append-only, each entry's hash covers the one before it. Its head also goes to the journal, which
/// is what makes tampering evident: whoever rewrites the whole chain cannot rewrite that.
extension BoxVault {
    public func append(_ event: AuditEvent) throws(VaultError) -> AuditHead {
        let last = try auditHead()
        let entry = AuditEntry(
            number: last.number + 1, unixSeconds: clock.unixSeconds, event: Array(event.kind.rawValue.utf8),
            user: event.user, device: event.device, detail: event.detail, hash: [])
        let hash = Self.hash(entry, after: last.hash)
        try database.run(
            "INSERT INTO audit (number, at, event, user, device, detail, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
            .integer(Int64(entry.number)), .integer(entry.unixSeconds), .blob(entry.event), .optional(entry.user),
            .optional(entry.device?.bytes), .blob(entry.detail), .blob(hash))
        return AuditHead(number: entry.number, hash: hash)
    }

    public func auditHead() throws(VaultError) -> AuditHead {
        try database.rows("SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1", limit: 1) {
            AuditHead(number: UInt64($0.integer(0)), hash: $0.bytes(1))
        }.first ?? AuditHead(number: 0, hash: [UInt8](repeating: 0, count: SHA256.digestBytes))
    }

    /// Entries with a higher number than `after`, oldest first, at most `limit`.
    public func auditEntries(after: UInt64, limit: UInt64) throws(VaultError) -> [AuditEntry] {
        try database.rows(
            "SELECT number, at, event, user, device, detail, hash FROM audit WHERE number > ? ORDER BY number LIMIT ?",
            [.integer(Int64(clamping: after)), .integer(Int64(clamping: limit))]
        ) {
            AuditEntry(
                number: UInt64($0.integer(0)), unixSeconds: $0.integer(1), event: $0.bytes(2),
                user: $0.optionalBytes(3), device: $0.optionalBytes(4).flatMap { DeviceID(bytes: $0) },
                detail: $0.bytes(5), hash: $0.bytes(6))
        }
    }

    public func verifyAudit() throws(VaultError) -> AuditVerdict {
        var previous = [UInt8](repeating: 0, count: SHA256.digestBytes)
        var number: UInt64 = 0
        while true {
            let page = try auditEntries(after: number, limit: 1_000)
            guard !page.isEmpty else { return .intact(entries: number) }
            for entry in page {
                guard entry.number == number + 1, entry.hash == Self.hash(entry, after: previous) else {
                    return .broken(at: number + 1)
                }
                number = entry.number
                previous = entry.hash
            }
        }
    }

    private static func hash(_ entry: AuditEntry, after previous: [UInt8]) -> [UInt8] {
        func number(_ value: UInt64) -> [UInt8] {
            (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * $0)) }
        }
        func field(_ bytes: [UInt8]?) -> [UInt8] {
            guard let bytes else { return [0] }
            return [1] + number(UInt64(bytes.count)) + bytes
        }
        var input = Array("boxagent/audit/1".utf8) + previous
        input += number(entry.number) + number(UInt64(bitPattern: entry.unixSeconds))
        input += field(entry.event) + field(entry.user) + field(entry.device?.bytes) + field(entry.detail)
        return SHA256.hash(input)
    }
}
