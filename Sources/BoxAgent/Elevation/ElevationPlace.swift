import Sessions

/// From where a program asks for a password that the phone has to allow.
struct ElevationPlace: Sendable {
    /// polkit's agent runs its helper wherever the desktop has started the agent, most often in the user's service manager.
    static let servicesInBackground: Set<[UInt8]> = [Array("polkit-1".utf8)]

    let session: LogindSession
    /// The user's service manager runs the program: it is in no session, and is counted to the one on the user's display.
    /// Whoever is logged in from elsewhere can have programs run there.
    let isInBackground: Bool
    /// The agent itself has locked the session; not every locker tells logind.
    let isLockedByAgent: Bool

    /// Whether the person who sits at the machine may be asked for that service.
    func allows(_ service: [UInt8]) -> Bool {
        guard session.isAtSeat, !session.isLocked, !isLockedByAgent else { return false }
        return !isInBackground || Self.servicesInBackground.contains(service)
    }

    /// What the phone shows of a program that is on no terminal and in no session.
    static let backgroundSign = " (in the background)"
}

extension Agent {
    func elevationPlace(of process: Int32) async -> ElevationPlace? {
        guard let found = await logind.caller(ofProcess: process) else { return nil }
        let owned = sessions[.logind(Array(found.session.id.utf8))]
        return ElevationPlace(
            session: found.session, isInBackground: found.isInBackground, isLockedByAgent: owned?.locked ?? false)
    }
}
