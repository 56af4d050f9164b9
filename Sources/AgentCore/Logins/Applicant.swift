import AuditLog

/// A program that may be given a credential.
package struct Applicant: Equatable, Sendable {
    package let program: ProgramID
    /// The program's name in the audit log.
    package let actor: AuditActor
    /// The program that asked. It is nil for `boxagent test-login`, which has no place.
    package let asker: Asker?

    package init(program: ProgramID, actor: AuditActor, asker: Asker?) {
        self.program = program
        self.actor = actor
        self.asker = asker
    }

    /// The program's process, as the kernel reports it.
    package var process: Int32? { asker?.caller.pid }
}
