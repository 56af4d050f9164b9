/// The processes at a terminal, as a program without privileges sees them at one moment.
struct ConsoleFacts: Equatable, Sendable {
    struct Process: Equatable, Sendable {
        let number: Int32
        let parent: Int32
        let group: Int32
        /// True if it is a zombie, of any user, and will not run again.
        let isEnded: Bool
        let isStopped: Bool
        /// True if all its user ids are the session's user, so that it can be stopped and has no other rights.
        let isOwn: Bool
        /// True if the terminal is its controlling terminal.
        let isAtTerminal: Bool
        /// True if it has the terminal open for reading, or nil if that is hidden. A reader may have another terminal:
        /// tmux(1) and screen(1) pass the terminal to a server.
        let reads: Bool?
        /// A hash, equal for equal names.
        let name: UInt64
    }

    /// The display of a virtual terminal (ioctl_console(2)).
    enum Display: Equatable, Sendable {
        /// Its own text. Also used for every terminal that is not virtual.
        case text
        /// Graphics, or a program that switches the terminal (KD_GRAPHICS, VT_PROCESS).
        case others
        case unknown
    }

    /// The members of a process group as kill(2) reports them, even if /proc hides them.
    enum Members: Equatable, Sendable {
        case some
        case othersOnly
        case none
    }

    let display: Display
    /// True if /proc hides processes, or has more than the limit.
    let hidesProcesses: Bool
    /// The foreground groups seen while the facts were gathered. There is one, unless it changed meanwhile.
    let front: [Int32: Members]
    /// All processes at the terminal. A full look adds the user's other processes, with their descriptors checked.
    let processes: [Process]
}

/// Decides whether /proc shows the processes of other users.
enum ProcessTable {
    /// - Parameters:
    ///   - mount: The line of mountinfo for /proc, or nil if it could not be read.
    ///   - seesFirst: True if process 1 is visible, which always exists.
    ///   - ownsFirst: True if the user owns process 1, as in a container. Then seeing it proves nothing about processes
    ///     of others.
    static func hidesOthers(mount: String?, seesFirst: Bool, ownsFirst: Bool) -> Bool {
        guard let mount, seesFirst else { return true }
        guard ownsFirst else { return false }
        // The options of the file system are the last field (proc(5)).
        let options = mount.split(separator: " ").last?.split(separator: ",") ?? []
        return options.contains { option in
            guard option.hasPrefix("hidepid=") else { return false }
            return !["0", "off"].contains(option.dropFirst("hidepid=".count).prefix { $0 != "\n" })
        }
    }
}
