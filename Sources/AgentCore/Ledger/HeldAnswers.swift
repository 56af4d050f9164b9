import PhoneMessages

/// The answers to phones that wait until the audit entries about them are stored. The log then has all that a phone was
/// told, even if the agent is killed at that moment. Pure.
///
///     decided with an entry ──► held ── entry stored, or not storable, or 1 s ──► sent
///     decided without one ──────────────────────────────────────────────────────► sent
package struct HeldAnswers: Sendable {
    /// The longest wait. A disk that takes longer must not keep people waiting for an answer.
    package static let limit: Duration = .seconds(1)

    private struct Held: Sendable {
        var entries: Set<OperationID>
        let until: Duration
        var answers: [Effect]
    }

    private var held: [Held] = []

    package init() {}

    package var deadline: Duration? { held.map(\.until).min() }

    /// Returns the effects to perform now. Holds the answers among them if an audit entry is written with them. A channel
    /// that ends gets its answers first.
    package mutating func hold(_ effects: [Effect], now: Duration) -> [Effect] {
        let ending = effects.compactMap { if case .finish(let channel, _, _) = $0 { channel } else { nil } }
        let last = ending.isEmpty ? [] : take { $0.isAnswer(to: ending) }
        let entries = effects.compactMap { if case .vault(let id, .append) = $0 { id } else { nil } }
        guard !entries.isEmpty else { return last + effects }
        let answers = effects.filter { $0.isAnswer && !$0.isAnswer(to: ending) }
        guard !answers.isEmpty else { return last + effects }
        held.append(Held(entries: Set(entries), until: now + Self.limit, answers: answers))
        return last + effects.filter { !$0.isAnswer || $0.isAnswer(to: ending) }
    }

    /// Returns the answers that waited for this entry alone, or too long, in the order in which they were decided.
    package mutating func release(stored id: OperationID?, now: Duration) -> [Effect] {
        if let id {
            for index in held.indices { held[index].entries.remove(id) }
        }
        let due = held.filter { $0.entries.isEmpty || $0.until <= now }
        held.removeAll { $0.entries.isEmpty || $0.until <= now }
        return due.flatMap(\.answers)
    }

    private mutating func take(_ matches: (Effect) -> Bool) -> [Effect] {
        let taken = held.flatMap(\.answers).filter(matches)
        for index in held.indices { held[index].answers.removeAll(where: matches) }
        return taken
    }
}

extension Effect {
    fileprivate var isAnswer: Bool {
        if case .tellPhone(_, .result) = self { true } else { false }
    }

    fileprivate func isAnswer(to channels: [ChannelID]) -> Bool {
        if case .tellPhone(let channel, .result) = self { channels.contains(channel) } else { false }
    }
}
