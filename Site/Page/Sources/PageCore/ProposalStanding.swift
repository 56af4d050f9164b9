import SiteControl

/// The viewer's rights on a proposal. They decide what the page shows; boxsited decides what is done.
public enum ProposalStanding: Equatable, Sendable {
    /// The viewer's own proposal, which the viewer may withdraw and another administrator must approve.
    case own
    /// The viewer may approve the proposal as the second administrator.
    case second
    case onlooker

    public init(_ proposal: ProposalListing, seenBy who: AdministratorListing) {
        // Compare numbers: another administrator may now have a name that was given up.
        if proposal.proposer == who.number {
            self = .own
        } else {
            self = who.role == "administrator" || who.role == "root-keeper" ? .second : .onlooker
        }
    }
}
