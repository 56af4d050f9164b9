import ArgumentParser
import CommandTool
import EventLoop
import SiteControl
import TextOutput

struct UserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Manage the site's users.", subcommands: [UserRevokeCommand.self])
}

struct UserRevokeCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke all phones of a user, at every box.",
        discussion: """
            One entry revokes all grants that the user has so far, including any that the site's database has lost. \
            The keys of these phones stay revoked for good. You can later add a phone with a new key for the same \
            user. If the user is already revoked, nothing changes. The command asks first.
            """)

    @Argument(help: "The user's name.")
    var name: String
    @Option(help: "The reason, for the audit log; at most 200 bytes.")
    var reason: String = ""
    @Flag(help: "Sign another entry for a revoked user, after a backup was restored.")
    var again = false
    @Flag(name: [.short, .long], help: "Do not ask. Required if standard input is not a terminal.")
    var yes = false
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        let user = try PhoneText.user(name)
        if !yes { try PhoneText.confirm("Revoke all phones of \(Printable.text(user)), for good?", terminal) }
        terminal.say(
            try ServerConversation.ask(.revokeUser(name: user, reason: reason, again: again), at: server.socket))
    }
}

/// Shared parts of the commands about phones and users.
enum PhoneText {
    /// The fewest characters of an ID that are shown.
    private static let shortest = 8

    /// Returns the number of characters that tell these IDs apart.
    static func shown(_ ids: [String]) -> Int {
        let sorted = ids.sorted()
        var count = shortest
        for (one, next) in zip(sorted, sorted.dropFirst()) {
            count = max(count, zip(one.utf8, next.utf8).prefix { $0 == $1 }.count + 1)
        }
        return count
    }

    /// Checks a typed name. Swift replaces bytes that are not UTF-8 by U+FFFD.
    static func user(_ text: String) throws -> String {
        guard text.utf8.count <= SiteControlLimits.userBytes, !text.unicodeScalars.contains("\u{FFFD}") else {
            throw SiteCommandFailure(
                .invalid, "this is not a valid user name; use at most 64 bytes of UTF-8")
        }
        return text
    }

    static func id(_ text: String) throws -> String {
        guard text.utf8.count <= SiteControlLimits.phoneBytes else {
            throw SiteCommandFailure(.negative, "no phone has this id; list the phones with: boxsite phone list")
        }
        return text
    }

    static func confirm(_ question: String, _ terminal: Terminal) throws {
        guard terminal.inputIsTerminal else {
            throw SiteCommandFailure(
                .usage, "cannot ask for confirmation: standard input is not a terminal; add --yes")
        }
        guard terminal.confirm(question) else { throw SiteCommandFailure(.negative, "nothing was changed") }
    }

    /// Asks for a grant. Only the grant's text goes to standard output, so that it can be piped.
    static func sayGrant(_ request: SiteRequest, _ server: ServerOptions, _ terminal: Terminal) throws {
        let found = Guarded("")
        _ = try ServerConversation.ask(request, at: server.socket) { reply, _ in
            if case .grant(let text) = reply { found.withLock { $0 = text } }
        }
        let text = found.withLock { $0 }
        guard !text.isEmpty else {
            throw SiteCommandFailure(
                .protocolMismatch, "the server's reply has no grant; install the same version of boxsite and boxsited")
        }
        terminal.sayWhole(Printable.text(text))
    }
}
