/// How strongly a phone hears the box, as it travels: in dBm below zero.
public enum SignalRules {
    /// What a report can say; a stronger signal than 0 dBm is reported as 0.
    public static let dBm = -127...0
}

/// From which signal on a phone counts as near, and under which as far, in dBm as that phone measures it.
public struct SignalThresholds: Equatable, Sendable {
    public var nearDBm: Int
    public var farDBm: Int

    public static let near = -90 ... -30
    public static let far = -100 ... -40
    /// Near is at least so much above far, in dB.
    public static let gapDB = 10

    public init(nearDBm: Int, farDBm: Int) {
        self.nearDBm = nearDBm
        self.farDBm = farDBm
    }

    /// Whether a box takes them.
    public var isAllowed: Bool {
        Self.near.contains(nearDBm) && Self.far.contains(farDBm) && nearDBm - farDBm >= Self.gapDB
    }
}

/// What a phone near the box may show a button for. It acts only when somebody taps it.
public enum Offer: UInt8, CaseIterable, Sendable {
    /// No longer near: take the button away.
    case none = 0
    case unlock = 1
    case logIn = 2
}
