import ArgumentParser
import CommandTool
import EventLoop
import Glibc
import SiteControl
import TextOutput

struct PhoneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "phone", abstract: "The site's phones.",
        subcommands: [
            PhoneEnrolCommand.self, PhoneAddCommand.self, PhoneListCommand.self, PhoneGrantCommand.self,
            PhoneRevokeCommand.self,
        ])
}

struct PhoneAddCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a person's phone, and print the text that the phone takes.",
        discussion: """
            The phone shows a text that begins with "boxsite-phone:1/", and takes the one that is printed here, \
            alone, on standard output. Neither is secret, but whoever changes one on its way makes the phone \
            another's: bring both by a way that nobody else writes to.

            The grant in it is good for 30 days, and boxes renew it. The same command again prints another text, \
            with the groups as they are named then. A phone of another user is refused, and so is a key that was \
            revoked.

            Examples:
              boxsite phone add anna boxsite-phone:1/… --group 7 > anna.grant
              boxsite phone add anna - < anna.phone
            """)

    @Argument(help: "Whose phone it is: the account on the boxes, at most 64 bytes.")
    var user: String
    @Argument(help: "The text that the phone shows, or - to read it from standard input.")
    var code: String
    @Option(help: "A group of boxes where the phone may log in, 1 to 65535; 1 unless given. Up to 8 times.")
    var group: [UInt16] = []
    @Option(help: "What administrators call the phone, at most 64 bytes.")
    var label: String?
    @Flag(help: "The site holds the person's password, behind a PIN that is counted over all boxes.")
    var siteHeld = false
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        let groups = group.isEmpty ? [1] : Array(Set(group)).sorted()
        let text = try code == "-" ? Self.readCode() : code
        guard text.utf8.count <= SiteControlLimits.phoneCodeBytes else {
            throw SiteCommandFailure(.invalid, "this is no phone's text; it begins with boxsite-phone:1/")
        }
        let name = try PhoneText.user(user)
        try PhoneText.sayGrant(
            .addPhone(user: name, code: text, label: label, groups: groups, siteHeld: siteHeld), server, terminal)
        terminal.say(
            "The phone of \(Printable.text(name)) takes this text. It is good for 30 days, and boxes renew it.",
            to: .error)
    }

    /// What standard input has, as far as a phone's text may be long.
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
        commandName: "list", abstract: "List the phones: whose they are, where they may log in, and until when.",
        discussion: """
            User, id, label, groups, whether they were revoked, when they were added, until when their newest grant \
            is good, and when a box got one for them. At most 100,000 are listed.
            """)

    @Option(help: "The phones of this user alone.")
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
            terminal.say(JSONValue.list(phones.map(Self.json)).line)
        } else if phones.isEmpty {
            terminal.say("There are no such phones; add one: boxsite phone add USER CODE", to: .error)
        } else {
            let head = ["USER", "PHONE", "LABEL", "GROUPS", "STATE", "ADDED", "GRANT UNTIL", "RENEWED"]
            let count = PhoneText.shown(phones.map(\.id))
            let rows = phones.map { Self.row($0, count) }
            for line in TextTable.lines([head] + rows, width: terminal.columns, flexible: [0, 2]) { terminal.say(line) }
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
        abstract: "Print a text for a phone anew: the one that was printed is lost, or has expired.",
        discussion: """
            The grant in it is issued now. Where the site has a directory, it has to have the phone's user.
            """)

    @Argument(help: "The phone: its id, or a beginning that no other phone has.")
    var phone: String
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        try PhoneText.sayGrant(.grantPhone(phone: try PhoneText.id(phone)), server, terminal)
    }
}

struct PhoneRevokeCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Take back phones, at every box and for good.",
        discussion: """
            Boxes that are linked refuse the phone within a second, lock the sessions that it opened, and hand the entry \
            on; the others hear of it when they link again. The key never comes back: a phone that was found again makes \
            a new one, and is added as a new phone. Phones of one user: `boxsite user revoke`. It asks.
            """)

    @Argument(help: "The phones: their ids, or beginnings that no other phone has.")
    var phone: [String]
    @Option(help: "Why, for the audit table; at most 200 bytes.")
    var reason: String = ""
    @Flag(name: [.short, .long], help: "Do not ask. Needed where standard input is no terminal.")
    var yes = false
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        let ids = try phone.map(PhoneText.id)
        if !yes {
            let names = ids.map { Printable.text($0) }.joined(separator: ", ")
            try PhoneText.confirm("Take back phone \(names), for good?", terminal)
        }
        var waiting: SiteCommandFailure?
        for id in ids {
            do throws(SiteCommandFailure) {
                terminal.say(try ServerConversation.ask(.revokePhone(phone: id, reason: reason), at: server.socket))
            } catch {
                let failure = error
                guard failure.status == .waiting else { throw failure }
                // The others may be done all the same.
                terminal.say("boxsite: " + failure.text, to: .error)
                waiting = SiteCommandFailure(
                    .waiting, "some of these phones are not revoked yet: see boxsite proposal list")
            }
        }
        if let waiting { throw waiting }
    }
}
