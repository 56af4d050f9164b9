import VaultPort
import Synchronization
import Vault

@testable import PhoneCore
@testable import PhoneKit

/// What a watcher saw; it stops after so many events.
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
    /// Watches the box in a task of its own.
    func watch(_ box: KnownBox, by phone: Phone, _ watcher: Watcher) -> Task<Void, any Error> {
        let interaction = interaction
        return Task.detached(executorPreference: world) {
            try await phone.watch(BoxTarget(box), interaction) { watcher.take($0) }
        }
    }
}
