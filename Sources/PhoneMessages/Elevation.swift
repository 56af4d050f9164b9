import Names

/// Identifies one elevation request of a box: a program such as sudo wants the user's password.
public struct ElevationID: RawRepresentable, Hashable, Sendable {
    /// 1…2³²−1, chosen by the box and unique while the box runs.
    public let rawValue: UInt32

    /// Returns nil for 0.
    public init?(rawValue: UInt32) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }
}

/// The details that a person sees before allowing an elevation: which program asks, where, and in whose session.
public struct ElevationPrompt: Hashable, Sendable {
    public var id: ElevationID
    /// The PAM service, such as "sudo". `LabelRules` apply; not empty.
    public var service: [UInt8]
    /// The terminal of the call. `LabelRules` apply; empty without a terminal.
    public var terminal: [UInt8]
    /// The user of the calling session, as `UserName.isName` requires. The requested password may be another user's.
    public var requester: [UInt8]
    /// Seconds until the program asks for the password itself, at most `MessageLimits.elevationSeconds`.
    public var seconds: UInt32

    public init(id: ElevationID, service: [UInt8], terminal: [UInt8], requester: [UInt8], seconds: UInt32) {
        self.id = id
        self.service = service
        self.terminal = terminal
        self.requester = requester
        self.seconds = seconds
    }

    var isWellFormed: Bool {
        !service.isEmpty && LabelRules.isAllowed(service) && LabelRules.isAllowed(terminal)
            && UserName.isName(requester) && seconds <= MessageLimits.elevationSeconds
    }
}
