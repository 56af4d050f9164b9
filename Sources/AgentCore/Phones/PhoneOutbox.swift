import PhoneMessages

/// What waits to be sent to one phone, not sealed yet: in order, and bounded. Pure.
///
/// Of a state, an offer and a warning only the newest counts. Where much waits, a newer one replaces the unsent one: a phone
/// that is slow for a moment is not let go of because much has changed meanwhile. What a result follows belongs to it and
/// stays.
package struct PhoneOutbox {
    /// Messages that wait; one more, and the phone is let go of.
    package static let messageLimit = LinkLimits.outboxMessages

    private var waiting: [BoxMessage] = []

    package init() {}

    /// Answers that wait at most before the phone's next request is looked at: the rest of the room is for what the box
    /// says unasked.
    package static let answerLimit = 8

    package var isEmpty: Bool { waiting.isEmpty }
    package var hasRoomForAnswers: Bool { waiting.count <= Self.answerLimit }

    /// False when there is no room: whoever reads so slowly cannot be served.
    package mutating func add(_ message: BoxMessage) -> Bool {
        let pushed = waiting.lastIndex(where: \.endsRequest).map { $0 + 1 } ?? 0
        if !hasRoomForAnswers, let older = waiting[pushed...].firstIndex(where: { $0.isReplaced(by: message) }) {
            waiting.remove(at: older)
        }
        guard waiting.count < Self.messageLimit else { return false }
        waiting.append(message)
        return true
    }

    package mutating func next() -> BoxMessage? {
        waiting.isEmpty ? nil : waiting.removeFirst()
    }

    /// Drops what waits.
    package mutating func clear() {
        waiting = []
    }
}

extension BoxMessage {
    fileprivate var endsRequest: Bool { answers?.isLast ?? false }

    fileprivate func isReplaced(by newer: BoxMessage) -> Bool {
        switch (self, newer) {
        case (.state, .state), (.offer, .offer), (.logoutWarning, .logoutWarning): true
        default: false
        }
    }
}
