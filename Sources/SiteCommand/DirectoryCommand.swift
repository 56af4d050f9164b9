import ArgumentParser
import CommandTool
import SiteControl

struct DirectoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "directory", abstract: "The directory whose people the users are.",
        subcommands: [DirectoryAcceptCommand.self])
}

struct DirectoryAcceptCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Let many users be taken back who are gone from the directory at once.",
        discussion: """
            Where more users are gone within an hour than the configuration allows, boxsited takes back nobody, and raises an \
            alarm: the directory may be damaged or half empty. Look first whether it is whole. Then this command lets it go on, \
            for those who were gone so far. Ask the server that raised the alarm.
            """)

    @Option(help: "Why, for the audit table; at most 200 bytes.")
    var reason: String = ""
    @Flag(name: [.short, .long], help: "Do not ask. Needed where standard input is no terminal.")
    var yes = false
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        if !yes { try PhoneText.confirm("Take back everybody who is gone from the directory?", terminal) }
        terminal.say(try ServerConversation.ask(.acceptDirectory(reason: reason), at: server.socket))
    }
}
