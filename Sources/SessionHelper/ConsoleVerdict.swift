/// The decision about a terminal from the facts of `ConsoleProcesses`. Pure.
enum ConsoleVerdict: Equatable, Sendable {
    /// The reason why the terminal cannot be locked: something cannot be stopped or seen.
    enum Refusal: Equatable, Sendable {
        /// The screen shows graphics, or a program switches it.
        case picture
        /// /proc hides processes.
        case hidden
        /// No visible process is in the foreground.
        case unseen
        /// A program of another user is in the foreground, or would get there when its own child stops.
        case foreign
    }

    case refused(Refusal)
    /// These processes of the user must be stopped first.
    case stop([Int32])
    /// Every possible reader of the terminal is stopped.
    case ready

    /// - Parameters:
    ///   - exempt: The helper itself, and the process that restarts it.
    ///   - settled: Processes that are already stopped.
    ///   - leader: The process that opened the session, from logind. It is root's login(1), which stays at the terminal
    ///     and only waits for the shell. No other process of another user is accepted.
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
            // A group whose last member has just ended is empty until the shell takes the terminal back.
            guard members == .none || (members == .some && !seen.isEmpty) else { return .refused(.unseen) }
        }
        guard !isWaitedFor(there) else { return .refused(.foreign) }
        let halves = Set(there.filter { $0.isOwn && $0.reads == nil }.map(\.name))
        let readers = facts.processes.filter { process in
            guard process.isOwn, !process.isEnded, !exempt.contains(process.number), !settled.contains(process.number)
            else { return false }
            // A program that hides its descriptors at the terminal may have another process elsewhere that hides them
            // too, such as screen(1).
            return process.isAtTerminal || (process.reads ?? halves.contains(process.name))
        }
        // Parents come first. A shell that still runs would notice that its job stopped (waitpid(2)), and take that for
        // Control-Z when it continues.
        let numbers = Set(readers.map(\.number))
        let first = readers.filter { !numbers.contains($0.parent) }
        return readers.isEmpty ? .ready : .stop((first.isEmpty ? readers : first).map(\.number))
    }

    /// Returns whether a process of another user at the terminal waits for one of this user's processes there, as
    /// root's shell does for su(1). The waiting process would notice the stop, take the terminal and read.
    private static func isWaitedFor(_ there: [ConsoleFacts.Process]) -> Bool {
        let byNumber = Dictionary(there.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        return there.contains { process in
            guard process.isOwn, !process.isEnded else { return false }
            var next = byNumber[process.parent]
            // The loop is bounded, because /proc is read process by process, and could show a cycle.
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
    /// The message for the user at the console.
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
