import Links

/// The state of the radio, in words for status and doctor: its condition, and whether there is room for phones.
package struct RadioState: Equatable, Sendable, CustomStringConvertible {
    package var condition = RadioCondition.starting
    /// True if no further link can be accepted.
    package var isFull = false

    package init(condition: RadioCondition = RadioCondition.starting, isFull: Bool = false) {
        self.condition = condition
        self.isFull = isFull
    }

    package var isWorking: Bool {
        if case .working = condition { true } else { false }
    }

    package var fault: RadioFault? {
        if case .faulty(let fault) = condition { fault } else { nil }
    }

    package var description: String {
        switch condition {
        case .starting: return "starting"
        case .faulty(let fault): return fault.problem
        case .working(let detail):
            let what =
                isFull ? "not advertising: the limit of connected phones (limits.links) is reached" : "advertising"
            return detail.isEmpty ? what : "\(what) \(detail)"
        }
    }
}
