import Names
import VaultPort

/// What a program has said of the session that it opened, until logind has said something to that.
package struct SessionClaiming: Sendable {
    package enum Stage: Equatable, Sendable {
        /// Logind is asked for the first time: nobody owns the session yet. `hasEnded`: the program said so meanwhile.
        case opening(hasEnded: Bool)
        /// Logind could not be asked: the session is known by its program, until it can.
        case held
    }

    /// From the question to the answer; longer than a call on the bus may take (25 s, dbus_connection_send_with_reply of
    /// libdbus).
    package static let limit: Duration = .seconds(30)

    package let program: ProgramID
    package let target: SessionTarget
    package let device: DeviceID
    package let process: Int32?
    /// Since boot.
    package let openedAt: Duration
    package var stage = Stage.opening(hasEnded: false)
    package var hasLasted = false
    /// The question under way, and when it is given up.
    package var asked: (id: OperationID, until: Duration)?
    /// Logind said something of the session while the question was under way: its answer may be older than that.
    package var asksAgain = false
    /// When the session was opened, in logind's microseconds, that logind ended meanwhile under this id.
    package var removedMicroseconds: Int64?

    package init(
        program: ProgramID, target: SessionTarget, device: DeviceID, process: Int32?, openedAt: Duration
    ) {
        self.program = program
        self.target = target
        self.device = device
        self.process = process
        self.openedAt = openedAt
    }
}
