import CommandTool

/// The current wait, counted in seconds.
struct EnrolmentWait {
    private var left: Int64
    private let answerSeconds: Int64
    private var what: String?

    init(answerLimit: Duration) {
        answerSeconds = answerLimit.components.seconds
        left = answerSeconds
    }

    /// The line to show; nil before the code exists.
    var line: String? {
        what.map { "\($0) (\(Timestamp.span(UInt64(max(0, left - answerSeconds)))) left)" }
    }

    /// Counts a second without a reply, and returns false after the last one.
    mutating func tick() -> Bool {
        left -= 1
        return left > 0
    }

    mutating func codeShown(validSeconds: UInt64) {
        // The agent itself ends the enrolment and reports it. The extra time is for an agent that does not answer.
        left = Int64(clamping: min(validSeconds, 86_400)) + answerSeconds
        what = "waiting for the phone"
    }

    mutating func contact() {
        what = "a phone has connected; waiting for it to finish"
    }

    mutating func answered() {
        what = "waiting for the agent"
    }
}
