import PhoneCore

/// What the listener was not told yet, in its order. It hears one thing after the other.
struct Audience {
    enum Telling: Sendable {
        case watch(WatchEvent)
        case sample(Int)
        case progress(PhoneProgress)

        /// False: the listener takes its time for this.
        func tellAtOnce(_ listener: ErrandListener) -> Bool {
            guard case .progress(let progress) = self else { return false }
            listener.interaction.progress(progress)
            return true
        }

        /// False: nobody listens any more.
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

    /// The radio is not read further while more than this waits to be told.
    static let limit = 32

    private var waiting: [Telling] = []
    private var hasLeft = false

    var isFull: Bool { waiting.count >= Self.limit }

    mutating func add(_ telling: Telling) {
        if !hasLeft { waiting.append(telling) }
    }

    mutating func next() -> Telling? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// Nobody listens any more.
    mutating func leave() {
        waiting = []
        hasLeft = true
    }
}
