import ControlProtocol

/// The progress of a phone's enrolment.
public struct EnrolmentListing: Equatable, Sendable {
    /// open, claimed, shown, done, declined, cancelled, lost, over. The state `over` is for an expired code.
    public var state = ""
    public var user = ""
    /// The phone's own name, or nil before a phone has come.
    public var phone: String?
    /// The six digits to compare with those on the phone, or nil before there are any.
    public var digits: String?
    /// Seconds since 1970.
    public var expiry: UInt64 = 0

    public init() {}

    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.text("state", &state, limit: 16)
        try coder.text("user", &user, limit: SiteControlLimits.userBytes)
        try coder.text("phone", &phone, limit: ControlLimits.labelBytes)
        try coder.text("digits", &digits, limit: 6)
        try coder.number("expiry", &expiry)
    }
}
