/// A logind session with its properties (org.freedesktop.login1(5), "Session Objects").
public struct LogindSession: Equatable, Sendable {
    /// XDG_SESSION_ID.
    public let id: String
    public var userID: UInt32 = 0
    public var user = ""
    /// Empty without a seat.
    public var seat = ""
    /// The number of the virtual terminal, or 0 without one.
    public var virtualTerminal = 0
    public var terminal = ""
    /// The X11 display, such as `:0`. Empty for other sessions.
    public var display = ""
    /// The process that opened the session, or 0 if logind does not name it.
    public var leader: Int32 = 0
    /// `tty`, `x11`, `wayland`, `mir`, `web` or `unspecified`.
    public var type = ""
    /// `user`, `greeter`, `lock-screen`, `background`, `manager`, …
    public var sessionClass = ""
    /// The PAM service that opened the session.
    public var service = ""
    /// `online`, `active` or `closing`.
    public var state = ""
    public var isRemote = false
    public var isActive = false
    /// LockedHint, as set by the session's own locker.
    public package(set) var lockedHint = false
    /// The locker's last report, or the result of a later configured command, which need not change the hint.
    public package(set) var isLocked = false
    public var isIdle = false
    /// IdleSinceHintMonotonic, on CLOCK_MONOTONIC. Nil while the session is not idle.
    public var idleSince: Duration?
    /// The time of opening on CLOCK_MONOTONIC, in microseconds. With the id, it names one session of a boot.
    public var openedMicroseconds: Int64 = 0

    public init(id: String) {
        self.id = id
    }

    var idBytes: [UInt8] { Array(id.utf8) }

    /// True if a user works in the session. Greeters, lock screens and services have sessions too.
    public var isOfPerson: Bool { sessionClass == "user" }

    /// True for the session that a user in front of this machine sees. Remote desktop sessions have no seat, but not
    /// all of them are marked as remote.
    public var isAtSeat: Bool { isOfPerson && isActive && !isClosing && !isRemote && !seat.isEmpty }

    /// True for a login screen, and for a session that may be behind a login screen.
    public var drawsOnScreen: Bool { ["greeter", "lock-screen"].contains(sessionClass) || isOfPerson && !seat.isEmpty }

    public var isClosing: Bool { state == "closing" }

    /// True for a desktop session, which usually has its own locker.
    public var isGraphical: Bool { ["x11", "wayland", "mir"].contains(type) }
}
