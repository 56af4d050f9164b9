/// Says whether a change counts only once a second PostgreSQL has stored it.
public enum StandbyRule: Sendable, Equatable {
    /// There is one PostgreSQL, so no other can take over.
    case notNeeded
    /// Another PostgreSQL can take over, so it must have all acknowledged changes.
    case required
    /// Another PostgreSQL can take over. The administrator accepts that it may lack acknowledged changes.
    case lossAccepted

    /// - Parameter hosts: The number of PostgreSQL servers in the connection's settings.
    public init(hosts: Int, acceptsLoss: Bool) {
        self = hosts < 2 ? .notNeeded : acceptsLoss ? .lossAccepted : .required
    }

    /// Evaluates the database's `synchronous_standby_names`.
    public func judge(standbyNames: String) -> StandbyState {
        // Like PostgreSQL, treat an empty value or spaces only as no name.
        let names = standbyNames.utf8.contains { $0 != 0x20 && !(0x09...0x0D).contains($0) }
        return switch self {
        case .notNeeded: .notNeeded
        case .required: names ? .named : .missing
        case .lossAccepted: names ? .named : .lossAccepted
        }
    }
}

/// Where a change is stored before it is acknowledged.
public enum StandbyState: String, Sendable, Equatable, CaseIterable {
    case notNeeded = "not-needed"
    /// Also at a standby.
    case named
    /// At one PostgreSQL, although another can take over. Changes are therefore refused.
    case missing
    /// At one PostgreSQL, although another can take over. The administrator accepts the loss of recent changes.
    case lossAccepted = "loss-accepted"

    public var allowsChanges: Bool { self != .missing }
}
