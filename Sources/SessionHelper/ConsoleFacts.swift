/// What is at a terminal, as a program without rights sees it at one moment.
struct ConsoleFacts: Equatable, Sendable {
    struct Process: Equatable, Sendable {
        let number: Int32
        let parent: Int32
        let group: Int32
        /// A zombie: nothing of it will run again, whosever it was.
        let isEnded: Bool
        let isStopped: Bool
        /// Every user id of it is the session's user's, so that it can be stopped and cannot go on by rights of another.
        let isOwn: Bool
        /// Whether the terminal is its controlling one.
        let isAtTerminal: Bool
        /// Whether it holds the terminal open for reading; nil: that cannot be seen. A reader need not be at the terminal:
        /// tmux(1) and screen(1) hand it to a server of their own.
        let reads: Bool?
        /// Equal for equal names.
        let name: UInt64
    }

    /// What a virtual terminal shows (ioctl_console(2)).
    enum Display: Equatable, Sendable {
        /// Its own text; also any terminal that is no virtual one.
        case text
        /// A picture, or what a program decides that switches it (KD_GRAPHICS, VT_PROCESS).
        case others
        case unknown
    }

    /// Whom the kernel knows in a process group, whether /proc shows them or not (kill(2)).
    enum Members: Equatable, Sendable {
        case some
        case othersOnly
        case none
    }

    let display: Display
    /// Whether /proc hides processes, or there are more than were looked at.
    let hidesProcesses: Bool
    /// The groups that were in front of the terminal while it was looked at: one, unless that changed.
    let front: [Int32: Members]
    /// At the terminal, of any user; the user's own elsewhere too, where their descriptors were looked at.
    let processes: [Process]
}

/// Whether /proc shows the processes of others.
enum ProcessTable {
    /// - Parameters:
    ///   - mount: The line of mountinfo for /proc; nil: it could not be read.
    ///   - seesFirst: Process 1, which is always there, was seen.
    ///   - ownsFirst: It is the user's own, as in a container, and shows nothing of what happens to others.
    static func hidesOthers(mount: String?, seesFirst: Bool, ownsFirst: Bool) -> Bool {
        guard let mount, seesFirst else { return true }
        guard ownsFirst else { return false }
        // Options of the file system are the last field (proc(5)).
        let options = mount.split(separator: " ").last?.split(separator: ",") ?? []
        return options.contains { option in
            guard option.hasPrefix("hidepid=") else { return false }
            return !["0", "off"].contains(option.dropFirst("hidepid=".count).prefix { $0 != "\n" })
        }
    }
}
