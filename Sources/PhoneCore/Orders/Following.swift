import PhoneMessages
import VaultPort

/// One channel of a watching phone. Asks for the state at intervals, shows pushes, performs taps, and reports the
/// signal to a box that wants it.
///
/// ```
/// asking (status or a tap) ──► confirming, for a new row ──► quiet ──keep-alive, tap──► asking
///    ▲                                                        │ ▲
///    └── allowed ──── reconsidering ◄── stored password tap ──┘ │
///    ├──── news of the site ──────────► learning ───────────────┘
///    └──────── revoked, lost, nonsense ──► settling ──► (error)
/// ```
final class Following {
    enum End: Sendable {
        /// A new channel should follow at once.
        case again
        case failed(PhoneError)
    }

    private indirect enum Stage {
        case asking(Asking, WatchTap.Gesture?)
        case confirming(Confirming)
        case learning(NewsAsking)
        case quiet(until: Duration)
        /// The tap waits for the person's decision. The box may send messages meanwhile.
        case reconsidering(Reconsidering, WatchTap)
        case settling(Settling, WatchTap.Gesture?, BoxState?)
    }

    private let box: KnownBox
    private let oldest: Duration
    private var stage: Stage
    private var isConfirmed: Bool
    private var lastReport: Duration?
    private var isMeasuring = false
    /// True while a report waits for the radio, so that reports do not pile up on a stalled link.
    private var isReporting = false
    /// True once the box has answered on this channel.
    private(set) var isAnswered = false

    init(_ box: KnownBox, _ context: inout ErrandContext) {
        self.box = box
        oldest = context.now + context.limits.watchedChannel
        isConfirmed = box.confirmed
        stage = .asking(Asking(.status, .simple, &context), nil)
    }

    func deadline(_ context: ErrandContext) -> Duration? {
        let own: Duration? =
            switch stage {
            case .asking(let asking, _): asking.deadline
            case .confirming(let confirming): confirming.deadline
            case .learning(let news): news.deadline
            case .quiet(let until): until
            case .reconsidering, .settling: nil
            }
        guard let report = nextReport(context) else { return own }
        return own.map { min($0, report) } ?? report
    }

    /// At the end of the watch, withdraws the login of the last tap.
    func withdraw(_ context: inout ErrandContext) {
        if case .asking(let asking, _) = stage { asking.withdraw(&context) }
    }

    func handle(
        _ input: Input, _ taps: inout [WatchTap], _ shown: inout ShownToWatcher, _ context: inout ErrandContext
    ) -> End? {
        report(input, &context)
        switch stage {
        case .asking(let asking, let gesture):
            let answered = asking.handle(input, isShown: gesture?.isShown ?? false, &context)
            guard let answered else { return nil }
            if case .grantWanted = answered.end { return .again }
            let settling = Settling(answered.end, isRefused: answered.isRefused, box, &context)
            stage = .settling(settling, gesture, answered.state)
            return settling.immediate.flatMap { settled($0, gesture, answered.state, &taps, &shown, &context) }
        case .settling(let settling, let gesture, let state):
            return settling.handle(input).flatMap { settled($0, gesture, state, &taps, &shown, &context) }
        case .confirming(let confirming):
            let result = confirming.handle(input, &context)
            switch result {
            case nil: return nil
            case .failure(let error): return .failed(error)
            case .success: return rest(&taps, &context)
            }
        case .learning(let news):
            let end = news.handle(input, &context)
            switch end {
            case nil: return nil
            case .over(let state):
                shown.update(state, &context)
                return rest(&taps, &context)
            case .settle(let end, let state):
                let settling = Settling(end, box, &context)
                stage = .settling(settling, nil, state)
                return settling.immediate.flatMap { settled($0, nil, state, &taps, &shown, &context) }
            }
        case .quiet(let until):
            switch input {
            case .tap: return act(&taps, &context)
            case .time where context.now >= until:
                guard context.now < oldest else { return .again }
                stage = .asking(Asking(.status, .simple, &context), nil)
                return nil
            default: return hear(input, &shown, &context)
            }
        case .reconsidering(let reconsidering, let tap):
            let result = reconsidering.handle(input, &context)
            switch result {
            case nil: return hear(input, &shown, &context)
            case .failure(let error): return .failed(error)
            case .success(_?): return rest(&taps, &context)
            case .success(nil):
                send(tap, .isSent(isAsked: reconsidering.isAsked), &context)
                return nil
            }
        }
    }

    private func settled(
        _ result: Result<RequestOutcome, PhoneError>, _ gesture: WatchTap.Gesture?, _ state: BoxState?,
        _ taps: inout [WatchTap], _ shown: inout ShownToWatcher, _ context: inout ErrandContext
    ) -> End? {
        switch result {
        case .failure(let error): return .failed(error)
        case .success(let outcome):
            isAnswered = true
            if let gesture { context.emit(.watched(gesture.told(outcome))) }
            shown.update(state, &context)
            if !isConfirmed, let confirming = Confirming(box, &context) {
                isConfirmed = true
                stage = .confirming(confirming)
                return nil
            }
            if let news = NewsAsking(box, &context) {
                stage = .learning(news)
                return nil
            }
            return rest(&taps, &context)
        }
    }

    /// Sends the next waiting tap, or waits for the box.
    private func rest(_ taps: inout [WatchTap], _ context: inout ErrandContext) -> End? {
        stage = .quiet(until: min(context.now + context.limits.keepAlive, oldest))
        return act(&taps, &context)
    }

    private func act(_ taps: inout [WatchTap], _ context: inout ErrandContext) -> End? {
        guard !taps.isEmpty else { return nil }
        let tap = taps.removeFirst()
        if case .act(.extend) = tap, context.conversation?.boxCapabilities.contains(.logoutWarnings) != true {
            // A box that does not know this request would end the channel.
            context.emit(.watched(.acted(.extend, .refused(.badRequest, .none))))
            return act(&taps, &context)
        }
        if tap.isStored {
            stage = .reconsidering(Reconsidering(box, &context), tap)
        } else {
            send(tap, .untouched, &context)
        }
        return nil
    }

    private func send(_ tap: WatchTap, _ password: StoredPassword, _ context: inout ErrandContext) {
        let (request, kind) = tap.request
        stage = .asking(Asking(request, kind, password: password, of: box.id, &context), tap.gesture)
    }

    /// Handles a message from the box while no request is open.
    private func hear(
        _ input: Input, _ shown: inout ShownToWatcher, _ context: inout ErrandContext
    ) -> End? {
        switch input {
        case .cancel: return .failed(.cancelled)
        case .channelEnded, .linkDown: return .failed(.linkLost(boxID: box.digits))
        case .unintelligible: return .failed(.nonsense(boxID: box.digits))
        case .message(let message):
            var state: BoxState?
            switch context.sort(message, current: nil) {
            case .state(let told): state = told
            case .revoked:
                stage = .settling(Settling(.revoked, box, &context), nil, nil)
                return nil
            case .siteEntry(let entry):
                stage = .settling(Settling(.takenBack(entry), box, &context), nil, nil)
                return nil
            case .late, .kept, .siteGrant: break
            case .agreed, .answer, .versionRefused, .refusedGrant, .nonsense:
                return .failed(.nonsense(boxID: box.digits))
            }
            shown.update(state, &context)
            return nil
        default: return nil
        }
    }

    // MARK: Reports

    /// Returns when the next signal report is due. Returns nil during a measurement, while the link has segments to
    /// write, and for a box without presence.
    private func nextReport(_ context: ErrandContext) -> Duration? {
        guard !isMeasuring, !isReporting, context.isWritten,
            context.conversation?.boxCapabilities.contains(.presence) == true
        else {
            return nil
        }
        return lastReport.map { $0 + context.limits.report } ?? context.now
    }

    /// Measures and reports the signal, once a second.
    private func report(_ input: Input, _ context: inout ErrandContext) {
        if case .signal(let dBm) = input, isMeasuring {
            isMeasuring = false
            let bounds = SignalRules.dBm
            context.send(.reportSignal(dBm: dBm.map { min(max($0, bounds.lowerBound), bounds.upperBound) }))
            isReporting = true
        }
        if isReporting, context.isWritten {
            isReporting = false
            lastReport = context.now
        }
        guard let due = nextReport(context), context.now >= due else { return }
        isMeasuring = true
        context.measure()
    }
}
