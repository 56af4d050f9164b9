import PageCore
import SiteControl
import Testing

@Suite("Proposals")
struct ProposalTests {
    @Test("The page offers nobody their own proposal to approve. The number decides, not the name")
    func standing() {
        var proposal = ProposalListing()
        (proposal.proposer, proposal.proposerName) = (7, "anna")
        var who = AdministratorListing()
        for (number, role, expected) in [
            (7, "administrator", ProposalStanding.own), (7, "helpdesk", .own), (8, "administrator", .second),
            (8, "root-keeper", .second), (8, "helpdesk", .onlooker), (8, "ward", .onlooker), (8, "viewer", .onlooker),
            (8, "", .onlooker),
        ] as [(UInt64, String, ProposalStanding)] {
            (who.number, who.name, who.role) = (number, "anna", role)
            #expect(ProposalStanding(proposal, seenBy: who) == expected, "\(number) \(role)")
        }
    }

    @Test("A reason is said, and fits into what boxsited takes")
    func reasons() {
        func reason(_ text: String) -> String? { Form(Array(Form.query([("reason", text)]).utf8))?.reason }
        #expect(reason(" lost ") == "lost" && reason("") == nil && reason(" \t") == nil)
        #expect(reason(String(repeating: "ä", count: 100)) != nil && reason(String(repeating: "ä", count: 101)) == nil)
    }
}
