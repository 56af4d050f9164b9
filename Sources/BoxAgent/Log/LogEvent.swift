import AgentCore
import AuditLog
import Vault
import VaultPort

/// What a line of the log tells of, in fields by which the journal is searched. Never a secret.
public struct LogEvent: Equatable, Sendable {
    /// A fixed word: an event of the audit log, or one of those below.
    let name: String
    var user: [UInt8]?
    /// A device's id as listings show it.
    var device: [UInt8]?
    /// What came of it, in a few words.
    var result: [UInt8]?

    /// A program gets no credential, by policy. Not for whom: at a prompt people type passwords where their name belongs.
    static func loginRefused(_ reason: String) -> LogEvent {
        LogEvent(name: "login-refused", result: Array(reason.utf8))
    }

    /// `user`: of an account, as elevation asks for nobody else's password.
    static func elevationRefused(_ user: [UInt8], _ reason: String) -> LogEvent {
        LogEvent(name: "elevation-refused", user: user, result: Array(reason.utf8))
    }

    /// Something at the other end of a link could not prove to be an enrolled phone.
    static func linkRefused(_ reason: ChannelEnd) -> LogEvent {
        LogEvent(name: "link-refused", result: Array("\(reason)".utf8))
    }
}

extension LogEvent {
    init(_ event: AuditEvent) {
        self.init(
            name: event.kind.rawValue, user: event.user, device: event.device.map { Array("\($0)".utf8) },
            result: event.detail)
    }
}
