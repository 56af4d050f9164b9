import Synchronization

/// The value of a characteristic that changes while bluetoothd reads it. A phone that reads it in parts across a change has a mixture,
/// fails with it, and comes again.
final class ShownValue: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    var now: [UInt8] { bytes.withLock { $0 } }

    func set(_ new: [UInt8]) { bytes.withLock { $0 = new } }
}
