import Secrets

/// An entry of the audit log. Its hash covers the entry and the hash of the previous one.
public struct AuditEntry: Equatable, Sendable {
    /// The format of the hashed bytes. The first format has no actor.
    public enum Format: UInt8, Sendable {
        case first = 1
        case withActor = 2
    }

    public let format: Format
    public let number: UInt64
    public let unixSeconds: Int64
    public let event: [UInt8]
    public let user: [UInt8]?
    /// The bytes of a `DeviceID`. A damaged record may have any bytes.
    public let device: [UInt8]?
    public let detail: [UInt8]
    /// Nil only in entries of the first format.
    public let actor: AuditActor?

    /// Makes an entry of the current format, or of the first format if `actor` is nil.
    public init(
        number: UInt64, unixSeconds: Int64, event: [UInt8], user: [UInt8]?, device: [UInt8]?, detail: [UInt8],
        actor: AuditActor?
    ) {
        format = actor == nil ? .first : .withActor
        self.number = number
        self.unixSeconds = unixSeconds
        self.event = event
        self.user = user
        self.device = device
        self.detail = detail
        self.actor = actor
    }

    /// Returns SHA-256 over the format's name, the previous hash, and every field with its length. Two different
    /// entries never hash the same bytes.
    public func hash(after previous: [UInt8]) -> [UInt8] {
        var input = Array((format == .first ? "boxagent/audit/1" : "boxagent/audit/2").utf8) + previous
        input += BigEndian.bytes(number) + BigEndian.bytes(UInt64(bitPattern: unixSeconds))
        input += Self.field(event) + Self.field(user) + Self.field(device) + Self.field(detail)
        if let actor {
            input += [actor.kind.rawValue] + Self.field(actor.name) + Self.field(actor.place)
            input += Self.field(actor.uid.map { BigEndian.bytes(UInt64($0)) })
        }
        return SHA256.hash(input)
    }

    private static func field(_ bytes: [UInt8]?) -> [UInt8] {
        guard let bytes else { return [0] }
        return [1] + BigEndian.bytes(UInt64(bytes.count)) + bytes
    }
}

/// The newest entry. Its hash covers all earlier entries.
public struct AuditHead: Equatable, Sendable {
    public let number: UInt64
    /// SHA-256, 32 bytes.
    public let hash: [UInt8]

    /// The head of an empty log.
    public static let start = AuditHead(number: 0, hash: [UInt8](repeating: 0, count: SHA256.digestBytes))

    /// Makes a head that was read from the journal or an export.
    public init(number: UInt64, hash: [UInt8]) {
        self.number = number
        self.hash = hash
    }

    /// Reads `bytes` back. Returns nil if there are not 40 of them.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.start.bytes.count else { return nil }
        self.init(number: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }, hash: Array(bytes.dropFirst(8)))
    }

    public var hex: String { Hexadecimal.text(hash) }

    /// Returns the head after `entry`, or nil if `entry` is not the next one.
    public func next(_ entry: AuditEntry) -> AuditHead? {
        guard number < .max, entry.number == number + 1 else { return nil }
        return AuditHead(number: entry.number, hash: entry.hash(after: hash))
    }

    /// The number as 8 bytes, big-endian, then the hash.
    public var bytes: [UInt8] { BigEndian.bytes(number) + hash }
}

enum BigEndian {
    static func bytes(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * $0)) }
    }
}

/// Lower-case hexadecimal digits.
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    package static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Returns nil unless `text` encodes `count` bytes in lower-case digits.
    package static func bytes(_ text: [UInt8], count: Int) -> [UInt8]? {
        guard text.count == 2 * count else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = digits.firstIndex(of: text[index]), let low = digits.firstIndex(of: text[index + 1]) else {
                return nil
            }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}
