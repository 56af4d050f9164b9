import Links

/// Searches for the box with some digits. Listens, visits the boxes that show the digits one by one, and returns each
/// identity to the caller. `passBy` continues with the next box.
///
/// ```
/// listening ──heard──► visiting ──identity──► (found) ──passBy──► listening
///     ▲                    │ link failed                              │
///     └────────────────────┴──────────────── time is up ─────────► (PhoneError)
/// ```
final class Seeking {
    enum End: Sendable {
        case found([UInt8])
        case failed(PhoneError)
    }

    private indirect enum Stage {
        case listening
        case visiting(Visit)
        case found(Advertisement)
    }

    private var search: BoxSearch
    private var stage = Stage.listening

    init(boxID: String, _ context: inout ErrandContext) {
        search = BoxSearch(boxID: boxID, until: context.now + context.limits.scan)
        context.listen(for: context.limits.scan)
    }

    var deadline: Duration? {
        guard case .visiting(let visit) = stage else { return nil }
        return visit.deadline
    }

    func handle(_ input: Input, _ context: inout ErrandContext) -> End? {
        switch stage {
        case .listening:
            switch input {
            case .heard(let advertisement) where search.isCandidate(advertisement):
                context.stopListening()
                context.show(.connecting(boxID: search.boxID))
                stage = .visiting(Visit(advertisement, &context))
                return nil
            case .scanOver(let error): return .failed(PhoneError(scan: error) ?? search.failure)
            default: return nil
            }
        case .visiting(let visit):
            let result = visit.handle(input, &context)
            switch result {
            case nil: return nil
            case .success(let identity):
                stage = .found(visit.advertisement)
                return .found(identity)
            case .failure(let error):
                search.passBy(visit.advertisement, .link(error), now: context.now)
                return listen(&context)
            }
        case .found: return nil
        }
    }

    /// Rejects the box that was found, and ends the link to it.
    func passBy(_ problem: IdentityProblem, _ context: inout ErrandContext) -> End? {
        guard case .found(let advertisement) = stage else { return nil }
        context.hangUp()
        context.show(.passedBy(boxID: search.boxID, problem))
        search.passBy(advertisement, .identity(problem), now: context.now)
        return listen(&context)
    }

    /// Call this when the link to the found box broke before it carried anything.
    func linkFailed(_ error: LinkError, _ context: inout ErrandContext) -> End? {
        guard case .found(let advertisement) = stage else { return nil }
        context.hangUp()
        search.passBy(advertisement, .link(error), now: context.now)
        return listen(&context)
    }

    private func listen(_ context: inout ErrandContext) -> End? {
        let left = search.deadline - context.now
        guard left > .zero, search.mayTryMore else { return .failed(search.failure) }
        stage = .listening
        context.listen(for: left)
        return nil
    }
}
