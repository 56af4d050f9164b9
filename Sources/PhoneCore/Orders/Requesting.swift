import Names
import PhoneMessages
import Secrets
import VaultPort

/// Connects, sends one request, and closes. Sends it again if the answer was lost and repetition is harmless.
///
/// ```
///            ┌──────────────── harmless, and the answer was lost ─────────────────┐
///            ▼                                                                    │
/// connecting ──► preparing ──► asking ──► confirming, for a new row ──► closed ──┴──► settling ──► (answer)
///                                 └────► learning, of its site ───────────┘
///            device secret                                                │
///                                   not harmless, and no answer ─► explaining: status tells refusal from loss
/// ```
final class Requesting {
    private indirect enum Stage {
        case connecting(Connecting)
        /// Waits for the vault's secret for this box.
        case preparing(KnownBox, isRenewing: Bool)
        case asking(Asking, KnownBox)
        case confirming(Confirming, KnownBox, Asking.Answered)
        /// Asks for news of the site.
        case learning(NewsAsking, KnownBox, Asking.Answered)
        case settling(Settling, Asking.Answered)
    }

    private var target: BoxTarget
    /// The request. One with a secret is cleared once it was sent, because the answer may take minutes.
    private var question: BoxQuestion?
    private let kind: RequestKind
    private let password: StoredPassword
    private let isRepeatable: Bool
    private var repeats = 0
    /// True after the request was lost. A harmless status request then shows whether the box refuses this phone.
    private var isExplaining = false
    private var stage: Stage

    /// - Parameter isAsked: True if the person allowed to send a doubtful stored password; nil if the request does not
    ///   send the stored password.
    init(
        _ question: BoxQuestion, at target: BoxTarget, isAsked: Bool? = nil, _ context: inout ErrandContext
    ) {
        self.target = target
        self.question = question
        kind = question.kind
        password = isAsked.map { .isSent(isAsked: $0) } ?? (question.replacesPassword ? .isReplaced : .untouched)
        isRepeatable = question.isRepeatable
        stage = .connecting(Connecting(to: target, &context))
    }

    func deadline(_ limits: PhoneLimits) -> Duration? {
        switch stage {
        case .connecting(let connecting): connecting.deadline(limits)
        case .asking(let asking, _): asking.deadline
        case .confirming(let confirming, _, _): confirming.deadline
        case .learning(let news, _, _): news.deadline
        case .preparing, .settling: nil
        }
    }

    func handle(
        _ input: Input, _ context: inout ErrandContext
    ) -> Result<RequestAnswer, PhoneError>? {
        switch stage {
        case .connecting(let connecting):
            let result = connecting.handle(input, &context)
            switch result {
            case nil: return nil
            case .failure(let error): return .failure(error)
            case .success(let box):
                // A repetition must not reach another box with the same digits.
                target = BoxTarget(box)
                return prepare(box, &context)
            }
        case .preparing(let box, let isRenewing): return prepared(input, box, isRenewing, &context)
        case .asking(let asking, let box):
            let answered = asking.handle(input, isShown: !isExplaining, &context)
            // A box that has answered hello processes the request and does not ask for the grant, so forget the secret.
            if !isRepeatable, context.conversation?.isAgreed == true { question = nil }
            guard let answered else { return nil }
            if answered.end.mayBeConfirmed, let confirming = Confirming(box, &context) {
                stage = .confirming(confirming, box, answered)
                return nil
            }
            if case .outcome = answered.end, let news = NewsAsking(box, &context) {
                stage = .learning(news, box, answered)
                return nil
            }
            return close(answered, box, &context)
        case .learning(let news, let box, let answered):
            let end = news.handle(input, &context)
            // The answer to the request stays valid.
            return end.flatMap { _ in close(answered, box, &context) }
        case .confirming(let confirming, let box, let answered):
            let result = confirming.handle(input, &context)
            switch result {
            case nil: return nil
            // The answer to the request stays valid.
            case .success, .failure(.cancelled): return close(answered, box, &context)
            case .failure(let error):
                context.hangUp()
                return .failure(error)
            }
        case .settling(let settling, let answered):
            return settling.handle(input).map { conclude($0, answered) }
        }
    }

    private func prepare(
        _ box: KnownBox, _ context: inout ErrandContext
    ) -> Result<RequestAnswer, PhoneError>? {
        if isExplaining {
            stage = .asking(Asking(.status, .simple, &context), box)
            return nil
        }
        guard let question else { return .failure(.cancelled) }
        if let request = question.request { return send(request, box, &context) }
        if box.mode == .phoneHeld, let problem = question.needsBoxHeld(box) { return .failure(problem) }
        if box.mode == .siteHeld {
            guard let command = context.sites.unlocking(question, box) else { return .failure(.site(.noSiteKey)) }
            context.ask(command)
        } else {
            context.ask(.deviceSecret(box.id))
        }
        stage = .preparing(box, isRenewing: false)
        return nil
    }

    private func prepared(
        _ input: Input, _ box: KnownBox, _ isRenewing: Bool, _ context: inout ErrandContext
    ) -> Result<RequestAnswer, PhoneError>? {
        switch input {
        case .cancel: return .failure(.cancelled)
        case .vault(.failed(let error)): return .failure(.vault(error))
        case .vault(.siteUnlocked(let unlocking)):
            guard let question, let sealed = context.sites.sealed(question, unlocking, box, context.handshakeHash)
            else { return .failure(.site(.noSiteKey)) }
            return send(question.request(carrying: sealed), box, &context)
        case .vault(.secret(let secret?)):
            guard let request = question?.request(with: secret) else { return .failure(.cancelled) }
            return send(request, box, &context)
        case .vault:
            guard case .storeCredential = question, !isRenewing else {
                return .failure(.noDeviceSecret(boxID: box.digits))
            }
            context.ask(.renewDeviceSecret(box.id))
            stage = .preparing(box, isRenewing: true)
            return nil
        default: return nil
        }
    }

    private func send(
        _ request: PhoneRequest, _ box: KnownBox, _ context: inout ErrandContext
    ) -> Result<RequestAnswer, PhoneError>? {
        stage = .asking(Asking(request, kind, password: password, of: box.id, &context), box)
        // Keep the request for a box of a site, which may ignore it and ask for the grant first.
        if !isRepeatable, box.site == nil { question = nil }
        return nil
    }

    private func close(
        _ answered: Asking.Answered, _ box: KnownBox, _ context: inout ErrandContext
    ) -> Result<RequestAnswer, PhoneError>? {
        context.hangUp()
        switch answered.end {
        case .grantWanted:
            stage = .connecting(Connecting(to: target, &context))
            return nil
        case .lost, .closedUnanswered, .silent:
            let mayRepeat = isRepeatable || isExplaining
            if mayRepeat, repeats + 1 < context.limits.handshakeAttempts {
                repeats += 1
                context.show(.retrying(boxID: target.boxID))
                stage = .connecting(Connecting(to: target, &context))
                return nil
            }
            // A box closes silently on an unknown phone, like a lost link. A harmless request tells the two apart
            // without sending the secret again.
            guard case .closedUnanswered = answered.end, !mayRepeat else { break }
            (isExplaining, repeats) = (true, 0)
            stage = .connecting(Connecting(to: target, &context))
            return nil
        default: break
        }
        let settling = Settling(answered.end, isRefused: answered.isRefused, box, &context)
        stage = .settling(settling, answered)
        return settling.immediate.map { conclude($0, answered) }
    }

    private func conclude(
        _ result: Result<RequestOutcome, PhoneError>, _ answered: Asking.Answered
    ) -> Result<RequestAnswer, PhoneError> {
        switch result {
        case .failure(let error): .failure(error)
        // The box knows this phone, so the link was lost.
        case .success where isExplaining: .failure(.linkLost(boxID: target.boxID))
        case .success(let outcome): .success(RequestAnswer(outcome: outcome, state: answered.state, warning: nil))
        }
    }
}

extension BoxQuestion {
    /// Returns the error if a box without credentials cannot serve this request.
    fileprivate func needsBoxHeld(_ box: KnownBox) -> PhoneError? {
        switch self {
        case .storeCredential: .wrongMode(boxID: box.digits, .keepsNoPasswords)
        case .changePIN: .wrongMode(boxID: box.digits, .hasNoPIN)
        case .status, .lock, .unlock, .logout, .setAutoLogout, .setThresholds, .login, .loginWithPIN, .tries: nil
        }
    }
}

extension RequestEnd {
    /// True if the phone may ask for the enrolment's answer next. Other ends require another action at once.
    fileprivate var mayBeConfirmed: Bool {
        switch self {
        case .revoked, .cancelled, .notWithdrawn, .unsent, .outcome(.refused(.wiped, _)): false
        case .outcome, .silent, .lost, .closedUnanswered, .nonsense, .grantWanted, .grantRefused, .takenBack: true
        }
    }
}
