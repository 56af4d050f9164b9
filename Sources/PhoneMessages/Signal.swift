/// The bounds of a signal report.
public enum SignalRules {
    /// The range of a report, in dBm. A signal above 0 dBm is reported as 0.
    public static let dBm = -127...0
}

/// The signals at which a phone counts as near and as far, in dBm as that phone measures them.
public struct SignalThresholds: Equatable, Sendable {
    public var nearDBm: Int
    public var farDBm: Int

    public static let near = -90 ... -30
    public static let far = -100 ... -40
    /// The least difference between near and far, in dB.
    public static let gapDB = 10

    public init(nearDBm: Int, farDBm: Int) {
        self.nearDBm = nearDBm
        self.farDBm = farDBm
    }

    /// True if a box accepts these thresholds.
    public var isAllowed: Bool {
        Self.near.contains(nearDBm) && Self.far.contains(farDBm) && nearDBm - farDBm >= Self.gapDB
    }
}

/// The button that a phone near the box may show. The button acts only when the person taps it.
public enum Offer: UInt8, CaseIterable, Sendable {
    /// There is nothing to offer, or the phone is no longer near: remove the button.
    case none = 0
    case unlock = 1
    case logIn = 2
}
