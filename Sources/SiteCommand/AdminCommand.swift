import ArgumentParser
import CommandTool
import EventLoop
import SiteControl
import TextOutput

struct AdminCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin", abstract: "Who administers the site, and as what.",
        discussion: """
            Roles: viewer looks at everything and changes nothing; ward adds and takes back boxes and phones of its groups; \
            helpdesk takes back phones, users and boxes; administrator does all of that everywhere, and changes \
            administrators; root-keeper has a say in who keeps the root, too. Root of the server's machine is a root keeper.

            A change of administrators needs a second one (boxsite approve), unless root is the only one there is.

            Examples:
              boxsite admin add anna --role administrator --account anna
              boxsite admin add bert --role ward --group 7 --account bert
              boxsite admin list
            """,
        subcommands: [
            AdminAddCommand.self, AdminListCommand.self, AdminChangeCommand.self, AdminRemoveCommand.self,
            AdminSelfCommand.self, AdminLinkCommand.self, AdminPasskeysCommand.self,
        ])
}

/// What an administrator is to be, as it is typed.
struct AdminOptions: ParsableArguments {
    @Option(help: "A group of an administrator of a ward, 1 to 65535; may be given up to 8 times.")
    var group: [UInt16] = []
    @Option(help: "The account on the servers' machines, by which boxsite knows who asks.")
    var account: String?
    @Option(help: "Why, for the audit table; at most 200 bytes.")
    var reason: String = ""

    func wish(_ name: String, _ role: String?) throws -> AdministratorWish {
        AdministratorWish(
            name: try AdministratorText.name(name), role: role,
            groups: group.isEmpty ? nil : Array(Set(group)).sorted(), account: account)
    }
}

struct AdminAddCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add an administrator.",
        discussion: """
            Who has an account on the server's machine and is in its group boxsite may type boxsite. Without an account, \
            somebody administers by the site's page alone.
            """)

    @Argument(help: "The name by which others know this administrator, at most 64 bytes.")
    var name: String
    @Option(help: "viewer, ward, helpdesk, administrator or root-keeper.")
    var role: String
    @OptionGroup var terms: AdminOptions
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        let request = SiteRequest.addAdministrator(try terms.wish(name, role), reason: terms.reason)
        terminal.say(try ServerConversation.ask(request, at: server.socket))
    }
}

struct AdminChangeCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "change", abstract: "Change an administrator: what is not named stays as it is.")

    @Argument(help: "The administrator's name.")
    var name: String
    @Option(help: "viewer, ward, helpdesk, administrator or root-keeper.")
    var role: String?
    @Flag(help: "Take the account away: from then on, the site's page alone.")
    var noAccount = false
    @OptionGroup var terms: AdminOptions
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        var wish = try terms.wish(name, role)
        if noAccount {
            guard terms.account == nil else {
                throw SiteCommandFailure(.usage, "--account and --no-account say different things; give one of them")
            }
            wish.account = ""
        }
        let request = SiteRequest.changeAdministrator(wish, reason: terms.reason)
        terminal.say(try ServerConversation.ask(request, at: server.socket))
    }
}

struct AdminRemoveCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an administrator: what they ask for next is refused.",
        discussion: "What they have proposed, and nobody has approved, is not done any more.")

    @Argument(help: "The administrator's name.")
    var name: String
    @Option(help: "Why, for the audit table; at most 200 bytes.")
    var reason: String = ""
    @Flag(name: [.short, .long], help: "Do not ask. Needed where standard input is no terminal.")
    var yes = false
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        let name = try AdministratorText.name(name)
        if !yes { try PhoneText.confirm("Remove administrator \(Printable.text(name))?", terminal) }
        let request = SiteRequest.removeAdministrator(name: name, reason: reason)
        terminal.say(try ServerConversation.ask(request, at: server.socket))
    }
}

struct AdminListCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the administrators.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws {
        let found = Guarded<[AdministratorListing]>([])
        _ = try ServerConversation.ask(.administrators, at: server.socket) { reply, _ in
            if case .administrator(let it) = reply { found.withLock { $0.append(it) } }
        }
        let administrators = found.withLock { $0 }
        if listing.json { return terminal.say(JSONValue.list(administrators.map(AdministratorText.json)).line) }
        guard !administrators.isEmpty else {
            terminal.say(
                "Root alone administers this site; add somebody: boxsite admin add NAME --role ROLE", to: .error)
            return
        }
        let rows = administrators.map(AdministratorText.row)
        for line in TextTable.lines(
            [["NAME", "ROLE", "GROUPS", "ACCOUNT"]] + rows, width: terminal.columns, flexible: [0, 3])
        {
            terminal.say(line)
        }
    }
}

struct AdminSelfCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami", abstract: "Say who you are to the server, and as what you administer.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws {
        let found = Guarded<AdministratorListing?>(nil)
        _ = try ServerConversation.ask(.whoAmI, at: server.socket) { reply, _ in
            if case .administrator(let it) = reply { found.withLock { $0 = it } }
        }
        guard let who = found.withLock({ $0 }) else {
            throw SiteCommandFailure(.protocolMismatch, "the server did not say; update boxsite or boxsited")
        }
        if listing.json { return terminal.say(AdministratorText.json(who).line) }
        terminal.say(AdministratorText.row(who).prefix(2).joined(separator: ", "))
    }
}

enum AdministratorText {
    /// A name as it was typed: Swift replaces what is no UTF-8.
    static func name(_ text: String) throws -> String {
        guard text.utf8.count <= SiteControlLimits.nameBytes, !text.unicodeScalars.contains("\u{FFFD}") else {
            throw SiteCommandFailure(.invalid, "this is no administrator's name; it has at most 64 bytes of UTF-8")
        }
        return text
    }

    static func row(_ it: AdministratorListing) -> [String] {
        [
            Printable.text(it.name), Printable.text(it.role),
            it.groups.isEmpty ? "-" : it.groups.map { "\($0)" }.joined(separator: ","),
            it.account.map { Printable.text($0) } ?? "-",
        ]
    }

    static func json(_ it: AdministratorListing) -> JSONValue {
        .record([
            ("number", .number(it.number)), ("name", .text(it.name)), ("role", .text(it.role)),
            ("groups", .list(it.groups.map { .number(UInt64($0)) })),
            ("account", it.account.map { .text($0) } ?? .null),
        ])
    }
}
