import SiteControl

/// What somebody may do about a proposal. It decides what is shown; boxsited judges what is done.
public enum ProposalStanding: Equatable, Sendable {
    /// It is theirs: they may take it back, and somebody else approves it.
    case own
    /// They may be the second administrator.
    case second
    case onlooker

    public init(_ proposal: ProposalListing, seenBy who: AdministratorListing) {
        // By number: a name that was given up may be another one's by now.
        if proposal.proposer == who.number {
            self = .own
        } else {
            self = who.role == "administrator" || who.role == "root-keeper" ? .second : .onlooker
        }
    }
}
