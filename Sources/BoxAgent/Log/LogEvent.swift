import AgentCore
import AuditLog
import Vault
import VaultPort

/// The event of a log line, in fields by which the journal can be searched. Never contains a secret.
public struct LogEvent: Equatable, Sendable {
    /// A fixed word: an event of the audit log, or one of the events below.
    let name: String
    var user: [UInt8]?
    /// A device's ID as listings show it.
    var device: [UInt8]?
    /// The result, in a few words.
    var result: [UInt8]?

    /// The policy denies a program the credential. `user` is an account's name, or nil for a login.
    static func promptRefused(_ user: [UInt8]?, _ reason: String) -> LogEvent {
        LogEvent(name: "prompt-refused", user: user, result: Array(reason.utf8))
    }

    /// The other end of a link could not prove that it is an enrolled phone.
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
