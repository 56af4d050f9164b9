import PhoneMessages
import Secrets

extension BoxEnd {
    /// Where a link stands.
    enum Stage {
        case opening(until: Duration)
        /// The phone wants the site document, and hears nothing else on this link.
        case documentWanted(until: Duration)
        case finding([UInt8])
        /// The vault does not know the key: the agent says whether it is answered.
        case stranger([UInt8])
        case codeWanted(codeID: [UInt8], message1: [UInt8])
        case codeFitted(Claim)
        /// Message 2 is on its way to the radio.
        case answering(Claim)
        case halfOpen(Claim, until: Duration)
        case proving(Claim, first: HeldSecret)
        /// The agent was told who it is, and says whether its requests count.
        case proved(Claim, first: HeldSecret)
        /// The agent has the hello of a visitor, and says whether it counts: as whom.
        case judged(Claim)
        case listening(Claim, until: Duration)
        /// The agent has a request.
        case asked(Claim)
        case pinging(Claim, RequestID, [UInt8], isAllowed: Bool)
        /// No request is looked at any more: it was silenced, or the channel ends.
        case silenced
        case over
    }

    enum Permission {
        case none
        /// To shake hands with the secret of the code that message 1 named.
        case tryCode(HeldSecret)
        /// It counts as who it proved to be.
        case ask
    }
}
