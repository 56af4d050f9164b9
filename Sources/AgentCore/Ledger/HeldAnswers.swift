import PhoneMessages

/// The answers to phones that wait until the audit entries about them are stored. The log then has all that a phone was
/// told, even if the agent is killed at that moment. Pure.
///
///     decided with an entry ──► held ── entry stored, or not storable, or 1 s, or its channel ends ─► sent
///     decided without one ────────────────────────────────────────────────────────────────────────► sent
package struct HeldAnswers: Sendable {
    /// The longest wait. A disk that takes longer must not keep people waiting for an answer.
    package static let limit: Duration = .seconds(1)

    private struct Held: Sendable {
        let entry: OperationID
        let until: Duration
        let channel: ChannelID
        let answer: BoxMessage
    }

    private var held: [Held] = []

    package init() {}

    package var deadline: Duration? { held.first?.until }

    /// Returns the effects to perform now: first the held answers that are due, then those of the new effects that need
    /// not wait. The vault stores entries in their order, so the last one shows that all are stored.
    ///
    /// - Parameter stored: The operation that has just ended.
    package mutating func pass(_ effects: [Effect], stored: OperationID?, now: Duration) -> [Effect] {
        var entry: OperationID?
        var ended: Set<ChannelID> = []
        for effect in effects {
            switch effect {
            case .vault(let id, .append): entry = id
            case .finish(let channel, _, _): ended.insert(channel)
            default: break
            }
        }
        var passed: [Effect] = []
        let waiting = held
        held = []
        for one in waiting {
            if one.entry == stored || one.until <= now || ended.contains(one.channel) {
                passed.append(.tellPhone(one.channel, one.answer))
            } else {
                held.append(one)
            }
        }
        for effect in effects {
            guard case .tellPhone(let channel, let answer) = effect, case .result = answer,
                !ended.contains(channel), let entry = entry ?? heldEntry(of: channel)
            else {
                passed.append(effect)
                continue
            }
            held.append(Held(entry: entry, until: now + Self.limit, channel: channel, answer: answer))
        }
        return passed
    }

    /// Returns the entry that an earlier answer on the channel waits for. A later answer must not overtake that one.
    private func heldEntry(of channel: ChannelID) -> OperationID? {
        for one in held where one.channel == channel { return one.entry }
        return nil
    }
}
