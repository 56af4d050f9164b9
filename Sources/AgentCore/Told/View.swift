import ControlProtocol
import Links
import Names
import PhoneMessages
import VaultPort

/// The state that phones, greeters and the radio are told. It is derived from the rooms' states after each event.
package struct View: Sendable {
    package var devices: [DeviceView] = []
    package var greeters: [ControlID] = []
    package var greeterState: GreeterState
    package var advertising: AdvertisingMode
    /// Nil: as before.
    package var shown: BoxShown?
}

/// What a device's phone is to know. Times are absolute: a state does not change because time passes.
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
    /// As phones are told.
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
    /// As messages say a time: whole seconds, none below zero, no more than a message takes.
    package static func seconds(until time: Duration, now: Duration) -> UInt32 {
        min(UInt32(clamping: max(0, (time - now).components.seconds)), durationSeconds)
    }
}
