import Names
import VaultPort

/// The value that the vault should store for each device. Each device has one write at a time, and failed writes are
/// retried. A value stays in memory until it is stored, replaced or dropped. Pure.
///
/// A newer value replaces one whose write has not begun, so each device has at most one row. All waiting values are
/// retried together.
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

    /// The next step after an answer.
    package enum Next: Equatable, Sendable {
        case nothing
        case write(Value)
        /// `isNew` is false for a repeated failure of the same row, which needs no line in the log.
        case waits(isNew: Bool)
    }

    private var rows: [DeviceID: Row] = [:]
    private var pause = Self.firstPause
    private var retryAt: Duration?

    package init() {}

    /// The time of the next retry.
    package var deadline: Duration? { retryAt }

    /// The devices with a value that is not stored yet.
    package var devices: [DeviceID] { rows.keys.inOrder }

    /// Returns the newest value that is being written or will be written, or nil if no write is in progress.
    package func coming(for device: DeviceID) -> Value? {
        guard case .writing(let value, let newer, _) = rows[device] else { return nil }
        return newer ?? value
    }

    /// Returns the value to write now, or nil if it must follow an earlier write or replaces a waiting value.
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

    /// Handles the answer to the write in progress.
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

    /// Returns the values whose retry is due. Returns none before `deadline`.
    package mutating func due(now: Duration) -> [(device: DeviceID, value: Value)] {
        guard let retryAt, retryAt <= now else { return [] }
        self.retryAt = nil
        return devices.compactMap { device in
            guard case .waiting(let value) = rows[device] else { return nil }
            rows[device] = .writing(value, newer: nil, isRetry: true)
            return (device, value)
        }
    }

    /// Forgets the device's row. The caller must drop the answer to a write in progress.
    package mutating func forget(_ device: DeviceID) {
        rows[device] = nil
    }

    /// Drops a value that waits for its retry. A write in progress continues.
    package mutating func giveUp(_ device: DeviceID) {
        if case .waiting = rows[device] { rows[device] = nil }
    }
}

extension Sequence<DeviceID> {
    /// Sorted by bytes: the order of a dictionary differs from run to run.
    package var inOrder: [DeviceID] { sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) } }
}
