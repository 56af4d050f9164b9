import AgentCore
import AuditLog
import ControlProtocol
import PhoneMessages
import Secrets
import SecureChannel

/// Enrolments one after another. Phones with the code, an administrator and the time act in any order.
enum EnrolmentDeskFuzz {
    static let entry: FuzzEntry = { data, count in
        var steps = FuzzSteps(data, count)
        var world = World()
        while let kind = steps.next(of: 9) { world.step(kind, &steps) }
        return 0
    }

    private static let psk = HeldSecret(SecretBytes(copying: [UInt8](repeating: 3, count: 32)))
    private static let hash = [UInt8](repeating: 5, count: 32)

    private struct World {
        var machine = EnrolmentDesk()
        /// The first phone. The code enrols no other.
        var first: ChannelID?
        /// The digits that the administrator sees and has not answered yet.
        var shown: [UInt8]?
        var isConfirmed = false
        var expires = Duration.zero
        var lastRequest: UInt32 = 0

        mutating func step(_ kind: UInt8, _ steps: inout FuzzSteps) {
            let number = steps.choice(of: 4)
            let channel = ChannelID(number: UInt64(number))
            let now = steps.now
            lastRequest += 1
            guard let request = RequestID(rawValue: lastRequest) else { return }
            switch kind {
            case 0: begin(confirmed: number == 3, until: now + .seconds(120))
            case 1, 2: perform(.contact(contact(channel, request)), now)
            // The commitment of channel 3 matches no nonce.
            case 3: perform(.revealed(channel, request, nonce: nonce(number)), now)
            case 4: perform(.revealed(channel, request, nonce: nonce(steps.choice(of: 4))), now)
            case 5: perform(.channelClosed(channel), now)
            case 6:
                let digits = number == 0 ? Array("000000".utf8) : shown ?? []
                perform(.administratorConfirms(digits: digits), now, named: digits)
            case 7: perform(number % 2 == 0 ? .administratorLeft : .administratorDeclines, now)
            default:
                perform(.timer, now)
                promiseNothingIsDue(machine.deadline, at: now)
            }
        }

        private mutating func begin(confirmed: Bool, until: Duration) {
            let order = EnrolmentOrder(EnrolmentWish(user: Array("alice".utf8), isConfirmed: confirmed), actor: .agent)
            let wasOpen = machine.isOpen
            let isNew = machine.begin(order, codeID: [1], psk: EnrolmentDeskFuzz.psk, expires: until)
            promise(isNew == !wasOpen, "two enrolments are open at once, or none can be")
            guard isNew else { return }
            (first, shown, isConfirmed, expires) = (nil, nil, confirmed, until)
        }

        private func nonce(_ number: UInt8) -> [UInt8] {
            [UInt8](repeating: number, count: EnrolmentCommitment.nonceBytes)
        }

        private func contact(_ channel: ChannelID, _ request: RequestID) -> EnrolmentContact {
            let own = nonce(UInt8(truncatingIfNeeded: channel.number))
            let commitment = EnrolmentCommitment.of(nonce: own, handshakeHash: EnrolmentDeskFuzz.hash)
            return EnrolmentContact(
                channel: channel, request: request, publicKey: own, handshakeHash: EnrolmentDeskFuzz.hash,
                phoneName: [],
                commitment: channel.number == 3 ? [UInt8](repeating: 0, count: commitment.count) : commitment,
                nonce: [UInt8](repeating: 9, count: EnrolmentCommitment.nonceBytes))
        }

        private mutating func perform(_ event: EnrolmentDesk.Event, _ now: Duration, named: [UInt8]? = nil) {
            let wasOpen = machine.isOpen
            for action in machine.handle(event, now: now) {
                check(action, now, named: named)
                if case .activate = action { promise(wasOpen && !machine.isOpen, "a code enrols twice") }
            }
            promise(wasOpen || !machine.isOpen, "an enrolment opens by itself")
            promise(machine.secret(for: [1], now: expires) == nil, "a code works after its time")
            if case .channelClosed(let channel) = event {
                promise(
                    channel != first || !machine.isOpen || !wasOpen, "the code outlives the phone that it was about")
            }
        }

        private mutating func check(_ action: EnrolmentDesk.Action, _ now: Duration, named: [UInt8]?) {
            switch action {
            case .tellNonce(let contact):
                promise(first == nil, "a second phone is let in by the same code")
                first = contact.channel
            case .showDigits(let contact):
                promise(contact.channel == first && shown == nil, "the digits of another phone are shown")
                promise(contact.channel.number != 3, "digits are shown of a phone that broke its commitment")
                shown = contact.digits
            case .tellPending(let contact): promise(contact.channel == first, "another phone is told to wait")
            case .activate(let contact, _):
                promise(contact.channel == first && now < expires, "another phone is enrolled, or too late")
                promise(contact.digits != nil, "a phone is enrolled that has not kept to its commitment")
                promise(
                    isConfirmed || (named == contact.digits && named == shown), "a phone is enrolled without its digits"
                )
            case .refusePhone, .badRequest, .end: break
            }
        }
    }
}
