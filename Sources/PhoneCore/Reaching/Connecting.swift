import Links
import SecureChannel
import VaultPort

/// Finds the box that is meant and opens a channel to it. Rejects other boxes with the same digits. Reconnects a
/// bounded number of times after a broken link, which has carried only handshakes and site documents.
///
/// ```
///           ┌──────────────── pausing ◄──────── links and handshakes that failed ────────┐
///           ▼                                                                            │
/// choosing, seeking ──right certificate──► noting ──serial──► opening ──► handshaking ──┴─► (KnownBox)
///     ▲  ▲  └─ box or phone lacks a site document ──► exchanging                   │
///     │  └──────────────────────────────────────────────┘                          │
///     └─────────────────────────── others were heard beside it ────────────────────┘
/// ```
/// A copied image is two boxes with one key. So the boxes that were heard beside the right one must prove the key, too:
/// if two do, the phone chooses neither. A copy of the advertisement alone proves nothing, and is passed by
/// (docs/decisions/058-state-of-one-machine.md).
final class Connecting {
    private indirect enum Stage {
        case seeking(Seeking)
        case choosing(ChoosingAmongSeveral)
        /// The vault stores a newer serial of the box.
        case noting(KnownBox, identity: [UInt8])
        case opening(CarrierOpening, KnownBox, identity: [UInt8])
        case handshaking(Handshaking, KnownBox)
        case exchanging(DocumentExchange, until: Duration, newer: KnownSite?)
        case pausing(until: Duration)
    }

    private(set) var target: BoxTarget
    private let bytes: Int
    private let patience: Duration
    private var stage: Stage
    /// The search that continues if an open link fails, or if other boxes were heard.
    private var seeking: Seeking?
    private var links = 0
    private var handshakes = 0
    /// True while searching among several boxes for one whose certificate has an issuer unknown to this phone.
    private var isLearning = false

    /// - Parameter bytes: The approximate bytes of messages that the channel will carry.
    init(to target: BoxTarget, bytes: Int = 0, _ context: inout ErrandContext) {
        self.target = target
        self.bytes = bytes
        patience = context.now + context.limits.reach
        stage = .pausing(until: context.now)
        begin(&context)
    }

    func deadline(_ limits: PhoneLimits) -> Duration? {
        guard let end = seeking?.visitEnd else { return stageDeadline(limits) }
        return stageDeadline(limits).map { min($0, end) } ?? end
    }

    private func stageDeadline(_ limits: PhoneLimits) -> Duration? {
        switch stage {
        case .seeking(let seeking): seeking.deadline
        case .choosing(let choosing): choosing.deadline
        case .noting: nil
        case .opening(let opening, _, _): opening.deadline
        case .handshaking(let handshaking, _): handshaking.deadline(limits)
        case .exchanging(_, let until, let newer): newer == nil ? until : nil
        case .pausing(let until): until
        }
    }

    private func begin(_ context: inout ErrandContext) {
        context.show(.searching(boxID: target.boxID))
        seeking = nil
        stage =
            target.isPlain || isLearning
            ? .seeking(Seeking(boxID: target.boxID, usual: usualAddress(context), &context))
            : .choosing(ChoosingAmongSeveral(target, &context))
    }

    /// Nil for a box of a site, whose server notices two boxes with one key, and for a phone that takes the first box.
    private func usualAddress(_ context: ErrandContext) -> [UInt8]? {
        guard PhoneLimits.hearsOthers, context.limits.company > .zero,
            let box = target.candidates.first(where: { $0.site == nil })
        else {
            return nil
        }
        return context.heardAloneAt.isEmpty ? box.usualAddress : context.heardAloneAt
    }

    func handle(_ input: Input, _ context: inout ErrandContext) -> Result<KnownBox, PhoneError>? {
        if case .cancel = input { return .failure(.cancelled) }
        if let current = seeking, let end = current.visitEnd, context.now >= end {
            return passBy(current, .link(.timedOut), &context)
        }
        switch stage {
        case .pausing(let until):
            if context.now >= until { begin(&context) }
            return nil
        case .seeking(let seeking):
            let end = seeking.handle(input, &context)
            return found(end, &context)
        case .choosing(let choosing):
            let end = choosing.handle(input, &context)
            switch end {
            case nil: return nil
            case .chosen(let box):
                // A later try must not reach another box with the same digits.
                target = BoxTarget(box)
                begin(&context)
                return nil
            case .failed(.notTheBox(_, .site(.unknownIssuer))) where !isLearning && context.sites.desk != nil:
                isLearning = true
                begin(&context)
                return nil
            case .failed(let error): return failed(error, &context)
            }
        case .noting(let box, let identity):
            guard case .vault(let answer) = input else {
                if case .linkDown(let error) = input { return linkFailed(error, &context) }
                return nil
            }
            // If the serial cannot be stored, continue with the box as it was.
            var noted = box
            if case .box(let written?) = answer { noted = written }
            return open(noted, identity, &context)
        case .opening(let opening, let box, let identity):
            switch opening.handle(input, &context) {
            case nil: return nil
            case .failure(let error): return linkFailed(error, &context)
            case .success(let carrier):
                stage = .handshaking(Handshaking(with: box, identity: identity, on: carrier, .channel, &context), box)
                return nil
            }
        case .handshaking(let handshaking, let box):
            let end = handshaking.handle(input, &context)
            return shaken(end, box, &context)
        case .exchanging(let exchange, let until, let newer):
            return exchanged(input, exchange, until, newer, &context)
        }
    }

    private func found(_ end: Seeking.End?, _ context: inout ErrandContext) -> Result<KnownBox, PhoneError>? {
        switch end {
        case nil: return nil
        case .failed(let error): return failed(error, &context)
        case .found(let identity):
            guard case .seeking(let current) = stage else { return nil }
            switch context.recognise(target.candidates, by: identity, showing: target.boxID.bytes) {
            case .success(let recognised):
                seeking = current
                return note(recognised, identity, &context)
            case .failure(.site(.unknownIssuer)) where context.sites.mayExchange():
                seeking = current
                exchange(offering: nil, &context)
                return nil
            case .failure(let problem):
                return passBy(current, .identity(problem), &context)
            }
        }
    }

    /// Leaves the visited box, and continues the search.
    private func passBy(
        _ current: Seeking, _ reason: ReachFailure, _ context: inout ErrandContext
    ) -> Result<KnownBox, PhoneError>? {
        let next = current.passBy(reason, &context)
        stage = .seeking(current)
        return found(next, &context)
    }

    private func note(
        _ recognised: RecognisedBox, _ identity: [UInt8], _ context: inout ErrandContext
    ) -> Result<KnownBox, PhoneError>? {
        let box = recognised.box
        if let document = context.sites.owed(to: box) {
            exchange(offering: document, &context)
            return nil
        }
        guard let certificate = recognised.certificate, certificate.serial > box.highestSerial else {
            return open(box, identity, &context)
        }
        stage = .noting(box, identity: identity)
        context.ask(.raiseSerial(box.id, to: certificate.serial, boxID: certificate.boxID))
        return nil
    }

    private func open(
        _ box: KnownBox, _ identity: [UInt8], _ context: inout ErrandContext
    ) -> Result<KnownBox, PhoneError>? {
        target = BoxTarget(box)
        stage = .opening(
            CarrierOpening(to: target.boxID, for: context.choice.demand(for: bytes), &context), box, identity: identity)
        return nil
    }

    // MARK: Site documents

    private func exchange(offering document: [UInt8]?, _ context: inout ErrandContext) {
        let known = target.candidates.compactMap { $0.site.map(context.sites.current) }
        guard let exchange = context.sites.desk?.exchange(known, document) else { return }
        context.openCarrier(for: context.choice.demand(for: 0))
        stage = .exchanging(exchange, until: context.now + context.limits.identity, newer: nil)
    }

    /// Searches again once the phone has received or shown a document. Rejects a box that had no newer document.
    private func exchanged(
        _ input: Input, _ exchange: DocumentExchange, _ until: Duration, _ newer: KnownSite?,
        _ context: inout ErrandContext
    ) -> Result<KnownBox, PhoneError>? {
        var isDone = false
        switch input {
        case .time where newer == nil && context.now >= until: break
        case .time: return nil
        // Let the vault finish its write.
        case .vault where newer != nil, _ where newer == nil:
            switch exchange.handle(input, context.now, context.limits) {
            case .wait: return nil
            case .ask(let end, let until):
                context.beginChannel(end)
                stage = .exchanging(exchange, until: until, newer: nil)
                return nil
            case .keep(let newer, let command):
                context.ask(command)
                stage = .exchanging(exchange, until: until, newer: newer)
                return nil
            case .over(let isOver): isDone = isOver
            }
        default: return nil
        }
        if let newer, isDone { context.sites.changed(newer) }
        guard !isDone, !exchange.isOffer, let current = seeking else {
            context.hangUp()
            isLearning = false
            begin(&context)
            return nil
        }
        return passBy(current, .identity(.site(.unknownIssuer)), &context)
    }

    /// Handles a link that broke before the handshake. Another box with the same digits may briefly be tried.
    private func linkFailed(
        _ error: LinkError, _ context: inout ErrandContext
    ) -> Result<KnownBox, PhoneError>? {
        guard let current = seeking else { return failed(.unreachable(boxID: target.boxID, error), &context) }
        return passBy(current, .link(error), &context)
    }

    private func shaken(
        _ end: Handshaking.End?, _ box: KnownBox, _ context: inout ErrandContext
    ) -> Result<KnownBox, PhoneError>? {
        switch end {
        case nil: return nil
        case .established: return proved(box, &context)
        case .vault(let error):
            context.hangUp()
            return .failure(.vault(error))
        case .refused:
            if let current = seeking, current.visitEnd != nil { return passBy(current, .handshake, &context) }
            return failed(.notAccepted(boxID: target.boxID), &context)
        }
    }

    /// Uses the box, unless another one that was heard has proved its key or may still do so.
    private func proved(_ box: KnownBox, _ context: inout ErrandContext) -> Result<KnownBox, PhoneError>? {
        let proof = PhoneLimits.hearsOthers ? seeking?.proved(&context) : nil
        switch proof {
        case nil, .alone:
            if PhoneLimits.hearsOthers, let address = seeking?.aloneAt { note(address, of: box, &context) }
            context.show(.connected(boxID: target.boxID))
            return .success(box)
        case .open:
            if let seeking { stage = .seeking(seeking) }
            return nil
        case .second:
            context.hangUp()
            note([], of: box, &context)
            return .failure(.twoBoxes(boxID: target.boxID))
        }
    }

    /// Notes where the box is alone, so that later operations need not listen for others there.
    private func note(_ address: [UInt8], of box: KnownBox, _ context: inout ErrandContext) {
        context.heardAloneAt = address
        guard box.site == nil, address != box.usualAddress else { return }
        context.tell(.noteAddress(address, of: box.id))
    }

    private func failed(
        _ error: PhoneError, _ context: inout ErrandContext
    ) -> Result<KnownBox, PhoneError>? {
        var mayRetry = false
        switch error {
        case .unreachable:
            links += 1
            mayRetry = links < context.limits.connectAttempts && context.now < patience
        case .notAccepted:
            handshakes += 1
            mayRetry = handshakes < context.limits.handshakeAttempts
        default: break
        }
        context.hangUp()
        guard mayRetry else { return .failure(error) }
        retry(&context)
        return nil
    }

    private func retry(_ context: inout ErrandContext) {
        context.show(.retrying(boxID: target.boxID))
        var pause = context.limits.betweenAttempts
        for _ in 1..<max(1, links) { pause += pause }
        stage = .pausing(until: context.now + pause)
    }
}
