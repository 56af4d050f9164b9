/// The reasons why a database call failed.
public enum DatabaseError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No writable server answers, or the connection was lost before anything could have happened. The text says why.
    case unreachable(String)
    /// It is unknown whether the change was made. A COMMIT, or a statement in its own transaction, was sent. Then the
    /// connection ended, the deadline passed or the task was cancelled before the answer came.
    case outcomeUnknown
    /// The server refused the statement, which had no effect. The message is printable and has at most 512 bytes.
    case refused(sqlState: String, message: String)
    /// Another transaction was in the way (40001, 40P01). The same transaction may be tried again.
    case conflict
    /// Too many callers wait for a connection, or this connection is already in use.
    case busy
    /// The deadline passed, and nothing was changed.
    case timedOut
    /// The task was cancelled, and nothing was changed.
    case cancelled
    /// A column has a type that the caller did not expect or this library does not know. The text names the column.
    case unexpectedType(String)
    /// The result or a statement's values exceed the bound. A statement that changes rows outside a transaction, or
    /// ends one, may still have taken effect if it returned too many rows.
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
