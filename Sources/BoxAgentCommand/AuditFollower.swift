import CommandTool
import ControlProtocol
import TextOutput

/// Shows entries of the audit log as they come, until a signal ends it.
struct AuditFollower: ~Copyable {
    /// The agent is asked once in this time at most, unless there is more than a page to catch up with.
    static let period: Duration = .seconds(1)
    /// A signal is heeded after this time at the latest.
    private static let answerLimit: Duration = .seconds(2)
    /// Numbers in the database are signed.
    private static let numberLimit = UInt64(Int64.max)

    let socket: String
    let filter: AuditFilter
    private var place: AuditPlace
    private var conversation: Conversation?
    private var isAway = false

    /// `after` nil: only what comes from now on. The conversation is the one that has answered so far.
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

    /// Shows at most `limit` entries, without end where it is nil.
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

    /// The next entries, behind the last one; nil while the agent is away.
    private mutating func page(_ terminal: Terminal) throws(CommandFailure) -> [AuditListing]? {
        // A connection on which nothing is under way may have given way to another: then a new one will do.
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
        // Left empty when anything is thrown: what a connection then holds is of no use.
        var talking: Conversation
        if let kept = conversation.take() { talking = kept } else { talking = try Conversation(socket: socket) }
        let entries = try talking.auditPage(
            after: place.question, limit: AuditShowCommand.pageEntries, within: Self.answerLimit)
        if isAway { terminal.say("boxagent: the agent answers again", to: .error) }
        isAway = false
        conversation = consume talking
        return entries
    }

    /// The number of the newest entry, 0 while there is none. Numbers have no gap, so that few questions find it.
    private static func newest(_ conversation: inout Conversation) throws(CommandFailure) -> UInt64 {
        var low: UInt64 = 0
        var step: UInt64 = 1
        // From here on no number is known to be there.
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
    /// Whether the same question may be answered in a moment: the agent starts again, or has much to do.
    fileprivate var isPassing: Bool { status == .unavailable || status == .tryAgain }
}
