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
    private indirect enum Work {
        case requesting(Requesting)
        case loggingIn(LoggingIn)
        case opening(CredentialOpening)
        case extending(Extending)
        case enrolling(Enrolling)
        case watching(Watching)
        case pinging(Pinging)
        case measuring(SignalMeasuring)
        case scanning(Scanning)
        case choosing(Connecting)
        case finding(Finding)
        case own(OwnSteps)
        case over
    }

    private var context: ErrandContext
    private var work: Work
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
        work =
            switch order {
            case .request(let target, let question): .requesting(Requesting(question, at: target, &context))
            case .login(let target, let asksPerson):
                .loggingIn(LoggingIn(at: target, asksPerson: asksPerson, &context))
            case .openCredential(let box): .opening(CredentialOpening(box, &context))
            case .extend(let target): .extending(Extending(target, &context))
            case .enrol(let code, let label, let waiting):
                .enrolling(Enrolling(code, label: label, waiting: waiting, &context))
            case .watch(let target): .watching(Watching(target, &context))
            case .ping(let target, let size, let count):
                .pinging(Pinging(target, size: size, count: count, &context))
            case .measure(let target, let count, let interval):
                .measuring(SignalMeasuring(target, count: count, every: interval, &context))
            case .scan(let known): .scanning(Scanning(known, &context))
            case .choose(let target): .choosing(Connecting(to: target, &context))
            case .find(let digits, let known): .finding(Finding(digits, among: known, &context))
            case .own(let order): .own(order.begin(&context))
            }
        self.context = context
    }

    /// When `.time` is next due, as time since boot.
    public var deadline: Duration? {
        let own: Duration? =
            switch work {
            case .requesting(let work): work.deadline(context.limits)
            case .loggingIn(let work): work.deadline(context.limits)
            case .extending(let work): work.deadline(context.limits)
            case .enrolling(let work): work.deadline(context.limits)
            case .watching(let work): work.deadline(context)
            case .pinging(let work): work.deadline(context.limits)
            case .measuring(let work): work.deadline(context.limits)
            case .scanning(let work): work.deadline
            case .choosing(let work): work.deadline(context.limits)
            case .finding(let work): work.deadline
            case .own(let work): work.deadline(context.limits)
            case .opening, .over: nil
            }
        guard let channel = context.channelDeadline else { return own }
        return own.map { min($0, channel) } ?? channel
    }

    /// What the phone has found about its carriers: the next errand begins with it.
    public var choice: DemandChoice { context.choice }

    /// The box at the other end of the channel, while one is watched.
    public var watched: WatchedBox? {
        guard case .watching(let watching) = work else { return nil }
        return watching.watched
    }

    /// The box that is watched, once it is known which of several it is: also while its channel is away.
    public var watchedTarget: KnownBox? {
        guard case .watching(let watching) = work else { return nil }
        return watching.only
    }

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
        case .tap(let tap): return [.tap(tap)]
        case .stop: return [.stop]
        case .cancel: return []
        case .time: return context.timeHasCome() + [.time]
        }
    }

    private func advance(_ input: Input) {
        guard let end = step(input) else { return }
        work = .over
        context.stopListening()
        context.hangUp()
        context.emit(.finished(end))
    }

    private func step(_ input: Input) -> ErrandEnd? {
        switch work {
        case .requesting(var requesting):
            let result = requesting.handle(input, &context)
            work = .requesting(requesting)
            switch result {
            case nil: return nil
            case .success(let answer): return .answered(answer)
            case .failure(let error): return .failed(error)
            }
        case .loggingIn(var loggingIn):
            defer { work = .loggingIn(loggingIn) }
            return loggingIn.handle(input, &context)
        case .opening(var opening):
            let end = opening.handle(input, &context)
            work = .opening(opening)
            switch end {
            case nil: return nil
            case .opened(let secret): return .opened(secret)
            case .refused(let outcome): return .loggedIn(outcome)
            case .failed(let error): return .failed(error)
            }
        case .extending(var extending):
            defer { work = .extending(extending) }
            return extending.handle(input, &context)
        case .enrolling(var enrolling):
            defer { work = .enrolling(enrolling) }
            return enrolling.handle(input, &context)
        case .watching(var watching):
            defer { work = .watching(watching) }
            return watching.handle(input, &context)
        case .pinging(var pinging):
            defer { work = .pinging(pinging) }
            return pinging.handle(input, &context)
        case .measuring(var measuring):
            defer { work = .measuring(measuring) }
            return measuring.handle(input, &context)
        case .scanning(var scanning):
            defer { work = .scanning(scanning) }
            return scanning.handle(input, &context)
        case .choosing(var connecting):
            let result = connecting.handle(input, &context)
            work = .choosing(connecting)
            switch result {
            case nil: return nil
            case .success(let box): return .found(box)
            case .failure(let error): return .failed(error)
            }
        case .finding(var finding):
            defer { work = .finding(finding) }
            return finding.handle(input, &context)
        case .own(let steps): return steps.handle(input, &context)
        case .over: return nil
        }
    }
}
