import Secrets
import VaultPort

/// Opens the phone-held password for a box. Asks for the PIN again until it opens or the person gives up.
///
/// ```
/// opening ──opened──► (secret)
///   │  ▲
///   ▼  │ PIN
/// asking the person ──no PIN──► (reason)
/// ```
final class CredentialOpening {
    enum End: Sendable {
        case opened(HeldSecret)
        case refused(LoginOutcome)
        case failed(PhoneError)
    }

    private indirect enum Stage {
        case opening
        case asking(triesLeft: Int?)
    }

    private let box: KnownBox
    private var stage = Stage.opening
    private var isRepeated = false

    init(_ box: KnownBox, _ context: inout ErrandContext) {
        self.box = box
        context.ask(.openCredential(box.id, pin: nil))
    }

    func handle(_ input: Input, _ context: inout ErrandContext) -> End? {
        switch (stage, input) {
        case (_, .cancel): return .failed(.cancelled)
        case (.opening, .vault(.failed(let error))): return .failed(.vault(error))
        case (.opening, .vault(.credential(let outcome, let triesLeft))):
            switch outcome {
            case .opened(let credential): return .opened(credential)
            case .noCredential: return .refused(.noCredential)
            case .wiped: return .refused(.phoneWiped)
            case .pinNeeded, .pinWrong:
                if case .pinWrong = outcome { isRepeated = true }
                context.emit(
                    .askPIN(UnlockRequest(purpose: .phoneVault, triesLeft: triesLeft, isRepeated: isRepeated)))
                stage = .asking(triesLeft: triesLeft)
                return nil
            }
        case (.asking(let triesLeft), .pin(let pin)):
            guard let pin else { return .refused(isRepeated ? .phonePINWrong(triesLeft: triesLeft ?? 0) : .gaveUp) }
            stage = .opening
            context.ask(.openCredential(box.id, pin: pin))
            return nil
        default: return nil
        }
    }
}
