import AuditLog
import ControlProtocol
import PhoneMessages
import Secrets
import SecureChannel

/// An enrolment that an administrator ordered.
package struct EnrolmentOrder: Equatable, Sendable {
    package var wish: EnrolmentWish
    /// The administrator, for the audit log.
    package var actor: AuditActor
    /// The number of the user's account; nil if it is not known.
    package var uid: UInt32?

    package init(_ wish: EnrolmentWish, actor: AuditActor) {
        self.wish = wish
        self.actor = actor
    }
}

/// A phone that has proved that it has the code: its first transport message decrypted.
package struct EnrolmentContact: Equatable, Sendable {
    package let channel: ChannelID
    /// The request that is answered next.
    package var request: RequestID
    package let publicKey: [UInt8]
    package let handshakeHash: [UInt8]
    /// The phone's own name for itself.
    package let phoneName: [UInt8]
    /// True if the phone says that it is a page in a browser.
    package let isWeb: Bool
    /// The commitment to the phone's nonce. The phone reveals the nonce after it gets the box's nonce.
    package let commitment: [UInt8]
    /// The box's nonce, drawn after the commitment had arrived.
    package let nonce: [UInt8]
    /// The six digits that both sides show. They are nil until the phone has revealed a nonce that fits its commitment.
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

/// The one enrolment that may be open (docs/reference/protocol.md section 9). Pure.
///
///     closed ──begin──► open ──contact──► waits for the nonce ──revealed──► digits shown ──confirmed──► closed
///
/// A code works once, for a bounded time, and wrong codes never close the enrolment. Only the first phone that commits
/// to its digits can enrol. When that phone leaves, its code is cancelled. A person who photographed the code thus
/// cannot replace the phone during the comparison, or guess the digits twice. The confirmation names the digits.
package struct EnrolmentDesk: Sendable {
    package enum Event: Sendable {
        /// The phone has proved the code and sent its commitment.
        case contact(EnrolmentContact)
        /// The phone reveals the nonce that it committed to.
        case revealed(ChannelID, RequestID, nonce: [UInt8])
        case channelClosed(ChannelID)
        /// The administrator compared these digits.
        case administratorConfirms(digits: [UInt8])
        case administratorDeclines
        /// The administrator's command ended, so the digits can no longer be compared.
        case administratorLeft
        case timer
    }

    package enum Action: Equatable, Sendable {
        /// Send the phone the box's nonce.
        case tellNonce(EnrolmentContact)
        /// Tell the phone to wait for the administrator.
        case tellPending(EnrolmentContact)
        /// Show the digits to the administrator.
        case showDigits(EnrolmentContact)
        /// Store the device, then tell the phone and the administrator.
        case activate(EnrolmentContact, EnrolmentOrder)
        /// Answer the request, and close the channel.
        case refusePhone(ChannelID, RequestID, ResultCode)
        /// Refuse a request that came out of order. The current operation continues.
        case badRequest(ChannelID, RequestID)
        /// Tell the administrator why the enrolment ended without a device.
        case end(EnrolmentFailure)
    }

    /// The longest time from the box's nonce to the phone's.
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

    /// Opens an enrolment. Returns false if one is already open.
    package mutating func begin(_ order: EnrolmentOrder, codeID: [UInt8], psk: HeldSecret, expires: Duration) -> Bool {
        guard open == nil else { return false }
        open = Open(order: order, codeID: codeID, psk: psk, expires: expires)
        return true
    }

    /// Returns the secret of the open code, if `codeID` names that code and the code has not expired.
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
            // A second phone with the same code probably read it off the screen. The first phone continues.
            return [.refusePhone(contact.channel, contact.request, .busy)]
        }
        // A page has the code, but this enrolment does not accept web phones.
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

    /// Closes the enrolment because its code has expired. Refuses its phone, and the phone of `event`.
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
