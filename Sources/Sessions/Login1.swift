import DBus

/// The names of logind's interfaces (org.freedesktop.login1(5)).
enum Login1 {
    static let service = "org.freedesktop.login1"
    static let manager = "org.freedesktop.login1.Manager"
    static let session = "org.freedesktop.login1.Session"
    static let user = "org.freedesktop.login1.User"
    static let properties = "org.freedesktop.DBus.Properties"
    static let managerPath = "/org/freedesktop/login1"
    static let sessionsPath = "/org/freedesktop/login1/session"

    static let listSessions = "ListSessions"

    static let noSuchSession = "org.freedesktop.login1.NoSuchSession"
    static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
    static let noSessionOfProcess = "org.freedesktop.login1.NoSessionForPID"
    static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    static let interactiveAuthorization = "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired"
}
