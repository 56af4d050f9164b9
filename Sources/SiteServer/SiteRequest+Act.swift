import SiteControl
import SiteCore

extension SiteRequest {
    /// The act by which the policy judges the request. The switch has no default, so that each new request must name
    /// its act.
    var act: AdministrativeAct {
        switch self {
        case .status: .seeStatus
        case .addBox: .addBox
        case .boxes: .seeBoxes
        case .list(let wish): wish.list == .phones ? .seePhones : .seeBoxes
        case .removeBox: .removeBox
        case .unsuspendBox: .unsuspendBox
        case .acceptClock: .acceptClock
        case .acceptDirectory: .acceptDirectory
        case .addPhone, .enrolPhone, .enrolment, .confirmEnrolment, .cancelEnrolment: .addPhone
        case .phones: .seePhones
        case .grantPhone: .grantPhone
        case .revokePhone: .revokePhone
        case .revokeUser: .revokeUser
        case .whoAmI: .seeSelf
        case .administrators: .seeAdministrators
        // Changes of a root keeper need another act, which is checked when the row is read.
        case .addAdministrator, .changeAdministrator, .removeAdministrator: .changeAdministrators
        case .proposals: .seeProposals
        case .approve, .reject: .decideProposals
        // The document is not secret: every box and phone has it.
        case .document: .seeStatus
        case .newIssuers, .publish: .keepKeys
        case .bundle: .makeBundle
        case .bulk(let wish):
            switch wish.action {
            case .codes, .waiting: .seeBoxes
            case .add, .revoke, .approve, .reject: .addBox
            }
        case .passkeyLink, .passkeys, .removePasskeys: .changePasskeys
        case .audit: .seeAudit
        case .checkAudit, .exportAudit: .checkAudit
        }
    }
}
