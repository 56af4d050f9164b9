/// An act that needs a right. The server maps each request of `boxsite` and of the site page to one act.
public enum AdministrativeAct: String, Sendable, CaseIterable {
    case seeSelf = "see who you are"
    case seeStatus = "see the status"
    case seeBoxes = "see boxes"
    case seePhones = "see phones"
    case seeAdministrators = "see administrators"
    case seeProposals = "see proposals"
    case seeAudit = "see the audit table"
    case checkAudit = "check the audit table"
    case addBox = "add boxes"
    case removeBox = "remove boxes"
    case unsuspendBox = "unsuspend boxes"
    /// A bundle contains a new certificate for each of its boxes, as a site link would send it.
    case makeBundle = "make bundles"
    case addPhone = "add phones"
    case grantPhone = "print grants"
    case revokePhone = "revoke phones"
    case revokeUser = "revoke users"
    case acceptClock = "accept the clock"
    /// Revokes many users at once whom the directory no longer has. The directory counts as the second approver.
    case acceptDirectory = "let the directory revoke many users"
    /// Makes issuer keys, and publishes documents that the root has signed. The root's key counts as the second
    /// approver.
    case keepKeys = "make issuer keys or publish site documents"
    case changeAdministrators = "change administrators"
    case changeRootKeepers = "change root keepers"
    /// Includes withdrawing one's own proposal.
    case decideProposals = "decide about proposals"
    /// Administrators change their own passkeys. Root on the server's machine can change everybody's.
    case changePasskeys = "change passkeys"

    /// The words that follow "may not" in a message.
    public var words: String { rawValue }

    /// True if the act revokes access. Many revocations in a row need a second administrator.
    public var isRevocation: Bool {
        switch self {
        case .removeBox, .revokePhone, .revokeUser: true
        case .seeSelf, .seeStatus, .seeBoxes, .seePhones, .seeAdministrators, .seeProposals, .seeAudit, .checkAudit,
            .addBox, .unsuspendBox, .makeBundle, .addPhone, .grantPhone, .acceptClock, .acceptDirectory, .keepKeys,
            .changeAdministrators, .changeRootKeepers, .decideProposals, .changePasskeys:
            false
        }
    }

    /// True if the act changes the rights of administrators. One person may not decide such an act alone.
    public var alwaysNeedsSecond: Bool {
        switch self {
        case .changeAdministrators, .changeRootKeepers: true
        case .seeSelf, .seeStatus, .seeBoxes, .seePhones, .seeAdministrators, .seeProposals, .seeAudit, .checkAudit,
            .addBox, .removeBox, .unsuspendBox, .makeBundle, .addPhone, .grantPhone, .revokePhone, .revokeUser,
            .acceptClock, .acceptDirectory, .keepKeys, .decideProposals, .changePasskeys:
            false
        }
    }
}
