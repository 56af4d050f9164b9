import Names

/// Names one request of a box to elevate: to use the user's password for a program such as sudo.
public struct ElevationID: RawRepresentable, Hashable, Sendable {
    /// 1…2³²−1, chosen by the box; not used twice while the box runs.
    public let rawValue: UInt32

    /// Refuses 0.
    public init?(rawValue: UInt32) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }
}

/// What a person is shown before they allow it: which program asks, where, and in whose session.
public struct ElevationPrompt: Hashable, Sendable {
    public var id: ElevationID
    /// The PAM service, such as "sudo": text as `LabelRules` allow, not empty.
    public var service: [UInt8]
    /// The terminal on which it was called; text as `LabelRules` allow, empty without one.
    public var terminal: [UInt8]
    /// The user in whose session it was called, as `UserName.isName` has it. Not always the one whose password is asked for.
    public var requester: [UInt8]
    /// After which the program asks for the password itself, at most `MessageLimits.elevationSeconds`.
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
