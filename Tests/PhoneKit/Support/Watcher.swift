import VaultPort
import Synchronization
import Vault

@testable import PhoneCore
@testable import PhoneKit

/// Collects the events of a watch, and stops after `limit` events.
final class Watcher: Sendable {
    private let seen = Mutex<[WatchEvent]>([])
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    var events: [WatchEvent] { seen.withLock { $0 } }

    func take(_ event: WatchEvent) -> Bool {
        seen.withLock { events in
            events.append(event)
            return events.count < limit
        }
    }
}

extension PhoneFixture {
    /// Watches the box in a separate task.
    func watch(_ box: KnownBox, by phone: Phone, _ watcher: Watcher) -> Task<Void, any Error> {
        let interaction = interaction
        return Task.detached(executorPreference: world) {
            try await phone.watch(BoxTarget(box), interaction) { watcher.take($0) }
        }
    }
}
