import PhoneMessages
import VaultPort

/// Measures how strongly the phone hears a box, on a channel for this purpose.
///
/// ```
/// introducing ──► measuring ◄──► pausing ──► (samples)
///                     └── revoked ──┴──► settling ──► (error)
/// ```
final class SignalMeasuring: OrderSteps {
    private indirect enum Stage {
        case introducing(Introducing)
        case measuring(KnownBox)
        case pausing(KnownBox, until: Duration)
        /// The box or its site has revoked this phone.
        case settling(Settling)
    }

    private let count: Int
    private let interval: Duration
    private var samples: [Int] = []
    /// Half of the measurements may fail.
    private var triesLeft: Int
    private var stage: Stage

    init(_ target: BoxTarget, count: Int, every interval: Duration, _ context: inout ErrandContext) {
        self.count = count
        self.interval = interval
        triesLeft = 2 * count
        stage = .introducing(Introducing(to: target, &context))
    }

    override func deadline(_ context: ErrandContext) -> Duration? {
        switch stage {
        case .introducing(let introducing): introducing.deadline(context.limits)
        case .pausing(_, let until): until
        case .measuring, .settling: nil
        }
    }

    override func handle(_ input: Input, _ context: inout ErrandContext) -> ErrandEnd? {
        switch stage {
        case .introducing(let introducing):
            let result = introducing.handle(input, &context)
            switch result {
            case nil: return nil
            case .failure(let error): return .failed(error)
            case .success(let box): return measure(box, &context)
            }
        case .measuring(let box):
            guard case .signal(let dBm) = input else { return heard(input, box, &context) }
            if let dBm {
                samples.append(dBm)
                context.emit(.sample(dBm))
            } else if samples.isEmpty {
                return .measured(nil)
            }
            stage = .pausing(box, until: context.now + interval)
            return nil
        case .pausing(let box, let until):
            guard case .time = input, context.now >= until else { return heard(input, box, &context) }
            return measure(box, &context)
        case .settling(let settling):
            guard case .failure(let error)? = settling.handle(input) else { return nil }
            return .failed(error)
        }
    }

    private func measure(_ box: KnownBox, _ context: inout ErrandContext) -> ErrandEnd? {
        guard samples.count < count, triesLeft > 0 else { return .measured(samples) }
        triesLeft -= 1
        stage = .measuring(box)
        context.measure()
        return nil
    }

    private func heard(_ input: Input, _ box: KnownBox, _ context: inout ErrandContext) -> ErrandEnd? {
        switch input {
        case .cancel: return .failed(.cancelled)
        case .channelEnded, .linkDown: return .failed(.linkLost(boxID: box.digits))
        case .unintelligible: return .failed(.nonsense(boxID: box.digits))
        case .message(let message):
            switch context.sort(message, current: nil) {
            case .revoked: stage = .settling(Settling(.revoked, box, &context))
            case .siteEntry(let entry): stage = .settling(Settling(.takenBack(entry), box, &context))
            case .late, .kept, .state, .siteGrant: break
            case .agreed, .answer, .versionRefused, .refusedGrant, .nonsense:
                return .failed(.nonsense(boxID: box.digits))
            }
            return nil
        default: return nil
        }
    }
}
