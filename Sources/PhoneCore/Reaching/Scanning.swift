import Links
import SecureChannel
import VaultPort

/// Listens, then identifies the boxes with known digits. If a known box is not heard by its digits, asks the other
/// boxes too, because the known box may have new digits.
///
/// ```
/// listening ──► recognising, one after the other, at most `BoxSearch.triesLimit` ──► (seen boxes)
/// ```
final class Scanning: OrderSteps {
    private indirect enum Stage {
        case listening(Listening)
        case recognising(Recognising)
    }

    private let known: [KnownBox]
    private var heard: [Advertisement] = []
    private var waiting: [Advertisement] = []
    private var current: Advertisement?
    private var missing: [KnownBox] = []
    private var asked = 0
    private var seen: [SeenBox] = []
    private var stage: Stage

    init(_ known: [KnownBox], _ context: inout ErrandContext) {
        self.known = known
        stage = .listening(Listening(for: context.limits.scan, &context))
    }

    override func deadline(_ context: ErrandContext) -> Duration? {
        guard case .recognising(let recognising) = stage else { return nil }
        return recognising.deadline
    }

    override func handle(_ input: Input, _ context: inout ErrandContext) -> ErrandEnd? {
        if case .cancel = input { return .failed(.cancelled) }
        switch stage {
        case .listening(let listening):
            let result = listening.handle(input, &context)
            switch result {
            case nil: return nil
            case .failure(let error): return .failed(error)
            case .success(let all):
                heard = all.filter { $0.boxID != nil }
                // The digits of a site's boxes are in no row, so such boxes must be asked.
                missing = known.filter { box in
                    box.site != nil || !heard.contains { $0.boxID?.hasBytes(of: box.digits) == true }
                }
                // Known digits come first, because the number of boxes to ask is limited.
                waiting = heard.filter { !named($0).isEmpty } + heard.filter { named($0).isEmpty }
                return next(&context)
            }
        case .recognising(let recognising):
            let result = recognising.handle(input, &context)
            guard let result, let current else { return nil }
            context.hangUp()
            let standing: SeenBox.Standing =
                switch result {
                case .known(let box): .known(box)
                // A box with unknown digits that is none of the known boxes stays unknown.
                case _ where named(current).isEmpty: .unknown
                case .other(let problem): .other(problem)
                case .unreachable(let error): .unreachable(error)
                }
            add(current, standing)
            return next(&context)
        }
    }

    private func named(_ advertisement: Advertisement) -> [KnownBox] {
        known.filter { advertisement.boxID?.hasBytes(of: $0.digits) == true }
    }

    private func next(_ context: inout ErrandContext) -> ErrandEnd? {
        while !waiting.isEmpty {
            let advertisement = waiting.removeFirst()
            let candidates =
                named(advertisement).isEmpty ? missing : named(advertisement) + known.filter { $0.site != nil }
            if !candidates.isEmpty, asked < BoxSearch.triesLimit {
                asked += 1
                current = advertisement
                stage = .recognising(Recognising(candidates, at: advertisement, &context))
                return nil
            }
            add(advertisement, named(advertisement).isEmpty ? .unknown : .unreachable(.timedOut))
        }
        return .seen(seen)
    }

    private func add(_ advertisement: Advertisement, _ standing: SeenBox.Standing) {
        guard let boxID = advertisement.boxID else { return }
        let doubles = heard.filter { $0.boxID?.hasBytes(of: boxID) == true }
        let box = SeenBox(boxID: boxID, rssi: advertisement.rssi, standing: standing, hasDouble: doubles.count > 1)
        // Sort by digits, then by the strongest signal.
        seen.insert(box) { one, other in
            one.boxID.hasBytes(of: other.boxID)
                ? one.rssi ?? -128 > other.rssi ?? -128 : one.boxID.precedes(other.boxID)
        }
    }
}
