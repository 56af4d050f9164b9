import Secrets

/// A notice to a user's other phones that the user has enrolled a phone at a box. The notice is an entry of the
/// revocation set, but revokes nothing (docs/decisions/043-enrolment-at-a-site.md).
public struct EnrolmentNotice: Sendable, Equatable {
    /// The number of bytes of the new phone's device id in a notice: they encode the id's first eight letters.
    public static let deviceBytes = 5
    static let boxIDBytes = 6
    private static let timeBytes = 5

    public let user: SiteUserID
    /// The ID of the box where the phone was enrolled, six ASCII digits.
    public let boxID: [UInt8]
    /// Seconds since 1970.
    public let time: UInt64
    /// The beginning of the device id, 5 bytes.
    public let device: [UInt8]

    /// Throws `invalidField` for an invalid box ID or time, or if `device` does not have 5 bytes.
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

    /// Returns the device id under which boxes of the site know the phone with that key, 16 bytes.
    public func deviceID(ofPhone key: [UInt8]) -> [UInt8] {
        [UInt8](SHA256.hash(Self.deviceContext + bytes + key).prefix(16))
    }
}
