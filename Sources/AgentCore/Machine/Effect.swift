import ControlProtocol
import PAMProtocol
import AuditLog
import Links
import PhoneMessages
import Secrets
import VaultPort

/// What the shell does, in the order in which it is given: it performs, and decides nothing.
package enum Effect: Sendable {
    // What protects, before everything else.
    /// Deaf and dumb: nothing that the phone has sent or sends has an effect.
    case mute(ChannelID)
    case act(OperationID, SessionOperation, SessionTarget)

    // What is written down, and what is asked.
    case vault(OperationID, VaultCommand)
    case lookUp(OperationID, Lookup)

    // What is given away.
    case handOver(OperationID, ProgramID, user: [UInt8], HeldSecret)
    /// The secret of the open code, for the handshake that asked for it.
    case giveCode(ChannelID, HeldSecret)
    /// The code as people scan it.
    case showCode(ControlID, uri: HeldSecret, validSeconds: UInt64)

    // What is told.
    /// The peer counts as who it proved to be: its requests are heard from now on.
    case admit(ChannelID)
    /// The site document, on a link that has asked for nothing else.
    case showDocument(ChannelID, [UInt8])
    case tellPhone(ChannelID, BoxMessage)
    case finish(ChannelID, ChannelEnd, lastWords: BoxMessage? = nil)
    case tellProgram(ProgramID, ProgramMessage)
    case tellControl(ControlID, ControlReply)
    case advertise(AdvertisingMode)
    /// The identity and the name are these from now on; links that have begun keep what was shown to them.
    case show(BoxShown)
    /// Link-layer pairing, where the radio asks for it, while an administrator enrols.
    case allowPairing(Bool)
    /// Nothing is under way on this connection: it gives its place to whoever needs one.
    case giveWay(ControlID)
    /// The machine may sleep: what had to be locked is.
    case allowSleep
    /// A helper of ours answers Lock and Unlock in this logind session from now on, or does no more.
    case setHelped(session: String, Bool)
    /// The helper in the session has looked, and cannot lock it now: whoever waits for the lock is told at once.
    case refuseLock(session: String, reason: String)
    case log(LogLine)
    case count(Tally)
    case site(SiteLinkID, SiteLinkOrder)

    /// What protects is done before what is written, that before what is given away, that before what is told. A phone hears
    /// what it was before its new state, and that before an answer (docs/reference/protocol.md section 11).
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
    /// Signs of life from now on, until it is served or refused.
    case waiting
    /// The same, while the person is asked on the phone.
    case asking
    case refused(UnavailableReason)
    /// The change of a password was noted.
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
    /// A program gets no credential. Not for whom: at a prompt people type passwords where their name belongs.
    case loginRefused(String)
    case elevationRefused(user: [UInt8], String)
    case linkRefused(ChannelEnd)
}

/// What the metrics count.
package enum Tally: Equatable, Sendable {
    case loginJudged(ResultCode, after: Duration)
    case pinWrong
    case linkEnded(ChannelEnd)
    case radio(isWorking: Bool)
}
