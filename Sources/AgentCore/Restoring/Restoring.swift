import VaultPort

/// What an earlier run of the agent wrote down of sessions and deadlines, and a vault that does not say it: unknown is not
/// none (docs/decisions/018-sessions.md).
///
///     started ──────► reading deadlines ── read ──► known
///     logind there ─► reading sessions ─── read ──► known
///                        ▲     │ fails, or 30 s without an answer
///                        │     ▼
///                        └─ 1…30 s; a minute after the first failure `ownersUnknown` is told, once
package struct Restoring: Sendable {
    /// How long the vault may take, before that counts as a failure.
    package static let readLimit: Duration = .seconds(30)

    private enum Read: Sendable { case deadlines, sessions }

    private var hasDeadlines = false
    /// The rows of sessions were read while logind was there: what is not known to be a phone's is none's.
    package private(set) var knowsOwners = false
    private var isLogindThere = false
    private var unreadable = UnreadableVault()
    /// When the vault is asked again.
    private var retryAt: Duration?
    /// When a read under way counts as failed.
    private var failsAt: Duration?
    private var pending = Pending<Read>(.restoring)

    package init() {}

    // MARK: - Entries

    package mutating func started(_ out: inout Output) {
        read(&out)
    }

    /// Logind is there, perhaps after a restart of ours or its own: what was written down can be compared with what it says.
    package mutating func logindCame(_ out: inout Output) {
        isLogindThere = true
        read(&out)
    }

    /// The vault did not say whose a session is: it is asked again, and in the end every person's session is locked once.
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
            // Unknown is not none: no deadline is given up.
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

    /// A question under way is not repeated: the vault answers one after the other.
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
