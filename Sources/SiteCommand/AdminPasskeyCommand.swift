import ArgumentParser
import CommandTool
import EventLoop
import SiteControl
import TextOutput

struct AdminLinkCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Print a link with which an administrator sets up a passkey for the site's page.",
        discussion: """
            The link is valid once, within a day; a new link replaces it. Anyone who opens it can sign in as that \
            administrator from then on, so send it as you would send a password. Root may print a link for any \
            administrator, and an administrator with an account only their own.
            Example:
              (umask 077; boxsite admin link anna > anna.link)
            """)

    @Argument(help: "The administrator's name.")
    var name: String
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        let request = SiteRequest.passkeyLink(administrator: try AdministratorText.name(name))
        _ = try ServerConversation.ask(request, at: server.socket) { reply, bytes in
            guard case .link(let link) = reply else { return }
            terminal.write(bytes.extracting(link))
            terminal.say("")
        }
    }
}

struct AdminPasskeysCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "passkeys", abstract: "List the passkeys of an administrator, or remove all of them.",
        discussion: "A session that was opened with a removed passkey ends within half a minute.")

    @Argument(help: "The administrator's name.")
    var name: String
    @Flag(help: "Remove all passkeys and an unused link. The administrator then needs a new link.")
    var remove = false
    @OptionGroup var server: ServerOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws {
        let name = try AdministratorText.name(name)
        if remove {
            return terminal.say(try ServerConversation.ask(.removePasskeys(administrator: name), at: server.socket))
        }
        let found = Guarded<[PasskeyListing]>([])
        _ = try ServerConversation.ask(.passkeys(administrator: name), at: server.socket) { reply, _ in
            if case .passkey(let it) = reply { found.withLock { $0.append(it) } }
        }
        let passkeys = found.withLock { $0 }
        if listing.json { return terminal.sayWhole(JSONValue.list(passkeys.map(Self.json)).line) }
        guard !passkeys.isEmpty else {
            return terminal.say("no passkeys; print a link with: boxsite admin link NAME", to: .error)
        }
        let rows = passkeys.map { passkey in
            [
                String(Hex.text(passkey.credential).prefix(16)), Timestamp.local(passkey.added),
                passkey.used.map { Timestamp.local($0) } ?? "never", "\(passkey.counter)",
            ]
        }
        for line in TextTable.lines([["PASSKEY", "ADDED", "USED", "COUNTER"]] + rows, width: terminal.columns) {
            terminal.say(line)
        }
    }

    private static func json(_ passkey: PasskeyListing) -> JSONValue {
        .record([
            ("credential", .text(Hex.text(passkey.credential))), ("added", .number(passkey.added)),
            ("used", passkey.used.map { .number($0) } ?? .null), ("counter", .number(UInt64(passkey.counter))),
        ])
    }
}
