import AgentConfiguration
import VaultPort

/// The user's choice of how long a device may be away, if the choice is known.
package enum AwayChoice: Equatable, Sendable {
    /// The choice in seconds, where 0 is off and nil is no choice. The end of a page's link does not show that its user
    /// left. Without a choice, a web phone therefore has no limit (docs/decisions/035-web-phones.md).
    case read(UInt32?, isWeb: Bool)
    /// The vault cannot be read.
    case unread

    package init(_ sheet: DeviceSheet) {
        self = .read(sheet.autoLogout, isWeb: sheet.record.isWeb)
    }

    /// Returns the limit within the administrator's bounds, or nil if there is none.
    package func limit(_ bounds: Configuration.AutoLogout) -> Duration? {
        let seconds = seconds(bounds)
        return seconds == 0 ? nil : .seconds(Int64(seconds))
    }

    /// Returns the limit in seconds, or 0 if there is none.
    package func seconds(_ bounds: Configuration.AutoLogout) -> UInt32 {
        switch self {
        case .read(nil, isWeb: true), .read(0?, isWeb: true): 0
        case .read(let chosen, _): bounds.effective(chosen)
        case .unread: bounds.shortest
        }
    }
}
