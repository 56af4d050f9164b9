/// What `boxagent status` shows.
public struct AgentStatus: Equatable, Sendable {
    public var boxID: [UInt8] = []
    /// `loopback` or `bluez`.
    public var radio: [UInt8] = []
    /// What the radio does, or why it cannot: a sentence.
    public var radioState: [UInt8] = []
    public var uptimeSeconds: UInt64 = 0
    public var devicesActive: UInt64 = 0
    /// Nil for who may not know it: who sees that a tap waits knows when to reach for it.
    public var activity: AgentActivity?
    public var sessionsOwned: UInt64 = 0
    public var enrolmentOpen: Bool = false
    /// Unauthenticated failures since start: counted, never stored.
    public var failuresUnauthenticated: UInt64 = 0
    public init() {}
}

/// What goes on at this moment, for root and greeters.
public struct AgentActivity: Equatable, Sendable {
    public var linksOpen: UInt64 = 0
    public var channelsAuthenticated: UInt64 = 0
    public var programsWaiting: UInt64 = 0
    /// A tap came first: its credential waits for a program.
    public var tapHeld = false
    public init() {}
}

/// One line of `boxagent devices`.
public struct DeviceListing: Equatable, Sendable {
    public enum State: UInt64, Sendable {
        case pending = 0
        case active = 1
        case revoked = 2
    }
    public var id: [UInt8]
    public var user: [UInt8]
    public var label: [UInt8]
    public var boxHeld: Bool
    public var state: State
    public var enrolledUnixSeconds: UInt64
    public var lastUsedUnixSeconds: UInt64?
    public var connected: Bool
    /// For a box-held credential: nil when there is none.
    public var pinAttemptsLeft: UInt64?
    public var credentialStale: Bool

    public init(
        id: [UInt8], user: [UInt8], label: [UInt8], boxHeld: Bool, state: State, enrolledUnixSeconds: UInt64,
        lastUsedUnixSeconds: UInt64?, connected: Bool, pinAttemptsLeft: UInt64?, credentialStale: Bool
    ) {
        self.id = id
        self.user = user
        self.label = label
        self.boxHeld = boxHeld
        self.state = state
        self.enrolledUnixSeconds = enrolledUnixSeconds
        self.lastUsedUnixSeconds = lastUsedUnixSeconds
        self.connected = connected
        self.pinAttemptsLeft = pinAttemptsLeft
        self.credentialStale = credentialStale
    }
}

/// One thing that `boxagent doctor` looked at.
public struct Finding: Equatable, Sendable {
    public enum Level: UInt64, Sendable {
        case good = 0
        case warning = 1
        case fault = 2
    }
    public var level: Level
    public var name: [UInt8]
    public var text: [UInt8]
    /// What to do; empty when nothing is wrong.
    public var cure: [UInt8]

    public init(level: Level, name: [UInt8], text: [UInt8], cure: [UInt8]) {
        self.level = level
        self.name = name
        self.text = text
        self.cure = cure
    }
}

/// Why a request was not done, for exit codes.
public enum FailureKind: UInt64, Sendable {
    case notPermitted = 1
    case notFound = 2
    case invalid = 3
    case busy = 4
    case timedOut = 5
    case fault = 6
    case declined = 7
}
