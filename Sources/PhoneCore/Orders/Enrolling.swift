import PhoneMessages
import Secrets
import SecureChannel
import VaultPort

/// Enrolment at a box. It is safe against loss at any point:
///
/// 1. Certificate and authority are checked against the code before anything is sent.
/// 2. The vault stores the phone's key as an unconfirmed row before the request leaves, one row for each box.
/// 3. "Enrolled" confirms the row. A refusal removes it, once an ordinary channel has shown that no earlier request of
///    the row was confirmed meanwhile. Without an answer, the row stays.
/// 4. Every later try first tests the row's key on an ordinary channel. A box that answers there has enrolled this
///    phone, and the row is confirmed.
///
/// ```
/// resuming, for a row that waits ──► reaching ──► storing the row ──► handshaking ──► asking ──► settling ──► (box)
///                                       ▲  │ link                        │ refused       │ refused, a row waited
///                                       └──┘ pausing                     └──► resuming ◄─┘
/// ```
final class Enrolling: OrderSteps {
    /// The next step if a waiting row proves not to be enrolled.
    private enum After: Sendable {
        case reach
        case codeNotAccepted
        case settle(EnrolmentEnd)
    }

    private indirect enum Stage {
        case resuming(Requesting, After)
        /// The waiting row is read again, to see whether it is confirmed.
        case rereading(After)
        case reaching(Seeking)
        case pausing(until: Duration)
        case opening(CarrierOpening, Seeking, identity: [UInt8], serial: UInt64)
        case storing(Carrier, identity: [UInt8])
        case handshaking(Handshaking, KnownBox)
        case asking(EnrolmentAsking, KnownBox)
        /// The vault's last command runs. Then this error is reported, or the confirmed row if the error is nil.
        case settling(PhoneError?)
        case over
    }

    private let code: EnrolmentCode
    private let label: [UInt8]
    private var waiting: KnownBox?
    private var stage = Stage.over
    private var box: KnownBox?
    private var links = 0

    init(_ code: EnrolmentCode, label: [UInt8], waiting: KnownBox?, _ context: inout ErrandContext) {
        self.code = code
        self.label = label
        self.waiting = waiting
        super.init()
        if waiting != nil {
            resume(.reach, &context)
        } else {
            reach(&context)
        }
    }

    override func deadline(_ context: ErrandContext) -> Duration? {
        switch stage {
        case .resuming(let requesting, _): requesting.deadline(context.limits)
        case .reaching(let seeking): seeking.deadline
        case .pausing(let until): until
        case .opening(let opening, _, _, _): opening.deadline
        case .handshaking(let handshaking, _): handshaking.deadline(context.limits)
        case .asking(let asking, _): asking.deadline
        case .rereading, .storing, .settling, .over: nil
        }
    }

    override func handle(_ input: Input, _ context: inout ErrandContext) -> ErrandEnd? {
        switch stage {
        case .resuming(let requesting, let after):
            let result = requesting.handle(input, &context)
            return result.flatMap { resumed($0, after, &context) }
        case .rereading(let after): return reread(input, after, &context)
        case .reaching(let seeking):
            if case .cancel = input { return .failed(.cancelled) }
            let end = seeking.handle(input, &context)
            return found(end, &context)
        case .pausing(let until):
            if case .cancel = input { return .failed(.cancelled) }
            if context.now >= until { reach(&context) }
            return nil
        case .opening(let opening, let seeking, let identity, let serial):
            if case .cancel = input { return .failed(.cancelled) }
            switch opening.handle(input, &context) {
            case nil: return nil
            case .success(let carrier): return store(carrier, identity, serial, &context)
            case .failure(let error):
                let end = seeking.passBy(.link(error), &context)
                stage = .reaching(seeking)
                return found(end, &context)
            }
        case .storing(let carrier, let identity): return stored(input, carrier, identity, &context)
        case .handshaking(let handshaking, let box):
            if case .cancel = input { return handshakeFailed(.cancelled, &context) }
            let end = handshaking.handle(input, &context)
            return shaken(end, box, &context)
        case .asking(let asking, _):
            let end = asking.handle(input, &context)
            return end.flatMap { asked($0, &context) }
        case .settling(let error): return settled(input, error)
        case .over: return nil
        }
    }

    // MARK: A row that waits

    private func resume(_ after: After, _ context: inout ErrandContext) {
        guard let waiting else { return }
        stage = .resuming(Requesting(.status, at: BoxTarget(waiting), &context), after)
    }

    private func resumed(
        _ result: Result<RequestAnswer, PhoneError>, _ after: After, _ context: inout ErrandContext
    ) -> ErrandEnd? {
        switch result {
        case .failure(.notAccepted): return goOn(after, &context)
        case .failure(.revoked):
            // The vault has already forgotten the waiting row, so this try begins with a new one.
            waiting = nil
            return goOn(after, &context)
        case .failure(let error): return .failed(error)
        case .success(let answer):
            guard case .done = answer.outcome, answer.state != nil, let waiting else {
                return .failed(.nonsense(boxID: code.boxID))
            }
            context.ask(.box(waiting.id))
            stage = .rereading(after)
            return nil
        }
    }

    private func reread(_ input: Input, _ after: After, _ context: inout ErrandContext) -> ErrandEnd? {
        switch input {
        case .cancel: return .failed(.cancelled)
        case .vault(.box(let row)):
            if let row, row.confirmed { return .enrolled(row) }
            return goOn(after, &context)
        case .vault(.failed(let error)): return .failed(.vault(error))
        default: return nil
        }
    }

    private func goOn(_ after: After, _ context: inout ErrandContext) -> ErrandEnd? {
        switch after {
        case .reach:
            reach(&context)
            return nil
        case .codeNotAccepted: return .failed(.codeNotAccepted(boxID: code.boxID))
        case .settle(let end): return settle(end, &context)
        }
    }

    // MARK: Reaching the box

    private func reach(_ context: inout ErrandContext) {
        context.show(.searching(boxID: code.boxID))
        stage = .reaching(Seeking(boxID: code.boxID, &context))
    }

    private func found(_ end: Seeking.End?, _ context: inout ErrandContext) -> ErrandEnd? {
        switch end {
        case nil: return nil
        case .found(let identity):
            guard case .reaching(let seeking) = stage else { return nil }
            do throws(IdentityProblem) {
                let serial = try code.expectedIdentity.check(identity).serial
                let opening = CarrierOpening(to: code.boxID, for: context.choice.demand(for: 0), &context)
                stage = .opening(opening, seeking, identity: identity, serial: serial)
                return nil
            } catch {
                let next = seeking.passBy(.identity(error), &context)
                return found(next, &context)
            }
        case .failed(let error):
            links += 1
            guard case .unreachable = error, links < context.limits.connectAttempts else { return .failed(error) }
            context.show(.retrying(boxID: code.boxID))
            stage = .pausing(until: context.now + context.limits.betweenAttempts)
            return nil
        }
    }

    // MARK: The row and the channel

    /// Takes the row that waits for this box, or creates one with new keys.
    private func store(
        _ carrier: Carrier, _ identity: [UInt8], _ serial: UInt64, _ context: inout ErrandContext
    ) -> ErrandEnd? {
        if let waiting {
            // The box gets the label of this try.
            guard waiting.label != label else { return shake(waiting, carrier, identity, &context) }
            context.ask(.setLabel(label, of: waiting.id))
        } else {
            context.ask(
                .beginEnrolment(
                    NewBox(
                        boxID: code.boxIDBytes, boxKey: code.boxKey, authorityKey: code.authorityKey, serial: serial,
                        user: code.user, label: label)))
        }
        stage = .storing(carrier, identity: identity)
        return nil
    }

    private func stored(
        _ input: Input, _ carrier: Carrier, _ identity: [UInt8], _ context: inout ErrandContext
    ) -> ErrandEnd? {
        switch input {
        case .vault(.box(let row?)): return shake(row, carrier, identity, &context)
        case .vault(.failed(let error)): return .failed(.vault(error))
        case .vault: return .failed(.vault(.notFound(what: "box")))
        default: return nil
        }
    }

    private func shake(
        _ row: KnownBox, _ carrier: Carrier, _ identity: [UInt8], _ context: inout ErrandContext
    ) -> ErrandEnd? {
        box = row
        let use = Handshaking.Use.enrolment(codeID: code.codeID, psk: code.psk)
        stage = .handshaking(Handshaking(with: row, identity: identity, on: carrier, use, &context), row)
        return nil
    }

    private func shaken(
        _ end: Handshaking.End?, _ row: KnownBox, _ context: inout ErrandContext
    ) -> ErrandEnd? {
        switch end {
        case nil: return nil
        case .vault(let error): return handshakeFailed(.vault(error), &context)
        case .refused: return handshakeFailed(.codeNotAccepted(boxID: code.boxID), &context)
        case .established:
            context.show(.connected(boxID: code.boxID))
            stage = .asking(EnrolmentAsking(label: label, &context), row)
            return nil
        }
    }

    /// Only message 1 was sent, so a new row can go. An earlier try may have used the code and confirmed a waiting row.
    private func handshakeFailed(_ error: PhoneError, _ context: inout ErrandContext) -> ErrandEnd? {
        context.hangUp()
        guard waiting != nil else { return forget(error, &context) }
        guard case .codeNotAccepted = error else { return .failed(error) }
        resume(.codeNotAccepted, &context)
        return nil
    }

    // MARK: The answer

    private func asked(_ end: EnrolmentEnd, _ context: inout ErrandContext) -> ErrandEnd? {
        context.hangUp()
        if case .refused = end, waiting != nil {
            // The administrator may just have confirmed the earlier request, which makes this one fail.
            resume(.settle(end), &context)
            return nil
        }
        return settle(end, &context)
    }

    private func settle(_ end: EnrolmentEnd, _ context: inout ErrandContext) -> ErrandEnd? {
        let digits = code.boxID
        switch end {
        case .enrolled(let result):
            guard let box else { return nil }
            context.ask(
                .confirmEnrolment(box.id, user: result.user, mode: result.credentialMode))
            stage = .settling(nil)
            return nil
        case .refused(let refusal, _):
            let error: PhoneError =
                switch refusal {
                case .protocolVersion: .protocolVersion(boxID: digits)
                case .alreadyEnrolled: .alreadyEnrolled(boxID: digits)
                case .busy: .enrolmentBusy(boxID: digits)
                default: .enrolmentRefused(boxID: digits)
                }
            // "Busy" may mean this phone's own earlier request, on a link that the box still considers open. A box with
            // a fault may have stored more than it reports. Keep the key in both cases.
            let mayBeOurs = refusal == .busy || refusal == .boxFault
            return waiting != nil && mayBeOurs ? .failed(error) : forget(error, &context)
        case .uncertain, .cancelled: return .failed(.enrolmentUncertain(boxID: digits))
        case .nonsense, .granted: return .failed(.nonsense(boxID: digits))
        }
    }

    private func forget(_ error: PhoneError, _ context: inout ErrandContext) -> ErrandEnd? {
        guard let box else { return .failed(error) }
        context.ask(.forget(box.id))
        stage = .settling(error)
        return nil
    }

    private func settled(_ input: Input, _ error: PhoneError?) -> ErrandEnd? {
        switch input {
        case .vault(.failed(let fault)): return .failed(.vault(fault))
        case .vault(.box(let row?)) where error == nil: return .enrolled(row)
        case .vault: return .failed(error ?? .vault(.notFound(what: "box")))
        default: return nil
        }
    }
}
