import ArgumentParser
import CommandTool
import SiteControl

struct DirectoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "directory", abstract: "Manage the directory of the site's users.",
        subcommands: [DirectoryAcceptCommand.self])
}

struct DirectoryAcceptCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Allow boxsited to revoke many users who left the directory at once.",
        discussion: """
            If more users leave the directory within an hour than the configuration allows, boxsited revokes none of \
            them and raises an alarm: the directory may be damaged or incomplete. First check the directory. Then this \
            command allows boxsited to revoke the users who have left so far. Ask the server that raised the alarm.
            """)

    @Option(help: "The reason, for the audit log; at most 200 bytes.")
    var reason: String = ""
    @Flag(name: [.short, .long], help: "Do not ask. Required if standard input is not a terminal.")
    var yes = false
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        if !yes { try PhoneText.confirm("Revoke all users who have left the directory?", terminal) }
        terminal.say(try ServerConversation.ask(.acceptDirectory(reason: reason), at: server.socket))
    }
}
