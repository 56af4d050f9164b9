import PhoneMessages
import Secrets
import SecureChannel
import SiteLink

/// An event in one enrolment of a phone through a box.
public enum SiteEnrolmentInput: Sendable {
    case heard(SiteEnrolmentEvent)
    /// The code is now this phone's if `refusal` is nil. Otherwise the phone gets the refusal.
    case claimed(refusal: ResultCode?)
    /// True if the digits were stored.
    case shown(Bool)
    case looked(EnrolmentOutcome)
    case timeHasCome
}

/// An action of an enrolment. Actions are performed in order.
public enum SiteEnrolmentEffect: Sendable, Equatable {
    case say(BoxMessage)
    /// Closes the channel. No action follows.
    case close
    /// The phone has proved the code's secret and committed. The answer is `claimed`.
    case claim(codeID: [UInt8], phoneKey: [UInt8], label: [UInt8])
    /// Shows the digits to the administrator. The answer is `shown`.
    case show(codeID: [UInt8], phoneKey: [UInt8], digits: [UInt8])
    /// Reads the enrolment's result after a pause. The answer is `looked`.
    case look(codeID: [UInt8], phoneKey: [UInt8], pause: Duration)
    /// Cancels the code, because its one phone left or broke its commitment.
    case void(codeID: [UInt8], phoneKey: [UInt8], reason: String)
}

/// One phone that is enrolled through a box, as seen by the server to which that box is linked. Pure.
///
/// ```
/// opening ─enrol─► claiming ─► committed ─reveal─► showing ─► waiting ─looked─► over
///    └─────outcome───────────────────────────────────────────────┘
/// ```
/// The order is that of `EnrolmentDesk` at a box: the phone commits, then gets the site's nonce, then reveals its own.
/// Unlike a box's code, a site's code is a row in a database, which decides for all servers which phone has the code.
public struct SiteEnrolment: Sendable {
    /// The longest time from the start to the commitment, and from the site's nonce to the phone's.
    public static let patience: Duration = .seconds(15)
    /// The pause between two looks at the row.
    public static let lookInterval: Duration = .milliseconds(200)

    private struct Phone: Sendable {
        let key: [UInt8]
        let codeID: [UInt8]
        let handshakeHash: [UInt8]
    }

    private enum Stage: Sendable {
        case opening
        case claiming(RequestID, commitment: [UInt8])
        case committed(commitment: [UInt8], nonce: [UInt8])
        case showing(RequestID)
        case waiting(RequestID, isTold: Bool)
        case over
    }

    private var stage = Stage.opening
    private var phone: Phone?
    private var isGreeted = false
    /// When the enrolment ends unless an event comes first, or nil if the code's expiry decides.
    public private(set) var deadline: Duration?
    private var effects: [SiteEnrolmentEffect] = []

    public init(now: Duration) {
        deadline = now + Self.patience
    }

    public var isOver: Bool { if case .over = stage { true } else { false } }

    public mutating func handle(_ input: SiteEnrolmentInput, now: Duration) -> [SiteEnrolmentEffect] {
        guard !isOver else { return [] }
        switch input {
        case .heard(.write): break
        case .heard(.proved(let key, let codeID, let hash)):
            phone = Phone(key: key, codeID: codeID, handshakeHash: hash)
        case .heard(.said(let request)): asked(request, now)
        case .heard(.ended): left()
        case .claimed(let refusal): claimed(refusal, now)
        case .shown(let isShown): shown(isShown)
        case .looked(let outcome): looked(outcome)
        case .timeHasCome: if let deadline, now >= deadline { left() }
        }
        defer { effects = [] }
        return effects
    }

    // MARK: - Messages of the phone

    private mutating func asked(_ request: EnrolmentRequest, _ now: Duration) {
        switch (stage, request) {
        case (.opening, .hello(let id, let versions)) where !isGreeted:
            isGreeted = true
            guard versions.contains(MessageLimits.protocolVersion) else { return refuse(id, .protocolVersion) }
            effects.append(.say(.hello(id, version: MessageLimits.protocolVersion, capabilities: .siteEnrolment)))
        case (.opening, .enrol(let id, let wish)) where isGreeted:
            guard let phone else { return left() }
            stage = .claiming(id, commitment: wish.commitment)
            effects.append(.claim(codeID: phone.codeID, phoneKey: phone.key, label: wish.label))
        case (.opening, .outcome(let id)) where isGreeted:
            deadline = nil
            stage = .waiting(id, isTold: false)
            look(after: .zero)
        case (.committed(let commitment, let nonce), .reveal(let id, let phoneNonce)):
            reveal(id, phoneNonce, commitment, nonce)
        // The message is out of order.
        default: left()
        }
    }

    private mutating func reveal(_ id: RequestID, _ phoneNonce: [UInt8], _ commitment: [UInt8], _ nonce: [UInt8]) {
        guard let phone else { return left() }
        guard EnrolmentCommitment.holds(commitment, nonce: phoneNonce, handshakeHash: phone.handshakeHash) else {
            void("the phone's nonce does not match its commitment")
            return refuse(id, .notAllowed)
        }
        let digits = EnrolmentCommitment.digits(
            handshakeHash: phone.handshakeHash, phoneNonce: phoneNonce, boxNonce: nonce)
        deadline = nil
        stage = .showing(id)
        effects.append(.show(codeID: phone.codeID, phoneKey: phone.key, digits: digits))
    }

    // MARK: - Answers of the database

    private mutating func claimed(_ refusal: ResultCode?, _ now: Duration) {
        guard case .claiming(let id, let commitment) = stage else { return }
        if refusal == .alreadyEnrolled {
            // The phone has come back, and may ask for the outcome.
            stage = .opening
            return effects.append(.say(.result(id, .alreadyEnrolled, .none)))
        }
        if let refusal { return refuse(id, refusal) }
        let nonce = randomBytes(count: EnrolmentCommitment.nonceBytes)
        stage = .committed(commitment: commitment, nonce: nonce)
        deadline = now + Self.patience
        effects.append(.say(.enrolNonce(id, nonce)))
    }

    private mutating func shown(_ isShown: Bool) {
        guard case .showing(let id) = stage else { return }
        guard isShown else { return refuse(id, .timedOut) }
        stage = .waiting(id, isTold: true)
        effects.append(.say(.enrolPending(id)))
        look(after: Self.lookInterval)
    }

    private mutating func looked(_ outcome: EnrolmentOutcome) {
        guard case .waiting(let id, let isTold) = stage else { return }
        switch outcome {
        case .waiting:
            if !isTold { effects.append(.say(.enrolPending(id))) }
            stage = .waiting(id, isTold: true)
            look(after: Self.lookInterval)
        case .unknown: look(after: Self.lookInterval)
        case .enrolled(let document, let grant):
            effects.append(.say(.siteDocument(id, document)))
            effects.append(.say(.siteEnrolled(id, grant)))
            end()
        case .refused(let code): refuse(id, code)
        }
    }

    private mutating func look(after pause: Duration) {
        guard let phone else { return left() }
        effects.append(.look(codeID: phone.codeID, phoneKey: phone.key, pause: pause))
    }

    // MARK: - The end

    private mutating func refuse(_ id: RequestID, _ code: ResultCode) {
        effects.append(.say(.result(id, code, .none)))
        end()
    }

    private mutating func void(_ reason: String) {
        guard let phone else { return }
        effects.append(.void(codeID: phone.codeID, phoneKey: phone.key, reason: reason))
    }

    /// Handles a phone that left, was too slow, or sent a message that is not due. If the phone has committed and not
    /// yet revealed its nonce, the code is cancelled: the phone may know the digits already, and gets no second guess.
    /// Once the digits are shown, they belong to that phone, whether or not it is present.
    private mutating func left() {
        switch stage {
        case .claiming, .committed: void("the phone disconnected before the digits appeared")
        case .opening, .showing, .waiting, .over: break
        }
        end()
    }

    private mutating func end() {
        stage = .over
        deadline = nil
        effects.append(.close)
    }
}
