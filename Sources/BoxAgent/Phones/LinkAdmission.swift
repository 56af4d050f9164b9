/// A link from a phone, and the channel on it.
struct ChannelID: Hashable, Sendable {
    let number: UInt64
}

/// Who may hold a link (DESIGN section 6): a bounded number of links that have not authenticated, of which the oldest of
/// the connection with the most gives way, and a bounded number for each device after that. The one phone that is being
/// enrolled has authenticated as well: no flood of half-open links pushes it out.
struct LinkAdmission: Sendable {
    /// Channels of one device at once: a phone that watches and one command beside it, with room to reconnect.
    static let channelsPerDevice = 4

    let halfOpenLimit: Int
    private var halfOpen: [(channel: ChannelID, connection: String)] = []
    private var authenticated: [[UInt8]: [ChannelID]] = [:]
    /// The first that proved the enrolment code. Others with the code have read it off the screen, and stay half-open.
    private var enrolling: ChannelID?

    init(halfOpenLimit: Int) {
        self.halfOpenLimit = max(1, halfOpenLimit)
    }

    var halfOpenCount: Int { halfOpen.count }
    var authenticatedCount: Int { authenticated.values.reduce(0) { $0 + $1.count } }

    /// A new link; the links to close for it.
    mutating func arrived(_ channel: ChannelID, over connection: String) -> [ChannelID] {
        halfOpen.append((channel, connection))
        guard halfOpen.count > halfOpenLimit else { return [] }
        // Whoever begins link after link over one connection pushes out links of that connection only.
        let counts = Dictionary(halfOpen.map { ($0.connection, 1) }, uniquingKeysWith: +)
        let most = counts.values.max()
        guard let leaving = halfOpen.firstIndex(where: { counts[$0.connection] == most }) else { return [] }
        return [halfOpen.remove(at: leaving).channel]
    }

    /// The first transport message decrypted; the older channels of the same device that give way.
    mutating func authenticated(_ channel: ChannelID, device: [UInt8]) -> [ChannelID] {
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
    mutating func enrolling(_ channel: ChannelID) {
        guard enrolling == nil else { return }
        halfOpen.removeAll { $0.channel == channel }
        enrolling = channel
    }

    mutating func left(_ channel: ChannelID) {
        if enrolling == channel { enrolling = nil }
        halfOpen.removeAll { $0.channel == channel }
        for (device, channels) in authenticated where channels.contains(channel) {
            let rest = channels.filter { $0 != channel }
            authenticated[device] = rest.isEmpty ? nil : rest
        }
    }

    func channels(of device: [UInt8]) -> [ChannelID] {
        authenticated[device] ?? []
    }
}
