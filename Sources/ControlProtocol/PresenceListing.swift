import Names

/// One phone of `boxagent status --explain`: the box's decision about its presence, and the numbers behind it.
public struct PresenceListing: Equatable, Sendable {
    public var device: [UInt8] = []
    public var user: [UInt8] = []
    /// "present", "near" or "away".
    public var state = ""
    public var connected = false
    /// A short description of the link.
    public var link = ""
    /// The average signal strength in tenths of a dBm below zero. Nil before there are enough samples.
    public var minusTenthsDBm: UInt64?
    public var samples: UInt64 = 0
    /// The thresholds for near and far, in dBm below zero.
    public var minusNearDBm: UInt64 = 0
    public var minusFarDBm: UInt64 = 0
    /// True if the phone has its own thresholds.
    public var calibrated = false
    public var why = ""
    /// The next event if nothing changes. Empty if there is none.
    public var next = ""
    public var nextMilliseconds: UInt64?

    package init() {}

    public init(device: [UInt8], user: [UInt8]) {
        self.device = device
        self.user = user
    }
}

extension PresenceListing: FieldRecord {
    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.bytes("device", &device, limit: ControlLimits.labelBytes)
        try coder.bytes("user", &user, limit: UserName.byteLimit)
        try coder.text("state", &state, limit: ControlLimits.labelBytes)
        try coder.flag("connected", &connected)
        try coder.text("link", &link, limit: ControlLimits.labelBytes)
        try coder.number("minus-tenths-dbm", &minusTenthsDBm, limit: 1_270)
        try coder.number("samples", &samples)
        try coder.number("minus-near-dbm", &minusNearDBm, limit: 127)
        try coder.number("minus-far-dbm", &minusFarDBm, limit: 127)
        try coder.flag("calibrated", &calibrated)
        try coder.text("why", &why, limit: ControlLimits.textBytes)
        try coder.text("next", &next, limit: ControlLimits.textBytes)
        try coder.number("next-milliseconds", &nextMilliseconds)
    }
}
