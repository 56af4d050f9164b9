import EventLoop
import Transport
import TransportBlueZ
import TransportLoopback

/// The only place that knows which radios a phone can have.
enum Radios {
    /// Returns the radio that the settings name. Each radio has one line here.
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
