import CPostgreSQL

/// Collects the server's answers to one command, or to the commands of a pipeline, within bounds.
struct ResultCollector {
    static let limitRows = 20_000
    static let limitBytes = 16 * 1_024 * 1_024

    /// False for commands whose rows are not needed.
    let keepsRows: Bool
    private(set) var rows: [DatabaseRow] = []
    private(set) var affectedRows = 0
    /// The tag of the last command that the server ran, such as "COMMIT".
    private(set) var tag = ""
    /// The first error.
    private(set) var error: DatabaseError?
    /// The message with which the server, or libpq, ended the connection.
    private(set) var lastWords: String?
    /// The number of outstanding answers, including the pipeline's end. It is 0 outside a pipeline and after its end.
    private(set) var awaited: Int
    /// True if the answer cannot be read to its end, so that the connection must be closed.
    private(set) var mustEnd = false
    private var bytes = 0

    init(keepsRows: Bool, pipelined commands: Int = 0) {
        self.keepsRows = keepsRows
        awaited = commands > 0 ? commands + 1 : 0
    }

    /// Counts one answered command of a pipeline. Returns whether another command follows before the pipeline's end.
    mutating func nextAnswer() -> Bool {
        awaited -= 1
        return awaited > 1
    }

    var result: DatabaseResult { DatabaseResult(rows: rows, affectedRows: affectedRows) }

    /// Reads a result. The caller still owns the result and frees it.
    mutating func take(_ result: OpaquePointer) {
        switch PQresultStatus(result) {
        case PGRES_SINGLE_TUPLE, PGRES_TUPLES_OK: takeRows(result)
        case PGRES_COMMAND_OK: takeTag(result)
        case PGRES_EMPTY_QUERY: break
        case PGRES_PIPELINE_SYNC: awaited = 0
        // A command that the server skipped after the recorded error.
        case PGRES_PIPELINE_ABORTED: break
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            note(.refused(sqlState: "0A000", message: "COPY is not supported"))
            mustEnd = true
        default: takeError(result)
        }
    }

    private mutating func takeTag(_ result: OpaquePointer) {
        // SAFETY: libpq owns both texts; they are copied at once.
        if let text = PQcmdStatus(result) { tag = String(cString: text) }
        if let count = PQcmdTuples(result) { affectedRows = Int(String(cString: count)) ?? affectedRows }
    }

    private mutating func takeRows(_ result: OpaquePointer) {
        if PQresultStatus(result) == PGRES_TUPLES_OK { takeTag(result) }
        guard keepsRows, error == nil else { return }
        do throws(DatabaseError) {
            for row in 0..<PQntuples(result) {
                let read = DatabaseRow(values: try Self.values(of: result, row, bytes: &bytes))
                guard rows.count < Self.limitRows, bytes <= Self.limitBytes else {
                    mustEnd = true
                    throw .tooLarge
                }
                rows.append(read)
            }
        } catch {
            note(error)
        }
    }

    private static func values(
        of result: OpaquePointer, _ row: Int32, bytes: inout Int
    ) throws(DatabaseError) -> [DatabaseValue] {
        var values: [DatabaseValue] = []
        for column in 0..<PQnfields(result) {
            let type = PQftype(result, column)
            guard DatabaseType.known.contains(type) else {
                throw .unexpectedType("column \(column) is of type number \(type)")
            }
            guard PQgetisnull(result, row, column) == 0 else {
                values.append(.null)
                continue
            }
            let count = Int(PQgetlength(result, row, column))
            bytes += count
            // SAFETY: libpq says how many bytes are there; they are copied at once.
            let copy = Array(UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: count))
            values.append(try DatabaseValue(copy, of: type))
        }
        return values
    }

    private mutating func takeError(_ result: OpaquePointer) {
        // SAFETY: libpq owns the texts, which are copied at once.
        let state = cpostgresql_sql_state(result).map { String(cString: $0) }
        let text = cpostgresql_message(result) ?? UnsafePointer(PQresultErrorMessage(result))
        let message = ServerText.bounded(text.map { String(cString: $0) } ?? "")
        guard let state, cpostgresql_is_fatal(result) == 0 else {
            // A fatal error ends the connection. Without an SQLSTATE, libpq itself has lost it.
            lastWords = lastWords ?? (message.isEmpty ? "the connection has ended" : message)
            mustEnd = true
            return
        }
        note(Self.error(state, message))
        // The server has become a standby, which cannot be used any more.
        if case .unreachable = error { mustEnd = true }
    }

    private mutating func note(_ new: DatabaseError) {
        if error == nil { error = new }
    }

    /// Maps a server error that leaves the connection usable to the caller's error (PostgreSQL's manual, appendix A).
    static func error(_ state: String, _ message: String) -> DatabaseError {
        switch state {
        case "40001", "40P01": .conflict
        case "40003": .outcomeUnknown
        // The server's own time limit ended the statement, or an administrator cancelled it.
        case "57014": .timedOut
        case "25006": .unreachable("the server is read-only: \(message)")
        default: .refused(sqlState: state, message: message)
        }
    }
}
