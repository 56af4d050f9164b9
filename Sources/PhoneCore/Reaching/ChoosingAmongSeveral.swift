import Links
import SecureChannel
import VaultPort

/// Handles several trusted boxes with the same digits. Listens for the whole scan, identifies each box, and asks the
/// person which one is meant.
///
/// ```
/// listening ──► visiting, one after the other ──► asking the person ──► (chosen)
/// ```
final class ChoosingAmongSeveral {
    enum End: Sendable {
        /// The person has chosen this box, or it is the only one in range.
        case chosen(KnownBox)
        case failed(PhoneError)
    }

    private indirect enum Stage {
        case listening(Listening)
        case visiting(Visit)
        case asking
        case over
    }

    private let target: BoxTarget
    private var search: BoxSearch
    private var stage: Stage
    private var waiting: [Advertisement] = []
    private var present: [KnownBox] = []

    init(_ target: BoxTarget, _ context: inout ErrandContext) {
        self.target = target
        search = BoxSearch(boxID: target.boxID, until: context.now + context.limits.scan)
        stage = .listening(Listening(for: context.limits.scan, &context))
    }

    var deadline: Duration? {
        switch stage {
        case .visiting(let visit): visit.deadline
        case .listening, .asking, .over: nil
        }
    }

    func handle(_ input: Input, _ context: inout ErrandContext) -> End? {
        switch stage {
        case .listening(let listening):
            let result = listening.handle(input, &context)
            switch result {
            case nil: return nil
            case .failure(let error): return finish(.failed(error))
            case .success(let heard):
                waiting = heard.filter { $0.boxID?.hasBytes(of: target.boxID) == true }
                return visitNext(&context)
            }
        case .visiting(let visit):
            let result = visit.handle(input, &context)
            switch result {
            case nil: return nil
            case .failure(let error): search.passBy(visit.advertisement, .link(error), now: context.now)
            case .success(let identity):
                context.hangUp()
                switch context.recognise(target.candidates, by: identity, showing: target.boxID.bytes) {
                case .success(let recognised):
                    // Two boxes with one key are one choice.
                    if !present.contains(where: { $0.isSame(as: recognised.box) }) { present.append(recognised.box) }
                case .failure(let problem):
                    search.passBy(visit.advertisement, .identity(problem), now: context.now)
                }
            }
            return visitNext(&context)
        case .asking:
            guard case .chosen(let id) = input else { return nil }
            guard let choice = present.first(where: { $0.id == id }) else {
                return finish(
                    .failed(.sameDigits(boxID: target.boxID, names: present.map { $0.name(among: present) })))
            }
            return finish(.chosen(choice))
        case .over: return nil
        }
    }

    private func visitNext(_ context: inout ErrandContext) -> End? {
        if !waiting.isEmpty {
            stage = .visiting(Visit(waiting.removeFirst(), &context))
            return nil
        }
        guard let first = present.first else { return finish(.failed(search.failure)) }
        guard present.count > 1 else { return finish(.chosen(first)) }
        context.emit(.choose(present))
        stage = .asking
        return nil
    }

    private func finish(_ end: End) -> End {
        stage = .over
        return end
    }
}
