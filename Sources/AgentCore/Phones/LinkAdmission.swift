/// A link from a phone, and the channel on it.
package struct ChannelID: Hashable, Sendable {
    package let number: UInt64

    package init(number: UInt64) {
        self.number = number
    }
}

/// Decides which links may stay: a bounded number of unauthenticated links, and a bounded number of authenticated links
/// per device. The phone that is being enrolled counts as authenticated, so that no flood of half-open links displaces
/// it.
///
/// If there are too many half-open links, the oldest of the busiest connection is displaced. A connection's half-open
/// links and recent failures or displacements count. A peer that floods the box thus displaces itself first.
package struct LinkAdmission: Sendable {
    /// The most channels of one device: a phone that watches and one command, with room to reconnect.
    package static let channelsPerDevice = 4
    /// The most failures that are remembered, over all connections.
    package static let failuresLimit = 64

    package let halfOpenLimit: Int
    private var halfOpen: [(channel: ChannelID, connection: String)] = []
    /// Half-open links with keys that the vault does not know.
    private var strangers: Set<ChannelID> = []
    private var authenticated: [[UInt8]: [ChannelID]] = [:]
    /// The first phone that proved the code, or the one that committed. Others with the code stay half-open.
    private var enrolling: (channel: ChannelID, connection: String)?
    /// The connections of links that failed to authenticate or were displaced, the latest last.
    private var failures: [String] = []

    package init(halfOpenLimit: Int) {
        self.halfOpenLimit = max(1, halfOpenLimit)
    }

    package var halfOpenCount: Int { halfOpen.count }
    package var authenticatedCount: Int { authenticated.values.reduce(0) { $0 + $1.count } }

    /// Adds a new link. Returns the links to close for it.
    package mutating func arrived(_ channel: ChannelID, over connection: String) -> [ChannelID] {
        halfOpen.append((channel, connection))
        guard halfOpen.count > halfOpenLimit else { return [] }
        return leaving(from: halfOpen)
    }

    /// Notes that the vault does not know the link's key. Such links get half of the places. Returns links to close.
    package mutating func strangerCame(_ channel: ChannelID) -> [ChannelID] {
        guard halfOpen.contains(where: { $0.channel == channel }) else { return [] }
        strangers.insert(channel)
        guard strangers.count > max(1, halfOpenLimit / 2) else { return [] }
        return leaving(from: halfOpen.filter { strangers.contains($0.channel) })
    }

    /// Chooses and removes the one of these links to displace.
    private mutating func leaving(from links: [(channel: ChannelID, connection: String)]) -> [ChannelID] {
        let present = Set(links.map(\.connection))
        let weights = Dictionary(
            (links.map(\.connection) + failures.filter(present.contains)).map { ($0, 1) }, uniquingKeysWith: +)
        let most = weights.values.max()
        guard let leaving = links.first(where: { weights[$0.connection] == most }) else { return [] }
        halfOpen.removeAll { $0.channel == leaving.channel }
        strangers.remove(leaving.channel)
        // Without this note, many connections with few links each would displace a newcomer as often as one another.
        note(leaving.connection)
        return [leaving.channel]
    }

    /// Notes that the first transport message decrypted. Returns the older channels of the same device to close.
    package mutating func authenticated(_ channel: ChannelID, device: [UInt8]) -> [ChannelID] {
        strangers.remove(channel)
        halfOpen.removeAll { $0.channel == channel }
        var channels = authenticated[device, default: []]
        channels.append(channel)
        var leaving: [ChannelID] = []
        while channels.count > Self.channelsPerDevice {
            leaving.append(channels.removeFirst())
        }
        authenticated[device] = channels
        return leaving
    }

    /// Notes that the first transport message decrypted under the secret of the open enrolment.
    package mutating func enrolling(_ channel: ChannelID) {
        if enrolling == nil { contact(channel) }
    }

    /// Makes this channel the phone of the open enrolment. A channel that only proved the code becomes half-open again.
    package mutating func contact(_ channel: ChannelID) {
        guard enrolling?.channel != channel, let index = halfOpen.firstIndex(where: { $0.channel == channel }) else {
            return
        }
        let waiting = enrolling
        enrolling = halfOpen.remove(at: index)
        if let waiting { halfOpen.append(waiting) }
    }

    /// Removes a link that has ended. `failed` is true if the peer failed to authenticate.
    package mutating func left(_ channel: ChannelID, failed: Bool = false) {
        if enrolling?.channel == channel { enrolling = nil }
        strangers.remove(channel)
        if let index = halfOpen.firstIndex(where: { $0.channel == channel }) {
            let link = halfOpen.remove(at: index)
            if failed { note(link.connection) }
        }
        for (device, channels) in authenticated where channels.contains(channel) {
            let rest = channels.filter { $0 != channel }
            authenticated[device] = rest.isEmpty ? nil : rest
        }
    }

    private mutating func note(_ connection: String) {
        failures.append(connection)
        if failures.count > Self.failuresLimit { failures.removeFirst() }
    }

    package func channels(of device: [UInt8]) -> [ChannelID] {
        authenticated[device] ?? []
    }
}
