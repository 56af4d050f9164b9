import AgentConfiguration
import EventLoop
import Transport
import TransportBlueZ
import TransportLoopback

/// The only place that lists the radios of a box.
enum Radios {
    /// Returns the radio that the configuration names; each radio has one line here.
    static func peripheral(_ configuration: Configuration, _ loop: EpollLoop) -> any PeripheralRadio {
        switch configuration.radio.kind {
        case .auto, .bluez: BlueZPeripheral(loop: loop, settings: .init(configuration.radio))
        case .loopback:
            LoopbackPeripheral(
                loop: loop, airDirectory: configuration.airDirectory,
                adapter: Directories.number(of: configuration.box.stateDirectory))
        }
    }

    /// Returns the permanent addresses of the adapters of all radios.
    static func adapterAddresses() -> [String] { BlueZPeripheral.adapterAddresses() }
}

extension BlueZPeripheral.Settings {
    fileprivate init(_ radio: Configuration.Radio) {
        self.init()
        bus = radio.bus
        adapter = radio.adapter
        requiresLinkEncryption = radio.requireLinkEncryption
    }
}
