/// Whether the agent knows logind's sessions. If not, more sessions may be open than it knows.
package enum LogindReading: Equatable, Sendable {
    case notYet, read
    /// logind is away, or the box has none. No phone can control a session of logind.
    case away(why: String)

    mutating func heard(_ event: LogindEvent) {
        switch event {
        case .available: self = .read
        case .unavailable(let why): self = .away(why: why)
        case .appeared, .changed, .removed, .sleeping, .woke, .shuttingDown: break
        }
    }

    /// The reason why the sessions are not known, or nil.
    var problem: String? {
        switch self {
        case .notYet: "the agent has not read them yet"
        case .read: nil
        case .away(let why): why
        }
    }
}
