import Names
import VaultPort

/// A program's claim about the session that it opened, until logind has answered.
package struct SessionClaiming: Sendable {
    package enum ProgramEnd: Sendable { case closed, left }

    package enum Stage: Equatable, Sendable {
        /// logind is asked, and the session has no owner yet. `end` is set if the program closed or left it.
        case opening(end: ProgramEnd?)
        /// logind could not be asked. Until it can be, the program identifies the session.
        case held
    }

    /// The limit for logind's answer. It is longer than a call on the bus may take (25 s,
    /// dbus_connection_send_with_reply of libdbus).
    package static let limit: Duration = .seconds(30)

    package let program: ProgramID
    package let target: SessionTarget
    package let device: DeviceID
    package let process: Int32?
    /// The time of opening, since boot.
    package let openedAt: Duration
    package var stage = Stage.opening(end: nil)
    package var hasLasted = false
    /// The query in progress, and its time limit.
    package var asked: (id: OperationID, until: Duration)?
    /// True if logind reported the session during the query. The answer may be older than the report.
    package var asksAgain = false
    /// The opening time, in logind's microseconds, of a session with this id that logind ended meanwhile, or 0 if logind
    /// did not describe it.
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

    /// Returns whether logind ended the session while its answer was on its way.
    func isRemoved(_ confirmed: LogindSession?) -> Bool {
        guard let confirmed, let removed = removedMicroseconds else { return false }
        return removed == 0 || removed == confirmed.openedMicroseconds
    }
}
