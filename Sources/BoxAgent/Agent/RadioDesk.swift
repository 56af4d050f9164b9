import AgentCore
import EventLoop
import Links
import Transport

/// Tells the radio what to show and how to advertise, one change at a time; nobody waits for a radio, whose bus may hang.
actor RadioDesk {
    private let radio: any PeripheralRadio
    private let loop: EpollLoop
    /// What the radio was last told, and what it should be.
    private var advertised: AdvertisingMode?
    private var wanted: AdvertisingMode?
    private var isSetting = false
    /// What is to be shown from now on; nil: the radio was told.
    private var shown: BoxKeys?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ radio: any PeripheralRadio, loop: EpollLoop) {
        self.radio = radio
        self.loop = loop
    }

    /// Called on the loop.
    nonisolated func advertise(_ mode: AdvertisingMode) {
        onSameLoop { desk in
            desk.wanted = mode
            desk.begin()
        }
    }

    /// Called on the loop.
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
