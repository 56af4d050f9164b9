import Names

/// One line of `boxagent devices`.
public struct DeviceListing: Equatable, Sendable {
    public enum State: String, Sendable {
        case pending, active, revoked
    }
    public var id: [UInt8] = []
    public var user: [UInt8] = []
    public var label: [UInt8] = []
    public var credential = CredentialMode.phoneHeld
    /// True if this is a web phone. Its absence ends no session.
    public var isWeb = false
    /// True if a grant of the box's site admitted the phone, which was not enrolled here.
    public var isOfSite = false
    /// The number of the user's account when the box first saw it; nil until then.
    public var uid: UInt64?
    /// The account's number now, if it is another one. The box then refuses the phone.
    public var otherUID: UInt64?
    public var state = State.pending
    public var enrolledUnixSeconds: UInt64 = 0
    public var lastUsedUnixSeconds: UInt64?
    public var connected = false
    /// Nil if there is no box-held credential.
    public var pinAttemptsLeft: UInt64?
    public var credentialStale = false

    package init() {}

    public init(
        id: [UInt8], user: [UInt8], label: [UInt8], credential: CredentialMode, isWeb: Bool = false,
        isOfSite: Bool = false, uid: UInt64? = nil, otherUID: UInt64? = nil, state: State,
        enrolledUnixSeconds: UInt64,
        lastUsedUnixSeconds: UInt64?, connected: Bool, pinAttemptsLeft: UInt64?, credentialStale: Bool
    ) {
        self.id = id
        self.user = user
        self.label = label
        self.credential = credential
        self.isWeb = isWeb
        self.isOfSite = isOfSite
        self.uid = uid
        self.otherUID = otherUID
        self.state = state
        self.enrolledUnixSeconds = enrolledUnixSeconds
        self.lastUsedUnixSeconds = lastUsedUnixSeconds
        self.connected = connected
        self.pinAttemptsLeft = pinAttemptsLeft
        self.credentialStale = credentialStale
    }
}

extension DeviceListing.State: FieldWord {}

extension DeviceListing: FieldRecord {
    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.bytes("id", &id, limit: ControlLimits.labelBytes)
        try coder.bytes("user", &user, limit: UserName.byteLimit)
        try coder.bytes("label", &label, limit: ControlLimits.labelBytes)
        try coder.word("credential", &credential)
        try coder.flag("web", &isWeb)
        try coder.flag("site", &isOfSite)
        try coder.number("uid", &uid, limit: UInt64(UInt32.max))
        try coder.number("other-uid", &otherUID, limit: UInt64(UInt32.max))
        try coder.word("state", &state)
        try coder.number("enrolled-seconds", &enrolledUnixSeconds)
        try coder.number("last-used-seconds", &lastUsedUnixSeconds)
        try coder.flag("connected", &connected)
        try coder.number("pin-attempts-left", &pinAttemptsLeft, limit: 255)
        try coder.flag("credential-stale", &credentialStale)
    }
}
