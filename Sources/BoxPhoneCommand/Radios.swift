import EventLoop
import Transport
import TransportBlueZ
import TransportLoopback

/// The one place that knows which radios a phone can have.
enum Radios {
    /// The radio that the settings name: a line for each.
    static func central(
        _ settings: PhoneSettings, bus: String, _ loopback: LoopbackOptions, _ loop: EpollLoop
    ) -> any CentralRadio {
        let via = settings.via.preference
        let air = settings.air ?? PhoneSettings.defaultAir
        return switch settings.chosenRadio {
        case .bluez: BlueZCentral(loop: loop, bus: bus, adapter: settings.adapter, preference: via)
        case .loopback:
            LoopbackCentral(loop: loop, airDirectory: air, conditions: loopback.conditions, preference: via)
        }
    }
}
