import AgentCore
import EventLoop
import Links
import Transport

/// Sends identity and advertising mode to the radio, one change at a time. Callers never wait, since the radio's bus
/// may hang.
actor RadioDesk {
    private let radio: any PeripheralRadio
    private let loop: EpollLoop
    /// The mode last sent to the radio, and the wanted mode.
    private var advertised: AdvertisingMode?
    private var wanted: AdvertisingMode?
    private var isSetting = false
    /// Keys to show next; nil after they were sent to the radio.
    private var shown: BoxKeys?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ radio: any PeripheralRadio, loop: EpollLoop) {
        self.radio = radio
        self.loop = loop
    }

    /// Must be called on the loop.
    nonisolated func advertise(_ mode: AdvertisingMode) {
        onSameLoop { desk in
            desk.wanted = mode
            desk.begin()
        }
    }

    /// Must be called on the loop.
    nonisolated func show(_ keys: BoxKeys) {
        onSameLoop { desk in
            desk.shown = keys
            desk.begin()
        }
    }

    private func begin() {
        guard !isSetting else { return }
        isSetting = true
        loop.spawn { await self.setAll() }
    }

    nonisolated func allowPairing(_ isAllowed: Bool) {
        loop.spawn { [radio] in await radio.allowPairing(isAllowed) }
    }

    private func setAll() async {
        while true {
            if let keys = shown {
                shown = nil
                let name = Advertisement.name(boxID: String(decoding: keys.boxID, as: UTF8.self))
                await radio.show(identity: keys.identity, name: name)
            } else if let mode = wanted, mode != advertised {
                advertised = mode
                await radio.setAdvertising(mode)
            } else {
                break
            }
        }
        isSetting = false
    }
}
