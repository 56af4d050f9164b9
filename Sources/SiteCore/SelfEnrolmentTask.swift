import Secrets
import SiteLink

/// Something that the database is asked or told for an enrolment of somebody at a box.
public struct SelfEnrolmentTask: Sendable, Equatable {
    public enum Order: Sendable, Equatable {
        /// A new code, where the policy allows it.
        case begin(user: String, replacing: [UInt8])
        /// How far the code is, after `SelfDesk.lookInterval`.
        case look(codeID: [UInt8])
        /// The digits were compared, and are the same: the phone is one of the site's, where the policy still allows it.
        case confirm(codeID: [UInt8], digits: String)
        /// Nothing comes of it.
        case end(codeID: [UInt8], EnrolmentRow.State)
    }

    /// The box's number for it.
    public let number: UInt32
    public let box: SiteBox
    public let order: Order

    public init(number: UInt32, box: SiteBox, order: Order) {
        self.number = number
        self.box = box
        self.order = order
    }
}

/// What came of it.
public enum SelfEnrolmentResult: Sendable {
    case began(codeID: [UInt8], HeldSecret)
    case looked(EnrolmentRow, isPending: Bool)
    /// The phone with that id (16 bytes) has a grant.
    case enrolled(device: [UInt8], hasReplaced: Bool)
    case refused(SelfEnrolmentRefusal, detail: String)
    /// The database does not say: a look is repeated.
    case unknown
}
