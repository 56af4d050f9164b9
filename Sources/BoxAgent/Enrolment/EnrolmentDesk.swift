import PhoneMessages
import Secrets
import SecureChannel

/// An enrolment that an administrator asked for.
struct EnrolmentOrder: Equatable, Sendable {
    var user: [UInt8]
    var label: [UInt8]
    var boxHeld: Bool
    /// The administrator does not want to compare digits.
    var confirmed: Bool
}

/// A phone that has proved that it holds the code: its first transport message decrypted.
struct EnrolmentContact: Equatable, Sendable {
    let channel: ChannelID
    let request: RequestID
    let publicKey: [UInt8]
    /// Six digits of the handshake hash, which both sides show.
    let digits: [UInt8]
    /// What the phone calls itself.
    let phoneName: [UInt8]
}

/// The one enrolment that may be open (DESIGN sections 5 and 9).
///
/// A pure state machine. A code works once, for a bounded time; wrong codes never close it. The first phone that shows
/// that it holds the code is the only one: when it goes, the code goes with it, so that nobody who photographed the code
/// takes its place while the administrator looks at its digits. The administrator's yes names those digits.
struct EnrolmentDesk: Sendable {
    enum Event: Sendable {
        /// The phone proved the code.
        case contact(EnrolmentContact)
        case channelClosed(ChannelID)
        /// The administrator compared these digits.
        case administratorConfirms(digits: [UInt8])
        case administratorDeclines
        /// The administrator's command went away: nobody can compare digits any more.
        case administratorLeft
        case timer
    }

    enum Action: Equatable, Sendable {
        /// Tells the phone to wait for the administrator.
        case tellPending(EnrolmentContact)
        /// Shows the digits to the administrator.
        case showDigits(EnrolmentContact)
        /// Writes the device and tells both.
        case activate(EnrolmentContact, EnrolmentOrder)
        case refusePhone(EnrolmentContact, ResultCode)
        /// The phone went, and the enrolment is closed.
        case tellPhoneLost
        /// The administrator's yes was not about the phone that waits; the enrolment is closed.
        case tellOtherDigits
        case tellExpired
        case tellDeclined
    }

    private struct Open: Sendable {
        let order: EnrolmentOrder
        let codeID: [UInt8]
        let psk: HeldSecret
        let expires: Duration
        var contact: EnrolmentContact?
    }

    private var open: Open?

    init() {}

    var isOpen: Bool { open != nil }
    var deadline: Duration? { open?.expires }

    /// Opens an enrolment; false when one is open already.
    mutating func begin(_ order: EnrolmentOrder, codeID: [UInt8], psk: HeldSecret, expires: Duration) -> Bool {
        guard open == nil else { return false }
        open = Open(order: order, codeID: codeID, psk: psk, expires: expires)
        return true
    }

    /// The secret of the open code, when `codeID` names it and it still holds.
    func secret(for codeID: [UInt8], now: Duration) -> HeldSecret? {
        guard let open, open.codeID == codeID, now < open.expires else { return nil }
        return open.psk
    }

    mutating func handle(_ event: Event, now: Duration) -> [Action] {
        guard let current = open else {
            if case .contact(let contact) = event { return [.refusePhone(contact, .timedOut)] }
            return []
        }
        switch event {
        case .timer:
            return now >= current.expires ? close(current, .timedOut) + [.tellExpired] : []
        case .administratorLeft:
            return close(current, .cancelled)
        case .administratorDeclines:
            return close(current, .notAllowed) + [.tellDeclined]
        case .administratorConfirms(let digits):
            guard let contact = current.contact, contact.digits == digits else {
                return close(current, .notAllowed) + [.tellOtherDigits]
            }
            open = nil
            return [.activate(contact, current.order)]
        case .channelClosed(let channel):
            guard current.contact?.channel == channel else { return [] }
            open = nil
            return [.tellPhoneLost]
        case .contact(let contact):
            return meet(contact, current, now: now)
        }
    }

    private mutating func meet(_ contact: EnrolmentContact, _ current: Open, now: Duration) -> [Action] {
        guard now < current.expires else {
            return close(current, .timedOut) + [.refusePhone(contact, .timedOut), .tellExpired]
        }
        // A second phone with the same code is somebody who read it off the screen: the first goes on.
        guard current.contact == nil else { return [.refusePhone(contact, .busy)] }
        if current.order.confirmed {
            open = nil
            return [.activate(contact, current.order)]
        }
        open?.contact = contact
        return [.tellPending(contact), .showDigits(contact)]
    }

    private mutating func close(_ current: Open, _ code: ResultCode) -> [Action] {
        open = nil
        return current.contact.map { [.refusePhone($0, code)] } ?? []
    }
}
