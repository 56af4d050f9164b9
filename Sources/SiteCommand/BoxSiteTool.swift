import ArgumentParser

/// `boxsite`: the administrators' command for their site's server.
struct BoxSiteTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "boxsite",
        abstract: "Administer a site: many boxes under one root.",
        discussion: """
            Examples:
              boxsite init --root-directory /media/usb    make a site
              boxsite box add ward3-1 --group 7           a join code for a box
              boxsite box list                            list the boxes and their links
              boxsite box remove ward3-1                  remove a box, at once and for good
              boxsite phone add anna boxsite-phone:1/…    a grant for the phone with this key
              boxsite phone list                          list the phones
              boxsite phone revoke 4f3k                   revoke a phone, at every box and for good
              boxsite user revoke anna                    revoke all phones of a user
              boxsite admin add anna --role helpdesk --account anna
                                                          add a person who may revoke phones and boxes
              boxsite approve 4f3k2m9a                    approve another administrator's proposal
              boxsite issuers new                         make new keys, and a request to the root
              boxsite root sign --root-key root.key --document site.document new.issuers
                                                          sign a new site document, away from any server
              boxsite document publish next.document      publish it
              boxsite bundle /media/stick/site.bundle     for boxes without a link
              boxsite status                              show whether the server signs

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
