import Links

/// Searches for the box with some digits. Listens, visits the boxes that show the digits one by one, and returns each
/// identity to the caller. `passBy` continues with the next box, and `proved` with those that were heard beside it.
///
/// ```
/// listening ──heard──► visiting ──identity──► (found) ──passBy, proved──► visiting, listening
///     ▲                    │ link failed                                      │
///     └────────────────────┴──────────────── time is up ─────────────────► (PhoneError)
/// ```
final class Seeking {
    enum End: Sendable {
        case found([UInt8])
        case failed(PhoneError)
    }

    private indirect enum Stage {
        /// Until this time for other boxes, once a box was heard.
        case listening(until: Duration?)
        case visiting(Visit)
        case found(Advertisement)
    }

    private var search: BoxSearch
    private var stage = Stage.listening(until: nil)
    private let usual: [UInt8]?

    /// - Parameter usual: The address at which the box was found alone, or empty. Only there, the first box heard is
    ///   visited without listening for others. Nil takes the first box anywhere.
    init(boxID: String, usual: [UInt8]? = nil, _ context: inout ErrandContext) {
        search = BoxSearch(boxID: boxID, until: context.now + context.limits.scan)
        self.usual = usual
        context.listen(for: context.limits.scan)
    }

    var deadline: Duration? {
        guard case .visiting(let visit) = stage else {
            if case .listening(let until) = stage { return until }
            return nil
        }
        return visit.deadline
    }

    func handle(_ input: Input, _ context: inout ErrandContext) -> End? {
        switch stage {
        case .listening(let until):
            switch input {
            case .heard(let advertisement) where search.isCandidate(advertisement):
                let isUsual = usual.map { $0 == advertisement.address.bytes } ?? true
                search.add(advertisement, isUsual: isUsual)
                guard PhoneLimits.hearsOthers else { return begin(&context) }
                stage = .listening(until: until ?? context.now + context.limits.company)
                return isUsual ? begin(&context) : nil
            case .scanOver(let error):
                if let error = PhoneError(scan: error) { return .failed(error) }
                return search.isEmpty ? .failed(search.failure) : begin(&context)
            case .time where PhoneLimits.hearsOthers:
                return until.map { context.now >= $0 } == true ? begin(&context) : nil
            default: return nil
            }
        case .visiting(let visit):
            let result = visit.handle(input, &context)
            switch result {
            case nil: return nil
            case .success(let identity):
                stage = .found(visit.advertisement)
                return .found(identity)
            case .failure(let error): return passBy(.link(error), &context)
            }
        case .found: return nil
        }
    }

    /// Begins the visits to the boxes that were heard.
    private func begin(_ context: inout ErrandContext) -> End? {
        context.stopListening()
        // A next try need not listen for others again.
        if PhoneLimits.hearsOthers, let only = search.only, usual != nil { context.heardAloneAt = only.address.bytes }
        return goOn(&context)
    }

    private var visited: Advertisement? {
        switch stage {
        case .listening: nil
        case .visiting(let visit): visit.advertisement
        case .found(let advertisement): advertisement
        }
    }

    // MARK: Results for the found box

    /// When to leave the visited box, if there are others: one that has proved the key, or some that wait.
    var visitEnd: Duration? { PhoneLimits.hearsOthers ? search.visitEnd : nil }

    /// Rejects the visited box, and ends the link to it.
    func passBy(_ reason: ReachFailure, _ context: inout ErrandContext) -> End? {
        guard let visited else { return nil }
        context.hangUp()
        if case .identity(let problem) = reason { context.show(.passedBy(boxID: search.boxID, problem)) }
        search.passBy(visited, reason, now: context.now)
        return goOn(&context)
    }

    /// Call this when the found box has proved its key. Visits the others if the proof is open.
    func proved(_ context: inout ErrandContext) -> Proof {
        guard case .found(let advertisement) = stage else { return .alone }
        let proof = search.prove(advertisement, now: context.now)
        if case .open = proof {
            context.hangUp()
            _ = goOn(&context)
        }
        return proof
    }

    /// The address of the found box, if every other box that was heard has been ruled out.
    var aloneAt: [UInt8]? {
        guard usual != nil, search.linkError == nil, case .found(let advertisement) = stage else { return nil }
        return advertisement.address.bytes
    }

    private func goOn(_ context: inout ErrandContext) -> End? {
        if let next = search.next(now: context.now) {
            context.show(.connecting(boxID: search.boxID))
            stage = .visiting(Visit(next, &context))
            return nil
        }
        let left = search.deadline - context.now
        guard left > .zero, search.mayTryMore else { return .failed(search.failure) }
        stage = .listening(until: nil)
        context.listen(for: left)
        return nil
    }
}
