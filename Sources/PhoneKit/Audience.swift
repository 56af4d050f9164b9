import PhoneCore

/// A queue of reports for the listener, which gets one after the other.
struct Audience {
    enum Telling: Sendable {
        case watch(WatchEvent)
        case sample(Int)
        case progress(PhoneProgress)

        /// Returns false if the listener must be awaited for this report.
        func tellAtOnce(_ listener: ErrandListener) -> Bool {
            guard case .progress(let progress) = self else { return false }
            listener.interaction.progress(progress)
            return true
        }

        /// Returns false if the listener wants no more reports.
        func tell(_ listener: ErrandListener) async -> Bool {
            switch self {
            case .watch(let event): return await listener.watch?(event) ?? true
            case .sample(let dBm):
                await listener.sample?(dBm)
                return true
            case .progress: return tellAtOnce(listener)
            }
        }
    }

    /// The radio is not read further while this many reports wait.
    static let limit = 32

    private var waiting: [Telling] = []
    private var hasLeft = false

    var isFull: Bool { waiting.count >= Self.limit }

    mutating func add(_ telling: Telling) {
        if !hasLeft { waiting.append(telling) }
    }

    mutating func next() -> Telling? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// Discards all reports, because the listener has stopped listening.
    mutating func leave() {
        waiting = []
        hasLeft = true
    }
}
