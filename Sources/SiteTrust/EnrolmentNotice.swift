import Secrets

/// That somebody has enrolled a phone of their own at a box: what an entry of the set says that takes nothing back, for the other phones
/// of that user (docs/decisions/043-enrolment-at-a-site.md).
public struct EnrolmentNotice: Sendable, Equatable {
    /// So many bytes of the new phone's device id: its first eight letters.
    public static let deviceBytes = 5
    static let boxIDBytes = 6
    private static let timeBytes = 5

    public let user: SiteUserID
    /// The box at which it was, six ASCII digits.
    public let boxID: [UInt8]
    /// Seconds since 1970.
    public let time: UInt64
    /// The beginning of the device id, 5 bytes.
    public let device: [UInt8]

    /// Throws `invalidField` for a box ID that is none, a time that is none, or another count of bytes.
    public init(user: SiteUserID, boxID: [UInt8], time: UInt64, device: [UInt8]) throws(SiteError) {
        guard boxID.count == Self.boxIDBytes, boxID.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            SiteSeconds.isValid(time), device.count == Self.deviceBytes
        else { throw .invalidField }
        (self.user, self.boxID, self.time, self.device) = (user, boxID, time, device)
    }

    /// Reads the 32 bytes of a subject.
    init(subject: [UInt8]) throws(SiteError) {
        var fields = FieldReader(subject)
        guard let user = SiteUserID(bytes: try fields.take(SiteUserID.byteCount)) else { throw .invalidField }
        let boxID = try fields.take(Self.boxIDBytes)
        let time = UInt64(bigEndian: try fields.take(Self.timeBytes))
        try self.init(user: user, boxID: boxID, time: time, device: try fields.take(fields.rest))
    }

    /// User id (16) ‖ box ID (6) ‖ time (5) ‖ device (5).
    var subject: [UInt8] {
        var seconds: [UInt8] = []
        seconds.append(bigEndian: time)
        return user.bytes + boxID + seconds.suffix(Self.timeBytes) + device
    }
}

extension SiteID {
    private static let deviceContext = [UInt8]("boxlink-site-device-1".utf8)

    /// The device id that boxes of the site know a phone with that key by, 16 bytes.
    public func deviceID(ofPhone key: [UInt8]) -> [UInt8] {
        [UInt8](SHA256.hash(Self.deviceContext + bytes + key).prefix(16))
    }
}
