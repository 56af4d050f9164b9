import Names

/// The administrator's options for an enrolment.
public struct EnrolmentWish: Equatable, Sendable {
    public var user: [UInt8]
    /// The name for the phone. If empty, the phone's own name is used.
    public var label: String
    public var credential: CredentialMode
    /// Skips the comparison of the six digits.
    public var isConfirmed: Bool
    /// Enrols the phone as a web phone, even if it is not one. Without this, a web phone is refused.
    public var isWeb: Bool
    /// Enrols a web phone even if a phone's absence locks sessions here, which a web phone's absence cannot.
    public var isForced: Bool

    public init(
        user: [UInt8], label: String = "", credential: CredentialMode = .phoneHeld, isConfirmed: Bool = false,
        isWeb: Bool = false, isForced: Bool = false
    ) {
        self.user = user
        self.label = label
        self.credential = credential
        self.isConfirmed = isConfirmed
        self.isWeb = isWeb
        self.isForced = isForced
    }
}

extension EnrolmentWish {
    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.bytes("user", &user, limit: UserName.byteLimit)
        try coder.text("label", &label, limit: ControlLimits.labelBytes)
        try coder.word("credential", &credential)
        try coder.flag("confirmed", &isConfirmed)
        try coder.flag("web", &isWeb)
        try coder.flag("forced", &isForced)
    }
}
