import Bluetooth
import DBus
import EventLoop

/// L2CAP channels, by sockets of the kernel and without bluetoothd.
extension BlueZPeripheral {
    /// The most channels at once. Further ones wait in the kernel.
    static let channelLimit = 32

    /// Listens once, on a PSM that the kernel chooses. Returns 0 if the kernel has no Bluetooth (yet).
    func channelPSM() -> UInt16 {
        if let listener { return listener.psm }
        var options = L2CAPLink.options
        if settings.requiresLinkEncryption { options.security = .encrypted }
        guard let made = try? L2CAPListener(options: options, connections: Self.channelLimit, loop: loop) else {
            return 0
        }
        listener = made
        loop.spawn { await self.acceptChannels(of: made) }
        return made.psm
    }

    private func acceptChannels(of listener: L2CAPListener) async {
        while true {
            do {
                take(try await listener.accept(), psm: listener.psm)
            } catch .closed {
                return
            } catch {
                // One failed channel does not stop the listener. A broken listener throws `closed` next.
                guard (try? await loop.sleep(until: loop.now() + RegistrationPlan.firstPause)) != nil else { return }
            }
        }
    }

    private func take(_ accepted: AcceptedChannel, psm: UInt16) {
        let name = "dev_" + "\(accepted.peer)".replacingColons
        guard let device = adapter?.path.appending(name) else {
            loop.spawn { await accepted.connection.close() }
            return
        }
        phones.touched(device, mtu: nil)
        let number = nextChannel
        nextChannel += 1
        let link = L2CAPLink(
            connection: accepted.connection, psm: psm, sendMTU: accepted.sendMTU,
            peerDescription: "phone \(name), L2CAP",
            onClose: { [weak self] in await self?.channelClosed(number, device) })
        guard offer(link) else {
            loop.spawn { await accepted.connection.close() }
            return
        }
        channels[number] = (device, phones.linkBegan(device), link)
    }

    private func channelClosed(_ number: UInt64, _ device: ObjectPath) {
        guard let channel = channels.removeValue(forKey: number) else { return }
        linkEnded(of: device, on: channel.connection)
    }

    /// Closes the open channels of a device that wrote to the transfer characteristic meanwhile. Returns true if there
    /// were any. The written value must then be dropped.
    func endsChannels(of device: ObjectPath) -> Bool {
        let open = channels.values.filter { $0.device == device }
        guard !open.isEmpty else { return false }
        loop.spawn {
            for channel in open { await channel.link.close() }
        }
        return true
    }
}

extension String {
    fileprivate var replacingColons: String { String(map { $0 == ":" ? "_" : $0 }) }
}
