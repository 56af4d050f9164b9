import Names
import VaultPort

/// What is to stand in the vault for each device: written one change at a time, and again until it is stored. Meanwhile it
/// holds in memory.
///
/// Pure. A newer value takes the place of one that is not on its way yet, so that the table is as long as there are devices.
///
/// ```
/// (none) ──want──► writing ──stored──► (none), or writing the newer value
///                     │  ▲
///                 failed  retried after 1…30 s
///                     ▼  │
///                    waiting
/// ```
package struct DeviceWrites<Value: Equatable & Sendable>: Sendable {
    package static var firstPause: Duration { .seconds(1) }
    package static var longestPause: Duration { .seconds(30) }

    private enum Row: Sendable {
        case writing(Value, newer: Value?, isRetry: Bool)
        case waiting(Value)
    }

    /// What follows an answer.
    package enum Next: Equatable, Sendable {
        case nothing
        case write(Value)
        /// `isNew`: it is not one more failure of the same row, and worth a line of the log.
        case waits(isNew: Bool)
    }

    private var rows: [DeviceID: Row] = [:]
    private var pause = Self.firstPause
    private var retryAt: Duration?

    package init() {}

    /// When something is tried again.
    package var deadline: Duration? { retryAt }

    /// Devices of which something is not stored yet.
    package var devices: [DeviceID] { rows.keys.inOrder }

    /// What the write under way, or the one that follows it, leaves there; nil while none is under way.
    package func coming(for device: DeviceID) -> Value? {
        guard case .writing(let value, let newer, _) = rows[device] else { return nil }
        return newer ?? value
    }

    /// What to write now; nil while an earlier write is under way or waits: this one follows it or takes its place.
    package mutating func want(_ value: Value, for device: DeviceID) -> Value? {
        switch rows[device] {
        case nil:
            rows[device] = .writing(value, newer: nil, isRetry: false)
            return value
        case .writing(let current, _, let isRetry):
            rows[device] = .writing(current, newer: value == current ? nil : value, isRetry: isRetry)
        case .waiting:
            rows[device] = .waiting(value)
        }
        return nil
    }

    /// The write under way has been answered.
    package mutating func answered(_ device: DeviceID, isStored: Bool, now: Duration) -> Next {
        guard case .writing(let value, let newer, let isRetry) = rows[device] else { return .nothing }
        if isStored {
            pause = Self.firstPause
            rows[device] = newer.map { .writing($0, newer: nil, isRetry: false) }
            return newer.map { .write($0) } ?? .nothing
        }
        rows[device] = .waiting(newer ?? value)
        if retryAt == nil {
            retryAt = now + pause
            pause = min(pause * 2, Self.longestPause)
        }
        return .waits(isNew: !isRetry)
    }

    /// What waits no longer for its turn; nothing before `deadline`.
    package mutating func due(now: Duration) -> [(device: DeviceID, value: Value)] {
        guard let retryAt, retryAt <= now else { return [] }
        self.retryAt = nil
        return devices.compactMap { device in
            guard case .waiting(let value) = rows[device] else { return nil }
            rows[device] = .writing(value, newer: nil, isRetry: true)
            return (device, value)
        }
    }

    /// Nothing is under way any more, or waits: whoever says so drops the answer to what was.
    package mutating func forget(_ device: DeviceID) {
        rows[device] = nil
    }

    /// What waits to be tried again is not wanted any more. What is under way stays.
    package mutating func giveUp(_ device: DeviceID) {
        if case .waiting = rows[device] { rows[device] = nil }
    }
}

extension Sequence<DeviceID> {
    /// By their bytes: a dictionary's own order differs from run to run.
    package var inOrder: [DeviceID] { sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) } }
}
