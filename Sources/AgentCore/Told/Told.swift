import ControlProtocol
import Links
import Names
import PhoneMessages
import VaultPort

/// The data that phones, greeters and the radio were last told. Only changes are told again.
package struct Told: Sendable {
    private var devices: [DeviceID: DeviceView] = [:]
    private var greeters: [ControlID: GreeterState] = [:]
    private var advertised: AdvertisingMode?
    private var shown: BoxShown

    /// - Parameter shown: The box's public data at the beginning.
    package init(_ shown: BoxShown) {
        self.shown = shown
    }

    package mutating func compare(with view: View, _ out: inout Output) {
        for new in view.devices { compare(new, &out) }
        let here = Set(view.devices.map(\.device))
        devices = devices.filter { here.contains($0.key) }
        for id in view.greeters where greeters[id] != view.greeterState {
            greeters[id] = view.greeterState
            out.emit(.tellControl(id, .greeter(view.greeterState)))
        }
        let following = Set(view.greeters)
        greeters = greeters.filter { following.contains($0.key) }
        if advertised != view.advertising {
            advertised = view.advertising
            out.emit(.advertise(view.advertising))
        }
        if let new = view.shown, new != shown {
            shown = new
            out.emit(.show(new))
        }
    }

    private mutating func compare(_ new: DeviceView, _ out: inout Output) {
        let old = devices.updateValue(new, forKey: new.device)
        // Send the state only on a change: a phone that has just come asks for the state when needed.
        if let old, old.state != new.state || old.end != new.end {
            for channel in new.channels { out.emit(.tellPhone(channel.id, new.message(out.time))) }
        }
        for channel in new.channels {
            // A channel that has just sent hello is also told offers and warnings that began earlier.
            let isNew = !(old?.channels.contains(channel) ?? false)
            if channel.capabilities.contains(.presence), isNew ? new.offer != .none : old?.offer != new.offer {
                out.emit(.tellPhone(channel.id, .offer(new.offer)))
            }
            if channel.capabilities.contains(.logoutWarnings), isNew ? new.warning != nil : old?.warning != new.warning
            {
                out.emit(.tellPhone(channel.id, new.warning(out.time)))
            }
        }
    }
}
