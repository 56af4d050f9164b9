import ArgumentParser
import CommandTool
import EventLoop
import Glibc
import SiteControl
import TextOutput

struct BoxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "box", abstract: "Manage the site's boxes.",
        subcommands: [
            BoxAddCommand.self, BoxListCommand.self, BoxRemoveCommand.self, BoxUnsuspendCommand.self,
            BoxApproveCommand.self, BoxRejectCommand.self, BoxCodesCommand.self, BoxRevokeCodeCommand.self,
        ])
}

struct BoxAddCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a box, and print its join code for `boxagent join`.",
        discussion: """
            Standard output has only the code. The code is valid once, for --hours. It contains a secret: send it as \
            you would send a password, or put it into a file that only root may read.
            With --bulk the code is for several boxes, for images and Ansible. Each box waits until you approve its \
            fingerprint, which `boxagent join` shows, unless a file lists the fingerprint. The names of these boxes \
            begin with NAME.
            Examples:
              boxsite box add ward3-1
              boxsite box add ward3 --bulk 40 --until 2027-01-31 --group 7 > code
              boxsite box add ward3-1 --number 004711 --group 1 --group 7 > code
            """)

    @Argument(help: "The box's name: 1 to 64 letters, digits or punctuation characters, without spaces.")
    var name: String
    @Option(help: "The box ID, six digits. The default is a free one.")
    var number: String?
    @Option(help: "A group of the box, 1 to 65535. May be repeated, up to 8 times. The default is 1.")
    var group: [UInt16] = []
    @Option(help: "How many hours the code is valid, 1 to 168.")
    var hours: UInt64 = 24
    @Option(
        help: ArgumentHelp(
            "Print one code for this many boxes, 1 to 1000, which you approve one by one.", valueName: "count"))
    var bulk: UInt64?
    @Option(
        help: ArgumentHelp(
            "With --bulk: until when the code is valid, as 2027-01-31 or RFC 3339; at most 90 days.", valueName: "time")
    )
    var until: String?
    @Option(
        help: ArgumentHelp(
            "With --bulk: a file with the fingerprints of up to 400 boxes, one a line. They join without approval.",
            valueName: "file"))
    var fingerprints: String?
    @OptionGroup var server: ServerOptions

    func validate() throws {
        guard (bulk == nil) == (until == nil), bulk != nil || fingerprints == nil else {
            throw ValidationError("--bulk and --until must be used together, and --fingerprints needs both")
        }
        guard bulk == nil || number == nil else {
            throw ValidationError("--number is for a single box, without --bulk")
        }
    }

    func perform(_ terminal: Terminal) throws {
        if let bulk, let until { return try performBulk(bulk, until, terminal) }
        guard (1...SiteControlLimits.codeHours).contains(hours) else {
            throw SiteCommandFailure(.usage, "--hours takes a whole number from 1 to \(SiteControlLimits.codeHours)")
        }
        let groups = group.isEmpty ? [1] : Array(Set(group)).sorted()
        let drawn = Guarded("")
        _ = try ServerConversation.ask(
            .addBox(name: name, number: number, groups: groups, hours: hours), at: server.socket
        ) { reply, bytes in
            guard case .joinCode(let number, let code) = reply else { return }
            drawn.withLock { $0 = number }
            // Only the code goes to standard output, so that it can be piped.
            terminal.write(bytes.extracting(code))
            terminal.say("")
        }
        let number = drawn.withLock { $0 }
        terminal.say("Box \(name) gets number \(number). At the box, within \(hours) h, run: boxagent join", to: .error)
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
            "Bulk code \(id), for \(places) boxes until \(Timestamp.local(UInt64(end))). At each box, run: boxagent "
                + "join. Then here: boxsite box list, boxsite box approve FINGERPRINT", to: .error)
    }
}

struct BoxListCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the boxes and their links to this server.",
        discussion: """
            Shows the name, number, groups and state of each box, and for boxes that are linked to this server, from \
            where and how long. SEEN is when a box was last linked to any server of the site, to the hour. STATUS is \
            the number of the signed status that the box reports. Boxes that were removed stay in the list.
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
            return terminal.sayWhole(JSONValue.list(boxes.map(Self.json) + waiting.map(Self.json)).line)
        }
        guard !boxes.isEmpty || !waiting.isEmpty else {
            terminal.say("no boxes; add one with: boxsite box add NAME", to: .error)
            return
        }
        let head = ["NAME", "NUMBER", "GROUPS", "STATE", "LINKED FROM", "FOR", "SEEN", "STATUS", "PROGRAM"]
        let rows = boxes.map(Self.row)
        TextTable.lines([head] + rows, width: terminal.columns, flexible: [0, 8]).forEach { terminal.sayWhole($0) }
        guard !waiting.isEmpty else { return }
        terminal.say("")
        let waitingHead = ["WAITING FINGERPRINT", "FOR", "GROUPS", "SINCE"]
        let waitingRows = waiting.map { box in
            [
                Printable.text(box.fingerprint), Printable.text(box.name),
                box.groups.map { "\($0)" }.joined(separator: ","), Timestamp.local(box.came),
            ]
        }
        TextTable.lines([waitingHead] + waitingRows, width: terminal.columns).forEach { terminal.sayWhole($0) }
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
        commandName: "remove", abstract: "Remove a box from the site, at once and for good.",
        discussion: """
            The box's link ends, phones are told not to trust the box, and its key can never join again. A box that \
            replaces it needs a new code and may have the same name and number. The command asks first.
            """)

    @Argument(help: "The box's name.")
    var name: String
    @Option(help: "The reason, for the audit log; at most 200 bytes.")
    var reason: String = ""
    @Flag(name: [.short, .long], help: "Do not ask. Required if standard input is not a terminal.")
    var yes = false
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        if !yes {
            guard terminal.inputIsTerminal else {
                throw SiteCommandFailure(
                    .usage, "cannot ask for confirmation: standard input is not a terminal; add --yes")
            }
            guard terminal.confirm("Remove box \(Printable.text(name)) from the site, for good?") else {
                throw SiteCommandFailure(.negative, "nothing was changed")
            }
        }
        terminal.say(try ServerConversation.ask(.removeBox(name: name, reason: reason), at: server.socket))
    }
}

struct BoxUnsuspendCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "unsuspend", abstract: "Serve a suspended box again.",
        discussion: """
            A box is suspended when its key is used from two addresses by turns: two machines have the key, and the \
            server cannot tell which is the right one. First find the second machine and remove the key from it. If \
            you cannot find it, remove the box and add it again with a new key. If both machines go on, the box is \
            suspended again.
            Example:
              boxsite box unsuspend 004711 --reason "the disk was copied for a test"
            """)

    @Argument(help: "The box's number, six digits.")
    var number: String
    @Option(help: "The reason, for the audit log; at most 200 bytes.")
    var reason: String = ""
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        guard number.utf8.count == 6, number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw SiteCommandFailure(.usage, "the number of a box must be six digits, such as 004711")
        }
        terminal.say(try ServerConversation.ask(.unsuspendBox(number: number, reason: reason), at: server.socket))
    }
}

struct ClockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "Manage the clock by which the server signs.",
        subcommands: [ClockAcceptCommand.self])
}

struct ClockAcceptCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Let the server sign again, after you have checked the clocks.",
        discussion: """
            A server stops signing if its clock and the database's clock differ by more than a minute, or if one of \
            them jumps. First set both clocks: only a new generation can revoke what was signed with a time in the far \
            future.
            """)

    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws { _ = try ServerConversation.ask(.acceptClock, at: server.socket) }
}
