/// Why the database did not do what it was asked.
public enum DatabaseError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No server that can write is reached, or the connection was lost before anything could have happened: why.
    case unreachable(String)
    /// The connection ended, the deadline passed or the task was cancelled after a COMMIT or a statement of its own
    /// transaction was sent, and before its answer came: it has happened, or it has not.
    case outcomeUnknown
    /// The server refused the statement; nothing of it has happened. The message is printable, at most 512 bytes.
    case refused(sqlState: String, message: String)
    /// Another transaction was in the way (40001, 40P01): the same transaction may be tried again.
    case conflict
    /// More wait for a connection than the bound allows, or this connection is already in use.
    case busy
    /// The deadline passed, and nothing has happened.
    case timedOut
    /// The task was cancelled, and nothing has happened.
    case cancelled
    /// A column is of another type than the caller or this library knows: which.
    case unexpectedType(String)
    /// The result, or the values of a statement, are over the bound. A statement that changes rows outside a transaction, or
    /// ends one, and returns too many may have happened.
    case tooLarge

    public var description: String {
        switch self {
        case .unreachable(let why):
            "the database cannot be reached: \(why); check that PostgreSQL runs and accepts writes"
        case .outcomeUnknown:
            "the connection to the database ended before it confirmed the change; check whether the change was made"
        case .refused(let state, let message):
            "the database refused a statement: \(message) (SQLSTATE \(state)); see PostgreSQL's log for the details"
        case .conflict: "another transaction conflicted; try the transaction again"
        case .busy: "too many requests wait for the database; try again in a moment"
        case .timedOut: "the database did not answer in time; try again, and check what keeps it busy"
        case .cancelled: "cancelled"
        case .unexpectedType(let what):
            "the database's answer has an unexpected type: \(what); check that the schema matches this program"
        case .tooLarge: "the request to the database is too large; ask for less at a time"
        }
    }
}
