/// The reasons why the core rejected a call. No order starts, and no event takes effect. C functions return `rawValue`.
public enum HostError: Int32, Error, CaseIterable, Sendable {
    /// The bytes are not a message of docs/reference/phone-core.md, or a value is out of bounds.
    case unintelligible = -1
    /// No operation has this handle, or the operation was ended.
    case noSuchErrand = -2
    /// `ErrandTable.errandsLimit` operations are running.
    case tooManyErrands = -3
    /// The message is longer than `HostLimits.messageBytes`.
    case tooLarge = -4
    /// The order names no box, or boxes with different digits.
    case noTarget = -5
    /// The text is not an enrolment code.
    case notACode = -6
    /// The time is before 0, or after `HostLimits.latestMicroseconds`.
    case noTime = -7
}
