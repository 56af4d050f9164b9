import CSessionHelper
import EventLoop
import Glibc

/// The processes at a terminal, as /proc shows them.
struct ConsoleProcesses {
    static let processLimit = 32_768

    /// Stopped, to be continued in this order: what was in front first, so that a shell finds its job running.
    private(set) var stopped: [Int32] = []

    /// Stops what reads the terminal. False, and nothing is stopped, when somebody else's program has it in front: that
    /// one would go on reading.
    mutating func stop(on terminal: UInt32, user: UInt32) -> Bool {
        // What starts meanwhile is started by what is not stopped yet: again, until there is nothing new.
        for _ in 0..<8 {
            let found = Self.processes(on: terminal).filter { !stopped.contains($0.process) }
            if found.contains(where: { $0.group == $0.foreground_group && $0.user != user }) {
                go()
                return false
            }
            let own = found.filter { $0.user == user && $0.process != getpid() }
            if own.isEmpty { return true }
            for process in own where kill(process.process, SIGSTOP) == 0 { stopped.append(process.process) }
        }
        return true
    }

    /// Lets them go on. A full-screen program draws itself anew at SIGWINCH.
    mutating func go() {
        for process in stopped.reversed() {
            kill(process, SIGCONT)
            kill(process, SIGWINCH)
        }
        stopped = []
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
