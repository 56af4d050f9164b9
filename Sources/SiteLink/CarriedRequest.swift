import Secrets
import SecureChannel
import SiteTrust

/// A request that a phone has sealed for its site. The carrying box can neither read nor change the request.
public struct CarriedRequest: Sendable, Equatable {
    /// Length of a channel's hash, in bytes.
    public static let channelBytes = HandshakeSizes.hash

    /// The box's number for the request; the answer repeats the number.
    public let number: UInt32
    /// The handshake hash of the phone's channel, as the box states it.
    public let channel: [UInt8]
    public let sealed: [UInt8]

    /// Returns nil if a length is not valid.
    public init?(number: UInt32, channel: [UInt8], sealed: [UInt8]) {
        guard channel.count == Self.channelBytes, Self.isSealed(sealed) else { return nil }
        self.number = number
        self.channel = channel
        self.sealed = sealed
    }

    /// Returns whether a sealed request may have this length.
    public static func isSealed(_ bytes: [UInt8]) -> Bool {
        HeldRequest.isLength(bytes.count, sealedBy: OneWayMessage<XChaChaPoly>.overheadBytes)
    }

    init(reading fields: inout FieldReader) throws(SiteLinkError) {
        do throws(SiteError) {
            let number = UInt32(truncatingIfNeeded: UInt64(bigEndian: try fields.take(4)))
            let channel = try fields.take(Self.channelBytes)
            guard let carried = CarriedRequest(number: number, channel: channel, sealed: try fields.take(fields.rest))
            else { throw SiteError.wrongLength }
            self = carried
        } catch {
            throw .protocolViolation
        }
    }

    var bytes: [UInt8] { number.bigEndianBytes + channel + sealed }
}

extension UInt32 {
    /// 4 bytes, big-endian.
    var bigEndianBytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> UInt32(24 - 8 * $0)) } }
}
