import AgentConfiguration
import ControlProtocol

/// A session as orders and session commands see it: opened by a phone, known to logind, or both.
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

    /// - Parameter helped: Logind sessions in which one of our helpers answers Lock.
    init(
        _ key: SessionKey, _ session: OwnedSession, _ logind: LogindSession?, helped: Set<[UInt8]>,
        _ configuration: Configuration
    ) {
        target = session.target
        owned = Owned(key: key, session: session)
        self.logind = logind
        canLock = Self.canLock(logind, helped, configuration)
    }

    /// Creates a session that no phone opened.
    init(_ session: LogindSession, helped: Set<[UInt8]>, _ configuration: Configuration) {
        target = SessionTarget(
            user: Array(session.user.utf8), logindSession: session.idBytes,
            terminal: Array(session.terminal.utf8))
        owned = nil
        logind = session
        canLock = Self.canLock(session, helped, configuration)
    }

    /// Returns whether a locker exists. On a text terminal only our helper is one. A desktop usually has its own.
    private static func canLock(
        _ session: LogindSession?, _ helped: Set<[UInt8]>, _ configuration: Configuration
    ) -> Bool {
        if !configuration.sessions.lockCommand.isEmpty { return true }
        guard let session else { return false }
        return session.isGraphical || helped.contains(session.idBytes)
    }

    /// Orders sessions by their ids. Sessions without an id come first, in the order of their programs.
    static func precedes(_ left: KnownSession, _ right: KnownSession) -> Bool {
        let ids = (left.target.logindSession ?? [], right.target.logindSession ?? [])
        if ids.0 != ids.1 { return ids.0.lexicographicallyPrecedes(ids.1) }
        guard let first = left.owned?.key, let second = right.owned?.key else { return false }
        return first < second
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
            place: place.isEmpty ? target.terminal ?? [] : Array(place.utf8), type: logind?.type ?? "",
            state: logind?.isClosing ?? false ? .closing : isLocked ? .locked : .active, canLock: canLock,
            device: owned.map { Array("\($0.session.device)".utf8) })
    }
}

extension Sequence<KnownSession> {
    /// The ids of phones' sessions that cannot be locked, for the log and `boxagent doctor`. A session that is closing
    /// has already released its locker, and is left out.
    package var withoutLocker: [String] {
        filter { $0.owned != nil && !$0.canLock && !($0.logind?.isClosing ?? false) }
            .map { LogText.text($0.target.logindSession ?? []) }
    }
}
