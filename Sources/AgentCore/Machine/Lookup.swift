import PAMProtocol
import AuditLog
import Names
import Secrets
import VaultPort

/// A query to the kernel, logind, the accounts or the random number generator.
package enum Lookup: Sendable {
    /// The place of a program that asks now. For a program without a terminal, this first asks logind for its screens.
    case seat(PAMAuthentication, Caller)
    /// The current places of these programs, from known data. Answered before any other event.
    case seats([ProgramID: Asker])
    /// The place from which a program requests a password that the phone must allow.
    case elevationPlace(process: Int32)
    /// logind's data about the session that a program names.
    case claim(SessionTarget, process: Int32?)
    /// The caller of `boxagent`, for the audit log, and the name of the caller's uid. Answered within 500 ms.
    case person(Caller)
    /// The account that a phone is to log in, and the identity of the administrator.
    case account(user: [UInt8], Caller)
    /// A new code: its id, its secret, and both in the form that this user scans.
    case newCode(user: [UInt8])
    /// Asks logind again for data of these sessions that it does not signal. Changes arrive as events.
    case idleness([String])
}

/// A program that has asked for a credential. Its place is looked up again when a tap comes.
package struct Asker: Equatable, Sendable {
    package let caller: Caller
    package let user: [UInt8]?
    /// PAM_TTY.
    package let terminal: [UInt8]
    /// The logind session that the process was in when it asked.
    package let session: String?

    package init(caller: Caller, user: [UInt8]?, terminal: [UInt8], session: String?) {
        self.caller = caller
        self.user = user
        self.terminal = terminal
        self.session = session
    }
}

/// The result of an operation.
package enum Answer: Sendable {
    case vault(VaultAnswer)
    case acted(SessionOutcome)
    case handedOver(CredentialTaking)
    case seat(session: String?, SeatFacts)
    case seats([ProgramID: SeatFacts])
    /// Nil if logind knows no session of the process.
    case elevationPlace((session: LogindSession, isInBackground: Bool)?)
    case claim(SessionClaim)
    /// The caller's identity in the audit log, and the name of the caller's uid.
    case person(AuditActor, name: [UInt8]?)
    case account(AccountLookup, AuditActor)
    /// `uri` is nil if the user name does not fit an enrolment code.
    case code(id: [UInt8], secret: HeldSecret, uri: HeldSecret?)
    case idlenessRead
}

/// The result of handing a credential to a program.
package enum CredentialTaking: Equatable, Sendable {
    case taken
    /// The program is gone or refused the credential, and has not received it.
    case notTaken
    /// The user's account has another number now, so nothing was handed over.
    case refused
    /// `boxagent test-login` received the credential and discarded it.
    case tested
}

/// The answer of the system's accounts to a name.
package enum AccountLookup: Equatable, Sendable {
    /// `name` is the account's own name if it differs from the requested one.
    case found(uid: UInt32, name: [UInt8]? = nil)
    case unknown
    /// The accounts did not answer.
    case failed

    /// Returns the account for the name `asked`. `look` queries the accounts for one name.
    ///
    /// SSSD and winbind know one account by several spellings. The account's own name counts only if it resolves to
    /// itself and the same uid, and if it is an allowed user name. Otherwise the account keeps the name that was asked.
    package static func settled(_ asked: [UInt8], _ look: ([UInt8]) -> AccountLookup) -> AccountLookup {
        let answer = look(asked)
        guard case .found(let uid, let name?) = answer else { return answer }
        guard name != asked, UserName.isAllowed(name), look(name) == answer else { return .found(uid: uid) }
        return answer
    }

    /// Returns the account's name, or `asked` if the account has no other name.
    package func name(of asked: [UInt8]) -> [UInt8] {
        if case .found(_, let name?) = self { name } else { asked }
    }
}
