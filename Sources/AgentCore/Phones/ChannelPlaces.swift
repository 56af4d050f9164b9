import Names
import PhoneMessages

/// Limits the channels of devices, so that links stay free for new phones (docs/reference/protocol.md, 11).
///
///     identified ──► stays ──── longest unused of the device with most channels ────► displaced
///         └─ the device was displaced a moment ago ──► guest ── only watches ──► ends
///                                                        └───── a tap ────────► stays
package struct ChannelPlaces: Sendable {
    /// The most guests at once. A guest is a channel without a place of its own.
    static let guests = 2
    /// A displaced device takes no place from another device for this time, unless its user taps.
    static let pause: Duration = .seconds(60)
    /// The most devices that are remembered.
    static let turnLimit = 1_024

    /// Devices that were displaced, and the end of their time as guests.
    private var turns: [DeviceID: Duration] = [:]

    private func guests(_ phones: Phones) -> Int {
        phones.channels.values.reduce(0) { $0 + ($1.isGuest ? 1 : 0) }
    }

    /// Returns whether too many channels have a place. Guests, half-open links, an enrolling phone and a free link must
    /// fit.
    private func isOver(_ phones: Phones, _ out: Output) -> Bool {
        let limit = out.policy.configuration.limits.links - phones.admission.halfOpenLimit - Self.guests - 2
        return phones.authenticatedCount - guests(phones) > max(1, limit)
    }

    /// Gives the device's new channel a place. If there are too many, displaces another channel or makes this one a
    /// guest.
    ///
    /// - Parameter owners: Devices that own a session. A session may lock when its device loses the last channel.
    mutating func identified(
        _ id: ChannelID, _ device: DeviceID, owners: [DeviceID], _ phones: inout Phones, _ out: inout Output
    ) {
        phones.channels[id]?.usedAt = out.time
        guard isOver(phones, out) else { return }
        let isGuest = turns[device] ?? .zero > out.time && !owners.contains(device)
        phones.channels[id]?.isGuest = isGuest
        if !isGuest || guests(phones) > Self.guests { giveWay(to: id, isGuest: isGuest, owners, &phones, &out) }
    }

    /// Returns whether the request is served. A guest that only watches ends.
    mutating func mayStay(
        _ request: DeviceRequest, owners: [DeviceID], _ phones: inout Phones, _ out: inout Output
    ) -> Bool {
        let (id, device) = (request.channel, request.device.id)
        let isGuest = phones.channels[id]?.isGuest ?? false
        phones.channels[id]?.isGuest = false
        let isOver = isGuest && isOver(phones, out)
        if request.request.traits.contains(.onlyWatches) {
            guard isOver, !owners.contains(device) else { return true }
            // The request gets no answer, so the phone reconnects after growing pauses.
            end(id, &phones, &out)
            return false
        }
        phones.channels[id]?.usedAt = out.time
        guard isOver else { return true }
        turns[device] = nil
        giveWay(to: id, isGuest: false, owners, &phones, &out)
        return true
    }

    /// Ends another channel of the same kind, guest or not, of the device with most channels. Prefers one without an
    /// open request, then one of a device without a session, then the longest unused.
    private mutating func giveWay(
        to id: ChannelID, isGuest: Bool, _ owners: [DeviceID], _ phones: inout Phones, _ out: inout Output
    ) {
        var first: (channel: ChannelID, device: DeviceID, rank: Int, usedAt: Duration)?
        for other in phones.ids where other != id {
            guard let channel = phones.channels[other], channel.isGuest == isGuest,
                case .device(let device) = channel.peer
            else { continue }
            var rank = 0
            for own in phones.channels(of: device) where phones.channels[own]?.isGuest == isGuest { rank -= 4 }
            if !channel.open.isEmpty { rank += 2 }
            if owners.contains(device) { rank += 1 }
            if let first, first.rank < rank || first.rank == rank && first.usedAt <= channel.usedAt { continue }
            first = (other, device, rank, channel.usedAt)
        }
        guard let first else { return }
        // The owner of a session gets no pause, because it may come back at once.
        if !owners.contains(first.device) {
            if turns.count >= Self.turnLimit { turns = [:] }
            turns[first.device] = out.time + Self.pause
        }
        end(first.channel, &phones, &out)
    }

    private func end(_ id: ChannelID, _ phones: inout Phones, _ out: inout Output) {
        out.emit(.finish(id, .replaced))
        phones.forget(id, &out)
    }
}
