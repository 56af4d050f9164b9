/// The reason why a session of this phone's login ended.
public enum SessionEnd: UInt8, CaseIterable, Sendable {
    /// The person logged out at the box, or the session's program ended.
    case atTheBox = 0
    /// The phone sent `logout`.
    case phone = 1
    /// The administrator ended the session.
    case administrator = 2
    /// The phone was away for as long as automatic logout allows.
    case away = 3
    /// The session was idle for too long.
    case idle = 4
    /// The session reached its longest allowed duration.
    case longest = 5
    /// Closing time came.
    case closing = 6
    /// The session could not be locked when the phone left.
    case notLocked = 7
}
