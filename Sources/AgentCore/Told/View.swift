import ControlProtocol
import Links
import Names
import PhoneMessages
import VaultPort

/// The state that phones, greeters and the radio are told. It is derived from all components after each event.
package struct View: Sendable {
    package var devices: [DeviceView] = []
    package var greeters: [ControlID] = []
    package var greeterState: GreeterState
    package var advertising: AdvertisingMode
    /// Nil if the last value stays.
    package var shown: BoxShown?
}

/// The data for a device's phone. Times are absolute, so a state does not change only because time passes.
package struct DeviceView: Equatable, Sendable {
    package struct Channel: Equatable, Sendable {
        package let id: ChannelID
        package let capabilities: Capabilities
    }

    package struct Warning: Equatable, Sendable {
        package let cause: LogoutCause
        package let at: Duration
        package let canExtend: Bool
    }

    package let device: DeviceID
    package let channels: [Channel]
    /// Without `logoutInSeconds`.
    package let state: BoxState
    package let end: Duration?
    package let offer: Offer
    package let warning: Warning?

    package func message(_ now: Duration) -> BoxMessage {
        var told = state
        told.logoutInSeconds = end.map { MessageLimits.seconds(until: $0, now: now) }
        return .state(told)
    }

    func warning(_ now: Duration) -> BoxMessage {
        .logoutWarning(
            warning.map {
                LogoutWarning(
                    seconds: MessageLimits.seconds(until: $0.at, now: now), cause: $0.cause.told,
                    canExtend: $0.canExtend)
            })
    }
}

extension LogoutCause {
    /// The cause as phones are told it.
    var told: LogoutWarning.Cause {
        switch self {
        case .away: .away
        case .idle: .idle
        case .longest: .longest
        case .closing: .closing
        }
    }
}

extension MessageLimits {
    /// Returns a time as messages carry it: whole seconds from zero to the longest that a message can carry.
    package static func seconds(until time: Duration, now: Duration) -> UInt32 {
        min(UInt32(clamping: max(0, (time - now).components.seconds)), durationSeconds)
    }
}
