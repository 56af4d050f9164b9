import VaultPort

/// Reads the sessions and deadlines of an earlier run. If the vault does not answer, the sessions are unknown, which
/// does not mean that there are none (docs/decisions/018-sessions.md).
///
///     started ──────► reading deadlines ── read ──► known
///     logind there ─► reading sessions ─── read ──► known
///                        ▲     │ fails, or 30 s without an answer
///                        │     ▼
///                        └─ 1…30 s; a minute after the first failure `ownersUnknown` is told, once
package struct Restoring: Sendable {
    /// The time after which a read without an answer counts as failed.
    package static let readLimit: Duration = .seconds(30)

    private enum Read: Sendable { case deadlines, sessions }

    private var hasDeadlines = false
    /// True once the rows of sessions were read with logind available. Sessions without a row then belong to no phone.
    package private(set) var knowsOwners = false
    private var isLogindThere = false
    private var unreadable = UnreadableVault()
    /// The time of the next read.
    private var retryAt: Duration?
    /// The time at which a read in progress counts as failed.
    private var failsAt: Duration?
    private var pending = Pending<Read>(.restoring)

    package init() {}

    // MARK: - Entries

    package mutating func started(_ out: inout Output) {
        read(&out)
    }

    /// Reads the rows, because logind is available, perhaps after a restart of this agent or of logind.
    package mutating func logindCame(_ out: inout Output) {
        isLogindThere = true
        read(&out)
    }

    /// Arranges another read of the owners. After a minute of failures, every user's session is locked once.
    package mutating func couldNotRead(_ out: inout Output) {
        let reaction = unreadable.failed(now: out.time)
        if reaction.locks {
            out.log(.error, "the vault has been unreadable for a minute: locking every user's session")
            out.tell(.ownersUnknown)
        }
        if let at = reaction.retryAt { retryAt = at }
    }

    package mutating func answered(_ id: OperationID, _ answer: Answer, _ out: inout Output) {
        guard let read = pending.close(id) else { return }
        if !isReading { failsAt = nil }
        switch (read, answer) {
        case (.deadlines, .vault(.deadlines(let deadlines))):
            hasDeadlines = true
            out.tell(.deadlinesRead(deadlines))
        case (.deadlines, _):
            out.log(.error, "stored deadlines could not be read: \(answer.problem); run 'boxagent doctor'")
            couldNotRead(&out)
        case (.sessions, .vault(.sessions(let ofEarlierBoots, let ofThisBoot))):
            if hasDeadlines {
                unreadable.worked()
                retryAt = nil
            }
            knowsOwners = knowsOwners || isLogindThere
            out.tell(.rowsRead(ofEarlierBoots: ofEarlierBoots, ofThisBoot: ofThisBoot))
        case (.sessions, _):
            // Keep all deadlines: the owners are unknown, but may exist.
            out.log(.error, "the sessions' owners could not be read: \(answer.problem); run 'boxagent doctor'")
            couldNotRead(&out)
        }
    }

    package var deadline: Duration? { [retryAt, failsAt].compactMap { $0 }.min() }

    package mutating func timeHasCome(_ out: inout Output) {
        if let at = failsAt, at <= out.time {
            failsAt = nil
            out.log(.error, "the vault has not answered within 30 s; run 'boxagent doctor'")
            couldNotRead(&out)
        }
        if let at = retryAt, at <= out.time {
            retryAt = nil
            unreadable.retries()
            read(&out)
        }
    }

    // MARK: - Reading

    /// Starts the reads that are needed. A read in progress is not repeated: the vault answers in order.
    private mutating func read(_ out: inout Output) {
        if !hasDeadlines, !isReading(.deadlines) {
            out.emit(.vault(pending.open(.deadlines), .readDeadlines))
        }
        if isLogindThere, !isReading(.sessions) { out.emit(.vault(pending.open(.sessions), .readSessions)) }
        failsAt = isReading ? out.time + Self.readLimit : nil
    }

    private var isReading: Bool { isReading(.deadlines) || isReading(.sessions) }

    private func isReading(_ read: Read) -> Bool { pending.all.contains(read) }
}
