import AgentCore
import AgentConfiguration
import Sessions

/// A phone that connects, leaves, reports and falls silent in any order.
enum PresenceFuzz {
    static let entry: FuzzEntry = { data, count in
        var steps = FuzzSteps(data, count)
        var machine = Presence(hasReported: steps.choice(of: 2) == 1, now: .zero)
        var watched = Watched()
        while let kind = steps.next(of: 9) {
            let event = event(kind, &steps)
            if case .linkUp = event { watched.isLinked = true }
            if case .linkDown = event { watched.isLinked = false }
            let wasAway = machine.state.isAway
            let due = machine.deadline
            let actions = machine.handle(event, now: steps.now)
            watched.check(actions, event)
            // A due absence takes effect at any event, so a phone cannot postpone its absence by reports.
            let isDue = due.map { $0 <= steps.now && !wasAway } ?? false
            promise(!isDue || watched.hasLeft(actions), "an absence that was due is left out")
            promise(machine.state.isAway == watched.isAway(machine.state), "the state is not what was told")
            if case .timer = event { promiseNothingIsDue(machine.deadline, at: steps.now) }
        }
        return 0
    }

    private static func event(_ kind: UInt8, _ steps: inout FuzzSteps) -> Presence.Event {
        switch kind {
        case 0: return .linkUp
        case 1: return .linkDown
        case 2, 3, 4: return .report(dBm: -Int(steps.choice(of: 128)))
        case 5: return .report(dBm: nil)
        case 6: return .tapped
        case 7:
            let near = -30 - Int(steps.choice(of: 61))
            let thresholds = PresenceThresholds(nearDBm: near, farDBm: max(-100, near - 10))
            return thresholds.map { .thresholdsSet($0) } ?? .timer
        default: return .timer
        }
    }

    private struct Watched {
        var isLinked = false
        private var hasOffer = false

        mutating func check(_ actions: [Presence.Action], _ event: Presence.Event) {
            promise(actions.count <= 4, "one event has too many actions")
            for action in actions {
                switch action {
                case .offer:
                    promise(!hasOffer && isLinked, "an offer comes twice, or without a link")
                    hasOffer = true
                case .withdrawOffer:
                    promise(hasOffer, "what was never offered is taken back")
                    hasOffer = false
                case .away: promise(!hasOffer, "somebody is away and near")
                case .back: promise(isLinked, "somebody is back without a link")
                }
            }
        }

        func hasLeft(_ actions: [Presence.Action]) -> Bool {
            actions.contains { if case .away = $0 { true } else { false } }
        }

        func isAway(_ state: Presence.State) -> Bool {
            promise(state != .near || hasOffer, "a phone is near that was never offered anything")
            return state.isAway
        }
    }
}
