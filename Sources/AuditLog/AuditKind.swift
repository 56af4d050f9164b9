/// What an entry of the audit log tells of, as a fixed word.
public enum AuditKind: String, Sendable, CaseIterable {
    case deviceEnrolled = "device-enrolled"
    case deviceRevoked = "device-revoked"
    /// The device's user has another name: the one that the user database has for the account.
    case userRenamed = "user-renamed"
    case credentialStored = "credential-stored"
    case credentialWiped = "credential-wiped"
    case credentialStale = "credential-stale"
    case pinWrong = "pin-wrong"
    case pinChanged = "pin-changed"
    case loginCorrect = "login-correct"
    case loginNotCorrect = "login-not-correct"
    /// The password was accepted, and no session opened: the account, a second factor or the session refused.
    case loginRefused = "login-refused"
    /// `boxagent test-login` took a tap.
    case loginTested = "login-tested"
    case elevationCorrect = "elevation-correct"
    case elevationNotCorrect = "elevation-not-correct"
    case elevationDeclined = "elevation-declined"
    case sessionOpened = "session-opened"
    case sessionClosed = "session-closed"
    case sessionOperation = "session-operation"
    case autoLogoutSet = "auto-logout-set"
    case thresholdsSet = "thresholds-set"
    case auditPruned = "audit-pruned"
    /// A device or a person has gone over the budget of durable writes; what follows is counted.
    case budgetExceeded = "budget-exceeded"
    /// What was counted.
    case eventsCounted = "events-counted"
}
