/// The place from which a program requests a password that the phone must allow.
package struct ElevationPlace: Sendable {
    /// polkit's agent runs its helper in the agent's own place, which is most often the user's service manager.
    package static let servicesInBackground: Set<[UInt8]> = [Array("polkit-1".utf8)]

    package let session: LogindSession
    /// True if the user's service manager runs the program outside any session. The program is then assigned to the
    /// session on the user's display. A user who is logged in remotely can start such programs too.
    package let isInBackground: Bool
    /// True if the agent itself locked the session. Not every locker tells logind.
    package let isLockedByAgent: Bool

    package init(session: LogindSession, isInBackground: Bool, isLockedByAgent: Bool) {
        self.session = session
        self.isInBackground = isInBackground
        self.isLockedByAgent = isLockedByAgent
    }

    /// Returns whether the user at the machine may be asked for that service.
    package func allows(_ service: [UInt8]) -> Bool {
        guard session.isAtSeat, !session.isLocked, !isLockedByAgent else { return false }
        return !isInBackground || Self.servicesInBackground.contains(service)
    }

    /// Returns whether this is the place that the phone has shown: the same session, user and background state.
    func isStill(_ shown: ElevationPlace) -> Bool {
        session.id == shown.session.id && session.user == shown.session.user && isInBackground == shown.isInBackground
    }

    /// The text after the service's name for a program in the background.
    package static let backgroundSign = " (in the background)"
}
