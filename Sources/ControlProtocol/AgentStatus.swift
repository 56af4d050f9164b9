/// The data that `boxagent status` shows.
public struct AgentStatus: Equatable, Sendable {
    public var boxID = ""
    /// `loopback` or `bluez`.
    public var radio = ""
    /// A sentence that says what the radio does, or why it cannot.
    public var radioState = ""
    public var uptimeSeconds: UInt64 = 0
    public var devicesActive: UInt64 = 0
    /// Nil for users who may not know it. A user who sees that a tap waits knows when to grab it.
    public var activity: AgentActivity?
    public var sessionsOwned: UInt64 = 0
    public var enrolmentOpen: Bool = false
    /// A description of the box's site. Nil if it has none.
    public var site: String?
    /// The number of unauthenticated failures since the start. It is never stored.
    public var failuresUnauthenticated: UInt64 = 0
    public init() {}
}

/// The current activity, for root and greeters.
public struct AgentActivity: Equatable, Sendable {
    public var linksOpen: UInt64 = 0
    public var channelsAuthenticated: UInt64 = 0
    public var programsWaiting: UInt64 = 0
    /// True if a tap came first, so that its credential waits for a program.
    public var tapHeld = false
    public init() {}
}

extension AgentStatus: FieldRecord {
    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.text("box-id", &boxID, limit: ControlLimits.labelBytes)
        try coder.text("radio", &radio, limit: ControlLimits.labelBytes)
        try coder.text("radio-state", &radioState, limit: ControlLimits.textBytes)
        try coder.number("uptime-seconds", &uptimeSeconds)
        try coder.number("devices-active", &devicesActive)
        try coder.record("activity", &activity)
        try coder.number("sessions-owned", &sessionsOwned)
        try coder.flag("enrolment-open", &enrolmentOpen)
        try coder.text("site", &site, limit: ControlLimits.textBytes)
        try coder.number("failures-unauthenticated", &failuresUnauthenticated)
    }
}

extension AgentActivity: FieldRecord {
    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.number("links-open", &linksOpen)
        try coder.number("channels-authenticated", &channelsAuthenticated)
        try coder.number("programs-waiting", &programsWaiting)
        try coder.flag("tap-held", &tapHeld)
    }
}
