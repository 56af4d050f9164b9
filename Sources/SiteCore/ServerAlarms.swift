/// All that an administrator of a server has to do soon. The log has lines of its own for it.
public struct ServerAlarms: Sendable {
    public let all: [SiteAlarm]

    public init(of server: SiteServerMachine, now: Duration) {
        let keys = server.seconds(now: now).map { server.signing.alarms(under: server.pin.facts, at: $0) } ?? []
        let suspended = server.roster.suspended
        all = keys + (suspended > 0 ? [.suspended(suspended)] : [])
    }
}
