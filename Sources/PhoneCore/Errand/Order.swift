import PhoneMessages
import Secrets
import VaultPort

/// What a person wants of their phone.
public enum Order: Sendable {
    /// Connects, asks one thing, closes.
    case request(BoxTarget, BoxQuestion)
    /// Logs in with what is stored, on the phone or on the box. `asksPerson`: the PIN is a person's to think of; how many tries
    /// are left is found out before.
    case login(BoxTarget, asksPerson: Bool)
    /// Opens what the phone keeps for a box, without a radio.
    case openCredential(KnownBox)
    /// Puts off the automatic logout that the box warns of.
    case extend(BoxTarget)
    /// `waiting` is the row of an earlier try at the same box, whose answer was lost.
    case enrol(EnrolmentCode, label: [UInt8], waiting: KnownBox?)
    /// Keeps a channel open and shows what the box tells, until `stop`.
    case watch(BoxTarget)
    /// Sends bytes there and back, so often.
    case ping(BoxTarget, size: Int, count: Int)
    /// Measures the signal so often, one sample each `every`.
    case measure(BoxTarget, count: Int, every: Duration)
    /// Listens, and asks those who may be one of these who they are.
    case scan([KnownBox])
    /// Which of several boxes with the same digits is meant.
    case choose(BoxTarget)
    /// Asks whoever shows these digits whether it is one of the boxes, with new ones.
    case find(digits: String, among: [KnownBox])
    /// An order that only some hosts know.
    case own(OwnOrder)
}

extension Order {
    public var isWatch: Bool {
        guard case .watch = self else { return false }
        return true
    }
}
