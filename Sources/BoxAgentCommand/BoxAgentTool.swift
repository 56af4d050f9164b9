import ArgumentParser

/// `boxagent`: the commands to the agent for administrators and for people at the box.
struct BoxAgentTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "boxagent",
        abstract: "Manage the agent that logs people in from their phones.",
        discussion: """
            Examples:
              boxagent setup                   set up this machine, up to the first login
              boxagent enrol anna              show a code that enrols anna's phone
              boxagent devices                 list the phones that are enrolled
              boxagent revoke 7K2M             revoke a phone, at once
              boxagent lock                    lock your own session

            \(ExitStatus.help)
            """,
        version: "boxagent 0.1.0",
        subcommands: [
            SetupCommand.self, StatusCommand.self, IDCommand.self, EnrolCommand.self, RevokeCommand.self,
            DevicesCommand.self, AuditCommand.self, WipeCommand.self, TestLoginCommand.self, DoctorCommand.self,
            SessionsCommand.self, LockCommand.self, UnlockCommand.self, LogoutCommand.self, JoinCommand.self,
            LeaveCommand.self, SiteCommand.self, ConfigCommand.self,
        ])
}
