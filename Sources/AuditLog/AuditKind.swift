/// The kind of an entry in the audit log, as a fixed word.
public enum AuditKind: String, Sendable, CaseIterable {
    case deviceEnrolled = "device-enrolled"
    case deviceRevoked = "device-revoked"
    /// The account of the device's user has a new name in the user database.
    case userRenamed = "user-renamed"
    /// The number of the user's account was recorded, differs now, or was confirmed by the administrator.
    case userNumber = "user-number"
    case credentialStored = "credential-stored"
    case credentialWiped = "credential-wiped"
    case credentialStale = "credential-stale"
    case pinWrong = "pin-wrong"
    case pinChanged = "pin-changed"
    case loginCorrect = "login-correct"
    case loginNotCorrect = "login-not-correct"
    /// The password was accepted but no session opened: the account, a second factor or the session was refused.
    case loginRefused = "login-refused"
    /// A program took the password, and nothing shows whether it accepted it.
    case loginUnknown = "login-unknown"
    /// `boxagent test-login` received a tap.
    case loginTested = "login-tested"
    case elevationCorrect = "elevation-correct"
    case elevationNotCorrect = "elevation-not-correct"
    /// The password was accepted, but another check refused.
    case elevationRefused = "elevation-refused"
    case elevationUnknown = "elevation-unknown"
    case elevationDeclined = "elevation-declined"
    case sessionOpened = "session-opened"
    case sessionClosed = "session-closed"
    case sessionOperation = "session-operation"
    case autoLogoutSet = "auto-logout-set"
    case thresholdsSet = "thresholds-set"
    case auditPruned = "audit-pruned"
    /// A device or a person exceeded the budget of durable writes. Further events are only counted.
    case budgetExceeded = "budget-exceeded"
    /// The number of events that were only counted.
    case eventsCounted = "events-counted"
}
