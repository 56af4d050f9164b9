import PhoneMessages

/// The unsealed messages that wait to be sent to one phone, in order and bounded. Pure.
///
/// Only the newest state, offer and warning matter. If much waits, a newer one replaces the unsent one, so a phone that
/// is slow for a moment is not disconnected. Messages up to the last result stay, because they belong to that result.
package struct PhoneOutbox {
    /// The most messages that wait. One more disconnects the phone.
    package static let messageLimit = LinkLimits.outboxMessages

    private var waiting: [BoxMessage] = []

    package init() {}

    /// The most answers that wait before the phone's next request is read. The rest is for unsolicited messages.
    package static let answerLimit = 8

    package var isEmpty: Bool { waiting.isEmpty }
    package var hasRoomForAnswers: Bool { waiting.count <= Self.answerLimit }

    /// Adds a message. Returns false if there is no room, because the phone reads too slowly.
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
