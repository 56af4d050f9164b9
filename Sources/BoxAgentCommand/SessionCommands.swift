import ControlProtocol
import ArgumentParser
import CommandTool
import TextOutput

/// Selects sessions; by default your own.
struct SessionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("This logind session. Only root may name a session of another user.", valueName: "id"))
    var session: String?
    @Option(help: ArgumentHelp("All sessions of this user. Only root may name another user.", valueName: "user"))
    var user: String?
    @Flag(help: "All sessions on this box. Root only.")
    var all = false
    @OptionGroup var agent: AgentOptions
    @OptionGroup var listing: ListingOptions

    func validate() throws {
        guard [session != nil, user != nil, all].filter({ $0 }).count <= 1 else {
            throw ValidationError("use only one of --session, --user and --all")
        }
    }

    private func selection(_ terminal: Terminal, over conversation: inout Conversation) -> SessionSelection {
        if let session { return .session(Array(session.utf8)) }
        if let user { return .user(conversation.account(of: Array(user.utf8), terminal).name) }
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
            if listing.json { terminal.sayWhole(JSONValue.list(sessions.map(SessionListings.json)).line) }
        }
        let selection = selection(terminal, over: &conversation)
        // The agent ends a configured command after at most 120 s.
        _ = try conversation.ask(.session(action, selection), within: .seconds(150)) { reply in
            guard case .session(let session) = reply else { return }
            sessions.append(session)
            if !listing.json { terminal.say(SessionListings.sentence(session)) }
        }
    }
}

struct LockCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock", abstract: "Lock your sessions, or others.",
        discussion: """
            Shows the result for each session, whether a phone opened it or not. "locked" means that the session \
            itself confirmed it.
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
            Root only. Other users unlock at the session itself, or with their phone.
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
        commandName: "logout", abstract: "End your sessions, or other people's.",
        discussion: """
            Shows the result for each session, whether a phone opened it or not. "ended" means that the session is \
            gone. With --all the command shows the sessions that it will end, and asks.
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

    /// Asks first, because other people lose unsaved work.
    private func confirmAll(
        _ terminal: Terminal, over conversation: inout Conversation
    ) throws(CommandFailure) {
        let (open, doubt) = try conversation.sessions()
        guard !open.isEmpty else {
            if sessions.listing.json { terminal.sayWhole(JSONValue.list([]).line) }
            guard doubt.isEmpty else {
                throw CommandFailure(.fault, "nothing was changed; " + doubt, cure: "run: boxagent doctor")
            }
            throw CommandFailure(.negative, "no sessions are open; nothing was changed")
        }
        try terminal.mayGoOn(
            Self.plan(open) + (doubt.isEmpty ? [] : [doubt]),
            open.count == 1 ? "End this session?" : "End these \(open.count) sessions?",
            confirmed: confirmation.yes)
    }

    static func plan(_ open: [SessionListing]) -> [String] {
        [Plural.text(open.count, "session") + " will end, and unsaved work will be lost:"]
            + TextTable.lines(
                [SessionListings.head] + open.map(SessionListings.row),
                width: Terminal().width(of: .error).map { $0 - 2 }, flexible: SessionListings.flexible
            ).map { "  " + $0 }
    }
}
