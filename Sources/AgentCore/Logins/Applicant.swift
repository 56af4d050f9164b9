import AuditLog

/// A program that may be given a credential.
package struct Applicant: Equatable, Sendable {
    package let program: ProgramID
    /// For the audit log.
    package let actor: AuditActor
    /// Nil: `boxagent test-login`, which stands nowhere.
    package let asker: Asker?

    package init(program: ProgramID, actor: AuditActor, asker: Asker?) {
        self.program = program
        self.actor = actor
        self.asker = asker
    }

    /// The program's, by the kernel's word.
    package var process: Int32? { asker?.caller.pid }
}
