import AgentConfiguration
import EventLoop
import Transport
import TransportBlueZ
import TransportLoopback

/// The one place that knows which radios a box can have.
enum Radios {
    /// The radio that the configuration names: a line for each.
    static func peripheral(_ configuration: Configuration, _ loop: EpollLoop) -> any PeripheralRadio {
        switch configuration.radio.kind {
        case .auto, .bluez: BlueZPeripheral(loop: loop, settings: .init(configuration.radio))
        case .loopback: LoopbackPeripheral(loop: loop, airDirectory: configuration.airDirectory)
        }
    }

    /// Of the adapters of all radios, as they were made.
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
