import Links
import PhoneMessages
import Secrets
import SecureChannel
import VaultPort

/// Exchanges message 1 and message 2 on a carrier, with the device key from the vault.
///
/// ```
/// fetching ──device key──► waiting ──message 2──► (established)
///     │                       └─ link, nonsense, too late ─► (refused)
///     └─ vault ─► (vault)
/// ```
final class Handshaking {
    /// The purpose of a handshake.
    enum Use: Sendable {
        case channel
        /// Carries the id and the one-time secret of an enrolment code.
        case enrolment(codeID: [UInt8], psk: HeldSecret)

        func firstMessage(_ message1: [UInt8]) -> FirstMessage {
            switch self {
            case .channel: .channel(message1: message1)
            case .enrolment(let codeID, _): .enrol(codeID: codeID, message1: message1)
            }
        }
    }

    enum End: Sendable {
        case established
        /// The box closed the link, sent another message, or did not answer in time; or the stored key is not valid.
        case refused
        case vault(VaultError)
    }

    private indirect enum Stage {
        case fetching(Use)
        case waiting(since: Duration)
    }

    private let box: KnownBox
    private let identity: [UInt8]
    private let carrier: Carrier
    private var stage: Stage

    /// - Parameter identity: The exact bytes of the identity characteristic, which the handshake covers.
    init(with box: KnownBox, identity: [UInt8], on carrier: Carrier, _ use: Use, _ context: inout ErrandContext) {
        self.box = box
        self.identity = identity
        self.carrier = carrier
        stage = .fetching(use)
        context.ask(.deviceKey(box.id))
    }

    func deadline(_ limits: PhoneLimits) -> Duration? {
        guard case .waiting(let since) = stage else { return nil }
        return since + limits.handshake
    }

    func handle(_ input: Input, _ context: inout ErrandContext) -> End? {
        switch (stage, input) {
        case (.fetching(let use), .vault(.secret(let key?))):
            guard send(use, key, &context) else { return .refused }
            stage = .waiting(since: context.now)
            return nil
        case (.fetching, .vault(.failed(let error))): return .vault(error)
        case (.fetching, .vault): return .vault(.notFound(what: "box"))
        case (.waiting(let since), .established):
            context.choice.measured(context.now - since, over: carrier.carries)
            return .established
        case (_, .channelEnded), (_, .linkDown), (_, .unintelligible), (_, .message): return .refused
        case (.waiting(let since), .time) where context.now >= since + context.limits.handshake: return .refused
        default: return nil
        }
    }

    /// Sends message 1. Returns false if the stored key is not valid.
    private func send(_ use: Use, _ key: HeldSecret, _ context: inout ErrandContext) -> Bool {
        guard let pair = try? X25519KeyPair(privateKey: key.bytes.copy()),
            let step = try? start(use, pair).writeMessage1()
        else { return false }
        let first = use.firstMessage(step.message)
        let grant = context.sites.begin(box)
        context.beginChannel(
            PhoneEnd(
                awaiting: step.next, first: first.bytes, on: carrier, context.capabilities, showing: grant,
                now: context.now))
        return true
    }

    private func start(
        _ use: Use, _ key: borrowing X25519KeyPair
    ) throws(HandshakeError) -> InitiatorStart<XChaChaPoly> {
        switch use {
        case .channel:
            try InitiatorStart(
                prologue: HandshakePrologue.channel(binding: carrier.binding, identity: identity).bytes,
                staticKey: key, remoteStatic: box.boxKey)
        case .enrolment(let codeID, let psk):
            try InitiatorStart(
                prologue: HandshakePrologue.enrol(binding: carrier.binding, identity: identity, codeID: codeID).bytes,
                staticKey: key, remoteStatic: box.boxKey, psk: psk.bytes)
        }
    }
}
