import Synchronization

/// The ATT_MTU of a connection, readable from any thread. Initially 23 (Core Specification, Vol 3, Part G, 5.2.1).
final class NegotiatedMTU: Sendable {
    private let storage = Atomic<Int>(23)

    var value: Int { storage.load(ordering: .relaxed) }

    func set(_ mtu: Int) {
        storage.store(mtu, ordering: .relaxed)
    }
}
