import CSessionHelper
import EventLoop
import Glibc

/// The processes at a terminal, as /proc shows them.
struct ConsoleProcesses {
    static let processLimit = 32_768

    /// Stopped, to be continued in this order: what was in front first, so that a shell finds its job running.
    private(set) var stopped: [Int32] = []
    /// Stopped before, by Control-Z for instance, and left so.
    private var resting: Set<Int32> = []
    /// A helper that was killed has left what it had stopped: that cannot be told from what rested before.
    private var takesOver: Bool

    init(takesOver: Bool) {
        self.takesOver = takesOver
    }

    enum Found {
        /// Somebody else's program has the terminal in front, and would go on reading: nothing is stopped.
        case foreign
        /// They have been sent the signal; there may be others that they have started before it reached them.
        case some
        case none
    }

    /// Stops what reads the terminal and has not been told to yet.
    mutating func stop(on terminal: UInt32, user: UInt32) -> Found {
        let found = Self.processes(on: terminal).filter {
            !stopped.contains($0.process) && !resting.contains($0.process)
        }
        if found.contains(where: { $0.group == $0.foreground_group && $0.user != user }) {
            go()
            return .foreign
        }
        // Our parent starts us again when we are killed.
        let own = found.filter { $0.user == user && $0.process != getpid() && $0.process != getppid() }
        for process in own {
            if !takesOver, process.state == CChar(bitPattern: UInt8(ascii: "T")) {
                resting.insert(process.process)
            } else if kill(process.process, SIGSTOP) == 0 {
                stopped.append(process.process)
            }
        }
        return own.isEmpty ? .none : .some
    }

    /// Whether the signal has reached every thread of theirs. One that it has not reached yet may still have a read
    /// under way, and would be given what is typed next.
    var areStill: Bool {
        stopped.allSatisfy { process in
            Directories.names(in: "/proc/\(process)/task", limit: Self.processLimit).allSatisfy { thread in
                var found = csession_process()
                guard let number = Int32(thread), csession_look(number, &found) == 0 else { return true }
                return "TtZX".utf8.contains(UInt8(bitPattern: found.state))
            }
        }
    }

    /// Lets them go on. A full-screen program draws itself anew at SIGWINCH.
    mutating func go() {
        for process in stopped.reversed() {
            kill(process, SIGCONT)
            kill(process, SIGWINCH)
        }
        stopped = []
        resting = []
        takesOver = false
    }

    private static func processes(on terminal: UInt32) -> [csession_process] {
        Directories.names(in: "/proc", limit: processLimit).compactMap { name in
            guard let number = Int32(name) else { return nil }
            var found = csession_process()
            guard csession_look(number, &found) == 0, found.terminal == terminal else { return nil }
            return found
        }
    }
}
