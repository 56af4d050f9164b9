import Names

/// What an administrator wants of an enrolment.
public struct EnrolmentWish: Equatable, Sendable {
    public var user: [UInt8]
    /// What to call the phone; empty: as it calls itself.
    public var label: String
    public var credential: CredentialMode
    /// Nobody compares the six digits.
    public var isConfirmed: Bool
    /// The phone is a page in a browser. Other phones are taken for one, too; a page without this is refused.
    public var isWeb: Bool
    /// A page is enrolled also where a phone's absence is to lock sessions, which a page's cannot.
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
