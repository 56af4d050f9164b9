import CommandTool
import ControlProtocol
import TextOutput

/// Shows new entries of the audit log until a signal arrives.
struct AuditFollower: ~Copyable {
    /// Shortest interval between requests, unless more than one page is missing.
    static let period: Duration = .seconds(1)
    /// Longest delay before a signal takes effect.
    private static let answerLimit: Duration = .seconds(2)
    /// The highest possible number of an entry: integers in the database are signed.
    private static let numberLimit = UInt64(Int64.max)

    let socket: String
    let filter: AuditFilter
    private var place: AuditPlace
    private var conversation: Conversation?
    private var isAway = false

    /// If `after` is nil, only new entries are shown. `conversation` is already connected.
    init(
        socket: String, filter: AuditFilter, after: UInt64?, _ conversation: consuming Conversation
    ) throws(CommandFailure) {
        var conversation = conversation
        let start: UInt64
        if let after { start = after } else { start = try Self.newest(&conversation) }
        self.socket = socket
        self.filter = filter
        place = AuditPlace(after: start)
        self.conversation = consume conversation
    }

    /// Shows at most `limit` entries; nil means no limit.
    mutating func run(limit: UInt64?, terminal: Terminal, show: (AuditListing) -> Void) throws(CommandFailure) {
        let interrupt = Interrupt()
        var left = limit ?? .max
        while left > 0 {
            let page = try page(terminal)
            switch page.map({ place.take($0) }) {
            case .fresh(let entries, let dropped):
                if let dropped {
                    terminal.say(
                        "boxagent: entries \(dropped.lowerBound) to \(dropped.upperBound) were pruned before they "
                            + "were shown",
                        to: .error)
                }
                for entry in entries.filter(filter.shows).prefix(Int(clamping: left)) {
                    show(entry)
                    left -= 1
                }
            case .changed(let number):
                throw CommandFailure(
                    .negative, "entry \(number) is missing or has changed: this is not the log that was followed",
                    cure: "run 'boxagent audit --verify' and compare with the hashes in the journal")
            case nil: break
            }
            let isFull = page.map { $0.count == AuditShowCommand.pageEntries } ?? false
            if left > 0, interrupt.comes(within: isFull ? .zero : Self.period) { return }
        }
    }

    /// Returns the entries after the last one; nil while the agent does not answer.
    private mutating func page(_ terminal: Terminal) throws(CommandFailure) -> [AuditListing]? {
        // The agent may have closed an idle connection to make room; a new one then succeeds.
        let isNew = conversation == nil
        do throws(CommandFailure) {
            return try ask(terminal)
        } catch {
            guard error.isPassing else { throw error }
            guard isNew else { return nil }
            if !isAway { terminal.say("boxagent: \(error.what); waiting for the agent", to: .error) }
            isAway = true
            return nil
        }
    }

    private mutating func ask(_ terminal: Terminal) throws(CommandFailure) -> [AuditListing] {
        // After an error, the connection stays nil, because its state is useless.
        var talking: Conversation
        if let kept = conversation.take() { talking = kept } else { talking = try Conversation(socket: socket) }
        let entries = try talking.auditPage(
            after: place.question, limit: AuditShowCommand.pageEntries, within: Self.answerLimit)
        if isAway { terminal.say("boxagent: the agent answers again", to: .error) }
        isAway = false
        conversation = consume talking
        return entries
    }

    /// Returns the number of the newest entry, or 0 if there is none. Numbers have no gaps, so a few requests find it.
    private static func newest(_ conversation: inout Conversation) throws(CommandFailure) -> UInt64 {
        var low: UInt64 = 0
        var step: UInt64 = 1
        // No number from here on is known to exist.
        var high = numberLimit
        while low < high {
            let middle = min(low + step - 1, low + (high - low) / 2)
            let found = try conversation.auditPage(after: middle, limit: 1, within: Conversation.answerLimit)
            if let entry = found.first {
                low = min(entry.number, numberLimit)
                if high == numberLimit { step = min(step * 2, numberLimit / 2) }
            } else {
                high = middle
                step = numberLimit
            }
        }
        return low
    }
}

extension CommandFailure {
    /// True if the same request may succeed soon, because the agent restarts or is busy.
    fileprivate var isPassing: Bool { status == .unavailable || status == .tryAgain }
}
