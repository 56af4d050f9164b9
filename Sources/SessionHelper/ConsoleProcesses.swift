import CSessionHelper
import EventLoop
import Glibc

/// Stops the readers of a terminal and continues them. `ConsoleVerdict` decides which processes to stop.
struct ConsoleProcesses {
    let path: String
    let device: UInt32
    let user: UInt32
    /// The stopped processes in order. They continue in reverse order, so that a shell finds its job running.
    private(set) var stopped: [Int32] = []
    /// Processes that were already stopped, for example by Control-Z. They stay stopped.
    private var resting: Set<Int32> = []
    /// True if a killed helper left stopped processes. They look like processes that the user had stopped.
    private(set) var takesOver: Bool

    /// - Parameter path: The terminal's device, such as "/dev/tty2".
    init(path: String, user: UInt32, takesOver: Bool) {
        self.path = path
        device = csession_device(path)
        self.user = user
        self.takesOver = takesOver
    }

    /// Looks once, and stops the processes that are not stopped yet. Returns `.ready` if there were none.
    ///
    /// - Parameter everywhere: True to check the descriptors of the user's processes elsewhere too.
    mutating func step(everywhere: Bool) -> ConsoleVerdict {
        let facts = ConsoleSight.look(at: path, device, of: user, everywhere: everywhere)
        // Stops a process again that was continued, for example by the end of its shell (setpgid(2), "orphaned process
        // group").
        for process in facts.processes where stopped.contains(process.number) && !process.isStopped {
            kill(process.number, SIGSTOP)
        }
        let asleep = Set(facts.processes.filter(\.isStopped).map(\.number))
        // Our parent is exempt, because it restarts us after a kill.
        let verdict = ConsoleVerdict.judge(
            facts, exempt: [getpid(), getppid()], settled: resting.intersection(asleep).union(stopped),
            leader: csession_keeps_leader())
        guard case .stop(let found) = verdict else { return verdict }
        for process in found {
            if !takesOver, asleep.contains(process), !resting.contains(process) {
                resting.insert(process)
            } else if kill(process, SIGSTOP) == 0 {
                resting.remove(process)
                stopped.append(process)
            }
        }
        return verdict
    }

    /// True if SIGSTOP has reached every thread of the stopped processes. Until then, a thread may be in a read and get
    /// the next typed line.
    var areStill: Bool {
        stopped.allSatisfy { process in
            Directories.names(in: "/proc/\(process)/task", limit: ConsoleSight.processLimit).allSatisfy { thread in
                var found = csession_process()
                guard let number = Int32(thread), csession_look(number, &found) == 0 else { return true }
                return "TtZX".utf8.contains(UInt8(bitPattern: found.state))
            }
        }
    }

    /// Continues the processes. SIGWINCH makes a full-screen program redraw.
    mutating func go() {
        for process in stopped.reversed() {
            kill(process, SIGCONT)
            kill(process, SIGWINCH)
        }
        stopped = []
        resting = []
        takesOver = false
    }
}

/// Gathers the facts for `ConsoleVerdict`.
enum ConsoleSight {
    static let processLimit = 32_768

    static func look(at path: String, _ device: UInt32, of user: UInt32, everywhere: Bool) -> ConsoleFacts {
        let names = Directories.names(in: "/proc", limit: processLimit)
        var front: [Int32: ConsoleFacts.Members] = [:]
        var processes: [ConsoleFacts.Process] = []
        for name in names {
            var found = csession_process()
            guard let number = Int32(name), csession_look(number, &found) == 0 else { continue }
            let isAtTerminal = device != 0 && found.terminal == device
            if isAtTerminal { front[found.foreground_group] = members(of: found.foreground_group) }
            guard isAtTerminal || everywhere else { continue }
            let isOwn = csession_is_of(number, user) == 1
            guard isAtTerminal || isOwn else { continue }
            let reads = everywhere && isOwn ? csession_reads(number, device, found.terminal == 0 ? 1 : 0) : 0
            processes.append(
                ConsoleFacts.Process(
                    number: number, parent: found.parent, group: found.group, isEnded: hasEnded(found),
                    isStopped: "TtZX".utf8.contains(UInt8(bitPattern: found.state)), isOwn: isOwn,
                    isAtTerminal: isAtTerminal, reads: reads < 0 ? nil : reads > 0, name: found.name))
        }
        return ConsoleFacts(
            display: display(of: path), hidesProcesses: names.count >= processLimit || hidesProcesses(from: user),
            front: front, processes: processes)
    }

    /// Returns whether the process has ended. `state` is that of the first thread, which may be a zombie while other
    /// threads still run.
    private static func hasEnded(_ process: csession_process) -> Bool {
        "ZX".utf8.contains(UInt8(bitPattern: process.state))
            && Directories.names(in: "/proc/\(process.process)/task", limit: 2).count <= 1
    }

    private static func members(of group: Int32) -> ConsoleFacts.Members {
        switch csession_group(group) {
        case 0: .none
        case 1: .some
        default: .othersOnly
        }
    }

    private static func hidesProcesses(from user: UInt32) -> Bool {
        var line = [CChar](repeating: 0, count: 4_096)
        let isMounted = csession_mount_of_proc(&line, line.count) == 0
        var first = csession_process()
        let text = line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return ProcessTable.hidesOthers(
            mount: isMounted ? String(decoding: text, as: UTF8.self) : nil, seesFirst: csession_look(1, &first) == 0,
            ownsFirst: csession_is_of(1, user) == 1)
    }

    private static func display(of path: String) -> ConsoleFacts.Display {
        switch csession_display(path) {
        case CSESSION_NO_DISPLAY, CSESSION_TEXT: .text
        case CSESSION_PICTURE, CSESSION_DRIVEN: .others
        default: .unknown
        }
    }
}
