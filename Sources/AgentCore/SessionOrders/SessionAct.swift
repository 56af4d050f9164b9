import AuditLog
import PhoneMessages
import VaultPort

/// One session's part of an order in progress.
package struct SessionAct: Sendable {
    package enum Subject: Sendable {
        /// A session that a phone opened. `changes` is true if the act was meant to change the session's state when the
        /// order came. Later reports of logind then show this very change.
        case owned(SessionKey, OwnedSession, changes: Bool)
        case other(SessionTarget)

        package var target: SessionTarget {
            switch self {
            case .owned(_, let session, _): session.target
            case .other(let target): target
            }
        }
    }

    /// Longer than any act may take: a configured command has 120 s, logind 25 s, plus earlier requests.
    package static let limit: Duration = .seconds(300)

    package let subject: Subject
    package let operation: SessionOperation
    package let actor: AuditActor
    /// The detail for the audit log.
    package let detail: String
    package let until: Duration

    package init(
        _ operation: SessionOperation, on session: KnownSession, by actor: AuditActor, detail: String?, until: Duration
    ) {
        let subject: Subject =
            if let owned = session.owned {
                .owned(owned.key, owned.session, changes: owned.session.isChanged(by: operation))
            } else {
                .other(session.target)
            }
        self.init(operation, on: subject, by: actor, detail: detail, until: until)
    }

    package init(
        _ operation: SessionOperation, on subject: Subject, by actor: AuditActor, detail: String? = nil, until: Duration
    ) {
        self.subject = subject
        self.operation = operation
        self.actor = actor
        self.detail = detail ?? operation.rawValue
        self.until = until
    }

    /// Returns the payer of the log entries. A person at the box pays for their own requests, so that they cannot use
    /// up the phone's budget. The phone pays for the agent's own acts.
    package func payer(_ session: OwnedSession) -> WriteBudget.Payer {
        actor.kind == .person ? .person(session.target.user) : .device(session.device)
    }
}

extension SessionEnd {
    /// Derives the reason from the actor, as far as possible.
    package init(by actor: AuditActor) {
        switch actor.kind {
        case .phone: self = .phone
        case .person where actor.uid == 0: self = .administrator
        case .agent, .person, .program: self = .atTheBox
        }
    }
}
