import Names

/// The public state of a box, for greeters. It contains no secret.
public struct GreeterState: Equatable, Sendable {
    public var boxID = ""
    /// `loopback` or `bluez`.
    public var radio = ""
    public var radioWorks = false
    /// A sentence that says what the radio does, or why it cannot.
    public var radioState = ""
    /// The number of connected greeters. A greeter that is not on a virtual terminal acts only if it is the only
    /// greeter.
    public var greeters: UInt64 = 0
    /// The user of a tap that waits for a program. Nil if there is none, or if a greeter has claimed it.
    public var tapUser: [UInt8]?

    package init() {}

    public init(
        boxID: String, radio: String, radioWorks: Bool, radioState: String, greeters: UInt64, tapUser: [UInt8]?
    ) {
        self.boxID = boxID
        self.radio = radio
        self.radioWorks = radioWorks
        self.radioState = radioState
        self.greeters = greeters
        self.tapUser = tapUser
    }
}

extension GreeterState: FieldRecord {
    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.text("box-id", &boxID, limit: ControlLimits.labelBytes)
        try coder.text("radio", &radio, limit: ControlLimits.labelBytes)
        try coder.flag("radio-works", &radioWorks)
        try coder.text("radio-state", &radioState, limit: ControlLimits.textBytes)
        try coder.number("greeters", &greeters)
        try coder.bytes("tap-user", &tapUser, limit: UserName.byteLimit)
    }
}
