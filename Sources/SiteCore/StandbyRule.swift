/// Whether a change counts only once a second PostgreSQL has it.
public enum StandbyRule: Sendable, Equatable {
    /// There is one PostgreSQL: none takes over from it.
    case notNeeded
    /// Another one takes over: what the first one has acknowledged must be there.
    case required
    /// Another one takes over, and the administrator accepts that it may lack what was acknowledged.
    case lossAccepted

    /// - Parameter hosts: How many PostgreSQLs the connection's settings name.
    public init(hosts: Int, acceptsLoss: Bool) {
        self = hosts < 2 ? .notNeeded : acceptsLoss ? .lossAccepted : .required
    }

    /// What the database's `synchronous_standby_names` comes to.
    public func judge(standbyNames: String) -> StandbyState {
        // As PostgreSQL reads it: what is empty, or only spaces, names none.
        let names = standbyNames.utf8.contains { $0 != 0x20 && !(0x09...0x0D).contains($0) }
        return switch self {
        case .notNeeded: .notNeeded
        case .required: names ? .named : .missing
        case .lossAccepted: names ? .named : .lossAccepted
        }
    }
}

/// Where a change is before it is acknowledged.
public enum StandbyState: String, Sendable, Equatable, CaseIterable {
    case notNeeded = "not-needed"
    /// At a standby, too.
    case named
    /// At one PostgreSQL, though another one would take over: so nothing is changed.
    case missing
    /// At one PostgreSQL, though another one would take over: a change may be lost then.
    case lossAccepted = "loss-accepted"

    public var allowsChanges: Bool { self != .missing }
}
