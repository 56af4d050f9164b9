#if hasFeature(Embedded)
    import WireEmbedded
#else
    import Wire
#endif

/// One phone of `boxagent status --explain`: what the box decided about its presence, and by which numbers.
public struct PresenceListing: Equatable, Sendable {
    public var device: [UInt8]
    public var user: [UInt8]
    /// "present", "near" or "away".
    public var state: [UInt8]
    public var connected: Bool
    /// A few words on the link.
    public var link: [UInt8]
    /// The average, in tenths of a dBm below zero; nil before there are enough samples.
    public var minusTenthsDBm: UInt64?
    public var samples: UInt64
    /// In dBm below zero, as `minusFarDBm`.
    public var minusNearDBm: UInt64
    public var minusFarDBm: UInt64
    /// The thresholds are the phone's own.
    public var calibrated: Bool
    public var why: [UInt8]
    /// What happens if nothing changes; empty: nothing.
    public var next: [UInt8]
    public var nextMilliseconds: UInt64?

    public init(device: [UInt8], user: [UInt8]) {
        self.device = device
        self.user = user
        state = []
        connected = false
        link = []
        samples = 0
        minusNearDBm = 0
        minusFarDBm = 0
        calibrated = false
        why = []
        next = []
    }

    static let fields = 13

    init(reading input: RawSpan, with reader: inout CBORReader) throws(WireError) {
        self.init(
            device: try reader.readBoundedBytes(in: input, limit: AgentLimits.labelBytes),
            user: try reader.readBoundedBytes(in: input, limit: AgentLimits.userBytes))
        state = try reader.readBoundedBytes(in: input, limit: AgentLimits.labelBytes)
        connected = try reader.readBool(in: input)
        link = try reader.readBoundedBytes(in: input, limit: AgentLimits.labelBytes)
        minusTenthsDBm = try reader.readOptionalUnsigned(in: input, limit: 1_270)
        samples = try reader.readUnsigned(in: input)
        minusNearDBm = try reader.readUnsigned(in: input, limit: 127)
        minusFarDBm = try reader.readUnsigned(in: input, limit: 127)
        calibrated = try reader.readBool(in: input)
        why = try reader.readBoundedBytes(in: input, limit: AgentLimits.textBytes)
        next = try reader.readBoundedBytes(in: input, limit: AgentLimits.textBytes)
        nextMilliseconds = try reader.readOptionalUnsigned(in: input, limit: .max)
    }

    func write(with writer: inout CBORWriter, to output: inout MutableRawSpan) throws(WireError) {
        try writer.writeFields(16, count: Self.fields, [device, user, state], to: &output)
        try writer.writeBool(connected, to: &output)
        try writer.writeBytes(link, to: &output)
        try writer.writeOptionalUnsigned(minusTenthsDBm, to: &output)
        try writer.writeUnsigned(samples, to: &output)
        try writer.writeUnsigned(minusNearDBm, to: &output)
        try writer.writeUnsigned(minusFarDBm, to: &output)
        try writer.writeBool(calibrated, to: &output)
        try writer.writeBytes(why, to: &output)
        try writer.writeBytes(next, to: &output)
        try writer.writeOptionalUnsigned(nextMilliseconds, to: &output)
    }
}
