/// A link from a phone, and the channel on it.
package struct ChannelID: Hashable, Sendable {
    package let number: UInt64

    package init(number: UInt64) {
        self.number = number
    }
}

/// Who may hold a link: a bounded number of links that have not authenticated, and a bounded number for each device after
/// that. The one phone that is being enrolled has authenticated as well: no flood of half-open links pushes it out.
///
/// Of too many half-open links one gives way: the oldest of the connection that asks for most, counting its half-open links
/// and those of late that failed or gave way. So whoever comes again and again pushes himself out before anybody who comes
/// anew.
package struct LinkAdmission: Sendable {
    /// Channels of one device at once: a phone that watches and one command beside it, with room to reconnect.
    package static let channelsPerDevice = 4
    /// Failures that are remembered, over all connections.
    package static let failuresLimit = 64

    package let halfOpenLimit: Int
    private var halfOpen: [(channel: ChannelID, connection: String)] = []
    /// Half-open links of keys that the vault does not know.
    private var strangers: Set<ChannelID> = []
    private var authenticated: [[UInt8]: [ChannelID]] = [:]
    /// Who proved the enrolment code first, or has gone on from there. Others with the code have read it off the screen, and
    /// stay half-open.
    private var enrolling: (channel: ChannelID, connection: String)?
    /// The connections of links that failed before they authenticated, the latest last.
    private var failures: [String] = []

    package init(halfOpenLimit: Int) {
        self.halfOpenLimit = max(1, halfOpenLimit)
    }

    package var halfOpenCount: Int { halfOpen.count }
    package var authenticatedCount: Int { authenticated.values.reduce(0) { $0 + $1.count } }

    /// A new link; the links to close for it.
    package mutating func arrived(_ channel: ChannelID, over connection: String) -> [ChannelID] {
        halfOpen.append((channel, connection))
        guard halfOpen.count > halfOpenLimit else { return [] }
        return leaving(from: halfOpen)
    }

    /// The half-open link is of a key that the vault does not know: half of the places are for such. The links to close for it.
    package mutating func strangerCame(_ channel: ChannelID) -> [ChannelID] {
        guard halfOpen.contains(where: { $0.channel == channel }) else { return [] }
        strangers.insert(channel)
        guard strangers.count > max(1, halfOpenLimit / 2) else { return [] }
        return leaving(from: halfOpen.filter { strangers.contains($0.channel) })
    }

    /// The one of these that gives way.
    private mutating func leaving(from links: [(channel: ChannelID, connection: String)]) -> [ChannelID] {
        let present = Set(links.map(\.connection))
        let weights = Dictionary(
            (links.map(\.connection) + failures.filter(present.contains)).map { ($0, 1) }, uniquingKeysWith: +)
        let most = weights.values.max()
        guard let leaving = links.first(where: { weights[$0.connection] == most }) else { return [] }
        halfOpen.removeAll { $0.channel == leaving.channel }
        strangers.remove(leaving.channel)
        // Else many connections that each hold little would push out whoever comes anew as often as one another.
        note(leaving.connection)
        return [leaving.channel]
    }

    /// The first transport message decrypted; the older channels of the same device that give way.
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

    /// The first transport message decrypted, under the secret of the open enrolment.
    package mutating func enrolling(_ channel: ChannelID) {
        if enrolling == nil { contact(channel) }
    }

    /// This one is the phone of the open enrolment: whoever only proved the code gives its place back.
    package mutating func contact(_ channel: ChannelID) {
        guard enrolling?.channel != channel, let index = halfOpen.firstIndex(where: { $0.channel == channel }) else {
            return
        }
        let waiting = enrolling
        enrolling = halfOpen.remove(at: index)
        if let waiting { halfOpen.append(waiting) }
    }

    /// A link has ended; `failed` when it was before it authenticated, and its own doing.
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
