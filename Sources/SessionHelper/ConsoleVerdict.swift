/// What follows from what is at a terminal: pure, told by `ConsoleProcesses`.
enum ConsoleVerdict: Equatable, Sendable {
    /// Why the terminal cannot be locked: something would go on that cannot be stopped, or cannot be seen.
    enum Refusal: Equatable, Sendable {
        /// The screen shows a picture, or a program switches it.
        case picture
        /// /proc hides processes.
        case hidden
        /// Nobody who was seen is in front.
        case unseen
        /// Somebody else's program is in front, or would come there when its own child stops.
        case foreign
    }

    case refused(Refusal)
    /// These are the user's, and have not been stopped yet.
    case stop([Int32])
    /// Whatever could read the terminal is stopped.
    case ready

    /// - Parameters:
    ///   - exempt: The helper itself, and the process that starts it again.
    ///   - settled: Stopped already, or resting since before.
    ///   - leader: The process that opened the session, as logind has it: root's login(1), which stays at the terminal, and
    ///     only waits for the shell's end. No other process of somebody else's is excused.
    static func judge(
        _ facts: ConsoleFacts, exempt: Set<Int32>, settled: Set<Int32>, leader: Int32
    ) -> ConsoleVerdict {
        guard facts.display == .text else { return .refused(.picture) }
        guard !facts.hidesProcesses else { return .refused(.hidden) }
        guard !facts.front.isEmpty else { return .refused(.unseen) }
        let there = facts.processes.filter { $0.isAtTerminal && ($0.isOwn || $0.number != leader) }
        for (group, members) in facts.front {
            let seen = there.filter { $0.group == group }
            guard seen.allSatisfy({ $0.isOwn || $0.isEnded }) else { return .refused(.foreign) }
            // A group whose last member has just ended is nobody's, until the shell takes the terminal back.
            guard members == .none || (members == .some && !seen.isEmpty) else { return .refused(.unseen) }
        }
        guard !isWaitedFor(there) else { return .refused(.foreign) }
        let halves = Set(there.filter { $0.isOwn && $0.reads == nil }.map(\.name))
        let readers = facts.processes.filter { process in
            guard process.isOwn, !process.isEnded, !exempt.contains(process.number), !settled.contains(process.number)
            else { return false }
            // A program that hides its descriptors at the terminal may have another half that hides them elsewhere, as
            // screen(1) has.
            return process.isAtTerminal || (process.reads ?? halves.contains(process.name))
        }
        // Parents first: a shell that is not still yet would be told of its job's stop (waitpid(2)), and take that for
        // Control-Z when it goes on.
        let numbers = Set(readers.map(\.number))
        let first = readers.filter { !numbers.contains($0.parent) }
        return readers.isEmpty ? .ready : .stop((first.isEmpty ? readers : first).map(\.number))
    }

    /// Whether a process of somebody else at the terminal waits for one of the user's there, as root's shell does for su(1):
    /// it would notice the stop, take the terminal and read.
    private static func isWaitedFor(_ there: [ConsoleFacts.Process]) -> Bool {
        let byNumber = Dictionary(there.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        return there.contains { process in
            guard process.isOwn, !process.isEnded else { return false }
            var next = byNumber[process.parent]
            // Bounded: /proc is read one process after the other, and could show a ring.
            for _ in 0..<byNumber.count {
                guard let ancestor = next else { return false }
                if !ancestor.isOwn { return true }
                next = byNumber[ancestor.parent]
            }
            return false
        }
    }
}

extension ConsoleVerdict.Refusal {
    /// For whom sits there.
    var text: String {
        switch self {
        case .picture: "This console cannot be locked while it shows graphics. End the desktop, or log out."
        case .hidden:
            "This console cannot be locked: /proc hides the programs of others (hidepid). Log out, or ask the administrator."
        case .unseen:
            "This console cannot be locked: a program in the foreground cannot be identified. End it, or log out."
        case .foreign: "This console cannot be locked while a program of another user uses it. End it, or log out."
        }
    }
}
