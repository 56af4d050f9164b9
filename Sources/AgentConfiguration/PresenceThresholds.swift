/// The signal strengths at which a phone counts as near and as far, in dBm as that phone measures them.
///
/// Phones, cases and boxes differ by some 10 dB, so `boxphone calibrate` measures thresholds for each phone.
public struct PresenceThresholds: Equatable, Sendable {
    /// At or above this value, the phone is near.
    public let nearDBm: Int
    /// Below this value, the phone is far.
    public let farDBm: Int

    public static let nearBounds = -90 ... -30
    public static let farBounds = -100 ... -40
    /// How far the signal must pass a threshold in the other direction to reverse a decision.
    public static let hysteresisDB = 5
    /// The smallest distance from far to near, so that the two bands with their hysteresis do not overlap.
    public static let gapDB = 2 * hysteresisDB

    public static let standard = PresenceThresholds(known: -60, -80)

    /// Returns nil unless both are within their bounds and near is at least `gapDB` above far.
    public init?(nearDBm: Int, farDBm: Int) {
        guard Self.nearBounds.contains(nearDBm), Self.farBounds.contains(farDBm), nearDBm - farDBm >= Self.gapDB
        else { return nil }
        self.init(known: nearDBm, farDBm)
    }

    private init(known nearDBm: Int, _ farDBm: Int) {
        self.nearDBm = nearDBm
        self.farDBm = farDBm
    }

    /// Below this value, a near phone is no longer near.
    public var notNearDBm: Int { nearDBm - Self.hysteresisDB }
    /// At or above this value, a phone that was far counts as back.
    public var backDBm: Int { farDBm + Self.hysteresisDB }
}
