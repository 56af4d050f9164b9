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

    /// The signals that the agent follows, and the call that lists the sessions.
    static var followed: ServiceFollower.Service {
        let signals = ["SessionNew", "SessionRemoved", "PrepareForSleep", "PrepareForShutdown"].map {
            SignalRule(sender: service, interface: manager, member: $0)
        }
        let changes = SignalRule(
            sender: service, interface: properties, member: "PropertiesChanged",
            pathNamespace: ObjectPath(sessionsPath), firstArgument: session)
        return ServiceFollower.Service(
            service, signals: signals + [changes],
            state: MethodCall(to: service, ObjectPath(managerPath) ?? .root, manager, listSessions),
            longestPause: .seconds(10))
    }
}
