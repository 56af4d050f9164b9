/// Why the core did not take what its host handed in. Nothing has happened then. The C functions return `rawValue`.
public enum HostError: Int32, Error, CaseIterable, Sendable {
    /// Not a message of docs/reference/phone-core.md, or one whose values are outside their bounds.
    case unintelligible = -1
    /// No errand has this handle, or not any more.
    case noSuchErrand = -2
    /// `ErrandTable.errandsLimit` errands are at work.
    case tooManyErrands = -3
    /// More bytes than `HostLimits.messageBytes`.
    case tooLarge = -4
    /// The order names no box, or boxes with different digits.
    case noTarget = -5
    /// What should be an enrolment code is none.
    case notACode = -6
    /// A time before 0, or after `HostLimits.latestMicroseconds`.
    case noTime = -7
}
