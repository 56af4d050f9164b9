/// The reason why the database stores no change.
public enum WriteProblem: Sendable, Equatable {
    /// Commits wait, for a synchronous standby or for a disk.
    case commitsWait
    case diskFull
    /// The database's words.
    case other(String)

    /// The problem, and what to do about it.
    var text: String {
        switch self {
        case .commitsWait:
            "commits wait: bring the standby back, or name another one in synchronous_standby_names "
                + "(/usr/share/doc/boxsite/how-to/run-a-site.md, Add a standby database); without a standby, check the disk"
        case .diskFull: "the database's disk is full: free some space there"
        case .other(let words): words
        }
    }
}
