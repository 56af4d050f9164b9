/// From which signal on a phone counts as near, and under which as far, in dBm as that phone measures it.
///
/// Phones, cases and boxes differ by some 10 dB: each phone has its own, measured by `boxphone calibrate`.
public struct PresenceThresholds: Equatable, Sendable {
    /// At and above it the phone is near. Also what a phone may set it to.
    public let nearDBm: Int
    /// Under it the phone is far.
    public let farDBm: Int

    public static let nearBounds = -90 ... -30
    public static let farBounds = -100 ... -40
    /// What has to be crossed by how much more to take a decision back.
    public static let hysteresisDB = 5
    /// Far and near may not meet, hysteresis included.
    public static let gapDB = 2 * hysteresisDB

    public static let standard = PresenceThresholds(known: -60, -80)

    /// Nil unless both are within their bounds and near is at least `gapDB` above far.
    public init?(nearDBm: Int, farDBm: Int) {
        guard Self.nearBounds.contains(nearDBm), Self.farBounds.contains(farDBm), nearDBm - farDBm >= Self.gapDB
        else { return nil }
        self.init(known: nearDBm, farDBm)
    }

    private init(known nearDBm: Int, _ farDBm: Int) {
        self.nearDBm = nearDBm
        self.farDBm = farDBm
    }

    /// Where a near phone stops being near.
    public var notNearDBm: Int { nearDBm - Self.hysteresisDB }
    /// From where a phone that was far is back.
    public var backDBm: Int { farDBm + Self.hysteresisDB }
}
