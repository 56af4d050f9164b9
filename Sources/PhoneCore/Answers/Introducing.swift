import PhoneMessages
import VaultPort

/// Connects and asks for the state. The first message authenticates the phone, and the answer states the box's
/// capabilities.
///
/// ```
/// connecting ──► asking ──► settling ──► (KnownBox)
/// ```
final class Introducing {
    private indirect enum Stage {
        case connecting(Connecting)
        case asking(Asking, KnownBox)
        case settling(Settling, KnownBox)
    }

    private var stage: Stage

    init(to target: BoxTarget, _ context: inout ErrandContext) {
        stage = .connecting(Connecting(to: target, &context))
    }

    func deadline(_ limits: PhoneLimits) -> Duration? {
        switch stage {
        case .connecting(let connecting): connecting.deadline(limits)
        case .asking(let asking, _): asking.deadline
        case .settling: nil
        }
    }

    func handle(_ input: Input, _ context: inout ErrandContext) -> Result<KnownBox, PhoneError>? {
        switch stage {
        case .connecting(let connecting):
            let result = connecting.handle(input, &context)
            guard case .success(let box)? = result else { return result }
            stage = .asking(Asking(.status, .simple, &context), box)
            return nil
        case .asking(let asking, let box):
            let answered = asking.handle(input, isShown: false, &context)
            guard let answered else { return nil }
            if case .grantWanted = answered.end {
                context.hangUp()
                stage = .connecting(Connecting(to: BoxTarget(box), &context))
                return nil
            }
            let settling = Settling(answered.end, box, &context)
            stage = .settling(settling, box)
            return settling.immediate?.map { _ in box }
        case .settling(let settling, let box): return settling.handle(input)?.map { _ in box }
        }
    }
}
