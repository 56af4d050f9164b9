import Links
import PhoneMessages
import VaultPort

/// One operation of a person, from the order to its end. Pure: it has no radio, no store and no clock.
///
/// A shell hands in events, performs the actions in order, and calls again at `deadline`. Nothing here waits, and no
/// action follows `finished`.
///
/// ```
/// event ──► stale? ignored ──► channel: segments to messages ──► the order's steps ──► actions
/// ```
public final class Errand {
    private var context: ErrandContext
    /// Nil once the operation has ended.
    private var steps: OrderSteps?
    /// True if the person has given up. The steps then finish and start nothing new.
    private var isCancelled = false

    /// Starts the order. The first actions come from `handle(.time)`. Every channel's hello tells the box
    /// `capabilities`. A phone that may belong to sites passes `sites`.
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

    /// The phone's experience with its carriers, with which the next operation begins.
    public var choice: DemandChoice { context.choice }

    /// The box at the other end of the watched channel.
    public var watched: WatchedBox? { steps?.watched }

    /// The watched box, once one of several is chosen. Stays set while the channel is lost.
    public var watchedTarget: KnownBox? { steps?.only }

    /// Returns the vault command that must precede `seal`, for a tap at the watched box. Returns nil if no site holds
    /// the credential, or the site's key is unknown.
    public func unlocking(_ question: BoxQuestion) -> PhoneVaultCommand? {
        watched.flatMap { context.sites.unlocking(question, $0.box) }
    }

    /// Returns the sealed request for the watched box to carry to its site, valid only on the current channel.
    public func seal(_ question: BoxQuestion, _ unlocking: SiteUnlocking) -> [UInt8]? {
        watched.flatMap { context.sites.sealed(question, unlocking, $0.box, context.handshakeHash) }
    }

    public func handle(_ event: PhoneEvent, at now: Duration) -> [PhoneAction] {
        context.now = now
        if case .cancel = event { isCancelled = true }
        for input in inputs(of: event) { advance(input) }
        // Report a lost channel and a cancellation again after every event, because a step that uses the vault cannot
        // end at once. A step that hears of a lost link may start another step, which must hear of the loss as well.
        for _ in 0..<2 where context.isLost { advance(.channelEnded) }
        if isCancelled { advance(.cancel) }
        return context.takeActions()
    }

    /// Translates an event for the order's steps.
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
