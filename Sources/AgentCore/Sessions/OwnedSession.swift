import Names
import PhoneMessages
import VaultPort

/// What a session is known by.
package enum SessionKey: Hashable, Sendable {
    /// XDG_SESSION_ID: it ends when logind says so.
    case logind([UInt8])
    /// No logind session: it ends with the program's PAM handle.
    case program(ProgramID)
}

extension SessionKey: Comparable {
    /// Sessions of logind by their ids, then those of programs.
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
    /// Since boot.
    package let openedAt: Duration
    /// When logind opened it, since its ids are used again; nil without a logind session.
    package let openedMicroseconds: Int64?
    package var locked = false
    /// True once no PAM module has refused the session. The audit log has its beginning then, and later its end.
    package var hasLasted: Bool
    /// Whether it is written down, and so outlives the agent.
    package var isKept = false
    /// Why it was told to end, while it has not ended yet.
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

    /// Returns the session as logind has confirmed it; it must be stored.
    package func confirmed(_ target: SessionTarget, at microseconds: Int64, isLocked: Bool) -> OwnedSession {
        OwnedSession(
            device: device, target: target, openedAt: openedAt, openedMicroseconds: microseconds, hasLasted: hasLasted,
            locked: locked || isLocked, ending: ending)
    }

    /// Whether the other is the same opening by the same phone: its lock, its end and its key may differ.
    package func isSame(as other: OwnedSession) -> Bool {
        device == other.device && openedAt == other.openedAt && target.user == other.target.user
    }

    /// Whether the operation leaves it another than it is.
    package func isChanged(by operation: SessionOperation) -> Bool {
        switch operation {
        case .lock: !locked
        case .unlock: locked
        case .logout: ending == nil
        }
    }
}
