import SiteTrust

/// Identifies one phone whose messages a box carries on one link. The box counts from 1 and never reuses a number.
public struct CarryNumber: RawRepresentable, Hashable, Sendable, Comparable {
    public let rawValue: UInt32

    /// Returns nil for 0.
    public init?(rawValue: UInt32) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    init(reading fields: inout FieldReader) throws(SiteLinkError) {
        let bytes: [UInt8]
        do throws(SiteError) { bytes = try fields.take(Self.byteCount) } catch { throw .protocolViolation }
        guard let number = CarryNumber(rawValue: bytes.reduce(0) { $0 << 8 | UInt32($1) }) else {
            throw .protocolViolation
        }
        self = number
    }

    static let byteCount = 4

    /// Big-endian.
    var bytes: [UInt8] { stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: rawValue >> $0) } }

    public static func < (left: CarryNumber, right: CarryNumber) -> Bool { left.rawValue < right.rawValue }
}

/// A message between a phone and its site, which the box carries and cannot read. Layout: number (4) ‖ message.
public struct CarriedMessage: Sendable, Equatable {
    /// Allowed lengths of the message, in bytes. The longest site document fits in when sealed.
    public static let byteCounts = 1...896

    public let carry: CarryNumber
    public let message: [UInt8]

    /// Returns nil if the message's length is not allowed.
    public init?(carry: CarryNumber, message: [UInt8]) {
        guard Self.byteCounts.contains(message.count) else { return nil }
        self.carry = carry
        self.message = message
    }

    init(reading fields: inout FieldReader) throws(SiteLinkError) {
        let carry = try CarryNumber(reading: &fields)
        let message: [UInt8]
        do throws(SiteError) { message = try fields.take(fields.rest) } catch { throw .protocolViolation }
        guard let read = CarriedMessage(carry: carry, message: message) else { throw .protocolViolation }
        self = read
    }

    var bytes: [UInt8] { carry.bytes + message }
}
