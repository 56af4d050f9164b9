import Secrets
import SiteLink

/// A request to the database for a self-enrolment at a box.
public struct SelfEnrolmentTask: Sendable, Equatable {
    public enum Order: Sendable, Equatable {
        /// Makes a code, if the policy allows it.
        case begin(user: String, replacing: [UInt8])
        /// Reads the state of the code, after `SelfDesk.lookInterval`.
        case look(codeID: [UInt8])
        /// Enrols the phone whose digits were compared and are the same, if the policy still allows it.
        case confirm(codeID: [UInt8], digits: String)
        /// Ends the code and gives it that state.
        case end(codeID: [UInt8], EnrolmentRow.State)
    }

    /// The box's number for the self-enrolment.
    public let number: UInt32
    public let box: SiteBox
    public let order: Order

    public init(number: UInt32, box: SiteBox, order: Order) {
        self.number = number
        self.box = box
        self.order = order
    }
}

/// The result of a `SelfEnrolmentTask`.
public enum SelfEnrolmentResult: Sendable {
    case began(codeID: [UInt8], HeldSecret)
    case looked(EnrolmentRow, isPending: Bool)
    /// The phone with that ID (16 bytes) has a grant.
    case enrolled(device: [UInt8], hasReplaced: Bool)
    case refused(SelfEnrolmentRefusal, detail: String)
    /// The database has not answered. A look is repeated.
    case unknown
}
