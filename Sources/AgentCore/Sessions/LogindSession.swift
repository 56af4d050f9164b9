/// A logind session, as its properties tell (org.freedesktop.login1(5), "Session Objects").
public struct LogindSession: Equatable, Sendable {
    /// XDG_SESSION_ID.
    public let id: String
    public var userID: UInt32 = 0
    public var user = ""
    /// Empty without a seat.
    public var seat = ""
    /// The virtual terminal's number; 0 without one.
    public var virtualTerminal = 0
    public var terminal = ""
    /// The X11 display, `:0`; empty for others.
    public var display = ""
    /// The process that opened it; 0 when logind does not say.
    public var leader: Int32 = 0
    /// `tty`, `x11`, `wayland`, `mir`, `web` or `unspecified`.
    public var type = ""
    /// `user`, `greeter`, `lock-screen`, `background`, `manager`, …
    public var sessionClass = ""
    /// The PAM service that has opened it.
    public var service = ""
    /// `online`, `active` or `closing`.
    public var state = ""
    public var isRemote = false
    public var isActive = false
    /// LockedHint: what the session's own locker says.
    public package(set) var lockedHint = false
    /// What the locker said last, or a command of the site did since, of which no hint need tell.
    public package(set) var isLocked = false
    public var isIdle = false
    /// IdleSinceHintMonotonic, on CLOCK_MONOTONIC; nil while it is not idle.
    public var idleSince: Duration?
    /// When it was opened, on CLOCK_MONOTONIC, in microseconds: with the id it names one session of a boot.
    public var openedMicroseconds: Int64 = 0

    public init(id: String) {
        self.id = id
    }

    /// Whether a person works in it: greeters, lock screens and services have sessions, too.
    public var isOfPerson: Bool { sessionClass == "user" }

    /// Whether it is the one that a person in front of this machine sees. Sessions of remote desktops have no seat, and not
    /// all of them are marked as remote.
    public var isAtSeat: Bool { isOfPerson && isActive && !isRemote && !seat.isEmpty }

    /// Whether it is a login screen, or may be behind one.
    public var drawsOnScreen: Bool { ["greeter", "lock-screen"].contains(sessionClass) || isOfPerson && !seat.isEmpty }

    public var isClosing: Bool { state == "closing" }

    /// Whether it is on a desktop, which has a locker of its own more often than not.
    public var isGraphical: Bool { ["x11", "wayland", "mir"].contains(type) }
}
