import ControlProtocol
import AuditLog
import Names
import PhoneMessages
import Secrets
import VaultPort

/// The one enrolment that may be open: its code, the comparison of digits, and the new device.
///
///     ordered ──► account ──► code shown ──► contact ──► digits ──► stored ──► enrolled
///        └─ refused └─ refused   └─ timed out, declined, phone or administrator gone
package struct Enrolments: Sendable {
    /// A phone that has proved that it has the code.
    private struct Proof: Sendable {
        let publicKey: [UInt8]
        let handshakeHash: [UInt8]
        let nonce: [UInt8]
        let isEnrolled: Bool
    }

    private struct Ordered: Sendable {
        let control: ControlID
        var order: EnrolmentOrder
    }

    private struct Activation: Sendable {
        let contact: EnrolmentContact
        let order: EnrolmentOrder
    }

    /// A handshake that waits until it may have the secret.
    private struct Turn: Sendable {
        let codeID: [UInt8]
        let at: Duration
    }

    private var desk = EnrolmentDesk()
    private var limiter: AttemptLimiter
    private var administrator: ControlID?
    private var orders = Pending<Ordered>(.enrolments)
    private var activations = Pending<Activation>(.enrolments, after: OperationID.secondKind)
    private var proofs: [ChannelID: Proof] = [:]
    private var turns: [ChannelID: Turn] = [:]

    package init(_ policy: Policy) {
        limiter = AttemptLimiter(rate: policy.configuration.enrolment.attemptsPerSecond)
    }

    package var isOpen: Bool { desk.isOpen }
    package var deadline: Duration? { (turns.values.map(\.at) + [desk.deadline].compactMap(\.self)).min() }

    // MARK: - The administrator

    package mutating func ordered(
        _ control: ControlID, _ wish: EnrolmentWish, _ caller: Caller, _ out: inout Output
    ) {
        let id = orders.open(Ordered(control: control, order: EnrolmentOrder(wish, actor: .agent)))
        out.emit(.lookUp(id, .account(user: wish.user, caller)))
    }

    package mutating func administratorAnswers(digits: String, accept: Bool, _ out: inout Output) {
        let answer: EnrolmentDesk.Event =
            accept ? .administratorConfirms(digits: Array(digits.utf8)) : .administratorDeclines
        perform(desk.handle(answer, now: out.time), &out)
    }

    package mutating func controlLeft(_ control: ControlID, _ out: inout Output) {
        orders.drop { $0.control == control }
        guard administrator == control else { return }
        setAdministrator(nil, &out)
        perform(desk.handle(.administratorLeft, now: out.time), &out)
    }

    private mutating func accountKnown(_ ordered: Ordered, _ account: AccountLookup, _ out: inout Output) {
        let (wish, configuration) = (ordered.order.wish, out.policy.configuration)
        let refusal =
            EnrolmentPolicy.refusal(of: wish.user, account, configuration.enrolment)
            ?? EnrolmentPolicy.refusal(of: wish, configuration)
        if let refusal { return end(ordered.control, refusal, &out) }
        guard !desk.isOpen, administrator == nil else { return end(ordered.control, Self.another, &out) }
        var ordered = ordered
        ordered.order.wish.user = account.name(of: wish.user)
        if case .found(let uid, _) = account { ordered.order.uid = uid }
        if let text = LogText.renaming(wish.user, to: ordered.order.wish.user) {
            out.emit(.tellControl(ordered.control, .notice(text: ControlLimits.cut(text))))
        }
        if wish.isWeb, !configuration.enrolment.webPage.isEmpty {
            out.emit(.tellControl(ordered.control, .webPage(address: configuration.enrolment.webPage)))
        }
        out.emit(.lookUp(orders.open(ordered), .newCode(user: ordered.order.wish.user)))
    }

    private mutating func codeMade(
        _ ordered: Ordered, _ codeID: [UInt8], _ secret: HeldSecret, _ uri: HeldSecret?, _ out: inout Output
    ) {
        guard let uri else { return end(ordered.control, Self.longName, &out) }
        let validity: Duration = .seconds(out.policy.configuration.enrolment.codeMinutes * 60)
        guard administrator == nil,
            desk.begin(ordered.order, codeID: codeID, psk: secret, expires: out.time + validity)
        else { return end(ordered.control, Self.another, &out) }
        setAdministrator(ordered.control, &out)
        out.emit(.showCode(ordered.control, uri: uri, validSeconds: UInt64(validity.components.seconds)))
    }

    private mutating func setAdministrator(_ control: ControlID?, _ out: inout Output) {
        guard administrator != control else { return }
        administrator = control
        out.emit(.allowPairing(control != nil))
    }

    private mutating func end(_ control: ControlID?, _ reply: ControlReply, _ out: inout Output) {
        if let control {
            out.emit(.tellControl(control, reply))
            out.tell(.enrolmentOver(control))
        }
        if administrator == control { setAdministrator(nil, &out) }
    }

    private static let another = Refusals.failure(
        .busy, "another enrolment is open", "finish or stop the other 'boxagent enrol' first")
    private static let longName = Refusals.failure(
        .invalid, "this user name does not fit an enrolment code",
        "use a user name of at most 64 bytes without control characters")

    // MARK: - Phones

    /// Gives the secret of an open code to the handshake when this try's turn comes. An unknown code id costs one
    /// lookup. Tries at the right id are limited for each connection, so that wrong tries delay nobody else.
    package mutating func tried(
        _ channel: ChannelID, over connection: String, _ codeID: [UInt8], _ out: inout Output
    ) {
        guard desk.secret(for: codeID, now: out.time) != nil else {
            return out.emit(.finish(channel, .unknownCode))
        }
        guard let turn = limiter.reserve(connection, now: out.time) else {
            return out.emit(.finish(channel, .tooManyAttempts))
        }
        turns[channel] = Turn(codeID: codeID, at: turn)
        giveTurns(&out)
    }

    /// Refunds the try, because the secret was right.
    package mutating func fitted(over connection: String) {
        limiter.refund(connection)
    }

    package mutating func proved(
        _ channel: ChannelID, publicKey: [UInt8], handshakeHash: [UInt8], nonce: [UInt8], isEnrolled: Bool
    ) {
        proofs[channel] = Proof(
            publicKey: publicKey, handshakeHash: handshakeHash, nonce: nonce, isEnrolled: isEnrolled)
    }

    /// - Parameter isWeb: The phone's hello said that it is a page in a browser.
    package mutating func asked(
        _ channel: ChannelID, _ message: PhoneRequestMessage, isWeb: Bool, _ out: inout Output
    ) {
        let event: EnrolmentDesk.Event
        switch message.request {
        case .enrol(let request):
            guard let proof = proofs[channel] else { return }
            // Refuse an enrolled phone before anybody compares digits.
            guard !proof.isEnrolled else { return refuse(channel, message.id, .alreadyEnrolled, &out) }
            event = .contact(
                EnrolmentContact(
                    channel: channel, request: message.id, publicKey: proof.publicKey,
                    handshakeHash: proof.handshakeHash, phoneName: request.label, isWeb: isWeb,
                    commitment: request.commitment, nonce: proof.nonce))
        case .reveal(let nonce): event = .revealed(channel, message.id, nonce: nonce)
        default: return out.answer(TapID(channel: channel, request: message.id), .badRequest)
        }
        perform(desk.handle(event, now: out.time), &out)
    }

    package mutating func channelLeft(_ channel: ChannelID, _ out: inout Output) {
        turns[channel] = nil
        proofs[channel] = nil
        perform(desk.handle(.channelClosed(channel), now: out.time), &out)
    }

    private mutating func giveTurns(_ out: inout Output) {
        for (channel, turn) in turns.sorted(by: { $0.key.number < $1.key.number }) where turn.at <= out.time {
            turns[channel] = nil
            if let secret = desk.secret(for: turn.codeID, now: out.time) {
                out.emit(.giveCode(channel, secret))
            } else {
                out.emit(.finish(channel, .unknownCode))
            }
        }
    }

    /// Refuses the request and closes the enrolment channel.
    private func refuse(_ channel: ChannelID, _ request: RequestID, _ code: ResultCode, _ out: inout Output) {
        out.answer(TapID(channel: channel, request: request), code)
        out.emit(.finish(channel, .enrolmentRefused))
    }

    // MARK: - Time and answers

    package mutating func timeHasCome(_ out: inout Output) {
        perform(desk.handle(.timer, now: out.time), &out)
        giveTurns(&out)
    }

    package mutating func policyChanged(_ out: inout Output) {
        limiter = AttemptLimiter(rate: out.policy.configuration.enrolment.attemptsPerSecond)
    }

    package mutating func stop(_ out: inout Output) {
        perform(desk.handle(.administratorLeft, now: out.time), &out)
    }

    package mutating func answered(_ id: OperationID, _ answer: Answer, _ out: inout Output) {
        if let activation = activations.close(id) { return activated(activation, answer, &out) }
        guard var ordered = orders.close(id) else { return }
        switch answer {
        case .account(let account, let actor):
            ordered.order.actor = actor
            accountKnown(ordered, account, &out)
        case .code(let codeID, let secret, let uri): codeMade(ordered, codeID, secret, uri, &out)
        default:
            end(
                ordered.control, Refusals.failure(.fault, "the code could not be created", "run 'boxagent doctor'"),
                &out)
        }
    }

    private mutating func perform(_ actions: [EnrolmentDesk.Action], _ out: inout Output) {
        for action in actions {
            switch action {
            case .tellNonce(let contact):
                out.tell(.enrolmentContact(contact.channel))
                tell(.enrolmentContact, &out)
                out.emit(.tellPhone(contact.channel, .enrolNonce(contact.request, contact.nonce)))
            case .tellPending(let contact): out.emit(.tellPhone(contact.channel, .enrolPending(contact.request)))
            case .showDigits(let contact):
                guard let digits = contact.digits else { continue }
                tell(.enrolmentDigits(digits: String(decoding: digits, as: UTF8.self), label: contact.phoneName), &out)
            case .activate(let contact, let order): activate(contact, order, &out)
            case .refusePhone(let channel, let request, let code): refuse(channel, request, code, &out)
            case .badRequest(let channel, let request):
                out.answer(TapID(channel: channel, request: request), .badRequest)
            case .end(let failure):
                if failure == .phoneLost { tell(.enrolmentLost, &out) }
                end(administrator, failure.reply, &out)
            }
        }
    }

    private func tell(_ reply: ControlReply, _ out: inout Output) {
        if let administrator { out.emit(.tellControl(administrator, reply)) }
    }

    private mutating func activate(_ contact: EnrolmentContact, _ order: EnrolmentOrder, _ out: inout Output) {
        let wish = order.wish
        let command = VaultCommand.enrol(
            publicKey: contact.publicKey, user: wish.user,
            label: wish.label.isEmpty ? contact.phoneName : Array(wish.label.utf8), mode: wish.credential,
            isWeb: wish.isWeb, uid: order.uid, by: order.actor)
        out.emit(.vault(activations.open(Activation(contact: contact, order: order)), command))
    }

    private mutating func activated(_ activation: Activation, _ answer: Answer, _ out: inout Output) {
        let contact = activation.contact
        switch answer {
        case .vault(.device(let record)):
            out.log(.notice, "device \(record.id) enrolled for \(LogText.text(record.user))")
            let result = EnrolResult(record, boxID: out.policy.boxID)
            out.emit(.tellPhone(contact.channel, .enrolled(contact.request, result)))
            tell(.enrolled(device: Array(record.id.description.utf8), user: record.user), &out)
            end(administrator, .done(text: ""), &out)
        case .vault(.failed(let error)):
            out.log(.error, "the device could not be enrolled: \(error)")
            refuse(contact.channel, contact.request, error == .alreadyEnrolled ? .alreadyEnrolled : .boxFault, &out)
            end(administrator, Refusals.failure(.fault, "\(error)", "run 'boxagent doctor'"), &out)
        default: refuse(contact.channel, contact.request, .boxFault, &out)
        }
    }
}

extension EnrolResult {
    package init(_ record: DeviceRecord, boxID: [UInt8]) {
        self.init(
            deviceID: record.id.bytes, user: record.user,
            credentialMode: record.mode, boxID: boxID)
    }
}
