import ArgumentParser
import CommandTool
import EventLoop
import Glibc
import SiteControl
import TextOutput

struct PhoneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "phone", abstract: "Manage the site's phones.",
        subcommands: [
            PhoneEnrolCommand.self, PhoneAddCommand.self, PhoneListCommand.self, PhoneGrantCommand.self,
            PhoneRevokeCommand.self,
        ])
}

struct PhoneAddCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a phone, and print the grant for it.",
        discussion: """
            The phone shows a text that begins with "boxsite-phone:1/". Standard output has only the text for the \
            phone. Neither text is secret. But anyone who changes one on its way can make the phone belong to someone \
            else, so send both in a way that no one else can write to.
            The grant in the text is valid for 30 days, and boxes renew it. The same command prints another text, with \
            the groups that you name then. A phone of another user is refused, and so is a revoked key.
            Examples:
              boxsite phone add anna boxsite-phone:1/… --group 7 > anna.grant
              boxsite phone add anna - < anna.phone
            """)

    @Argument(help: "The phone's user: the account on the boxes, at most 64 bytes.")
    var user: String
    @Argument(help: "The text that the phone shows, or - for standard input.")
    var code: String
    @Option(
        help:
            "A group of boxes where the phone may log in, 1 to 65535. May be repeated, up to 8 times. The default is 1."
    )
    var group: [UInt16] = []
    @Option(help: "The phone's name in lists, at most 64 bytes.")
    var label: String?
    @Flag(help: "The site keeps the user's password, behind a PIN whose tries count at all boxes.")
    var siteHeld = false
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        let groups = group.isEmpty ? [1] : Array(Set(group)).sorted()
        let text = try code == "-" ? Self.readCode() : code
        guard text.utf8.count <= SiteControlLimits.phoneCodeBytes else {
            throw SiteCommandFailure(.invalid, "this is not a phone's text; it must begin with boxsite-phone:1/")
        }
        let name = try PhoneText.user(user)
        try PhoneText.sayGrant(
            .addPhone(user: name, code: text, label: label, groups: groups, siteHeld: siteHeld), server, terminal)
        terminal.say(
            "Give this text to the phone of \(Printable.text(name)). It is valid for 30 days, and boxes renew it.",
            to: .error)
    }

    /// Reads standard input, up to the limit of a phone's text.
    private static func readCode() throws -> String {
        var bytes = [UInt8](repeating: 0, count: SiteControlLimits.phoneCodeBytes + 1)
        var length = 0
        while length < bytes.count {
            let count = read(STDIN_FILENO, &bytes[length], 1)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SiteCommandFailure(.fault, "standard input cannot be read") }
            guard count > 0 else { break }
            length += count
        }
        return String(decoding: bytes.prefix(length), as: UTF8.self)
    }
}

struct PhoneListCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the phones, their users, groups and grants.",
        discussion: """
            Shows each phone's user, id, label, groups and state, when it was added, until when its newest grant is \
            valid, and when a box last renewed it. Lists at most 100,000 phones.
            """)

    @Option(help: "Show only the phones of this user.")
    var user: String?
    @OptionGroup var server: ServerOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws {
        let found = Guarded<[PhoneListing]>([])
        let rest = try ServerConversation.ask(.phones(user: try user.map(PhoneText.user)), at: server.socket) {
            reply, _ in
            if case .phone(let phone) = reply { found.withLock { $0.append(phone) } }
        }
        let phones = found.withLock { $0 }
        if listing.json {
            terminal.sayWhole(JSONValue.list(phones.map(Self.json)).line)
        } else if phones.isEmpty {
            let whose = user.map { " of \(Printable.text($0))" } ?? ""
            terminal.say("no phones\(whose); enrol one with: boxsite phone enrol USER", to: .error)
        } else {
            let head = ["USER", "PHONE", "LABEL", "GROUPS", "STATE", "ADDED", "GRANT UNTIL", "RENEWED"]
            let count = PhoneText.shown(phones.map(\.id))
            let rows = phones.map { Self.row($0, count) }
            TextTable.lines([head] + rows, width: terminal.columns, flexible: [0, 2]).forEach { terminal.sayWhole($0) }
        }
        if !rest.isEmpty { terminal.say("boxsite: " + rest, to: .error) }
    }

    private static func row(_ phone: PhoneListing, _ count: Int) -> [String] {
        [
            Printable.text(phone.user), String(Printable.text(phone.id).prefix(count)),
            phone.label.isEmpty ? "-" : Printable.text(phone.label),
            phone.groups.map { "\($0)" }.joined(separator: ","), Printable.text(phone.state),
            Timestamp.local(phone.added), Timestamp.local(phone.expiry),
            phone.renewed.map { Timestamp.local($0) } ?? "never",
        ]
    }

    private static func json(_ phone: PhoneListing) -> JSONValue {
        .record([
            ("user", .text(phone.user)), ("user_id", .text(Hex.text(phone.userID))), ("id", .text(phone.id)),
            ("key", .text(Hex.text(phone.key))), ("label", .text(phone.label)),
            ("groups", .list(phone.groups.map { .number(UInt64($0)) })), ("state", .text(phone.state)),
            ("added", .number(phone.added)), ("grant_until", .number(phone.expiry)),
            ("renewed", phone.renewed.map { .number($0) } ?? .null),
        ])
    }
}

struct PhoneGrantCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "grant",
        abstract: "Print a new grant for a phone, if the last one was lost or has expired.",
        discussion: """
            The grant is issued now. If the site has a directory, the phone's user must be in it.
            """)

    @Argument(help: "The phone: its id, or the start of it that is unique.")
    var phone: String
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        try PhoneText.sayGrant(.grantPhone(phone: try PhoneText.id(phone)), server, terminal)
    }
}

struct PhoneRevokeCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke phones, at every box and for good.",
        discussion: """
            Linked boxes refuse the phone within a second, lock the sessions that it opened, and pass the revocation \
            on. Other boxes get it with their next link. The key stays revoked for good: a phone that was found again \
            makes a new key and is added as a new phone. To revoke all phones of one user: `boxsite user revoke`. The \
            command asks first.
            """)

    @Argument(help: "The phones: their ids, or starts of them that are unique.")
    var phone: [String]
    @Option(help: "The reason, for the audit log; at most 200 bytes.")
    var reason: String = ""
    @Flag(name: [.short, .long], help: "Do not ask. Required if standard input is not a terminal.")
    var yes = false
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        let ids = try phone.map(PhoneText.id)
        if !yes {
            let names = ids.map { Printable.text($0) }.joined(separator: ", ")
            try PhoneText.confirm("Revoke phone \(names), for good?", terminal)
        }
        var waiting: SiteCommandFailure?
        for id in ids {
            do throws(SiteCommandFailure) {
                terminal.say(try ServerConversation.ask(.revokePhone(phone: id, reason: reason), at: server.socket))
            } catch {
                let failure = error
                guard failure.status == .waiting else { throw failure }
                // The other phones may be revoked nevertheless.
                terminal.complain(ProblemText(sentence: failure.text), by: "boxsite")
                waiting = SiteCommandFailure(
                    .waiting, "some of these phones are not revoked yet; see them with: boxsite proposal list")
            }
        }
        if let waiting { throw waiting }
    }
}
