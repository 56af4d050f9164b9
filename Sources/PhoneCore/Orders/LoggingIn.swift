import Names
import PhoneMessages
import Secrets
import VaultPort

/// Logs in with the stored password. Opens it in the phone's vault, or sends the PIN with which box or site opens it.
///
/// ```
/// choosing, of several ──► reconsidering, in doubt ──►
///   on the phone:  opening ──► requesting ──► (outcome)
///   elsewhere:     status, where a person types ──► asking the PIN ◄──┐
///                                                        │            │ wrong
///                                                        └─► requesting ─► (outcome)
/// ```
final class LoggingIn: OrderSteps {
    private indirect enum Stage {
        case choosing(Connecting)
        case reconsidering(Reconsidering)
        case opening(CredentialOpening)
        case looking(Requesting)
        case askingPIN
        case requesting(Requesting)
    }

    private var target: BoxTarget
    private let asksPerson: Bool
    /// True if the order ends before it sends anything.
    private let isOnlyAsking: Bool
    /// A PIN given in advance, for one try.
    private var given: HeldSecret?
    private let hasPIN: Bool
    private var stage: Stage
    private var isAsked = false
    private var triesLeft: Int?
    private var isRepeated = false

    init(
        at target: BoxTarget, asksPerson: Bool, pin: HeldSecret? = nil, isOnlyAsking: Bool = false,
        _ context: inout ErrandContext
    ) {
        self.target = target
        self.asksPerson = asksPerson
        self.isOnlyAsking = isOnlyAsking
        given = pin
        hasPIN = pin != nil
        stage = .askingPIN
        super.init()
        // Choose the box first: it determines password and PIN, and no other box may get them.
        if target.candidates.count > 1 {
            stage = .choosing(Connecting(to: target, &context))
        } else {
            reconsider(&context)
        }
    }

    private func reconsider(_ context: inout ErrandContext) {
        if let box = target.candidates.first { stage = .reconsidering(Reconsidering(box, &context)) }
    }

    private func begin(_ context: inout ErrandContext) {
        if let pin = given.take() { return send(.loginWithPIN(pin), &context) }
        guard let box = target.candidates.first, box.mode != .phoneHeld else {
            if let box = target.candidates.first { stage = .opening(CredentialOpening(box, &context)) }
            return
        }
        if asksPerson {
            // Before the person types, confirm that the box is there and find out whether this is the last try.
            stage = .looking(Requesting(box.mode == .siteHeld ? .tries : .status, at: target, &context))
        } else {
            askPIN(&context)
        }
    }

    override func deadline(_ context: ErrandContext) -> Duration? {
        switch stage {
        case .choosing(let choosing): choosing.deadline(context.limits)
        case .looking(let requesting), .requesting(let requesting): requesting.deadline(context.limits)
        case .reconsidering, .opening, .askingPIN: nil
        }
    }

    override func handle(_ input: Input, _ context: inout ErrandContext) -> ErrandEnd? {
        switch stage {
        case .choosing(let choosing):
            let result = choosing.handle(input, &context)
            switch result {
            case nil: return nil
            case .failure(let error): return .failed(error)
            case .success(let box):
                context.hangUp()
                target = BoxTarget(box)
                reconsider(&context)
                return nil
            }
        case .reconsidering(let reconsidering):
            let result = reconsidering.handle(input, &context)
            switch result {
            case nil: return nil
            case .failure(let error): return .failed(error)
            case .success(let doubt?): return .loggedIn(.notSentAgain(doubt))
            case .success(nil):
                isAsked = reconsidering.isAsked
                if isOnlyAsking { return .found(target.candidates.first) }
                begin(&context)
                return nil
            }
        case .opening(let opening):
            let end = opening.handle(input, &context)
            switch end {
            case nil: return nil
            case .failed(let error): return .failed(error)
            case .refused(let outcome): return .loggedIn(outcome)
            case .opened(let credential):
                send(.login(credential), &context)
                return nil
            }
        case .looking(let requesting):
            let result = requesting.handle(input, &context)
            return result.flatMap { looked($0, &context) }
        case .askingPIN:
            switch input {
            case .cancel: return .failed(.cancelled)
            case .pin(let pin?):
                send(.loginWithPIN(pin), &context)
                return nil
            case .pin(nil): return .loggedIn(gaveUp)
            default: return nil
            }
        case .requesting(let requesting):
            let result = requesting.handle(input, &context)
            return result.flatMap { answered($0, &context) }
        }
    }

    private func send(_ question: BoxQuestion, _ context: inout ErrandContext) {
        stage = .requesting(Requesting(question, at: target, isAsked: isAsked, &context))
    }

    private func looked(
        _ result: Result<RequestAnswer, PhoneError>, _ context: inout ErrandContext
    ) -> ErrandEnd? {
        switch result {
        case .failure(let error): return .failed(error)
        case .success(let answer):
            // If the site has no credential or is away, do not ask the person for a PIN.
            if case .refused = answer.outcome, target.candidates.first?.mode == .siteHeld {
                return .loggedIn(.answered(answer.outcome))
            }
            guard case .done = answer.outcome, let state = answer.state else {
                return .failed(.nonsense(boxID: target.boxID))
            }
            if state.credentialStale { return .loggedIn(.answered(.refused(.credentialStale, .none))) }
            guard let left = state.pinAttemptsLeft else { return .loggedIn(.answered(.refused(.noCredential, .none))) }
            triesLeft = Int(left)
            askPIN(&context)
            return nil
        }
    }

    private func answered(
        _ result: Result<RequestAnswer, PhoneError>, _ context: inout ErrandContext
    ) -> ErrandEnd? {
        switch result {
        case .failure(let error): return .failed(error)
        case .success(let answer):
            guard !hasPIN, target.candidates.first?.mode != .phoneHeld,
                case .refused(.pinWrong, let detail) = answer.outcome
            else {
                return .loggedIn(.answered(answer.outcome))
            }
            triesLeft = detail.attemptsLeft.map(Int.init)
            isRepeated = true
            askPIN(&context)
            return nil
        }
    }

    private func askPIN(_ context: inout ErrandContext) {
        let purpose = UnlockRequest.Purpose.boxCredential(boxID: target.boxID)
        context.emit(.askPIN(UnlockRequest(purpose: purpose, triesLeft: triesLeft, isRepeated: isRepeated)))
        stage = .askingPIN
    }

    private var gaveUp: LoginOutcome {
        guard isRepeated, let triesLeft else { return .gaveUp }
        return .answered(.refused(.pinWrong, ResultDetail(attemptsLeft: UInt8(clamping: triesLeft))))
    }
}
