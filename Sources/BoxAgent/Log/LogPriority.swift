/// syslog(3) priorities, which the journal reads from a prefix `<N>` (sd-daemon(3)) or from the field PRIORITY.
enum LogPriority: Int, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
}
