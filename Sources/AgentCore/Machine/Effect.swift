import ControlProtocol
import PAMProtocol
import AuditLog
import Links
import PhoneMessages
import Secrets
import VaultPort

/// An action of the shell. The shell performs effects in the given order, and decides nothing.
package enum Effect: Sendable {
    // Protection, before everything else.
    /// Stops listening and sending on the channel. Earlier and later requests of the phone have no effect.
    case mute(ChannelID)
    case act(OperationID, SessionOperation, SessionTarget)

    // Storage and lookups.
    case vault(OperationID, VaultCommand)
    case lookUp(OperationID, Lookup)

    // Secrets that leave the agent.
    case handOver(OperationID, ProgramID, user: [UInt8], HeldSecret)
    /// The secret of the open code, for the handshake that requested it.
    case giveCode(ChannelID, HeldSecret)
    /// The code in the form that users scan.
    case showCode(ControlID, uri: HeldSecret, validSeconds: UInt64)

    // Messages.
    /// Accepts the peer's proven identity. Its requests are heard from now on.
    case admit(ChannelID)
    /// The site document, on a link that has requested nothing else.
    case showDocument(ChannelID, [UInt8])
    case tellPhone(ChannelID, BoxMessage)
    case finish(ChannelID, ChannelEnd, lastWords: BoxMessage? = nil)
    case tellProgram(ProgramID, ProgramMessage)
    case tellControl(ControlID, ControlReply)
    case advertise(AdvertisingMode)
    /// Shows this identity and name from now on. Open links keep the earlier values.
    case show(BoxShown)
    /// Allows link-layer pairing while an administrator enrols a phone, on radios that require it.
    case allowPairing(Bool)
    /// This connection is idle now, and may be closed if another connection needs its place.
    case giveWay(ControlID)
    /// Allows suspend, because every session that must be locked is locked.
    case allowSleep
    /// Notes whether one of our helpers answers Lock and Unlock in this logind session.
    case setHelped(session: String, Bool)
    /// The session's helper cannot lock it now. The agent then immediately tells the callers that wait for the lock.
    case refuseLock(session: String, reason: String)
    case log(LogLine)
    case count(Tally)
    case site(SiteLinkID, SiteLinkOrder)

    /// The order in which effects are performed: protection, storage, secrets, messages. A phone first hears what
    /// happened, then its new state, then the answer (docs/reference/protocol.md section 11).
    var rank: Int {
        switch self {
        case .mute, .act: 0
        case .vault, .lookUp: 1
        case .handOver, .giveCode, .showCode: 2
        case .tellPhone(_, .hello), .tellPhone(_, .sessionEnded), .admit: 3
        case .tellPhone(_, .state), .tellPhone(_, .offer), .tellPhone(_, .logoutWarning): 4
        case .tellPhone, .finish, .tellProgram, .tellControl, .advertise, .show, .allowPairing, .allowSleep, .setHelped,
            .refuseLock, .giveWay, .log, .count, .site, .showDocument:
            5
        }
    }
}

package enum ProgramMessage: Equatable, Sendable {
    /// The program gets heartbeats from now on, until it is served or refused.
    case waiting
    /// Like `waiting`, while the user is asked on the phone.
    case asking
    case refused(UnavailableReason)
    /// The outcome of the delivered credential is known. A waiting program may take this connection's place.
    case judged
    /// The password change was noted.
    case noted
}

/// A line of the log, with the fields by which the journal is searched.
package struct LogLine: Equatable, Sendable {
    package enum Level: Equatable, Sendable { case error, warning, notice, info }

    package let level: Level
    package let text: String
    package let field: LogField?

    package init(_ level: Level, _ text: String, _ field: LogField? = nil) {
        self.level = level
        self.text = text
        self.field = field
    }
}

package enum LogField: Equatable, Sendable {
    /// A program gets no credential. A login has no `user`, because users type passwords at a prompt for the name.
    case promptRefused(user: [UInt8]?, String)
    case linkRefused(ChannelEnd)
}

/// An event that the metrics count.
package enum Tally: Equatable, Sendable {
    case loginJudged(ResultCode, after: Duration)
    case pinWrong
    case linkEnded(ChannelEnd)
    case radio(isWorking: Bool)
}
