import Links
import SecureChannel
import VaultPort

/// Handles several trusted boxes with the same digits. Listens for the whole scan, identifies each box, and asks the
/// person which one is meant. Ends with a link to that box.
///
/// ```
/// listening ──► visiting, one after the other ──► asking the person ──► visiting the chosen one ──► (found)
/// ```
final class ChoosingAmongSeveral {
    enum End: Sendable {
        /// The person has chosen this box. `found` follows.
        case chosen(KnownBox)
        case found(RecognisedBox, identity: [UInt8])
        case failed(PhoneError)
    }

    private struct Present: Sendable {
        let box: KnownBox
        let advertisement: Advertisement
    }

    private indirect enum Stage {
        case listening(Listening)
        case visiting(Visit)
        case asking
        case returning(Visit, KnownBox)
        case over
    }

    private let target: BoxTarget
    private var search: BoxSearch
    private var stage: Stage
    private var waiting: [Advertisement] = []
    private var present: [Present] = []

    init(_ target: BoxTarget, _ context: inout ErrandContext) {
        self.target = target
        search = BoxSearch(boxID: target.boxID, until: context.now + context.limits.scan)
        stage = .listening(Listening(for: context.limits.scan, &context))
    }

    var deadline: Duration? {
        switch stage {
        case .visiting(let visit), .returning(let visit, _): visit.deadline
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
                    present.append(Present(box: recognised.box, advertisement: visit.advertisement))
                case .failure(let problem):
                    search.passBy(visit.advertisement, .identity(problem), now: context.now)
                }
            }
            return visitNext(&context)
        case .asking:
            guard case .chosen(let id) = input else { return nil }
            guard let choice = present.first(where: { $0.box.id == id }) else {
                let boxes = present.map { $0.box }
                return finish(
                    .failed(.sameDigits(boxID: target.boxID, names: boxes.map { $0.name(among: boxes) })))
            }
            return take(choice, &context)
        case .returning(let visit, let box):
            let result = visit.handle(input, &context)
            switch result {
            case nil: return nil
            case .failure(let error): return finish(.failed(.unreachable(boxID: target.boxID, error)))
            case .success(let identity):
                switch context.recognise([box], by: identity, showing: target.boxID.bytes) {
                case .success(let recognised): return finish(.found(recognised, identity: identity))
                case .failure(let problem):
                    context.hangUp()
                    return finish(.failed(.notTheBox(boxID: target.boxID, problem)))
                }
            }
        case .over: return nil
        }
    }

    private func visitNext(_ context: inout ErrandContext) -> End? {
        if !waiting.isEmpty {
            stage = .visiting(Visit(waiting.removeFirst(), &context))
            return nil
        }
        guard let first = present.first else { return finish(.failed(search.failure)) }
        guard present.count > 1 else { return take(first, &context) }
        context.emit(.choose(present.map { $0.box }))
        stage = .asking
        return nil
    }

    private func take(_ choice: Present, _ context: inout ErrandContext) -> End? {
        context.show(.connecting(boxID: target.boxID))
        stage = .returning(Visit(choice.advertisement, &context), choice.box)
        return present.count > 1 ? .chosen(choice.box) : nil
    }

    private func finish(_ end: End) -> End {
        stage = .over
        return end
    }
}
