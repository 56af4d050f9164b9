import AuditLog
import ControlProtocol
import PhoneMessages
import Secrets
import SecureChannel

/// An enrolment that an administrator asked for.
package struct EnrolmentOrder: Equatable, Sendable {
    package var wish: EnrolmentWish
    /// Who ordered it, for the audit log.
    package var actor: AuditActor

    package init(_ wish: EnrolmentWish, actor: AuditActor) {
        self.wish = wish
        self.actor = actor
    }
}

/// A phone that has proved that it holds the code: its first transport message decrypted.
package struct EnrolmentContact: Equatable, Sendable {
    package let channel: ChannelID
    /// The request that is answered next.
    package var request: RequestID
    package let publicKey: [UInt8]
    package let handshakeHash: [UInt8]
    /// What the phone calls itself.
    package let phoneName: [UInt8]
    /// It says of itself that it is a page in a browser.
    package let isWeb: Bool
    /// To the phone's nonce, which it shows once it knows the box's.
    package let commitment: [UInt8]
    /// The box's nonce, drawn when the commitment had come.
    package let nonce: [UInt8]
    /// The six digits that both sides show; nil before the phone has kept to its commitment.
    package var digits: [UInt8]?

    package init(
        channel: ChannelID, request: RequestID, publicKey: [UInt8], handshakeHash: [UInt8], phoneName: [UInt8],
        isWeb: Bool = false, commitment: [UInt8], nonce: [UInt8], digits: [UInt8]? = nil
    ) {
        self.channel = channel
        self.request = request
        self.publicKey = publicKey
        self.handshakeHash = handshakeHash
        self.phoneName = phoneName
        self.isWeb = isWeb
        self.commitment = commitment
        self.nonce = nonce
        self.digits = digits
    }
}

/// The one enrolment that may be open (docs/reference/protocol.md section 9).
///
/// A pure state machine. A code works once, for a bounded time; wrong codes never close it. The first phone that commits
/// to its digits is the only one: when it goes, the code goes with it, so that nobody who photographed the code takes its
/// place while the administrator looks at its digits, and nobody has a second guess at them. The administrator's yes
/// names the digits.
package struct EnrolmentDesk: Sendable {
    package enum Event: Sendable {
        /// The phone proved the code, and committed.
        case contact(EnrolmentContact)
        /// The phone shows the nonce that it committed to.
        case revealed(ChannelID, RequestID, nonce: [UInt8])
        case channelClosed(ChannelID)
        /// The administrator compared these digits.
        case administratorConfirms(digits: [UInt8])
        case administratorDeclines
        /// The administrator's command went away: nobody can compare digits any more.
        case administratorLeft
        case timer
    }

    package enum Action: Equatable, Sendable {
        /// Tells the phone the box's nonce.
        case tellNonce(EnrolmentContact)
        /// Tells the phone to wait for the administrator.
        case tellPending(EnrolmentContact)
        /// Shows the digits to the administrator.
        case showDigits(EnrolmentContact)
        /// Writes the device and tells both.
        case activate(EnrolmentContact, EnrolmentOrder)
        /// Answers the request, and closes the channel.
        case refusePhone(ChannelID, RequestID, ResultCode)
        /// Answers a request that was out of its place; what was under way goes on.
        case badRequest(ChannelID, RequestID)
        /// Tells the administrator how it ended without a device.
        case end(EnrolmentFailure)
    }

    /// From the box's nonce to the phone's.
    package static let revealLimit: Duration = .seconds(15)

    private struct Open: Sendable {
        let order: EnrolmentOrder
        let codeID: [UInt8]
        let psk: HeldSecret
        let expires: Duration
        var contact: EnrolmentContact?
        var revealUntil: Duration?
    }

    private var open: Open?

    package init() {}

    package var isOpen: Bool { open != nil }
    package var deadline: Duration? { open.map { min($0.expires, $0.revealUntil ?? $0.expires) } }

    /// Opens an enrolment; false when one is open already.
    package mutating func begin(_ order: EnrolmentOrder, codeID: [UInt8], psk: HeldSecret, expires: Duration) -> Bool {
        guard open == nil else { return false }
        open = Open(order: order, codeID: codeID, psk: psk, expires: expires)
        return true
    }

    /// The secret of the open code, when `codeID` names it and it still holds.
    package func secret(for codeID: [UInt8], now: Duration) -> HeldSecret? {
        guard let open, open.codeID == codeID, now < open.expires else { return nil }
        return open.psk
    }

    package mutating func handle(_ event: Event, now: Duration) -> [Action] {
        guard let current = open else {
            switch event {
            case .contact(let contact): return [.refusePhone(contact.channel, contact.request, .timedOut)]
            case .revealed(let channel, let request, _): return [.refusePhone(channel, request, .timedOut)]
            default: return []
            }
        }
        guard now < current.expires else { return expire(current, event) }
        if let limit = current.revealUntil, now >= limit { return close(current, .timedOut, .phoneLost) }
        switch event {
        case .timer: return []
        case .administratorLeft: return close(current, .cancelled, nil)
        case .administratorDeclines: return close(current, .notAllowed, .declined)
        case .administratorConfirms(let digits):
            guard let contact = current.contact, contact.digits == digits else {
                return close(current, .notAllowed, .otherDigits)
            }
            open = nil
            return [.activate(contact, current.order)]
        case .channelClosed(let channel):
            guard current.contact?.channel == channel else { return [] }
            open = nil
            return [.end(.phoneLost)]
        case .contact(let contact): return meet(contact, current, now: now)
        case .revealed(let channel, let request, let nonce): return reveal(channel, request, nonce, current)
        }
    }

    private mutating func meet(_ contact: EnrolmentContact, _ current: Open, now: Duration) -> [Action] {
        if let first = current.contact {
            guard first.channel != contact.channel else { return [.badRequest(contact.channel, contact.request)] }
            // A second phone with the same code is somebody who read it off the screen: the first goes on.
            return [.refusePhone(contact.channel, contact.request, .busy)]
        }
        // The code is known to a page that is not wanted.
        guard !contact.isWeb || current.order.wish.isWeb else {
            open = nil
            return [.refusePhone(contact.channel, contact.request, .notAllowed), .end(.webPhone)]
        }
        open?.contact = contact
        open?.revealUntil = now + Self.revealLimit
        return [.tellNonce(contact)]
    }

    private mutating func reveal(
        _ channel: ChannelID, _ request: RequestID, _ nonce: [UInt8], _ current: Open
    ) -> [Action] {
        guard var contact = current.contact, contact.channel == channel, contact.digits == nil else {
            return [.badRequest(channel, request)]
        }
        contact.request = request
        guard
            EnrolmentCommitment.holds(contact.commitment, nonce: nonce, handshakeHash: contact.handshakeHash)
        else {
            open = nil
            return [.refusePhone(channel, request, .notAllowed), .end(.brokenCommitment)]
        }
        contact.digits = EnrolmentCommitment.digits(
            handshakeHash: contact.handshakeHash, phoneNonce: nonce, boxNonce: contact.nonce)
        if current.order.wish.isConfirmed {
            open = nil
            return [.activate(contact, current.order)]
        }
        open?.contact = contact
        open?.revealUntil = nil
        return [.tellPending(contact), .showDigits(contact)]
    }

    /// The code's time is over, whoever is in the middle of it.
    private mutating func expire(_ current: Open, _ event: Event) -> [Action] {
        var actions = close(current, .timedOut, .expired)
        switch event {
        case .contact(let contact): actions.append(.refusePhone(contact.channel, contact.request, .timedOut))
        case .revealed(let channel, let request, _) where channel != current.contact?.channel:
            actions.append(.refusePhone(channel, request, .timedOut))
        default: break
        }
        return actions
    }

    private mutating func close(_ current: Open, _ code: ResultCode, _ failure: EnrolmentFailure?) -> [Action] {
        open = nil
        let refusal = current.contact.map { Action.refusePhone($0.channel, $0.request, code) }
        return [refusal, failure.map { .end($0) }].compactMap { $0 }
    }
}
