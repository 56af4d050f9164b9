import PhoneMessages
import Secrets
import VaultPort

/// What a person wants of their phone, with the steps that do it.
public struct Order: Sendable {
    let begin: @Sendable (inout ErrandContext) -> OrderSteps
    /// It goes on until `stop`.
    public let isWatch: Bool

    init(isWatch: Bool = false, _ begin: @escaping @Sendable (inout ErrandContext) -> OrderSteps) {
        self.begin = begin
        self.isWatch = isWatch
    }

    /// Connects, asks one thing, closes.
    public static func request(_ target: BoxTarget, _ question: BoxQuestion) -> Order {
        Order { context in RequestingSteps(Requesting(question, at: target, &context)) }
    }

    /// Logs in with what is stored, on the phone or on the box. `asksPerson`: the PIN is a person's to think of; how many tries
    /// are left is found out before.
    public static func login(_ target: BoxTarget, asksPerson: Bool) -> Order {
        Order { context in LoggingIn(at: target, asksPerson: asksPerson, &context) }
    }

    /// Logs in with what the box holds, by a PIN that is given for one try.
    public static func login(_ target: BoxTarget, pin: HeldSecret) -> Order {
        Order { context in LoggingIn(at: target, asksPerson: false, pin: pin, &context) }
    }

    /// Opens what the phone keeps for a box, without a radio.
    public static func openCredential(_ box: KnownBox) -> Order {
        Order { context in OpeningSteps(CredentialOpening(box, &context)) }
    }

    /// Puts off the automatic logout that the box warns of.
    public static func extend(_ target: BoxTarget) -> Order { Order { context in Extending(target, &context) } }

    /// `waiting` is the row of an earlier try at the same box, whose answer was lost.
    public static func enrol(_ code: EnrolmentCode, label: [UInt8], waiting: KnownBox?) -> Order {
        Order { context in Enrolling(code, label: label, waiting: waiting, &context) }
    }

    /// Keeps a channel open and shows what the box tells, until `stop`.
    public static func watch(_ target: BoxTarget) -> Order {
        Order(isWatch: true) { context in Watching(target, &context) }
    }

    /// Sends bytes there and back, so often.
    public static func ping(_ target: BoxTarget, size: Int, count: Int) -> Order {
        Order { context in Pinging(target, size: size, count: count, &context) }
    }

    /// Measures the signal so often, one sample each `interval`.
    public static func measure(_ target: BoxTarget, count: Int, every interval: Duration) -> Order {
        Order { context in SignalMeasuring(target, count: count, every: interval, &context) }
    }

    /// Listens, and asks those who may be one of these who they are.
    public static func scan(_ known: [KnownBox]) -> Order { Order { context in Scanning(known, &context) } }

    /// Which of several boxes with the same digits is meant.
    public static func choose(_ target: BoxTarget) -> Order {
        Order { context in ReachingSteps(Connecting(to: target, &context)) }
    }

    /// Asks whoever shows these digits whether it is one of the boxes, with new ones.
    public static func find(digits: String, among known: [KnownBox]) -> Order {
        Order { context in Finding(digits, among: known, &context) }
    }
}
