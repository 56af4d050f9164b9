import Links
import PhoneMessages
import VaultPort

/// One order of a person, until its end: what a phone does with what happens. Pure: it knows no radio, no store and no clock.
///
/// A shell hands in events, performs the actions in their order, and comes back at `deadline`. Nothing here waits. After
/// `finished` nothing is done any more.
///
/// ```
/// event ──► stale? dropped ──► channel: segments to messages ──► the order's steps ──► actions
/// ```
public final class Errand {
    private var context: ErrandContext
    /// Nil once it is over.
    private var steps: OrderSteps?
    /// The person has given up: whatever has to be finished first, nothing follows it.
    private var isCancelled = false

    /// The first actions are those of `handle(.time)`. What the phone can do is said to boxes, in every channel's hello. `sites`: of a
    /// phone that may be of some.
    public init(
        _ order: Order, as capabilities: Capabilities, limits: PhoneLimits = PhoneLimits(),
        choice: DemandChoice = DemandChoice(), sites: SiteDesk? = nil, now: Duration
    ) {
        var context = ErrandContext(
            limits: limits, capabilities: capabilities, choice: choice, sites: sites, now: now)
        steps = order.begin(&context)
        self.context = context
    }

    /// When `.time` is next due, as time since boot.
    public var deadline: Duration? {
        let own = steps?.deadline(context)
        guard let channel = context.channelDeadline else { return own }
        return own.map { min($0, channel) } ?? channel
    }

    /// What the phone has found about its carriers: the next errand begins with it.
    public var choice: DemandChoice { context.choice }

    /// The box at the other end of the channel, while one is watched.
    public var watched: WatchedBox? { steps?.watched }

    /// The box that is watched, once it is known which of several it is: also while its channel is away.
    public var watchedTarget: KnownBox? { steps?.only }

    /// What the vault has to give before `seal`, for a tap at the box that is watched; nil: no site holds the credential, or its key is
    /// not known.
    public func unlocking(_ question: BoxQuestion) -> PhoneVaultCommand? {
        watched.flatMap { context.sites.unlocking(question, $0.box) }
    }

    /// What the watched box carries to its site, good on the channel that stands now.
    public func seal(_ question: BoxQuestion, _ unlocking: SiteUnlocking) -> [UInt8]? {
        watched.flatMap { context.sites.sealed(question, unlocking, $0.box, context.handshakeHash) }
    }

    public func handle(_ event: PhoneEvent, at now: Duration) -> [PhoneAction] {
        context.now = now
        if case .cancel = event { isCancelled = true }
        for input in inputs(of: event) { advance(input) }
        // Both are said after every event, since not every step can end at once: a use of the vault cannot. The step that hears of
        // a lost link may hand over to one more, which has to hear of it as well.
        for _ in 0..<2 where context.isLost { advance(.channelEnded) }
        if isCancelled { advance(.cancel) }
        return context.takeActions()
    }

    /// What the order's steps hear of an event.
    private func inputs(of event: PhoneEvent) -> [Input] {
        switch event {
        case .heard(let number, let advertisement): return context.isScan(number) ? [.heard(advertisement)] : []
        case .scanOver(let number, let error):
            guard context.isScan(number) else { return [] }
            context.scanIsOver()
            return [.scanOver(error)]
        case .linked(let number): return context.isLink(number) ? [.linked] : []
        case .identity(let number, let bytes): return context.isLink(number) ? [.identity(bytes)] : []
        case .opened(let number, let carrier): return context.isLink(number) ? [.opened(carrier)] : []
        case .segment(let number, let bytes): return context.isLink(number) ? context.receive(bytes) : []
        case .written(let number):
            guard context.isLink(number) else { return [] }
            context.written()
            return [.time]
        case .linkDown(let number, let error):
            guard context.isLink(number) else { return [] }
            return context.linkIsDown() ? [] : [.linkDown(error)]
        case .signal(let number, let dBm): return context.endMeasurement(number) ? [.signal(dBm: dBm)] : []
        case .vault(let number, let answer): return context.endUse(number) ? [.vault(answer)] : []
        case .pin(let pin): return [.pin(pin)]
        case .chosen(let id): return [.chosen(id)]
        case .again(let isWanted): return [.again(isWanted)]
        case .tap(let tap): return [.tap(tap)]
        case .stop: return [.stop]
        case .cancel: return []
        case .time: return context.timeHasCome() + [.time]
        }
    }

    private func advance(_ input: Input) {
        guard let end = steps?.handle(input, &context) else { return }
        steps = nil
        context.stopListening()
        context.hangUp()
        context.emit(.finished(end))
    }
}
