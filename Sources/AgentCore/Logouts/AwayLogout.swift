/// Automatic logout of sessions whose phone left (docs/decisions/018-sessions.md). Deadlines survive a restart of the
/// agent.
///
/// A pure state machine. A device's deadline runs while it has a session and no open channel. Actions store each
/// change. `Key` is the device.
public struct AwayLogout<Key: Hashable & Sendable>: Sendable {
    public enum Event: Sendable {
        case sessionOpened(Key)
        /// The last session of the device ended.
        case sessionsEnded(Key)
        case connected(Key)
        /// The last channel of the device closed.
        case disconnected(Key)
        /// The limit that applies to the device from now on; nil is off. A running deadline comes no sooner than after
        /// `notice`, unless it was due sooner anyway. `isGuess` marks a substitute for a limit that cannot be read.
        case limitSet(Key, Duration?, notice: Duration = .zero, isGuess: Bool = false)
        /// A deadline that an earlier run of the agent stored.
        case restored(Key, deadline: Duration)
        case timer
    }

    public enum Action: Equatable, Sendable where Key: Equatable {
        case writeDeadline(Key, Duration)
        case clearDeadline(Key)
        case logout(Key)
    }

    private struct Phone: Sendable {
        /// The order of arrival: the order of a dictionary differs from run to run.
        let number: UInt64
        var hasSession = false
        var connected = false
        var limit: Duration?
        var deadline: Duration?
        /// The limit that the deadline was computed with. Nil if an earlier run used an unknown limit.
        var countedBy: Duration?
    }

    private var phones: [Key: Phone] = [:]
    private var lastNumber: UInt64 = 0

    public init() {}

    public var deadline: Duration? { phones.values.compactMap(\.deadline).min() }

    /// The devices with a session or a deadline.
    public var devices: [Key] { inOrder.filter { $0.value.hasSession || $0.value.deadline != nil }.map(\.key) }

    private var inOrder: [(key: Key, value: Phone)] { phones.sorted { $0.value.number < $1.value.number } }

    public func deadline(of key: Key) -> Duration? { phones[key]?.deadline }

    public mutating func handle(_ event: Event, now: Duration) -> [Action] {
        switch event {
        case .sessionOpened(let key): return change(key, now) { $0.hasSession = true }
        case .sessionsEnded(let key): return forgetIdle(key, after: change(key, now) { $0.hasSession = false })
        case .connected(let key): return change(key, now) { $0.connected = true }
        case .disconnected(let key): return forgetIdle(key, after: change(key, now) { $0.connected = false })
        case .limitSet(let key, let limit, let notice, let isGuess):
            return change(key, now) { phone in
                if let limit, let old = phone.countedBy, let running = phone.deadline, limit != old {
                    // The new limit counts from the time when the phone left, not from now.
                    phone.deadline = max(running - old + limit, min(running, now + notice))
                }
                if limit == nil { phone.deadline = nil }
                phone.limit = limit
                // A guess does not show how an earlier run computed its deadline.
                if !isGuess || phone.countedBy != nil { phone.countedBy = limit }
            }
        case .restored(let key, let deadline):
            var phone = phone(key)
            phone.hasSession = true
            // A phone that has already come back makes the stored deadline obsolete.
            let isOver = phone.connected
            if isOver {
                phone.deadline = nil
            } else if phone.deadline.map({ deadline < $0 }) ?? true {
                phone.deadline = deadline
                phone.countedBy = nil
            }
            phones[key] = phone
            return isOver ? [.clearDeadline(key)] : []
        case .timer:
            return expire(now)
        }
    }

    private mutating func change(_ key: Key, _ now: Duration, _ body: (inout Phone) -> Void) -> [Action] {
        var phone = phone(key)
        let before = phone.deadline
        body(&phone)
        let runs = phone.hasSession && !phone.connected
        if !runs {
            phone.deadline = nil
        } else if phone.deadline == nil, let limit = phone.limit {
            phone.deadline = now + limit
            phone.countedBy = limit
        }
        phones[key] = phone
        guard phone.deadline != before else { return [] }
        return [phone.deadline.map { .writeDeadline(key, $0) } ?? .clearDeadline(key)]
    }

    private mutating func phone(_ key: Key) -> Phone {
        if let known = phones[key] { return known }
        lastNumber += 1
        return Phone(number: lastNumber)
    }

    /// Forgets a phone with neither session nor channel, which bounds the table.
    private mutating func forgetIdle(_ key: Key, after actions: [Action]) -> [Action] {
        if let phone = phones[key], !phone.hasSession, !phone.connected { phones[key] = nil }
        return actions
    }

    private mutating func expire(_ now: Duration) -> [Action] {
        var actions: [Action] = []
        for (key, phone) in inOrder {
            guard let deadline = phone.deadline, deadline <= now else { continue }
            phones[key]?.deadline = nil
            phones[key]?.hasSession = false
            actions += [.clearDeadline(key), .logout(key)]
        }
        return actions
    }
}
