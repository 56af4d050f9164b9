import AgentCore
import Synchronization

/// The box's keys with what is shown of them now: whoever begins something takes them from here, and keeps what it took.
final class ShownKeys: Sendable {
    private let shown: Mutex<BoxKeys>

    init(_ keys: BoxKeys) {
        shown = Mutex(keys)
    }

    var now: BoxKeys { shown.withLock { $0 } }

    func change(to keys: BoxKeys) { shown.withLock { $0 = keys } }
}
