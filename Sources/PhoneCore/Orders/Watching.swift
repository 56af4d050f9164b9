import PhoneMessages
import VaultPort

/// Keeps a channel to a box and shows the box's reports, until the watch ends or the box refuses this phone. Reconnects
/// after a lost link.
///
/// ```
///              ┌───────────── too old: a new channel at once ─────────────┐
///              ▼                                                          │
/// connecting ──► following (status, pushes, taps, reports, keep-alive) ───┤
///     ▲                                                                   │ lost
///     └───────────────────────────── pausing ◄────────────────────────────┘
/// ```
final class Watching: OrderSteps {
    private indirect enum Stage {
        case connecting(Connecting)
        case following(Following)
        case pausing(until: Duration)
    }

    private var target: BoxTarget
    private var rhythm: WatchRhythm
    private var stage: Stage
    private var shown = ShownToWatcher()
    /// Taps that wait for the previous one, or for a channel.
    private var taps: [WatchTap] = []
    private var isGivenUp = false
    /// The watched box, while its channel is open.
    private var channel: WatchedBox?

    init(_ target: BoxTarget, _ context: inout ErrandContext) {
        self.target = target
        rhythm = WatchRhythm(limits: context.limits)
        stage = .connecting(Connecting(to: target, &context))
    }

    override var watched: WatchedBox? { channel }
    /// The box, once one of several is chosen.
    override var only: KnownBox? { target.candidates.count == 1 ? target.candidates.first : nil }

    override func deadline(_ context: ErrandContext) -> Duration? {
        switch stage {
        case .connecting(let connecting): connecting.deadline(context.limits)
        case .following(let following): following.deadline(context)
        case .pausing(let until): until
        }
    }

    override func handle(_ input: Input, _ context: inout ErrandContext) -> ErrandEnd? {
        switch input {
        case .stop:
            if case .following(let following) = stage { following.withdraw(&context) }
            return .watched
        case .cancel:
            isGivenUp = true
            taps = []
        case .tap(let tap):
            // A tap may carry a password. Accept it only once the box is known, never for several with the same digits.
            guard !isGivenUp, target.candidates.count == 1, taps.count < context.limits.waitingTaps else { return nil }
            taps.append(tap)
        default: break
        }
        switch stage {
        case .connecting(let connecting):
            let result = connecting.handle(input, &context)
            switch result {
            case nil: return nil
            case .failure(let error): return failed(error, &context)
            case .success(let box):
                // Keep watching the first box reached, even if several show the same digits.
                target = BoxTarget(box)
                channel = WatchedBox(box: box)
                stage = .following(Following(box, &context))
                return nil
            }
        case .following(let following):
            let end = following.handle(input, &taps, &shown, &context)
            if following.isAnswered { rhythm.connected() }
            if let state = shown.state { channel?.triesLeft = state.pinAttemptsLeft.map(Int.init) }
            switch end {
            case nil: return nil
            case .again:
                context.hangUp()
                stage = .connecting(Connecting(to: target, &context))
                return nil
            case .failed(let error): return failed(error, &context)
            }
        case .pausing(let until):
            if case .cancel = input { return .failed(.cancelled) }
            if context.now >= until { stage = .connecting(Connecting(to: target, &context)) }
            return nil
        }
    }

    /// True if the phone may reconnect: to a box of a site, only while this phone has a session there. A stolen box
    /// keeps its key, and could learn where the person goes (docs/reference/site-protocol.md, 12).
    private var mayComeBack: Bool {
        guard target.candidates.contains(where: { $0.site != nil }) else { return true }
        return shown.state.map { $0.session != .none } ?? false
    }

    private func failed(_ error: PhoneError, _ context: inout ErrandContext) -> ErrandEnd? {
        context.hangUp()
        channel = nil
        guard let pause = rhythm.pause(after: error), mayComeBack else { return .failed(error) }
        context.emit(.watched(.lost(error, pause: pause)))
        // Forget the waiting taps: the person has been told that there is no connection.
        taps = []
        shown = ShownToWatcher()
        stage = .pausing(until: context.now + pause)
        return nil
    }
}
