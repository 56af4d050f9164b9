import PAMProtocol
import AuditLog
import Names
import Secrets
import VaultPort

/// What the machine asks of kernel, logind, accounts and the source of random numbers.
package enum Lookup: Sendable {
    /// Where a program stands that asks now: asks logind for its screens first where the program has no terminal.
    case seat(PAMAuthentication, Caller)
    /// Where these programs stand at this moment, by what is known already: answered before any other event.
    case seats([ProgramID: Asker])
    /// From where a program asks for a password that the phone has to allow.
    case elevationPlace(process: Int32)
    /// What logind says of the session that a program names.
    case claim(SessionTarget, process: Int32?)
    /// The name of somebody at the command `boxagent`, for the audit log, within 500 ms; and of their uid.
    case person(Caller)
    /// The account that a phone shall log in, and who orders it.
    case account(user: [UInt8], Caller)
    /// A new code: its id, its secret, and both as people scan them for this user.
    case newCode(user: [UInt8])
    /// Ask logind anew for what it does not signal, of these sessions; what changed comes as events.
    case idleness([String])
}

/// A program that has asked for a login, for looking at its place again when a tap comes.
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

/// What became of an operation.
package enum Answer: Sendable {
    case vault(VaultAnswer)
    case acted(SessionOutcome)
    case handedOver(CredentialTaking)
    case seat(session: String?, SeatFacts)
    case seats([ProgramID: SeatFacts])
    /// Nil: logind knows no session of the process.
    case elevationPlace((session: LogindSession, isInBackground: Bool)?)
    case claim(SessionClaim)
    /// Who it is in the audit log, and the name of the caller's uid.
    case person(AuditActor, name: [UInt8]?)
    case account(AccountLookup, AuditActor)
    /// Nil: the user name does not fit an enrolment code.
    case code(id: [UInt8], secret: HeldSecret, uri: HeldSecret?)
    case idlenessRead
}

/// What a program did with a credential.
package enum CredentialTaking: Equatable, Sendable {
    case taken
    /// The program is gone, or takes nothing, and has not had it.
    case notTaken
    /// It arrived, and was let go of: nobody is logged in.
    case tested
}

/// What the system's accounts say of a name.
package enum AccountLookup: Equatable, Sendable {
    /// `name`: the account's own, if it differs from the name that was asked.
    case found(uid: UInt32, name: [UInt8]? = nil)
    case unknown
    /// Nobody answered.
    case failed

    /// Returns the account of whoever is called `asked`, by what the accounts answer to one name.
    ///
    /// SSSD and winbind know one account by several spellings. Its own name counts only if it leads to itself and to the same
    /// number, and if a phone may have it: otherwise the account is called as it was asked.
    package static func settled(_ asked: [UInt8], _ look: ([UInt8]) -> AccountLookup) -> AccountLookup {
        let answer = look(asked)
        guard case .found(let uid, let name?) = answer else { return answer }
        guard name != asked, UserName.isAllowed(name), look(name) == answer else { return .found(uid: uid) }
        return answer
    }

    /// The account's name; `asked` where the accounts have no other one for it.
    package func name(of asked: [UInt8]) -> [UInt8] {
        if case .found(_, let name?) = self { name } else { asked }
    }
}
