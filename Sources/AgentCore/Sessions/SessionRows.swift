import VaultPort

/// The owners of sessions as they are, or should be, stored in the vault. Pure; times are since boot.
///
/// A failed write is retried after 1…30 s. A later change replaces an earlier one, so obsolete data is not written.
///
///     wanted ── done ──► gone
///       ▲ │ failed
///       └─┘ after the pause
package struct SessionRows: Sendable {
    package enum Change: Equatable, Sendable {
        case keep(StoredSession)
        case forget([UInt8])

        var logindID: [UInt8] {
            switch self {
            case .keep(let session): session.logindID
            case .forget(let id): id
            }
        }

        var command: VaultCommand {
            switch self {
            case .keep(let session): .keepSession(session)
            case .forget(let id): .forgetSession(id)
            }
        }

        /// The name of the change for the log.
        var description: String {
            switch self {
            case .keep: "a session"
            case .forget: "the end of a session"
            }
        }
    }

    private struct Write: Equatable, Sendable {
        let change: Change
        let number: UInt64
    }

    private struct Wanted: Sendable {
        let write: Write
        var hasFailed = false
    }

    /// The most unwritten changes. Beyond this limit, the oldest end is forgotten: the next start detects that the
    /// session is gone.
    package static let limit = 256

    private var wanted: [[UInt8]: Wanted] = [:]
    private var lastNumber: UInt64 = 0
    private var pause = UnreadableVault.firstPause
    private var pending: Pending<Write>
    /// The time of the next retry.
    package private(set) var deadline: Duration?

    package init(_ room: Room, after first: UInt64) {
        pending = Pending(room, after: first)
    }

    /// The number of unwritten changes.
    package var count: Int { wanted.count }

    /// Returns whether the session's row is being removed. A row that was read before the removal is obsolete.
    package func isForgetting(_ logindID: [UInt8]) -> Bool {
        wanted[logindID]?.write.change == .forget(logindID)
    }

    package mutating func want(_ change: Change, _ out: inout Output) {
        lastNumber += 1
        let write = Write(change: change, number: lastNumber)
        wanted[change.logindID] = Wanted(write: write)
        if wanted.count > Self.limit { forgetOldestEnd() }
        perform(write, &out)
    }

    package mutating func answered(_ id: OperationID, _ answer: Answer, _ out: inout Output) {
        guard let write = pending.close(id), wanted[write.change.logindID]?.write == write else { return }
        guard case .vault(.done) = answer else { return failed(write, answer, &out) }
        wanted[write.change.logindID] = nil
        if !hasFailed { (deadline, pause) = (nil, UnreadableVault.firstPause) }
    }

    package mutating func timeHasCome(_ out: inout Output) {
        guard let at = deadline, at <= out.time else { return }
        deadline = nil
        let due = wanted.values.filter(\.hasFailed).map(\.write)
        for write in due.sorted(by: { $0.number < $1.number }) { perform(write, &out) }
    }

    private var hasFailed: Bool { wanted.values.contains(where: \.hasFailed) }

    private mutating func perform(_ write: Write, _ out: inout Output) {
        out.emit(.vault(pending.open(write), write.change.command))
    }

    private mutating func failed(_ write: Write, _ answer: Answer, _ out: inout Output) {
        // One line in the log is enough until all changes are written.
        if !hasFailed { out.log(.error, "\(write.change.description) could not be stored: \(answer.problem)") }
        wanted[write.change.logindID]?.hasFailed = true
        guard deadline == nil else { return }
        deadline = out.time + pause
        pause = min(pause * 2, UnreadableVault.longestPause)
    }

    private mutating func forgetOldestEnd() {
        let ends = wanted.values.map(\.write).filter { $0.change == .forget($0.change.logindID) }
        guard let oldest = ends.min(by: { $0.number < $1.number }) else { return }
        wanted[oldest.change.logindID] = nil
    }
}
