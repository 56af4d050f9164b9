/// Why a session that this phone's login had opened is over.
public enum SessionEnd: UInt8, CaseIterable, Sendable {
    /// The person logged out there, or the session's program ended: nobody asked the box for it.
    case atTheBox = 0
    /// The phone's own `logout`.
    case phone = 1
    /// The administrator ended it.
    case administrator = 2
    /// The phone was away for as long as automatic logout allows.
    case away = 3
    /// Nobody worked in it.
    case idle = 4
    /// It lasted as long as it may.
    case longest = 5
    /// The site closed.
    case closing = 6
    /// It could not be locked when the phone went.
    case notLocked = 7
}
