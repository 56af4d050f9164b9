import EventLoop
import Links
import Transport

/// Tells the radio how to advertise, one change at a time; nobody waits for a radio, whose bus may hang.
actor RadioDesk {
    private let radio: any PeripheralRadio
    private let loop: EpollLoop
    /// What the radio was last told, and what it should be.
    private var advertised: AdvertisingMode?
    private var wanted: AdvertisingMode?
    private var isSetting = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ radio: any PeripheralRadio, loop: EpollLoop) {
        self.radio = radio
        self.loop = loop
    }

    /// Called on the loop.
    nonisolated func advertise(_ mode: AdvertisingMode) {
        onSameLoop { desk in
            desk.wanted = mode
            guard !desk.isSetting else { return }
            desk.isSetting = true
            desk.loop.spawn { await desk.setAll() }
        }
    }

    nonisolated func allowPairing(_ isAllowed: Bool) {
        loop.spawn { [radio] in await radio.allowPairing(isAllowed) }
    }

    private func setAll() async {
        while let mode = wanted, mode != advertised {
            advertised = mode
            await radio.setAdvertising(mode)
        }
        isSetting = false
    }
}
