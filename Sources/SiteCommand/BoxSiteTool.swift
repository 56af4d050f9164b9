import ArgumentParser

/// `boxsite`: what administrators ask of their site's server.
struct BoxSiteTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "boxsite",
        abstract: "Administer a site: many boxes under one root.",
        discussion: """
            Examples:
              boxsite init --root-directory /media/usb    make a site
              boxsite box add ward3-1 --group 7           a code with which a box joins
              boxsite box list                            which boxes there are, and which are linked
              boxsite box remove ward3-1                  take a box out, at once and for good
              boxsite phone add anna boxsite-phone:1/…    a grant for the phone that shows this text
              boxsite phone list                          which phones there are
              boxsite phone revoke 4f3k                   take back a phone, at every box and for good
              boxsite user revoke anna                    take back all phones of a user
              boxsite admin add anna --role helpdesk --account anna
                                                          somebody who may take back phones and boxes
              boxsite approve 4f3k2m9a                    what another administrator has proposed
              boxsite issuers new                         new keys for the site, and a request to the root
              boxsite root sign --root-key root.key --document site.document new.issuers
                                                          a new site document, away from every server
              boxsite document publish next.document      let it take effect
              boxsite bundle /media/stick/site.bundle     for boxes that are cut off
              boxsite status                              whether the server signs

            \(SiteExitStatus.help)
            """,
        version: "boxsite 0.1.0",
        subcommands: [
            InitCommand.self, StatusCommand.self, BoxCommand.self, PhoneCommand.self, UserCommand.self,
            AdminCommand.self, ProposalCommand.self, ApproveCommand.self, RejectCommand.self, AuditCommand.self,
            ClockCommand.self, DirectoryCommand.self, IssuersCommand.self, DocumentCommand.self, BundleCommand.self,
            RootCommand.self,
            KeyCommand.self,
        ])
}
