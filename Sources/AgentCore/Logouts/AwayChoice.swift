import AgentConfiguration

/// How long a device may be away, as far as it is known what its person chose.
package enum AwayChoice: Equatable, Sendable {
    /// In seconds, 0 is off; nil: nothing was chosen.
    case read(UInt32?)
    /// The vault does not say.
    case unread

    /// The time that holds, within the administrator's bounds; nil: none does.
    package func limit(_ bounds: Configuration.AutoLogout) -> Duration? {
        let seconds =
            switch self {
            case .read(let chosen): bounds.effective(chosen)
            case .unread: bounds.shortest
            }
        return seconds == 0 ? nil : .seconds(Int64(seconds))
    }
}
