/// From where a program asks for a password that the phone has to allow.
package struct ElevationPlace: Sendable {
    /// polkit's agent runs its helper wherever the desktop has started the agent, most often in the user's service manager.
    package static let servicesInBackground: Set<[UInt8]> = [Array("polkit-1".utf8)]

    package let session: LogindSession
    /// The user's service manager runs the program: it is in no session, and is counted to the one on the user's display.
    /// Whoever is logged in from elsewhere can have programs run there.
    package let isInBackground: Bool
    /// The agent itself has locked the session; not every locker tells logind.
    package let isLockedByAgent: Bool

    package init(session: LogindSession, isInBackground: Bool, isLockedByAgent: Bool) {
        self.session = session
        self.isInBackground = isInBackground
        self.isLockedByAgent = isLockedByAgent
    }

    /// Whether the person who sits at the machine may be asked for that service.
    package func allows(_ service: [UInt8]) -> Bool {
        guard session.isAtSeat, !session.isLocked, !isLockedByAgent else { return false }
        return !isInBackground || Self.servicesInBackground.contains(service)
    }

    /// Tells if this is the place that the phone has shown: the same session, of the same user.
    func isStill(_ shown: ElevationPlace) -> Bool {
        session.id == shown.session.id && session.user == shown.session.user && isInBackground == shown.isInBackground
    }

    /// What the phone shows of a program that is on no terminal and in no session.
    package static let backgroundSign = " (in the background)"
}
