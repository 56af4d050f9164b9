import AgentCore
import AgentProtocol
import AuditLog
import PhoneMessages
import Secrets
import SecureChannel
import Vault
import VaultPort

/// The administrator's command, while an enrolment is open.
protocol EnrolmentAdministrator: Sendable {
    /// Comes back at once. Called on the agent's loop.
    func tell(_ reply: ControlReply)
    func showCode(_ uri: HeldSecret, validSeconds: UInt64) async
}

/// Enrolment in the agent: the code, the comparison, and the device that comes of it.
extension Agent {
    /// Opens an enrolment and shows its code; nil, or why it cannot be.
    func beginEnrolment(_ order: EnrolmentOrder, by administrator: any EnrolmentAdministrator) async -> ControlReply? {
        let refusal = await accounts.enrolmentRefusal(of: order.user, policy: configuration.enrolment)
        if let refusal { return refusal }
        let validity: Duration = .seconds(configuration.enrolment.codeMinutes * 60)
        let code = EnrolmentCode()
        guard desk.begin(order, codeID: code.id, psk: code.psk, expires: loop.now() + validity) else {
            return .failure(
                .busy, what: Array("another enrolment is open".utf8),
                cure: Array("finish or stop the other 'boxagent enrol' first".utf8))
        }
        self.administrator = administrator
        do {
            let uri = try code.uri(keys: keys, user: order.user)
            await administrator.showCode(uri, validSeconds: UInt64(validity.components.seconds))
        } catch {
            _ = desk.handle(.administratorLeft, now: loop.now())
            self.administrator = nil
            return .failure(
                .invalid, what: Array("this user name does not fit an enrolment code".utf8),
                cure: Array("use a user name of at most 64 bytes without control characters".utf8))
        }
        rearm()
        return nil
    }

    func administratorAnswers(digits: [UInt8], accept: Bool) async {
        let answer: EnrolmentDesk.Event = accept ? .administratorConfirms(digits: digits) : .administratorDeclines
        await perform(desk.handle(answer, now: loop.now()))
        rearm()
    }

    func administratorLeft() async {
        administrator = nil
        await perform(desk.handle(.administratorLeft, now: loop.now()))
        rearm()
    }

    /// The secret of an open code, for the handshake, when it is this try's turn. An unknown code id costs a look-up;
    /// tries at the right id are bounded for each connection, so that nobody waits for somebody else's wrong ones.
    func enrolmentSecret(_ codeID: [UInt8], over connection: String) async throws(ChannelEnd) -> HeldSecret {
        let now = loop.now()
        guard desk.secret(for: codeID, now: now) != nil else { throw .unknownCode }
        guard let turn = limiter.reserve(connection, now: now) else { throw .tooManyAttempts }
        if turn > now { try? await loop.sleep(until: turn) }
        guard let secret = desk.secret(for: codeID, now: loop.now()) else { throw .unknownCode }
        return secret
    }

    /// The secret fitted: the try costs nothing.
    func enrolmentTrySucceeded(over connection: String) {
        limiter.refund(connection)
    }

    /// A request on an enrolment channel.
    func handle(
        _ message: PhoneRequestMessage, enrolling publicKey: [UInt8], handshakeHash: [UInt8], on channel: PhoneChannel
    ) async {
        let event: EnrolmentDesk.Event
        switch message.request {
        case .enrol(let request):
            // Found out before anybody compares digits.
            if (try? await vault.device(publicKey: publicKey)) != nil {
                return refuse(channel.id, message.id, .alreadyEnrolled)
            }
            event = .contact(
                EnrolmentContact(
                    channel: channel.id, request: message.id, publicKey: publicKey, handshakeHash: handshakeHash,
                    phoneName: request.label, commitment: request.commitment,
                    nonce: randomBytes(count: EnrolmentCommitment.nonceBytes)))
        case .reveal(let nonce): event = .revealed(channel.id, message.id, nonce: nonce)
        default: return channel.tell(.result(message.id, .badRequest, ResultDetail()))
        }
        await perform(desk.handle(event, now: loop.now()))
        rearm()
    }

    /// An enrolled device asks for what its enrolment came to, whose answer did not reach it.
    func repeatEnrolment(of record: DeviceRecord, _ request: RequestID, on channel: PhoneChannel) {
        channel.tell(.enrolled(request, EnrolResult(record, boxID: keys.boxID)))
    }

    func perform(_ actions: [EnrolmentDesk.Action]) async {
        for action in actions {
            switch action {
            case .tellNonce(let contact):
                admission.contact(contact.channel)
                administrator?.tell(.enrolmentContact)
                channels[contact.channel]?.tell(.enrolNonce(contact.request, contact.nonce))
            case .tellPending(let contact):
                channels[contact.channel]?.tell(.enrolPending(contact.request))
            case .showDigits(let contact):
                guard let digits = contact.digits else { continue }
                administrator?.tell(.enrolmentDigits(digits: digits, label: contact.phoneName))
            case .activate(let contact, let order):
                await activate(contact, order)
            case .refusePhone(let channel, let request, let code):
                refuse(channel, request, code)
            case .badRequest(let channel, let request):
                channels[channel]?.tell(.result(request, .badRequest, ResultDetail()))
            case .end(let failure):
                if failure == .phoneLost { administrator?.tell(.enrolmentLost) }
                endEnrolment(failure.reply)
            }
        }
    }

    /// Nothing more is to be said on an enrolment channel after this.
    private func refuse(_ channel: ChannelID, _ request: RequestID, _ code: ResultCode) {
        channels[channel]?.tell(.result(request, code, ResultDetail()))
        channels[channel]?.end(.enrolmentRefused)
    }

    private func activate(_ contact: EnrolmentContact, _ order: EnrolmentOrder) async {
        let label = order.label.isEmpty ? contact.phoneName : order.label
        let mode: VaultPort.CredentialMode = order.boxHeld ? .boxHeld : .phoneHeld
        do {
            let record = try await vault.enrol(publicKey: contact.publicKey, user: order.user, label: label, mode: mode)
            await audit(.deviceEnrolled, user: order.user, device: record.id, by: order.actor)
            log.notice("device \(record.id) enrolled for \(LogText.text(order.user))")
            channels[contact.channel]?.tell(.enrolled(contact.request, EnrolResult(record, boxID: keys.boxID)))
            administrator?.tell(.enrolled(device: Array(record.id.description.utf8), user: order.user))
            endEnrolment(.done(text: Array("enrolled".utf8)))
        } catch {
            log.error("the device could not be enrolled: \(error)")
            refuse(contact.channel, contact.request, error == .alreadyEnrolled ? .alreadyEnrolled : .boxFault)
            endEnrolment(
                .failure(.fault, what: Array("\(error)".utf8), cure: Array("run 'boxagent doctor'".utf8)))
        }
    }

    private func endEnrolment(_ reply: ControlReply) {
        administrator?.tell(reply)
        administrator = nil
    }
}
