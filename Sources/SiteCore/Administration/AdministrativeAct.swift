/// What somebody may ask for, as far as it matters to who may. Every request of `boxsite` and of the site's page is one of them.
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
    /// Each box gets another certificate by it, as by a link.
    case makeBundle = "make bundles"
    case addPhone = "add phones"
    case grantPhone = "print grants"
    case revokePhone = "revoke phones"
    case revokeUser = "revoke users"
    case acceptClock = "accept the clock"
    /// What the directory says of many at once, so that they are taken back: the directory is the second one who agrees.
    case acceptDirectory = "let the directory revoke many users"
    /// Makes issuer keys, and publishes what the root has signed: the root's key is the second one who agrees.
    case keepKeys = "make issuer keys or publish site documents"
    case changeAdministrators = "change administrators"
    case changeRootKeepers = "change root keepers"
    /// Also to take back what one has proposed oneself.
    case decideProposals = "decide about proposals"
    /// One's own; root's machine gives out everybody's.
    case changePasskeys = "change passkeys"

    /// To be read behind "may not".
    public var words: String { rawValue }

    /// Takes something back from somebody: many at once are worth a second look.
    public var isRevocation: Bool {
        switch self {
        case .removeBox, .revokePhone, .revokeUser: true
        case .seeSelf, .seeStatus, .seeBoxes, .seePhones, .seeAdministrators, .seeProposals, .seeAudit, .checkAudit,
            .addBox, .unsuspendBox, .makeBundle, .addPhone, .grantPhone, .acceptClock, .acceptDirectory, .keepKeys,
            .changeAdministrators, .changeRootKeepers, .decideProposals, .changePasskeys:
            false
        }
    }

    /// Changes who may do what: never by one person.
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
