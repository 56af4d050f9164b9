#if hasFeature(Embedded)
    import WireEmbedded
#else
    import Wire
#endif

/// What a greeter shows: everything there is to know about a box without being allowed in, and no secret.
public struct GreeterState: Equatable, Sendable {
    public var boxID: [UInt8]
    /// `loopback` or `bluez`.
    public var radio: [UInt8]
    public var radioWorks: Bool
    /// What the radio does, or why it cannot: a sentence.
    public var radioState: [UInt8]
    /// Greeters that follow the agent: one that stands on no virtual terminal acts only when it is alone.
    public var greeters: UInt64
    /// The user of a tap that waits for a program; nil: none, or a greeter has claimed it.
    public var tapUser: [UInt8]?

    public init(
        boxID: [UInt8], radio: [UInt8], radioWorks: Bool, radioState: [UInt8], greeters: UInt64, tapUser: [UInt8]?
    ) {
        self.boxID = boxID
        self.radio = radio
        self.radioWorks = radioWorks
        self.radioState = radioState
        self.greeters = greeters
        self.tapUser = tapUser
    }

    init(reading input: RawSpan, with reader: inout CBORReader) throws(WireError) {
        boxID = try reader.readBoundedBytes(in: input, limit: AgentLimits.labelBytes)
        radio = try reader.readBoundedBytes(in: input, limit: AgentLimits.labelBytes)
        radioWorks = try reader.readBool(in: input)
        radioState = try reader.readBoundedBytes(in: input, limit: AgentLimits.textBytes)
        greeters = try reader.readUnsigned(in: input)
        tapUser = try reader.readOptionalBytes(in: input, limit: AgentLimits.userBytes)
    }

    func write(with writer: inout CBORWriter, to output: inout MutableRawSpan) throws(WireError) {
        try writer.writeFields(14, count: 6, [boxID, radio], to: &output)
        try writer.writeBool(radioWorks, to: &output)
        try writer.writeBytes(radioState, to: &output)
        try writer.writeUnsigned(greeters, to: &output)
        try writer.writeOptionalBytes(tapUser, to: &output)
    }
}
