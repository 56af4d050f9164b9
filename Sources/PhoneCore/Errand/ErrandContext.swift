import Links
import PhoneMessages
import Secrets
import SecureChannel
import VaultPort

/// What every step of an errand has at hand: the time, the one link and its channel, and the actions that leave.
///
/// There is one scan, one link and one use of the vault at a time. Asking for another gives up the one before.
struct ErrandContext {
    let limits: PhoneLimits
    /// What this phone can do, as its boxes are told.
    let capabilities: Capabilities
    var now: Duration
    private(set) var actions: [PhoneAction] = []
    private(set) var channel: PhoneEnd?
    /// What this phone has found about its carriers; it outlives the errand.
    var choice: DemandChoice
    /// What it finds out about this phone's sites.
    var sites: SiteVisits
    private var lastNumber: UInt64 = 0
    private var scan: OperationNumber?
    private var link: OperationNumber?
    private var use: OperationNumber?
    private var measurement: OperationNumber?

    init(limits: PhoneLimits, capabilities: Capabilities, choice: DemandChoice, sites: SiteDesk?, now: Duration) {
        self.limits = limits
        self.capabilities = capabilities
        self.choice = choice
        self.sites = SiteVisits(sites)
        self.now = now
    }

    /// The actions of this step, in their order.
    mutating func takeActions() -> [PhoneAction] {
        defer { actions = [] }
        return actions
    }

    private mutating func number() -> OperationNumber {
        lastNumber += 1
        return OperationNumber(rawValue: lastNumber)
    }

    @inline(never)
    mutating func emit(_ action: PhoneAction) {
        actions.append(action)
    }

    mutating func show(_ progress: PhoneProgress) {
        emit(.show(progress))
    }

    // MARK: Radio

    mutating func listen(for duration: Duration) {
        stopListening()
        let number = number()
        scan = number
        emit(.scan(number, for: duration))
    }

    mutating func stopListening() {
        guard let scan else { return }
        emit(.stopScan(scan))
        self.scan = nil
    }

    func isScan(_ number: OperationNumber) -> Bool { number == scan }

    mutating func scanIsOver() { scan = nil }

    mutating func connect(to advertisement: Advertisement) {
        hangUp()
        let number = number()
        link = number
        emit(.connect(number, address: advertisement.address))
    }

    func isLink(_ number: OperationNumber) -> Bool { number == link }

    mutating func identify() {
        if let link { emit(.identify(link)) }
    }

    mutating func openCarrier(for demand: LinkDemand) {
        if let link { emit(.open(link, demand)) }
    }

    mutating func measure() {
        guard let link else { return }
        measurement = link
        emit(.measure(link))
    }

    /// Whether a measurement of this link is what was waited for.
    mutating func endMeasurement(_ number: OperationNumber) -> Bool {
        guard number == measurement else { return false }
        measurement = nil
        return true
    }

    /// Says goodbye, where there is a channel, and ends the link.
    mutating func hangUp() {
        channel?.sayGoodbye(now: now)
        flush()
        channel = nil
        measurement = nil
        guard let link else { return }
        emit(.disconnect(link))
        self.link = nil
    }

    /// The link has ended by itself. Whether there was a channel on it, of which is known what the box said.
    mutating func linkIsDown() -> Bool {
        link = nil
        measurement = nil
        return channel != nil
    }

    /// The channel, or the link below it, has ended, and nobody has hung up yet.
    var isLost: Bool {
        guard let channel else { return false }
        return link == nil || channel.hasEnded
    }

    // MARK: Vault

    mutating func ask(_ command: PhoneVaultCommand) {
        let number = number()
        use = number
        emit(.vault(number, command))
    }

    /// Has the vault do what nobody waits for.
    mutating func tell(_ command: PhoneVaultCommand) {
        emit(.vault(number(), command))
    }

    /// Whether this answers what was asked last. An answer counts once.
    mutating func endUse(_ number: OperationNumber) -> Bool {
        guard number == use else { return false }
        use = nil
        return true
    }

    // MARK: Channel

    /// What a segment completes.
    mutating func receive(_ segment: [UInt8]) -> [Input] {
        let arrivals = channel?.receive(segment, now: now) ?? []
        flush()
        return arrivals.map(Input.init)
    }

    func written() {
        channel?.written(now: now)
    }

    mutating func timeHasCome() -> [Input] {
        let arrivals = channel?.timeHasCome(now: now) ?? []
        flush()
        return arrivals.map(Input.init)
    }

    var channelDeadline: Duration? { link == nil ? nil : channel?.deadline }

    /// Begins a handshake on the link that is open.
    mutating func beginChannel(_ end: PhoneEnd) {
        channel = end
        flush()
    }

    /// Sends a request, with hello ahead of a channel's first one; the id of its answers. A channel that takes it no more shows
    /// as one that has ended.
    @discardableResult
    mutating func send(_ request: consuming PhoneRequest) -> RequestID {
        guard let channel else { return .first }
        let id = channel.send(request, now: now)
        flush()
        return id
    }

    /// Writes what the channel gives the radio.
    private mutating func flush() {
        guard let channel, let link else { return }
        for segment in channel.takeSegments() { emit(.write(link, segment)) }
    }

    /// What the channel says of itself and of the box, where there is one.
    var conversation: ChannelConversation? { channel?.conversation }

    var carrier: Carrier? { channel?.carrier }

    /// Whether the radio has taken all that the channel gave it.
    var isWritten: Bool { channel?.isWritten ?? false }

    /// Whether a message of so many bytes may be sent now without waiting for the box.
    func hasRoom(for bytes: Int) -> Bool { channel?.hasRoom(for: bytes) ?? false }

    /// 32 bytes of the channel that stands; empty without one.
    var handshakeHash: [UInt8] { channel?.handshakeHash ?? [] }

    /// What the box says, sorted, while the request `current` is open.
    mutating func sort(_ message: BoxMessage, current: RequestID?) -> ChannelConversation.Delivery {
        guard let channel else { return .late }
        let (delivery, command) = sites.heard(
            channel.conversation.sort(message, current: current), showing: channel.conversation.grant, at: now)
        if let command { tell(command) }
        return delivery
    }

    // Of the phone's site.
    var mayAskNews: Bool { !isLost && conversation?.mayAskNews ?? false }
    var mayAskNotices: Bool { conversation?.mayAskNotices ?? false }
    func expectNews() { channel?.conversation.expectNews() }
    func takeNews() -> [ToldNews] { channel?.conversation.takeNews() ?? [] }

    /// Why sessions ended, since this was asked last.
    func takeSessionEnds() -> [SessionEnd] { channel?.conversation.takeEnds() ?? [] }
}

extension Input {
    fileprivate init(_ arrival: PhoneEnd.Arrival) {
        switch arrival {
        case .established: self = .established
        case .message(let message): self = .message(message)
        case .clear(let message): self = .clear(message)
        case .unintelligible: self = .unintelligible
        }
    }
}
