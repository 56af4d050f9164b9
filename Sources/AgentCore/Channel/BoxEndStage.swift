import PhoneMessages
import Secrets

extension BoxEnd {
    /// The stage of a link. `BoxEnd` has the diagram.
    enum Stage {
        case opening(until: Duration)
        /// The phone wants the site document, and gets nothing else on this link.
        case documentWanted(until: Duration)
        case finding([UInt8])
        /// The vault does not know the key. The agent decides whether to answer.
        case stranger([UInt8])
        case codeWanted(codeID: [UInt8], message1: [UInt8])
        case codeFitted(Claim)
        /// Message 2 is on its way to the radio.
        case answering(Claim)
        case halfOpen(Claim, until: Duration)
        case proving(Claim, first: HeldSecret)
        /// The agent knows the phone's identity, and decides whether to hear its requests.
        case proved(Claim, first: HeldSecret)
        /// The agent has a visitor's hello, and decides whether to accept the claim.
        case judged(Claim)
        case listening(Claim, until: Duration)
        /// The agent has a request.
        case asked(Claim)
        case pinging(Claim, RequestID, [UInt8], isAllowed: Bool)
        /// Requests are no longer read: the phone was muted, or the channel ends.
        case silenced
        case over
    }

    enum Permission {
        case none
        /// Continue the handshake with the secret of the code that message 1 named.
        case tryCode(HeldSecret)
        /// Accept the phone's proven identity.
        case ask
    }
}
