import AgentProtocol
import PhoneMessages
import SecureChannel
import Secrets
import Vault

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
    /// tries at the right id are bounded, and wait for one another.
    func enrolmentSecret(_ codeID: [UInt8]) async throws(ChannelEnd) -> HeldSecret {
        let now = loop.now()
        guard desk.secret(for: codeID, now: now) != nil else { throw .unknownCode }
        guard let turn = limiter.reserve(now: now) else { throw .tooManyAttempts }
        if turn > now { try? await loop.sleep(until: turn) }
        guard let secret = desk.secret(for: codeID, now: loop.now()) else { throw .unknownCode }
        return secret
    }

    /// The secret fitted: the try costs nothing.
    func enrolmentTrySucceeded() {
        limiter.refund()
    }

    func perform(_ actions: [EnrolmentDesk.Action]) async {
        for action in actions {
            switch action {
            case .tellPending(let contact):
                administrator?.tell(.enrolmentContact)
                channels[contact.channel]?.tell(.enrolPending(contact.request))
            case .showDigits(let contact):
                administrator?.tell(.enrolmentDigits(digits: contact.digits, label: contact.phoneName))
            case .activate(let contact, let order):
                await activate(contact, order)
            case .refusePhone(let contact, let code):
                channels[contact.channel]?.tell(.result(contact.request, code, ResultDetail()))
            case .tellPhoneLost:
                administrator?.tell(.enrolmentLost)
                endEnrolment(
                    .failure(
                        .declined, what: Array("the phone went away before it was enrolled, and its code with it".utf8),
                        cure: Array("run 'boxagent enrol' again: it shows a new code".utf8)))
            case .tellOtherDigits:
                endEnrolment(
                    .failure(
                        .declined, what: Array("the answer was about other digits than the phone's".utf8),
                        cure: Array("run 'boxagent enrol' again: it shows a new code".utf8)))
            case .tellExpired:
                endEnrolment(
                    .failure(
                        .timedOut, what: Array("no phone was enrolled before the code ran out".utf8),
                        cure: Array("run 'boxagent enrol' again".utf8)))
            case .tellDeclined:
                endEnrolment(
                    .failure(
                        .declined, what: Array("the enrolment was declined; no device was added".utf8),
                        cure: Array("if the digits differed, somebody else may be near with the code".utf8)))
            }
        }
    }

    private func activate(_ contact: EnrolmentContact, _ order: EnrolmentOrder) async {
        let label = order.label.isEmpty ? contact.phoneName : order.label
        let mode: Vault.CredentialMode = order.boxHeld ? .boxHeld : .phoneHeld
        do {
            let record = try await vault.enrol(publicKey: contact.publicKey, user: order.user, label: label, mode: mode)
            await audit(.deviceEnrolled, user: order.user, device: record.id)
            log.notice("device \(record.id) enrolled for \(Printable.text(order.user))")
            let result = EnrolResult(
                deviceID: record.id.bytes, user: order.user, credentialMode: order.boxHeld ? .boxHeld : .phoneHeld,
                boxID: keys.boxID)
            channels[contact.channel]?.tell(.enrolled(contact.request, result))
            administrator?.tell(.enrolled(device: Array(record.id.description.utf8), user: order.user))
            endEnrolment(.done(text: Array("enrolled".utf8)))
        } catch {
            log.error("the device could not be enrolled: \(error)")
            channels[contact.channel]?.tell(.result(contact.request, .boxFault, ResultDetail()))
            endEnrolment(
                .failure(.fault, what: Array("\(error)".utf8), cure: Array("run 'boxagent doctor'".utf8)))
        }
    }

    private func endEnrolment(_ reply: ControlReply) {
        administrator?.tell(reply)
        administrator = nil
    }
}
