import Names
import PhoneMessages
import VaultPort

/// The key that identifies a session.
package enum SessionKey: Hashable, Sendable {
    /// XDG_SESSION_ID. The session ends when logind says so.
    case logind([UInt8])
    /// A session without logind. It ends with the program's PAM handle.
    case program(ProgramID)
}

extension SessionKey: Comparable {
    /// Orders logind's sessions by their ids, before those of programs.
    package static func < (left: SessionKey, right: SessionKey) -> Bool {
        switch (left, right) {
        case (.logind(let left), .logind(let right)): left.lexicographicallyPrecedes(right)
        case (.program(let left), .program(let right)): left.number < right.number
        case (.logind, .program): true
        case (.program, .logind): false
        }
    }
}

/// A session that a phone's login opened.
package struct OwnedSession: Sendable {
    package let device: DeviceID
    package let target: SessionTarget
    /// The time of opening, since boot.
    package let openedAt: Duration
    /// The time when logind opened the session. It distinguishes sessions, because logind reuses ids. Nil without a
    /// logind session.
    package let openedMicroseconds: Int64?
    package var locked = false
    /// True once no PAM module has refused the session. The audit log then has its beginning, and later its end.
    package var hasLasted: Bool
    /// True if the session is stored, and so survives a restart of the agent.
    package var isKept = false
    /// The reason of a requested end that has not happened yet.
    package var ending: SessionEnd?

    package init(
        device: DeviceID, target: SessionTarget, openedAt: Duration, openedMicroseconds: Int64?,
        hasLasted: Bool, locked: Bool = false, isKept: Bool = false, ending: SessionEnd? = nil
    ) {
        self.device = device
        self.target = target
        self.openedAt = openedAt
        self.openedMicroseconds = openedMicroseconds
        self.hasLasted = hasLasted
        self.locked = locked
        self.isKept = isKept
        self.ending = ending
    }

    /// Returns the session as logind has confirmed it. The result must be stored.
    package func confirmed(_ target: SessionTarget, at microseconds: Int64, isLocked: Bool) -> OwnedSession {
        OwnedSession(
            device: device, target: target, openedAt: openedAt, openedMicroseconds: microseconds, hasLasted: hasLasted,
            locked: locked || isLocked, ending: ending)
    }

    /// Returns whether both values are about one opening of a session by one phone. Lock, end and key may differ.
    package func isSame(as other: OwnedSession) -> Bool {
        device == other.device && openedAt == other.openedAt && target.user == other.target.user
    }

    package func isChanged(by operation: SessionOperation) -> Bool {
        switch operation {
        case .lock: !locked
        case .unlock: locked
        case .logout: ending == nil
        }
    }
}
