import AgentConfiguration
import VaultPort

/// How long a device may be away, as far as it is known what its person chose.
package enum AwayChoice: Equatable, Sendable {
    /// In seconds, 0 is off; nil: nothing was chosen. The end of a page's link says nothing of its person: without a choice
    /// of theirs, none holds for it (docs/decisions/035-web-phones.md).
    case read(UInt32?, isWeb: Bool)
    /// The vault does not say.
    case unread

    package init(_ sheet: DeviceSheet) {
        self = .read(sheet.autoLogout, isWeb: sheet.record.isWeb)
    }

    /// The time that holds, within the administrator's bounds; nil: none does.
    package func limit(_ bounds: Configuration.AutoLogout) -> Duration? {
        let seconds = seconds(bounds)
        return seconds == 0 ? nil : .seconds(Int64(seconds))
    }

    /// The same in seconds; 0: none.
    package func seconds(_ bounds: Configuration.AutoLogout) -> UInt32 {
        switch self {
        case .read(nil, isWeb: true), .read(0?, isWeb: true): 0
        case .read(let chosen, _): bounds.effective(chosen)
        case .unread: bounds.shortest
        }
    }
}
