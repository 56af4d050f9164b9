import ArgumentParser
import CommandTool
import EventLoop
import Glibc
import SiteControl
import TextOutput

struct BoxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "box", abstract: "The site's boxes.",
        subcommands: [
            BoxAddCommand.self, BoxListCommand.self, BoxRemoveCommand.self, BoxUnsuspendCommand.self,
            BoxApproveCommand.self, BoxRejectCommand.self, BoxCodesCommand.self, BoxRevokeCodeCommand.self,
        ])
}

struct BoxAddCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a box, and print the code with which it joins: `boxagent join`.",
        discussion: """
            Nothing else is printed on standard output. The code is good once, for so many hours. It carries a \
            secret: send it as you would send a password, or put it into a file that only root may read.

            With --bulk it is a code for so many boxes, for images and Ansible: each waits until it is approved by its \
            fingerprint, which `boxagent join` says, unless that is listed in a file. NAME is what the names of these boxes \
            begin with.

            Examples:
              boxsite box add ward3-1
              boxsite box add ward3 --bulk 40 --until 2027-01-31 --group 7 > code
              boxsite box add ward3-1 --number 004711 --group 1 --group 7 > code
            """)

    @Argument(help: "What administrators call it: 1 to 64 letters, digits and signs without spaces.")
    var name: String
    @Option(help: "Six digits, which people at a phone type. Without it, free ones are drawn.")
    var number: String?
    @Option(help: "A group that the box is in, 1 to 65535; 1 unless given. Up to 8 times.")
    var group: [UInt16] = []
    @Option(help: "For how many hours the code is good, 1 to 168.")
    var hours: UInt64 = 24
    @Option(
        help: ArgumentHelp("A code for so many boxes, 1 to 1000, which are approved one by one.", valueName: "count"))
    var bulk: UInt64?
    @Option(
        help: ArgumentHelp("With --bulk: until when, as 2027-01-31 or RFC 3339; 90 days at most.", valueName: "time"))
    var until: String?
    @Option(
        help: ArgumentHelp(
            "With --bulk: a file of fingerprints, one a line, at most 400, whose boxes join without waiting.",
            valueName: "file"))
    var fingerprints: String?
    @OptionGroup var server: ServerOptions

    func validate() throws {
        guard (bulk == nil) == (until == nil), bulk != nil || fingerprints == nil else {
            throw ValidationError("--bulk and --until go together, and --fingerprints with them")
        }
        guard bulk == nil || number == nil else { throw ValidationError("--number is for one box") }
    }

    func perform(_ terminal: Terminal) throws {
        if let bulk, let until { return try performBulk(bulk, until, terminal) }
        guard (1...SiteControlLimits.codeHours).contains(hours) else {
            throw SiteCommandFailure(.usage, "--hours takes 1 to \(SiteControlLimits.codeHours)")
        }
        let groups = group.isEmpty ? [1] : Array(Set(group)).sorted()
        let drawn = Guarded("")
        _ = try ServerConversation.ask(
            .addBox(name: name, number: number, groups: groups, hours: hours), at: server.socket
        ) { reply, bytes in
            guard case .joinCode(let number, let code) = reply else { return }
            drawn.withLock { $0 = number }
            // Standard output has the code alone: it can be piped.
            terminal.write(bytes.extracting(code))
            terminal.say("")
        }
        let number = drawn.withLock { $0 }
        terminal.say("Box \(name) gets number \(number). At the box, within \(hours) h: boxagent join", to: .error)
    }

    private func performBulk(_ places: UInt64, _ until: String, _ terminal: Terminal) throws {
        guard let end = Moment.unixSeconds(until, now: Int64(time(nil))), end > 0 else {
            throw SiteCommandFailure(.usage, "--until takes a day or a time: 2027-01-31 or 2027-01-31T18:00:00Z")
        }
        var wish = BulkWish(.add)
        (wish.name, wish.places, wish.until) = (name, places, UInt64(end))
        wish.groups = group.isEmpty ? [1] : Array(Set(group)).sorted()
        wish.fingerprints = try fingerprints.map { try Fingerprints.file($0) } ?? []
        let id = try ServerConversation.ask(.bulk(wish), at: server.socket) { reply, bytes in
            guard case .joinCode(_, let code) = reply else { return }
            terminal.write(bytes.extracting(code))
            terminal.say("")
        }
        terminal.say(
            "Bulk code \(id), for \(places) boxes until \(Timestamp.local(UInt64(end))). At each: boxagent join; here then: "
                + "boxsite box list, boxsite box approve FINGERPRINT", to: .error)
    }
}

struct BoxListCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the boxes: what they are, and which are linked to this server.",
        discussion: """
            Name, number, groups, whether they have joined, and which are linked to this server, from where and \
            since when. SEEN is when a box was linked last to any server of the site, to the hour. HEAD is the number that \
            the box says it has taken. Boxes that were removed stay in the list.
            """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws {
        let found = Guarded<[BoxListing]>([])
        _ = try ServerConversation.ask(.boxes, at: server.socket) { reply, _ in
            if case .box(let box) = reply { found.withLock { $0.append(box) } }
        }
        let boxes = found.withLock { $0 }
        let waiting = try Self.waiting(server)
        if listing.json {
            return terminal.say(JSONValue.list(boxes.map(Self.json) + waiting.map(Self.json)).line)
        }
        guard !boxes.isEmpty || !waiting.isEmpty else {
            terminal.say("There are no boxes yet; add one: boxsite box add NAME", to: .error)
            return
        }
        let head = ["NAME", "NUMBER", "GROUPS", "STATE", "LINKED FROM", "FOR", "SEEN", "HEAD", "PROGRAM"]
        let rows = boxes.map(Self.row)
        for line in TextTable.lines([head] + rows, width: terminal.columns, flexible: [0, 8]) { terminal.say(line) }
        guard !waiting.isEmpty else { return }
        terminal.say("")
        let waitingHead = ["WAITS, BY ITS FINGERPRINT", "FOR", "GROUPS", "SINCE"]
        let waitingRows = waiting.map { box in
            [
                Printable.text(box.fingerprint), Printable.text(box.name),
                box.groups.map { "\($0)" }.joined(separator: ","), Timestamp.local(box.came),
            ]
        }
        for line in TextTable.lines([waitingHead] + waitingRows) { terminal.say(line) }
    }

    private static func waiting(_ server: ServerOptions) throws -> [WaitingListing] {
        let found = Guarded<[WaitingListing]>([])
        _ = try ServerConversation.ask(.bulk(BulkWish(.waiting)), at: server.socket) { reply, _ in
            if case .waitingBox(let box) = reply { found.withLock { $0.append(box) } }
        }
        return found.withLock { $0 }
    }

    private static func json(_ box: WaitingListing) -> JSONValue {
        .record([
            ("name", .text(box.name)), ("groups", .list(box.groups.map { .number(UInt64($0)) })),
            ("state", .text("waiting")), ("fingerprint", .text(box.fingerprint)),
            ("came", .text(Timestamp.universal(box.came))),
        ])
    }

    private static func row(_ box: BoxListing) -> [String] {
        [
            Printable.text(box.name), Printable.text(box.number), box.groups.map { "\($0)" }.joined(separator: ","),
            Printable.text(box.state), box.address.map { Printable.text($0) } ?? "-",
            box.linkedSeconds.map { "\($0) s" } ?? "-", box.seen.map { Timestamp.local($0) } ?? "-",
            box.took.map { "\($0)" } ?? "-",
            box.program.map { Printable.text($0) } ?? "-",
        ]
    }

    private static func json(_ box: BoxListing) -> JSONValue {
        .record([
            ("name", .text(box.name)), ("number", .text(box.number)),
            ("groups", .list(box.groups.map { .number(UInt64($0)) })), ("state", .text(box.state)),
            ("key", box.key.map { .text(Hex.text($0)) } ?? .null),
            ("address", box.address.map { .text($0) } ?? .null),
            ("program", box.program.map { .text($0) } ?? .null),
            ("linked_seconds", box.linkedSeconds.map { .number($0) } ?? .null),
            ("took", box.took.map { .number($0) } ?? .null), ("seen", box.seen.map { .number($0) } ?? .null),
        ])
    }
}

struct BoxRemoveCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take a box out of the site, at once and for good.",
        discussion: """
            Its link ends, phones hear that it is not to be believed any more, and its key never joins again. A box that \
            takes its place gets a new code; it may have the same name and number. It asks.
            """)

    @Argument(help: "The box's name.")
    var name: String
    @Option(help: "Why, for the audit table; at most 200 bytes.")
    var reason: String = ""
    @Flag(name: [.short, .long], help: "Do not ask. Needed where standard input is no terminal.")
    var yes = false
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        if !yes {
            guard terminal.inputIsTerminal else {
                throw SiteCommandFailure(.usage, "standard input is no terminal, so nobody can be asked; add --yes")
            }
            guard terminal.confirm("Take box \(Printable.text(name)) out of the site, for good?") else {
                throw SiteCommandFailure(.negative, "nothing was changed")
            }
        }
        terminal.say(try ServerConversation.ask(.removeBox(name: name, reason: reason), at: server.socket))
    }
}

struct BoxUnsuspendCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "unsuspend", abstract: "Have a box served again that was suspended.",
        discussion: """
            A box is suspended when its key comes from two addresses by turns: two machines have it, and nobody knows which \
            one is the right one. Find the second machine first, and take the key from it. If you cannot find it, remove the \
            box instead, and add it again with another key. Where both machines go on, the box is suspended again.

            Example:
              boxsite box unsuspend 004711 --reason "the disk was copied for a test"
            """)

    @Argument(help: "The box's number, six digits.")
    var number: String
    @Option(help: "Why, for the audit table; at most 200 bytes.")
    var reason: String = ""
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        guard number.utf8.count == 6, number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw SiteCommandFailure(.usage, "a box's number has six digits, as in 004711")
        }
        terminal.say(try ServerConversation.ask(.unsuspendBox(number: number, reason: reason), at: server.socket))
    }
}

struct ClockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "The clock by which the server signs.", subcommands: [ClockAcceptCommand.self])
}

struct ClockAcceptCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Sign again, after the clocks were looked at.",
        discussion: """
            A server stops signing when the database's clock and its own differ by more than a minute, or one of them jumps. \
            Set both right first: what was signed in a far future cannot be taken back, but by a new generation.
            """)

    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws { _ = try ServerConversation.ask(.acceptClock, at: server.socket) }
}
