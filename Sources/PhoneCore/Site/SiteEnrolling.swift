import Links
import PhoneMessages
import Secrets
import SecureChannel

/// Enrolment at a site, through any of its boxes. It is as safe against loss as an enrolment at a box (`Enrolling`).
/// The phone's key is in its vault before the enrolment begins, and stays there. Once the digits were shown, a new try
/// with that key gets the result.
///
/// ```
/// seeking ──► opening ──► handshaking ──► carrying: the site's handshake ──► asking ──► (document and grant)
///    ▲                         │ box refuses, link lost                        │ lost after the digits
///    └── pausing ◄─────────────┴───────────────────────────────────────────────┘
/// ```
final class SiteEnrolling: OrderSteps {
    /// The most links to try. `roundLimit` is the most times to try all boxes before the digits are shown.
    private static let linkLimit = 12
    private static let roundLimit = 2
    /// The timeout for the site's first answer, which passes through a server and a box.
    private static let siteHandshake: Duration = .seconds(15)

    private enum Stage {
        case seeking(SiteSeeking)
        case opening(CarrierOpening, identity: [UInt8], boxKey: [UInt8])
        case handshaking(since: Duration)
        case carrying(CarriedChannel, since: Duration)
        case asking(CarriedChannel, SiteAsking)
        case pausing(until: Duration)
        case over
    }

    private let code: SiteCode
    private let label: [UInt8]
    private let number: String?
    /// The phone's private key for the site.
    private let key: HeldSecret
    private var stage = Stage.over
    private var boxID: String
    private var links = 0
    /// The boxes tried in this round. `rounds` counts the rounds in which no box could help.
    private var tried: [String] = []
    private var rounds = 0
    /// True once the site has the phone's nonce. From then on, a new try only asks for the result.
    private var isRevealed = false
    /// True once the box has agreed to carry messages.
    private var isCarried = false

    /// - Parameter number: The number of the box that a person has named; nil for any box.
    public init(_ code: SiteCode, label: [UInt8], number: String?, key: HeldSecret, _ context: inout ErrandContext) {
        self.code = code
        self.label = label
        self.number = number
        self.key = key
        boxID = number ?? ""
        super.init()
        seek(&context)
    }

    override func deadline(_ context: ErrandContext) -> Duration? {
        switch stage {
        case .seeking(let seeking): seeking.deadline
        case .opening(let opening, _, _): opening.deadline
        case .handshaking(let since): since + context.limits.handshake
        case .carrying(_, let since): since + Self.siteHandshake
        case .asking(_, let asking): asking.deadline
        case .pausing(let until): until
        case .over: nil
        }
    }

    override func handle(_ input: Input, _ context: inout ErrandContext) -> ErrandEnd? {
        if case .cancel = input { return .failed(isRevealed ? .site(.enrolmentUncertain) : .cancelled) }
        switch stage {
        case .seeking(let seeking):
            let end = seeking.handle(input, &context)
            return found(end, &context)
        case .opening(let opening, let identity, let boxKey):
            switch opening.handle(input, &context) {
            case nil: return nil
            case .success(let carrier): return shake(carrier, identity, boxKey, &context)
            case .failure: return again(&context)
            }
        case .handshaking(let since): return shaken(input, since, &context)
        case .carrying(let channel, let since): return carried(input, channel, since, &context)
        case .asking(let channel, let asking):
            let step = asking.hear(arrival(input, channel, context.now), input, channel, &context)
            stage = .asking(channel, asking)
            if asking.isRevealed { isRevealed = true }
            return step.flatMap { asked($0, &context) }
        case .pausing(let until):
            if context.now >= until { seek(&context) }
            return nil
        case .over: return nil
        }
    }

    // MARK: - Reaching a box

    private func seek(_ context: inout ErrandContext) {
        isCarried = false
        context.show(.searching(boxID: boxID))
        stage = .seeking(SiteSeeking(site: code.site, number: number, passing: tried, &context))
    }

    private func found(_ end: SiteSeeking.End?, _ context: inout ErrandContext) -> ErrandEnd? {
        switch end {
        case nil: return nil
        case .found(let identity, let boxKey, let shown):
            boxID = shown
            if case .seeking(let seeking) = stage { tried = seeking.passed }
            stage = .opening(
                CarrierOpening(to: shown, for: context.choice.demand(for: 0), &context), identity: identity,
                boxKey: boxKey)
            return nil
        case .failed(let error):
            let hasTried = !tried.isEmpty
            (tried, rounds) = ([], rounds + 1)
            if isRevealed || (hasTried && rounds < Self.roundLimit) { return again(&context) }
            return .failed(hasTried ? .site(.noBoxCarries) : error)
        }
    }

    /// Starts a handshake with the box under a throwaway key, so that the box learns nothing about the phone.
    private func shake(
        _ carrier: Carrier, _ identity: [UInt8], _ boxKey: [UInt8], _ context: inout ErrandContext
    ) -> ErrandEnd? {
        let start = try? InitiatorStart<XChaChaPoly>(
            prologue: HandshakePrologue.channel(binding: carrier.binding, identity: identity).bytes,
            staticKey: X25519KeyPair(), remoteStatic: boxKey)
        guard let start, let step = try? start.writeMessage1() else { return again(&context) }
        let first = FirstMessage.channel(message1: step.message)
        context.beginChannel(
            PhoneEnd(awaiting: step.next, first: first.bytes, on: carrier, .siteEnrolment, now: context.now))
        stage = .handshaking(since: context.now)
        return nil
    }

    private func shaken(_ input: Input, _ since: Duration, _ context: inout ErrandContext) -> ErrandEnd? {
        switch input {
        case .established:
            guard let pair = try? X25519KeyPair(privateKey: key.bytes.copy()),
                let (channel, first) = CarriedChannel.begin(code, key: pair)
            else { return .failed(.site(.codeRefused)) }
            // Hello goes first. A box that does not agree to carry ignores this message.
            context.send(.carry(first))
            stage = .carrying(channel, since: context.now)
            return nil
        case .channelEnded, .linkDown, .unintelligible, .message: return again(&context)
        case .time where context.now >= since + context.limits.handshake: return again(&context)
        default: return nil
        }
    }

    // MARK: - What the box carries

    private enum Carried {
        case arrival(CarriedChannel.Arrival)
        /// The box does not carry messages, or has stopped carrying them.
        case refused(ResultCode)
        case lost
        case nothing
    }

    private func heard(_ input: Input, _ channel: CarriedChannel, _ now: Duration) -> Carried {
        switch input {
        case .message(.carried(let bytes)): return .arrival(channel.receive(bytes, now: now))
        case .message(.hello(_, _, let capabilities)):
            guard capabilities.contains(.siteEnrolment) else { return .refused(.notAllowed) }
            isCarried = true
            return .nothing
        case .message(.result(_, let code, _)): return .refused(code)
        case .channelEnded, .linkDown, .unintelligible: return .lost
        default: return .nothing
        }
    }

    private func arrival(_ input: Input, _ channel: CarriedChannel, _ now: Duration) -> CarriedChannel.Arrival? {
        switch heard(input, channel, now) {
        case .arrival(let arrival): arrival
        case .refused, .lost: .ended
        case .nothing: nil
        }
    }

    private func carried(
        _ input: Input, _ channel: CarriedChannel, _ since: Duration, _ context: inout ErrandContext
    ) -> ErrandEnd? {
        switch heard(input, channel, context.now) {
        case .arrival(.established):
            guard let asking = SiteAsking(label: label, isSettling: isRevealed, channel, &context) else {
                return again(&context)
            }
            context.show(.connected(boxID: boxID))
            stage = .asking(channel, asking)
            return nil
        // The handshake with the site failed, as it does without the code's secret.
        case .arrival: return .failed(.site(.codeRefused))
        // The box may just have lost its site. Only a loss after an earlier failed link counts as a refused code.
        case .lost where isCarried && links > 0 && !isRevealed: return .failed(.site(.codeRefused))
        case .refused, .lost: return again(&context)
        case .nothing:
            guard context.now >= since + Self.siteHandshake else { return nil }
            return again(&context)
        }
    }

    private func asked(_ end: EnrolmentEnd, _ context: inout ErrandContext) -> ErrandEnd? {
        context.hangUp()
        switch end {
        case .granted(let document, let grant): return .granted(document: document, grant: grant)
        case .refused(.busy, _): return .failed(.site(.enrolmentBusy))
        case .refused(.protocolVersion, _): return .failed(.protocolVersion(boxID: boxID))
        case .refused: return .failed(.site(.enrolmentRefused))
        case .uncertain where isRevealed:
            // The link broke more likely than the box failed, so this box may be tried again.
            tried = []
            return again(&context)
        case .uncertain: return .failed(.site(.enrolmentLost))
        case .cancelled: return .failed(.site(.enrolmentUncertain))
        case .enrolled, .nonsense: return .failed(.site(.enrolmentNonsense))
        }
    }

    /// Pauses, then tries another box, or all boxes again if none is left.
    private func again(_ context: inout ErrandContext) -> ErrandEnd? {
        context.hangUp()
        links += 1
        guard links < Self.linkLimit else {
            return .failed(isRevealed ? .site(.enrolmentUncertain) : .site(.noBoxCarries))
        }
        context.show(.retrying(boxID: boxID))
        var end = context.now
        for _ in 0..<links { end += context.limits.betweenAttempts }
        stage = .pausing(until: end)
        return nil
    }
}

extension Order {
    /// Enrols a phone at a site, through the box with that number or any box. `key` is the phone's key for that site,
    /// 32 bytes, which its vault must store first. Ends with `ErrandEnd.granted`.
    public static func enrolAtSite(
        _ code: SiteCode, label: [UInt8], number: String?, key: HeldSecret
    ) -> Order {
        Order { context in SiteEnrolling(code, label: label, number: number, key: key, &context) }
    }
}
