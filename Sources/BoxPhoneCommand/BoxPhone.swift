import ArgumentParser

/// The top-level command, its subcommands and the text of `boxphone --help`.
struct BoxPhone: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "boxphone",
        abstract: "Log in to a box with one tap: a phone on the command line.",
        discussion: """
            Begin with `boxphone enrol` and the code that your administrator's `boxagent enrol` prints. Then `boxphone \
            login` logs you in at the box; `lock`, `unlock`, `logout` and `extend` act on your session there. For a \
            site of many boxes, begin with `boxphone site enrol`, or with `boxphone site key` if no box is near.
            Passwords, PINs and codes are read from the terminal or from a file descriptor (--password-fd, --pin-fd, \
            --new-pin-fd, --fd). Do not pass them as arguments or in the environment; boxphone does not read them \
            there.
            \(ExitStatus.help)
            """,
        version: "boxphone 0.1.0",
        subcommands: [
            EnrolCommand.self, ScanCommand.self, LoginCommand.self, StatusCommand.self, WatchCommand.self,
            LockCommand.self, UnlockCommand.self, LogoutCommand.self, ExtendCommand.self, AutoLogoutCommand.self,
            CredentialsCommand.self, PINCommand.self, BoxesCommand.self, ForgetCommand.self, CalibrateCommand.self,
            PingCommand.self, SiteCommand.self,
        ])

    @OptionGroup var options: GlobalOptions
    @OptionGroup var loopback: LoopbackOptions
}
