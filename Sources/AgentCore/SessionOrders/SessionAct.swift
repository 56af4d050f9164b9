import AuditLog
import PhoneMessages
import VaultPort

/// One session's part of an order, while it is under way.
package struct SessionAct: Sendable {
    package enum Subject: Sendable {
        /// A session that a phone opened. `changes`: it is to be another than it was when the order came; what logind tells
        /// meanwhile is this very change.
        case owned(SessionKey, OwnedSession, changes: Bool)
        case other(SessionTarget)

        package var target: SessionTarget {
            switch self {
            case .owned(_, let session, _): session.target
            case .other(let target): target
            }
        }
    }

    /// Longer than whatever does it may take: a command of the site 120 s, logind 25 s, after what was asked for before.
    package static let limit: Duration = .seconds(300)

    package let subject: Subject
    package let operation: SessionOperation
    package let actor: AuditActor
    /// For the audit log.
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

    /// Whoever asked pays: a phone, or somebody at the box, who must not use up what the phone has. What the agent does by
    /// itself follows from the phone.
    package func payer(_ session: OwnedSession) -> WriteBudget.Payer {
        actor.kind == .person ? .person(session.target.user) : .device(session.device)
    }
}

extension SessionEnd {
    /// As far as it follows from who ended it.
    package init(by actor: AuditActor) {
        switch actor.kind {
        case .phone: self = .phone
        case .person where actor.uid == 0: self = .administrator
        case .agent, .person, .program: self = .atTheBox
        }
    }
}
