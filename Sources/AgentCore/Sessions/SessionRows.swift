import VaultPort

/// What stands, or should stand, in the vault of whose sessions are. Pure; times are since boot.
///
/// What cannot be written holds in memory and is tried again after 1…30 s. A later wish for a session takes the place of an
/// earlier one, so that nothing is written that is no longer true.
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

        package var command: VaultCommand {
            switch self {
            case .keep(let session): .keepSession(session)
            case .forget(let id): .forgetSession(id)
            }
        }

        /// For the log.
        package var description: String {
            switch self {
            case .keep: "a session"
            case .forget: "the end of a session"
            }
        }
    }

    /// One try.
    package struct Write: Equatable, Sendable {
        package let change: Change
        fileprivate let number: UInt64
    }

    private struct Wanted: Sendable {
        let write: Write
        var hasFailed = false
    }

    /// With a vault that is never written again the oldest ends are forgotten: the next start finds by itself that those
    /// sessions are gone.
    package static let limit = 256

    private var wanted: [[UInt8]: Wanted] = [:]
    private var lastNumber: UInt64 = 0
    private var pause = UnreadableVault.firstPause
    /// When what failed is tried again.
    package private(set) var deadline: Duration?

    package init() {}

    /// What is not written down yet.
    package var count: Int { wanted.count }

    package mutating func want(_ change: Change) -> Write {
        lastNumber += 1
        let write = Write(change: change, number: lastNumber)
        wanted[change.logindID] = Wanted(write: write)
        if wanted.count > Self.limit { forgetOldestEnd() }
        return write
    }

    package mutating func written(_ write: Write) {
        guard wanted[write.change.logindID]?.write == write else { return }
        wanted[write.change.logindID] = nil
        if !wanted.values.contains(where: \.hasFailed) { (deadline, pause) = (nil, UnreadableVault.firstPause) }
    }

    /// Whether it is the first failure since all was written: one line of the log is enough.
    package mutating func failed(_ write: Write, now: Duration) -> Bool {
        guard wanted[write.change.logindID]?.write == write else { return false }
        let isFirst = !wanted.values.contains(where: \.hasFailed)
        wanted[write.change.logindID]?.hasFailed = true
        if deadline == nil {
            deadline = now + pause
            pause = min(pause * 2, UnreadableVault.longestPause)
        }
        return isFirst
    }

    /// What is to be tried again now, in the order in which it was wanted.
    package mutating func due(now: Duration) -> [Write] {
        guard let at = deadline, at <= now else { return [] }
        deadline = nil
        return wanted.values.filter(\.hasFailed).map(\.write).sorted { $0.number < $1.number }
    }

    /// Whether its row is to go: a row that was read before that is of no session any more.
    package func isForgetting(_ logindID: [UInt8]) -> Bool {
        wanted[logindID]?.write.change == .forget(logindID)
    }

    private mutating func forgetOldestEnd() {
        let ends = wanted.values.filter { $0.write.change == .forget($0.write.change.logindID) }
        guard let oldest = ends.min(by: { $0.write.number < $1.write.number }) else { return }
        wanted[oldest.write.change.logindID] = nil
    }
}
