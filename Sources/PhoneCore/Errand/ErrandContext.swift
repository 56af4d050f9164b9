import Links
import PhoneMessages
import Secrets
import SecureChannel
import VaultPort

/// The state that all steps of an operation share: the time, the one link and its channel, and the outgoing actions.
///
/// There is one scan, one link and one awaited vault command at a time. Each new one replaces the previous one.
struct ErrandContext {
    let limits: PhoneLimits
    /// The phone's capabilities, which every hello states.
    let capabilities: Capabilities
    var now: Duration
    private(set) var actions: [PhoneAction] = []
    private(set) var channel: PhoneEnd?
    /// The phone's experience with its carriers, which the next operation takes over.
    var choice: DemandChoice
    /// Site data that the operation learns.
    var sites: SiteVisits
    /// The address at which this operation last heard its box alone, or empty.
    var heardAloneAt: [UInt8] = []
    private var lastNumber: UInt64 = 0
    private var link: OperationNumber?
    private var awaited: (scan: OperationNumber?, use: OperationNumber?)
    private var measurement: OperationNumber?

    init(limits: PhoneLimits, capabilities: Capabilities, choice: DemandChoice, sites: SiteDesk?, now: Duration) {
        self.limits = limits
        self.capabilities = capabilities
        self.choice = choice
        self.sites = SiteVisits(sites)
        self.now = now
    }

    /// Returns the actions of this step, in order.
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
        awaited.scan = number
        emit(.scan(number, for: duration))
    }

    mutating func stopListening() {
        guard let scan = awaited.scan else { return }
        emit(.stopScan(scan))
        awaited.scan = nil
    }

    func isScan(_ number: OperationNumber) -> Bool { number == awaited.scan }

    mutating func scanIsOver() { awaited.scan = nil }

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

    /// Returns whether this measurement of the link was expected.
    mutating func endMeasurement(_ number: OperationNumber) -> Bool {
        guard number == measurement else { return false }
        measurement = nil
        return true
    }

    /// Sends a close message if there is a channel, and ends the link.
    mutating func hangUp() {
        channel?.sayGoodbye(now: now)
        flush()
        channel = nil
        measurement = nil
        guard let link else { return }
        emit(.disconnect(link))
        self.link = nil
    }

    /// Call this when the link ends by itself. Returns whether there was a channel.
    mutating func linkIsDown() -> Bool {
        link = nil
        measurement = nil
        return channel != nil
    }

    /// True if the channel or its link has ended, and the phone has not hung up yet.
    var isLost: Bool {
        guard let channel else { return false }
        return link == nil || channel.hasEnded
    }

    // MARK: Vault

    mutating func ask(_ command: PhoneVaultCommand) {
        let number = number()
        awaited.use = number
        emit(.vault(number, command))
    }

    /// Sends a command to the vault without waiting for the answer.
    mutating func tell(_ command: PhoneVaultCommand) {
        emit(.vault(number(), command))
    }

    /// Returns whether this number is that of the awaited command. An answer counts once.
    mutating func endUse(_ number: OperationNumber) -> Bool {
        guard number == awaited.use else { return false }
        awaited.use = nil
        return true
    }

    // MARK: Channel

    /// Returns the inputs that a segment completes.
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

    /// Begins a handshake on the open link.
    mutating func beginChannel(_ end: PhoneEnd) {
        channel = end
        flush()
    }

    /// Sends a request, after hello on a new channel, and returns the id of its answers. On failure, the channel ends.
    @discardableResult
    mutating func send(_ request: consuming PhoneRequest) -> RequestID {
        guard let channel else { return .first }
        let id = channel.send(request, now: now)
        flush()
        return id
    }

    /// Writes the channel's pending segments to the radio.
    private mutating func flush() {
        guard let channel, let link else { return }
        for segment in channel.takeSegments() { emit(.write(link, segment)) }
    }

    /// The conversation on the channel; nil without a channel.
    var conversation: ChannelConversation? { channel?.conversation }

    var carrier: Carrier? { channel?.carrier }

    /// True if the radio has taken all segments of the channel.
    var isWritten: Bool { channel?.isWritten ?? false }

    /// Returns whether a message of that many bytes can be sent now, without waiting for the box.
    func hasRoom(for bytes: Int) -> Bool { channel?.hasRoom(for: bytes) ?? false }

    /// The handshake hash of the current channel, 32 bytes; empty without a channel.
    var handshakeHash: [UInt8] { channel?.handshakeHash ?? [] }

    /// Sorts a message from the box while the request `current` is open.
    mutating func sort(_ message: BoxMessage, current: RequestID?) -> ChannelConversation.Delivery {
        guard let channel else { return .late }
        let (delivery, command) = sites.heard(
            channel.conversation.sort(message, current: current), showing: channel.conversation.grant, at: now)
        if let command { tell(command) }
        return delivery
    }

    // News of the phone's site.
    var mayAskNews: Bool { !isLost && conversation?.mayAskNews ?? false }
    var mayAskNotices: Bool { conversation?.mayAskNotices ?? false }
    func expectNews() { channel?.conversation.expectNews() }
    func takeNews() -> [ToldNews] { channel?.conversation.takeNews() ?? [] }

    /// Returns the reasons for ended sessions since the last call.
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
