import ArgumentParser
import CommandTool
import EventLoop
import SiteControl
import TextOutput

struct AdminCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin", abstract: "Manage the administrators of the site and their roles.",
        discussion: """
            Roles: a viewer sees everything and changes nothing. A ward adds and revokes boxes and phones of its \
            groups. A helpdesk revokes phones and users, and proposes to remove boxes. An administrator does all of \
            that everywhere and changes administrators. A root-keeper also decides who keeps the root. Root of the \
            server's machine is a root-keeper.
            A change of administrators needs the approval of a second one (boxsite approve), unless root is the only \
            one.
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

/// The properties of an administrator, as typed.
struct AdminOptions: ParsableArguments {
    @Option(help: "A group of an administrator with the role ward, 1 to 65535. May be repeated, up to 8 times.")
    var group: [UInt16] = []
    @Option(help: "The account on the servers' machines that identifies the administrator to boxsite.")
    var account: String?
    @Option(help: "The reason, for the audit log; at most 200 bytes.")
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
            To use boxsite, an administrator needs an account on the server's machine that is in the group boxsite. \
            Without an account, an administrator uses only the site's page.
            """)

    @Argument(help: "The administrator's name, at most 64 bytes.")
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
        commandName: "change", abstract: "Change an administrator. Options that you leave out stay unchanged.")

    @Argument(help: "The administrator's name.")
    var name: String
    @Option(help: "viewer, ward, helpdesk, administrator or root-keeper.")
    var role: String?
    @Flag(help: "Remove the account: the administrator then uses only the site's page.")
    var noAccount = false
    @OptionGroup var terms: AdminOptions
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        var wish = try terms.wish(name, role)
        if noAccount {
            guard terms.account == nil else {
                throw SiteCommandFailure(.usage, "use either --account or --no-account")
            }
            wish.account = ""
        }
        let request = SiteRequest.changeAdministrator(wish, reason: terms.reason)
        terminal.say(try ServerConversation.ask(request, at: server.socket))
    }
}

struct AdminRemoveCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an administrator, with immediate effect.",
        discussion: "Proposals of this administrator that are not approved yet are cancelled.")

    @Argument(help: "The administrator's name.")
    var name: String
    @Option(help: "The reason, for the audit log; at most 200 bytes.")
    var reason: String = ""
    @Flag(name: [.short, .long], help: "Do not ask. Required if standard input is not a terminal.")
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
        if listing.json { return terminal.sayWhole(JSONValue.list(administrators.map(AdministratorText.json)).line) }
        guard !administrators.isEmpty else {
            terminal.say(
                "no administrators but root; add one with: boxsite admin add NAME --role ROLE", to: .error)
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
        commandName: "whoami", abstract: "Show who you are to the server, and your role.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws {
        let found = Guarded<AdministratorListing?>(nil)
        _ = try ServerConversation.ask(.whoAmI, at: server.socket) { reply, _ in
            if case .administrator(let it) = reply { found.withLock { $0 = it } }
        }
        guard let who = found.withLock({ $0 }) else {
            throw SiteCommandFailure(
                .protocolMismatch, "the server's reply is incomplete; install the same version of boxsite and boxsited")
        }
        if listing.json { return terminal.sayWhole(AdministratorText.json(who).line) }
        terminal.say(AdministratorText.row(who).prefix(2).joined(separator: ", "))
    }
}

enum AdministratorText {
    /// Checks a typed name. Swift replaces bytes that are not UTF-8 by U+FFFD.
    static func name(_ text: String) throws -> String {
        guard text.utf8.count <= SiteControlLimits.nameBytes, !text.unicodeScalars.contains("\u{FFFD}") else {
            throw SiteCommandFailure(
                .invalid, "this is not a valid administrator's name; use at most 64 bytes of UTF-8")
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
