import PhoneMessages
import Secrets
import VaultPort

/// A person's order to the phone, with the steps that carry it out.
public struct Order: Sendable {
    let begin: @Sendable (inout ErrandContext) -> OrderSteps
    /// True if the order continues until `stop`.
    public let isWatch: Bool

    init(isWatch: Bool = false, _ begin: @escaping @Sendable (inout ErrandContext) -> OrderSteps) {
        self.begin = begin
        self.isWatch = isWatch
    }

    /// Connects, sends one request, and closes.
    public static func request(_ target: BoxTarget, _ question: BoxQuestion) -> Order {
        Order { context in RequestingSteps(Requesting(question, at: target, &context)) }
    }

    /// Logs in with the password that is stored on phone, box or site. With `asksPerson`, a person types the PIN, and
    /// the phone finds out first how many tries are left.
    public static func login(_ target: BoxTarget, asksPerson: Bool) -> Order {
        Order { context in LoggingIn(at: target, asksPerson: asksPerson, &context) }
    }

    /// Logs in with the box-held or site-held credential, by this PIN, in one try.
    public static func login(_ target: BoxTarget, pin: HeldSecret) -> Order {
        Order { context in LoggingIn(at: target, asksPerson: false, pin: pin, &context) }
    }

    /// Asks the person now what `login` would ask first. Ends with `.found` if the stored password may be sent.
    public static func reconsider(_ target: BoxTarget) -> Order {
        Order { context in LoggingIn(at: target, asksPerson: true, isOnlyAsking: true, &context) }
    }

    /// Opens the phone-held credential for a box, without a radio.
    public static func openCredential(_ box: KnownBox) -> Order {
        Order { context in OpeningSteps(CredentialOpening(box, &context)) }
    }

    /// Postpones the automatic logout that the box warns of.
    public static func extend(_ target: BoxTarget) -> Order { Order { context in Extending(target, &context) } }

    /// Enrols at a box. `waiting` is the row of an earlier try at that box whose answer was lost.
    public static func enrol(_ code: EnrolmentCode, label: [UInt8], waiting: KnownBox?) -> Order {
        Order { context in Enrolling(code, label: label, waiting: waiting, &context) }
    }

    /// Keeps a channel open and shows the box's reports, until `stop`.
    public static func watch(_ target: BoxTarget) -> Order {
        Order(isWatch: true) { context in Watching(target, &context) }
    }

    /// Sends `size` bytes to the box and back, `count` times.
    public static func ping(_ target: BoxTarget, size: Int, count: Int) -> Order {
        Order { context in Pinging(target, size: size, count: count, &context) }
    }

    /// Measures the signal `count` times, one sample each `interval`.
    public static func measure(_ target: BoxTarget, count: Int, every interval: Duration) -> Order {
        Order { context in SignalMeasuring(target, count: count, every: interval, &context) }
    }

    /// Listens, and identifies the boxes that may be one of `known`.
    public static func scan(_ known: [KnownBox]) -> Order { Order { context in Scanning(known, &context) } }

    /// Finds out which of several boxes with the same digits is meant.
    public static func choose(_ target: BoxTarget) -> Order {
        Order { context in ReachingSteps(Connecting(to: target, &context)) }
    }

    /// Asks the boxes that show these digits whether one is a known box with new digits.
    public static func find(digits: String, among known: [KnownBox]) -> Order {
        Order { context in Finding(digits, among: known, &context) }
    }
}
