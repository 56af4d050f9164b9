import AgentConfiguration
import AgentProtocol

/// A session as orders and session commands see it: one that a phone opened, one that logind knows, or both.
package struct KnownSession: Sendable {
    package let target: SessionTarget
    package let owned: Owned?
    package let logind: LogindSession?
    package let canLock: Bool

    package struct Owned: Sendable {
        package let key: SessionKey
        package let session: OwnedSession

        package init(key: SessionKey, session: OwnedSession) {
            self.key = key
            self.session = session
        }
    }

    package init(target: SessionTarget, owned: Owned?, logind: LogindSession?, canLock: Bool) {
        self.target = target
        self.owned = owned
        self.logind = logind
        self.canLock = canLock
    }

    package func isOf(_ caller: Caller, named name: [UInt8]?) -> Bool {
        if let logind { return logind.userID == caller.uid }
        return target.user == name
    }

    package var listing: SessionListing {
        let place = [logind?.seat, logind?.terminal].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
        let isLocked = logind?.isLocked ?? owned?.session.locked ?? false
        return SessionListing(
            id: target.logindSession ?? [], user: target.user,
            place: place.isEmpty ? target.terminal ?? [] : Array(place.utf8), type: Array((logind?.type ?? "").utf8),
            state: logind?.isClosing ?? false ? .closing : isLocked ? .locked : .active, canLock: canLock,
            device: owned.map { Array("\($0.session.device)".utf8) })
    }
}
