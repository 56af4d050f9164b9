/// The state of reading logind's sessions. Until they are read, more sessions may be open than the agent knows.
package enum LogindReading: Equatable, Sendable {
    case notYet(why: String), read
    /// logind is away, or the box has none. No phone can control a session of logind.
    case away(why: String)

    package static let unasked = LogindReading.notYet(why: "logind's sessions are not read yet")

    mutating func heard(_ event: LogindEvent) {
        switch event {
        case .available: self = .read
        case .unread(let why): self = .notYet(why: why)
        case .unavailable(let why): self = .away(why: why)
        case .appeared, .changed, .removed, .sleeping, .woke, .shuttingDown: break
        }
    }

    /// The reason why the sessions are not known, or nil.
    var problem: String? {
        switch self {
        case .read: nil
        case .notYet(let why), .away(let why): why
        }
    }
}
