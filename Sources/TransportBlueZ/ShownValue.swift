import Synchronization

/// A characteristic's value. If it changes while a phone reads it in parts, the phone fails and tries again.
final class ShownValue: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    var now: [UInt8] { bytes.withLock { $0 } }

    func set(_ new: [UInt8]) { bytes.withLock { $0 = new } }
}
