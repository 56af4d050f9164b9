import AgentCore
import Synchronization

/// The box's keys with the digits that are shown now. Each operation takes a copy at its start and keeps it.
final class ShownKeys: Sendable {
    private let shown: Mutex<BoxKeys>

    init(_ keys: BoxKeys) {
        shown = Mutex(keys)
    }

    var now: BoxKeys { shown.withLock { $0 } }

    func change(to keys: BoxKeys) { shown.withLock { $0 = keys } }
}
