import ControlProtocol
import ArgumentParser
import CommandTool
import TextOutput

/// Which sessions; your own when nothing is named.
struct SessionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("This logind session. Only root may name what is not the caller's own.", valueName: "id"))
    var session: String?
    @Option(help: ArgumentHelp("All sessions of this user. Only root may name another.", valueName: "user"))
    var user: String?
    @Flag(help: "Every session on this box; root only.")
    var all = false
    @OptionGroup var agent: AgentOptions
    @OptionGroup var listing: ListingOptions

    func validate() throws {
        guard [session != nil, user != nil, all].filter({ $0 }).count <= 1 else {
            throw ValidationError("use one of --session, --user and --all")
        }
    }

    var selection: SessionSelection {
        if let session { return .session(Array(session.utf8)) }
        if let user { return .user(Array(user.utf8)) }
        return all ? .all : .own
    }

    func request(_ action: SessionAction, _ terminal: Terminal) throws(CommandFailure) {
        var conversation = try Conversation(socket: agent.socket)
        try request(action, terminal, over: &conversation)
    }

    func request(
        _ action: SessionAction, _ terminal: Terminal, over conversation: inout Conversation
    ) throws(CommandFailure) {
        var sessions: [SessionListing] = []
        defer {
            if listing.json { terminal.say(JSONValue.list(sessions.map(SessionListings.json)).line) }
        }
        // The agent itself ends a command of the configuration after at most 120 s.
        _ = try conversation.ask(.session(action, selection), within: .seconds(150)) { reply in
            guard case .session(let session) = reply else { return }
            sessions.append(session)
            if !listing.json { terminal.say(SessionListings.sentence(session)) }
        }
    }
}

struct LockCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock", abstract: "Lock your session, or others.",
        discussion: """
            It says what became of each, opened by a phone or not: locked means that the session itself has said so.

            Example:
              boxagent lock --user anna
            """)

    @OptionGroup var sessions: SessionOptions

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        try sessions.request(.lock, terminal)
    }
}

struct UnlockCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Unlock sessions.",
        discussion: """
            Only root may: others unlock where the session is, or by phone.

            Example:
              boxagent unlock --session c2
            """)

    @OptionGroup var sessions: SessionOptions

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        try sessions.request(.unlock, terminal)
    }
}

struct LogoutCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "End your session, or others.",
        discussion: """
            It says what became of each, opened by a phone or not: ended means that it is gone. With --all it shows \
            whose sessions end, and asks.

            Example:
              boxagent logout --all
            """)

    @OptionGroup var sessions: SessionOptions
    @OptionGroup var confirmation: ConfirmationOptions

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        var conversation = try Conversation(socket: sessions.agent.socket)
        if sessions.all { try confirmAll(terminal, over: &conversation) }
        try sessions.request(.logout, terminal, over: &conversation)
    }

    /// Other people lose what they have not saved.
    private func confirmAll(
        _ terminal: Terminal, over conversation: inout Conversation
    ) throws(CommandFailure) {
        let open = try conversation.sessions()
        guard !open.isEmpty else {
            if sessions.listing.json { terminal.say(JSONValue.list([]).line) }
            throw CommandFailure(.negative, "no session is open; nothing was changed")
        }
        try terminal.mayGoOn(
            Self.plan(open), open.count == 1 ? "End it?" : "End these \(open.count) sessions?",
            confirmed: confirmation.yes)
    }

    static func plan(_ open: [SessionListing]) -> [String] {
        [Plural.text(open.count, "session") + " will end, with all that is not saved:"]
            + TextTable.lines([SessionListings.head] + open.map(SessionListings.row)).map { "  " + $0 }
    }
}
