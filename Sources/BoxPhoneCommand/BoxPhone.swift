import ArgumentParser

/// The command itself: what there is, and what `boxphone --help` says.
struct BoxPhone: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "boxphone",
        abstract: "Log in to a box with one tap: a phone on the command line.",
        discussion: """
            Begin with `boxphone enrol` and the code that your administrator's `boxagent enrol` prints. Then \
            `boxphone login` logs you in at the box; `lock`, `unlock`, `logout` and `extend` act on your session there. \
            Where many boxes are one site, begin with `boxphone site key`.

            Passwords, PINs and codes are asked for on the terminal, or read from a file descriptor \
            (--password-fd, --pin-fd, --new-pin-fd, --fd); they are never taken from the command line or the \
            environment.

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
